//! Translating file operations.

use crate::conversation::FileOp;
use crate::conversation::more::{all, more};
use crate::wire::v0::{FileEditAction, FileEditSource, FileReadAction, FileWriteAction};
use serde_json::{Map, Value};

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

/// `None` for an unknown command.
pub(super) fn change(edit: &FileEditAction) -> Option<FileOp> {
    let path = edit.path.clone();
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    Some(match edit.command.as_str() {
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
        "" => draft(edit),
        _ => return None,
    })
}

/// The arguments of a change that its operation has no field for.
pub(super) fn beside(edit: &FileEditAction, change: &FileOp) -> Map<String, Value> {
    let mut unused = vec![("old_str", edit.old_str.clone())];
    let content = (!edit.content.is_empty()).then(|| edit.content.clone());
    match change {
        FileOp::Replace { .. } => unused.clear(),
        FileOp::Insert { .. } => {}
        _ => unused.push(("new_str", edit.new_str.clone())),
    }
    match change {
        FileOp::Create { .. } if edit.file_text.is_some() => unused.push(("content", content)),
        FileOp::Create { .. } => {}
        FileOp::Rewrite { .. } => {
            let command = Some(edit.command.clone());
            unused.extend([("file_text", edit.file_text.clone()), ("command", command)]);
        }
        _ => unused.extend([("file_text", edit.file_text.clone()), ("content", content)]),
    }
    let unused = unused.into_iter();
    let unused = unused.map(|(name, text)| (name.to_owned(), Value::from(text)));
    let line = edit.insert_line.map(Value::from);
    let line = line.filter(|_| !matches!(change, FileOp::Insert { .. }));
    let line = line.map(|line| ("insert_line".to_owned(), line));
    let rest = edit.more.clone().into_iter();
    more(&rest.chain(unused).chain(line).collect(), [])
}

/// All arguments of a change whose command is unknown.
pub(super) fn arguments(edit: &FileEditAction) -> Value {
    let fields = match serde_json::to_value(edit) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let mut fields = all(fields);
    let unset = FileEditAction::default();
    if edit.content.is_empty() {
        fields.remove("content");
    }
    if (edit.start, edit.end) == (unset.start, unset.end) {
        fields.remove("start");
        fields.remove("end");
    }
    fields.into()
}

fn draft(edit: &FileEditAction) -> FileOp {
    FileOp::Rewrite {
        path: edit.path.clone(),
        range: (edit.start, edit.end),
        text: edit.content.clone(),
    }
}
