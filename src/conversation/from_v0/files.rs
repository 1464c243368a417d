//! Translating file operations.

use crate::conversation::FileOp;
use crate::wire::v0::{FileEditAction, FileEditSource, FileReadAction, FileWriteAction};

pub(super) fn view(read: &FileReadAction) -> FileOp {
    let range = match read.view_range.as_deref() {
        Some([first, last, ..]) => Some((*first, *last)),
        // `start` counts from 0 and `end` is the line after the last; converted to 1-based inclusive lines.
        _ if (read.start, read.end) != (0, -1) => Some((read.start.saturating_add(1), read.end)),
        _ => None,
    };
    FileOp::View {
        path: read.path.clone(),
        range,
    }
}

pub(super) fn rewrite(write: &FileWriteAction) -> FileOp {
    let (path, text) = (write.path.clone(), write.content.clone());
    match (write.start, write.end) {
        (0, -1) => FileOp::Create { path, text },
        (start, end) => FileOp::Rewrite {
            path,
            range: (start.saturating_add(1), end),
            text,
        },
    }
}

pub(super) fn change(edit: &FileEditAction) -> FileOp {
    let path = edit.path.clone();
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    match edit.command.as_str() {
        _ if edit.impl_source == FileEditSource::LlmBasedEdit => draft(edit),
        "view" => FileOp::View { path, range: None },
        "create" | "write" => FileOp::Create {
            path,
            text: edit
                .file_text
                .clone()
                .unwrap_or_else(|| edit.content.clone()),
        },
        "str_replace" => FileOp::Replace {
            path,
            old: text(&edit.old_str),
            new: text(&edit.new_str),
        },
        "insert" => FileOp::Insert {
            path,
            line: edit.insert_line.unwrap_or(0),
            text: text(&edit.new_str),
        },
        "undo_edit" => FileOp::Undo { path },
        _ => draft(edit),
    }
}

fn draft(edit: &FileEditAction) -> FileOp {
    FileOp::Rewrite {
        path: edit.path.clone(),
        range: (edit.start, edit.end),
        text: edit.content.clone(),
    }
}
