//! Line endings, which a line does not show by itself.
//!
//! If all changed lines have the same ones, a note names them; otherwise each line shows its own.

use super::{Change, Plain, text};

/// What ends a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum End {
    /// A line feed.
    Lf,
    /// A carriage return and a line feed.
    CrLf,
    /// Nothing: it is the last line.
    None,
}

impl End {
    /// The line without its end; `None` if it has none.
    pub(super) fn of(line: &str) -> Option<(&str, Self)> {
        let line = line.strip_suffix('\n')?;
        Some(match line.strip_suffix('\r') {
            Some(line) => (line, Self::CrLf),
            None => (line, Self::Lf),
        })
    }
}

/// The line endings of the changed lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// Line feeds.
    Lf,
    /// CRLF.
    CrLf,
    /// All removed lines end in CRLF, and all added ones in a line feed.
    ToLf,
    /// The other way round.
    ToCrLf,
    /// Both.
    Mixed,
}

impl Ends {
    pub(super) fn of(hunks: &[Vec<Plain<'_>>]) -> Self {
        // How many lines of one side end in a line feed, and how many in CRLF.
        let count = |change| {
            let lines = hunks.iter().flatten().filter(|line| line.change == change);
            lines.fold((0, 0), |(lf, crlf), line| match line.end {
                End::Lf => (lf + 1, crlf),
                End::CrLf => (lf, crlf + 1),
                End::None => (lf, crlf),
            })
        };
        match (count(Change::Removed), count(Change::Added)) {
            ((_, 0), (_, 0)) => Self::Lf,
            ((0, _), (0, _)) => Self::CrLf,
            ((0, _), (_, 0)) => Self::ToLf,
            ((_, 0), (0, _)) => Self::ToCrLf,
            _ => Self::Mixed,
        }
    }

    pub(super) fn note(self) -> Option<&'static str> {
        match self {
            Self::Lf => None,
            Self::CrLf => Some(text::ends_in_crlf()),
            Self::ToLf => Some(text::crlf_to_lf()),
            Self::ToCrLf => Some(text::lf_to_crlf()),
            Self::Mixed => Some(text::ends_mixed()),
        }
    }
}
