//! Limits on the size of a rendered row.

/// Limits for rendering a row. Sizes are in bytes of the source text unless stated otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Prefix of all image URLs: the path that Handrail is served under, with a trailing slash.
    pub base: String,
    /// Lines of terminal output.
    pub terminal_lines: usize,
    /// Lines of code, JSON or a file.
    pub code_lines: usize,
    /// Lines of a diff.
    pub diff_lines: usize,
    /// Size of one block.
    pub block_bytes: usize,
    /// Size of one message, thought or summary.
    pub prose_bytes: usize,
    /// Size of a command or change that needs approval, instead of `block_bytes`.
    pub waiting_bytes: usize,
    /// Lines of a command or change that needs approval.
    pub waiting_lines: usize,
    /// Number of pieces of one kind: names, images, tasks, results.
    pub pieces: usize,
    /// Size of the whole row, in bytes of HTML.
    pub row_bytes: usize,
}

impl Limits {
    /// Limits for the timeline.
    pub fn short(base: &str) -> Self {
        Self {
            base: base.to_owned(),
            terminal_lines: 40,
            code_lines: 60,
            diff_lines: 120,
            block_bytes: 16 << 10,
            prose_bytes: 20 << 10,
            waiting_bytes: 64 << 10,
            waiting_lines: 2000,
            pieces: 50,
            row_bytes: 96 << 10,
        }
    }

    /// Limits for an approval card, which is sent to every viewer at every change. `rows` is the number of rows in the
    /// card.
    pub fn asked(base: &str, rows: usize) -> Self {
        Self {
            prose_bytes: 32 << 10,
            row_bytes: (384 << 10) / rows.max(1),
            ..Self::short(base)
        }
    }

    /// Limits for a file to keep: a long output is whole, and the file can still be opened.
    pub fn document() -> Self {
        Self {
            terminal_lines: 1000,
            code_lines: 1000,
            diff_lines: 1000,
            block_bytes: 128 << 10,
            prose_bytes: 128 << 10,
            pieces: 200,
            row_bytes: 512 << 10,
            ..Self::short("")
        }
    }

    /// Whether the row is rendered in full.
    pub(super) fn is_full(&self) -> bool {
        self.code_lines > 1000
    }

    /// Limits for "show all": everything, up to what a browser can handle.
    pub fn full(base: &str) -> Self {
        Self {
            base: base.to_owned(),
            terminal_lines: 200_000,
            code_lines: 200_000,
            diff_lines: 50_000,
            block_bytes: 5 << 20,
            prose_bytes: 1 << 20,
            waiting_bytes: 5 << 20,
            waiting_lines: 50_000,
            pieces: 2000,
            row_bytes: 12 << 20,
        }
    }
}
