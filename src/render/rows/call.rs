//! What a call asks for, as blocks: what a person judges before they say yes.

use super::{Place, cut, words};
use crate::{
    conversation::{FileOp, Tone, Tool},
    render::{Block, DiffView, code_html, diff, hidden},
};
use serde_json::Value;

/// The blocks of a request. While it waits for an answer more of it is shown.
pub(super) fn request(place: &Place<'_>, tool: &Tool, waiting: bool) -> Vec<Block> {
    let code = |label: &str, text: &str, hint: &str| place.code(label, text, hint, waiting);
    match tool {
        Tool::Shell { command, .. } if command.trim().is_empty() => Vec::new(),
        Tool::Shell {
            command,
            input: true,
        } => code("Typed", command, ""),
        Tool::Shell { command, .. } => code("Command", command, "sh"),
        Tool::Cell { code: text } => code("Python", text, "py"),
        // Nobody says yes to a path that the head line has shortened.
        Tool::File(op) if waiting && words::is_long(op.path()) => {
            let mut blocks = code("File", op.path(), "");
            blocks.extend(place.change(op, waiting));
            blocks
        }
        Tool::File(op) => place.change(op, waiting),
        // The head line shows the address already.
        Tool::Browser {
            action,
            url: Some(_),
        } if !waiting && !action.trim().contains('\n') => Vec::new(),
        Tool::Browser { action, .. } => code("Action", action, "py"),
        Tool::Think { text } | Tool::Finish { text } | Tool::Decline { text } => {
            place.prose_blocks(text)
        }
        Tool::Tasks { tasks } if tasks.is_empty() => Vec::new(),
        Tool::Tasks { tasks } => vec![Block::Tasks(tasks.clone())],
        Tool::Mcp { arguments, .. } | Tool::Other { arguments, .. } => {
            place.arguments(arguments, waiting)
        }
        Tool::SubAgent { task, .. } => place.prose_blocks(task),
        Tool::Condense | Tool::Skill { .. } | Tool::Search { .. } => Vec::new(),
    }
}

impl Place<'_> {
    /// A block of code, and a remark when a waiting one had to be cut.
    pub(super) fn code(&self, label: &str, text: &str, hint: &str, waiting: bool) -> Vec<Block> {
        let limits = self.limits;
        let (kept, cut) = if waiting {
            cut::to_bytes(text, limits.waiting_bytes)
        } else {
            cut::to_lines(text, limits.code_lines, limits.block_bytes)
        };
        let mut blocks = vec![Block::Code {
            label: label.to_owned(),
            html: code_html(kept, hint),
            text: kept.to_owned(),
            hidden: hidden::has_hidden(text),
            cut,
        }];
        if waiting && cut {
            blocks.push(not_shown(text.len() - kept.len()));
        }
        blocks
    }

    /// Prose, nothing for an empty text.
    pub(super) fn prose_blocks(&self, text: &str) -> Vec<Block> {
        if text.trim().is_empty() {
            return Vec::new();
        }
        let (html, cut) = self.prose(text);
        let mut blocks = vec![Block::Prose(html)];
        if cut {
            blocks.push(remark(
                Tone::Info,
                "The text is longer than shown here.".to_owned(),
            ));
        }
        blocks
    }

    fn arguments(&self, arguments: &Value, waiting: bool) -> Vec<Block> {
        match arguments {
            Value::Null => Vec::new(),
            Value::Object(map) if map.is_empty() => Vec::new(),
            _ => self.json("Arguments", arguments, waiting),
        }
    }

    /// A JSON value, indented.
    pub(super) fn json(&self, label: &str, value: &Value, waiting: bool) -> Vec<Block> {
        let short = value.to_string();
        // A few small arguments need no column of braces.
        let text = match short.len() {
            ..=80 => short,
            _ => serde_json::to_string_pretty(value).unwrap_or(short),
        };
        let mut blocks = self.code(label, &text, "json", waiting);
        if let Some(Block::Code {
            label, html, cut, ..
        }) = blocks.first_mut()
        {
            blocks[0] = Block::Json {
                label: std::mem::take(label),
                html: std::mem::take(html),
                cut: *cut,
            };
        }
        blocks
    }

    /// A change as it is asked for; what came of it is drawn from its result.
    fn change(&self, op: &FileOp, waiting: bool) -> Vec<Block> {
        let (old, new) = match op {
            FileOp::View { .. } | FileOp::Undo { .. } => return Vec::new(),
            FileOp::Create { text, .. }
            | FileOp::Insert { text, .. }
            | FileOp::Rewrite { text, .. } => ("", text.as_str()),
            FileOp::Replace { old, new, .. } => (old.as_str(), new.as_str()),
        };
        let mut blocks = Vec::new();
        let place = match op {
            FileOp::Insert { line: 0, .. } => {
                Some("Inserted at the beginning of the file.".to_owned())
            }
            FileOp::Insert { line, .. } => Some(format!("Inserted behind line {line}.")),
            FileOp::Rewrite { range: (1, -1), .. } => {
                Some("Rewrites the whole file from this draft.".to_owned())
            }
            FileOp::Rewrite {
                range: (first, -1), ..
            } => Some(format!("Rewrites from line {first} on, from this draft.")),
            FileOp::Rewrite {
                range: (first, last),
                ..
            } => Some(format!("Rewrites lines {first} to {last} from this draft.")),
            _ => None,
        };
        blocks.extend(place.map(|text| remark(Tone::Info, text)));
        let most = if waiting {
            self.limits.waiting_bytes
        } else {
            self.limits.block_bytes
        };
        let ((old_kept, old_cut), (new_kept, new_cut)) =
            (cut::to_bytes(old, most), cut::to_bytes(new, most));
        let lines = if waiting {
            usize::MAX
        } else {
            self.limits.diff_lines
        };
        let mut view = diff::texts_within(op.path(), old_kept, new_kept, lines);
        // A passage is part of a file, so its line numbers would be wrong.
        if !matches!(op, FileOp::Create { .. }) {
            for line in view.hunks.iter_mut().flat_map(|hunk| &mut hunk.lines) {
                (line.old, line.new) = (None, None);
            }
        }
        view.cut |= old_cut || new_cut;
        if hidden::has_hidden(old) || hidden::has_hidden(new) {
            blocks.push(hidden_remark());
        }
        blocks.push(Block::Diff(DiffView {
            path: op.path().to_owned(),
            ..view
        }));
        let missing = old.len() - old_kept.len() + new.len() - new_kept.len();
        if waiting && missing > 0 {
            blocks.push(not_shown(missing));
        }
        blocks
    }
}

pub(super) fn remark(tone: Tone, text: String) -> Block {
    Block::Remark { tone, text }
}

pub(super) fn hidden_remark() -> Block {
    remark(
        Tone::Warning,
        "Contains characters that do not show. They are marked.".to_owned(),
    )
}

fn not_shown(bytes: usize) -> Block {
    remark(
        Tone::Warning,
        format!(
            "{} KB more are not shown here. Open the whole step before you answer.",
            bytes.div_ceil(1024)
        ),
    )
}
