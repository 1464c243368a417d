//! The request of a call as blocks: what a person judges before approving.
//!
//! Long because each tool shows what it was given.

use super::{Place, cut, words};
use crate::{
    conversation::{Call, FileOp, Task, Tone, Tool},
    render::{
        Block, DiffView,
        code::exact_code_html,
        diff,
        hidden::{self, HIDDEN},
        text,
    },
    wire::{as_written, json_text},
};
use serde_json::Value;

/// The blocks of a request. While it needs approval, all of it is shown unchanged.
pub(super) fn request(place: &Place<'_>, call: &Call, waiting: bool) -> Vec<Block> {
    let mut blocks = asked(place, &call.tool, waiting);
    if waiting && !call.more.is_empty() {
        let more = Value::Object(call.more.clone());
        blocks.extend(place.json(text::further_arguments(), &more, waiting));
    }
    blocks
}

fn asked(place: &Place<'_>, tool: &Tool, waiting: bool) -> Vec<Block> {
    let code = |label: &str, text: &str, hint: &str| place.code(label, text, hint, waiting);
    // An approver must see in full what the heading has shortened.
    let whole = |label: &str, text: &str| {
        if waiting && !words::is_whole(text) {
            code(label, text, "")
        } else {
            Vec::new()
        }
    };
    match tool {
        // Whitespace in input is significant.
        Tool::Shell { command, .. }
            if command.is_empty() || (!waiting && command.trim().is_empty()) =>
        {
            Vec::new()
        }
        Tool::Shell {
            command,
            input: true,
        } => code(text::input(), command, ""),
        Tool::Shell { command, .. } => code(text::command(), command, "sh"),
        Tool::Cell { code: text } => code(text::python(), text, "py"),
        Tool::File(op) if waiting && (words::is_long(op.path()) || !words::is_whole(op.path())) => {
            let mut blocks = code(text::file(), op.path(), "");
            blocks.extend(place.change(op, waiting));
            blocks
        }
        Tool::File(op) => place.change(op, waiting),
        // The heading shows the URL already.
        Tool::Browser {
            action,
            url: Some(_),
        } if !waiting && !action.trim().contains('\n') => Vec::new(),
        Tool::Browser { action, .. } => code(text::action(), action, "py"),
        Tool::Think { text } | Tool::Finish { text } | Tool::Decline { text } => {
            place.prose_blocks(text)
        }
        Tool::Tasks { tasks } if tasks.is_empty() => Vec::new(),
        Tool::Tasks { tasks } => {
            let mut blocks = place.tasks(tasks);
            let texts = tasks.iter().flat_map(|task| [&task.title, &task.notes]);
            let texts: Vec<&str> = texts.map(String::as_str).collect();
            let is_cut = blocks.len() > 1 || texts.iter().any(|text| text.len() > TASK);
            let texts = texts.join("\n");
            if waiting && (is_cut || hidden::has_hidden(&texts)) {
                blocks.extend(code(text::task_texts(), &texts, ""));
            }
            blocks
        }
        Tool::Mcp { name, arguments } | Tool::Other { name, arguments } => {
            let mut blocks = whole(text::tool(), name);
            blocks.extend(place.arguments(arguments, waiting));
            blocks
        }
        // Shown as source: rendered Markdown would hide comments, link targets and hidden characters.
        Tool::SubAgent { agent, task, .. } if waiting => {
            let mut blocks = whole(text::agent(), agent);
            blocks.extend(code(text::task(), task, ""));
            blocks
        }
        Tool::SubAgent { task, .. } => place.prose_blocks(task),
        Tool::Skill { name } => whole(text::skill(), name),
        Tool::Search {
            pattern,
            place: folder,
        } => {
            let mut blocks = whole(text::pattern(), pattern);
            blocks.extend(whole(text::path(), folder));
            let both = text::searched(pattern, folder);
            if blocks.is_empty() && !words::is_whole(&both) {
                blocks = whole(text::search(), &both);
            }
            blocks
        }
        Tool::Condense => Vec::new(),
    }
}

impl Place<'_> {
    /// A code block, with a remark if the text of a pending action had to be truncated.
    pub(super) fn code(&self, label: &str, text: &str, hint: &str, waiting: bool) -> Vec<Block> {
        let limits = self.limits;
        let (kept, cut) = if waiting {
            cut::to_lines(text, limits.waiting_lines, limits.waiting_bytes)
        } else {
            cut::to_lines(text, limits.code_lines, limits.block_bytes)
        };
        let (html, shown) = self.fitting(kept, |text| exact_code_html(text, hint, waiting));
        let cut = cut || shown.len() < kept.len();
        let mut blocks = vec![Block::Code {
            label: label.to_owned(),
            hidden: html.contains(HIDDEN),
            html,
            text: shown.to_owned(),
            cut,
        }];
        if waiting && cut {
            blocks.push(not_shown(text.len() - shown.len()));
        }
        blocks
    }

    /// Rendered prose; no block for an empty text.
    pub(super) fn prose_blocks(&self, text: &str) -> Vec<Block> {
        if text.trim().is_empty() {
            return Vec::new();
        }
        let (html, cut) = self.prose(text);
        let mut blocks = vec![Block::Prose(html)];
        if cut {
            blocks.push(remark(Tone::Info, text::longer().to_owned()));
        }
        blocks
    }

    fn arguments(&self, arguments: &Value, waiting: bool) -> Vec<Block> {
        match arguments {
            Value::Null => Vec::new(),
            Value::Object(map) if map.is_empty() => Vec::new(),
            _ => self.json(text::arguments(), arguments, waiting),
        }
    }

    /// An indented JSON value.
    pub(super) fn json(&self, label: &str, value: &Value, waiting: bool) -> Vec<Block> {
        let short = json_text(value);
        // A few small arguments are shown on one line.
        let most = if waiting {
            self.limits.waiting_bytes
        } else {
            self.limits.block_bytes
        };
        let text = match short.len() {
            ..=80 => short,
            _ => as_written(cut::indented(value, most)),
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

    /// The requested change; the actual change is rendered from the result.
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
            FileOp::Insert { line: 0, .. } => Some(text::inserted_at_start().to_owned()),
            FileOp::Insert { line, .. } => Some(text::inserted_after(line)),
            FileOp::Rewrite { range: (1, -1), .. } => Some(text::rewrites_file().to_owned()),
            FileOp::Rewrite {
                range: (first, -1), ..
            } => Some(text::rewrites_from(first)),
            FileOp::Rewrite {
                range: (first, last),
                ..
            } => Some(text::rewrites_lines(first, last)),
            _ => None,
        };
        blocks.extend(place.map(|text| remark(Tone::Info, text)));
        let most = if waiting {
            self.limits.waiting_bytes
        } else {
            self.limits.block_bytes
        };
        let lines = if waiting {
            self.limits.waiting_lines
        } else {
            self.limits.diff_lines
        };
        let ((old_kept, old_cut), (new_kept, new_cut)) = if waiting {
            (
                cut::to_lines(old, lines, most),
                cut::to_lines(new, lines, most),
            )
        } else {
            (cut::to_bytes(old, most), cut::to_bytes(new, most))
        };
        let room = diff::DiffLimits {
            lines: if waiting { usize::MAX } else { lines },
            html: self.room.get(),
        };
        let mut view = diff::texts_within(op.path(), old_kept, new_kept, room);
        self.takes(diff::weight(&view));
        let whole = !view.cut;
        // A passage is part of a file, so its line numbers would be wrong.
        if !matches!(op, FileOp::Create { .. }) {
            for line in view.hunks.iter_mut().flat_map(|hunk| &mut hunk.lines) {
                (line.old, line.new) = (None, None);
            }
        }
        view.cut |= old_cut || new_cut;
        if waiting && view.hunks.is_empty() && !view.cut && matches!(op, FileOp::Replace { .. }) {
            // What could not be read has become the same character in both.
            match old.contains('\u{FFFD}') {
                true => {
                    view.notes.push(text::unreadable_characters().to_owned());
                    blocks.extend(self.code(text::passage(), old, op.path(), waiting));
                }
                false => view.notes.push(text::same_text().to_owned()),
            }
        }
        let empty = match op {
            FileOp::Create { text, .. } if text.is_empty() => Some(text::empty_file()),
            FileOp::Insert { text, .. } if text.is_empty() => Some(text::empty_insert()),
            FileOp::Rewrite { text, .. } if text.is_empty() => Some(text::empty_draft()),
            _ => None,
        };
        view.notes.extend(empty.map(str::to_owned));
        if matches!(op, FileOp::Create { text, .. } if !text.is_empty() && !text.ends_with('\n')) {
            view.notes.push(text::created_without_newline().to_owned());
        }
        let mut shown = view.hunks.iter().flat_map(|hunk| &hunk.lines);
        if shown.any(|line| line.html.contains(HIDDEN)) {
            blocks.push(hidden_remark());
        }
        blocks.push(Block::Diff(DiffView {
            path: op.path().to_owned(),
            ..view
        }));
        let missing = old.len() - old_kept.len() + new.len() - new_kept.len();
        if waiting && (missing > 0 || !whole) {
            blocks.push(not_shown(missing));
        }
        blocks
    }

    /// A task list.
    pub(super) fn tasks(&self, tasks: &[Task]) -> Vec<Block> {
        let (shown, more) = self.some(
            tasks,
            |task: &Task| task.title.len() + task.notes.len(),
            |task| Task {
                title: cut::to_bytes(&task.title, TASK).0.to_owned(),
                notes: cut::to_bytes(&task.notes, TASK).0.to_owned(),
                ..task.clone()
            },
        );
        let mut blocks = vec![Block::Tasks(shown)];
        blocks.extend(super::and_more(more).map(|more| remark(Tone::Info, more)));
        blocks
    }
}

/// Longest title or notes of a task, in bytes.
const TASK: usize = 2000;

pub(super) fn remark(tone: Tone, text: String) -> Block {
    Block::Remark { tone, text }
}

pub(super) fn hidden_remark() -> Block {
    remark(Tone::Warning, text::hidden_characters().to_owned())
}

fn not_shown(bytes: usize) -> Block {
    let words = match bytes.div_ceil(1024) {
        0 => text::not_all_shown().to_owned(),
        kilobytes => text::kilobytes_not_shown(kilobytes),
    };
    remark(Tone::Warning, words)
}
