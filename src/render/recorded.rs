//! What the edits of a log have changed, file by file. It needs no sandbox, and knows nothing of what commands changed.

use super::DiffView;
use super::diff::{DiffLimits, texts_within, unified_within};
use crate::conversation::{CallRow, Card, FileOp, Row, Tool, ToolResult};
use std::collections::BTreeMap;

/// What an edit has changed.
enum Piece<'r> {
    /// The whole file, before and after it.
    File(&'r str, &'r str),
    /// Lines of a unified diff.
    Diff(&'r str),
    /// A passage, before and after it: where it is in the file is not known.
    Passage(&'r str, &'r str),
}

/// The files that the edits among `rows`, oldest first, have changed, or the `only` one of them, by name, each with its change
/// and whether it is new.
pub fn recorded_changes(rows: &[Row], only: Option<&str>) -> Vec<(DiffView, bool)> {
    let mut files: BTreeMap<&str, (bool, Vec<Piece<'_>>)> = BTreeMap::new();
    for row in rows {
        let Card::Call(call) = &row.card else {
            continue;
        };
        let Tool::File(op) = &call.call.tool else {
            continue;
        };
        let named = call
            .executions
            .iter()
            .find_map(|one| one.result.path.as_deref());
        let path = named.unwrap_or(op.path());
        if op.is_read() || only.is_some_and(|only| only != path) {
            continue;
        }
        let pieces = pieces(call, op);
        if !pieces.is_empty() {
            let is_new = matches!(op, FileOp::Create { .. })
                && !matches!(pieces[0], Piece::File(old, _) if !old.is_empty());
            let file = files.entry(path).or_insert((is_new, Vec::new()));
            file.1.extend(pieces);
        }
    }
    let mut room = DiffLimits::PAGE;
    let view = |(path, (is_new, pieces)): (&str, (bool, Vec<Piece<'_>>))| {
        let view = change(path, &pieces, room)?;
        room = room.behind(&view);
        Some((view, is_new))
    };
    files.into_iter().filter_map(view).collect()
}

/// What a call has changed: 0.x carries an edit out before its approval, and again after it.
fn pieces<'r>(call: &'r CallRow, op: &'r FileOp) -> Vec<Piece<'r>> {
    let made = || {
        call.executions
            .iter()
            .map(|one| &one.result)
            .filter(|result| !result.failed)
    };
    let drawn = |result: &'r ToolResult| match (&result.texts, &result.diff) {
        _ if !result.shows_change() => None,
        (Some((old, new)), _) => Some(Piece::File(old, new)),
        (None, diff) => diff.as_deref().map(Piece::Diff),
    };
    let is_told = |result: &ToolResult| result.texts.is_some() || result.diff.is_some();
    if made().next().is_none() || made().any(is_told) {
        return made().filter_map(drawn).collect();
    }
    // The result says no more than that it was done.
    match op {
        FileOp::Create { text, .. } | FileOp::Insert { text, .. } => vec![Piece::Passage("", text)],
        FileOp::Replace { old, new, .. } => vec![Piece::Passage(old, new)],
        FileOp::View { .. } | FileOp::Undo { .. } | FileOp::Rewrite { .. } => Vec::new(),
    }
}

/// The changes of a file together, if there are any in the end.
fn change(path: &str, pieces: &[Piece<'_>], room: DiffLimits) -> Option<DiffView> {
    let is_whole = pieces.iter().all(|piece| matches!(piece, Piece::File(..)));
    if let (true, [Piece::File(old, _), ..], [.., Piece::File(_, new)]) = (is_whole, pieces, pieces)
    {
        return (old != new).then(|| texts_within(path, old, new, room));
    }
    let mut all: Option<DiffView> = None;
    for piece in pieces {
        let left = all.as_ref().map_or(room, |all| room.behind(all));
        let mut view = match piece {
            Piece::File(old, new) => texts_within(path, old, new, left),
            Piece::Diff(diff) => unified_within(path, diff, left),
            Piece::Passage(old, new) => texts_within(path, old, new, left),
        };
        if let Piece::Passage(..) = piece {
            for line in view.hunks.iter_mut().flat_map(|hunk| &mut hunk.lines) {
                (line.old, line.new) = (None, None);
            }
        }
        let Some(all) = &mut all else {
            all = Some(view);
            continue;
        };
        all.added += view.added;
        all.removed += view.removed;
        all.hunks.append(&mut view.hunks);
        all.cut |= view.cut;
        view.notes.retain(|note| !all.notes.contains(note));
        all.notes.append(&mut view.notes);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{LogItem, Timeline, from_v0, from_v1};
    use crate::wire::{v0::Incoming, v1::Event};
    use serde_json::{Value, json};

    fn changed(items: impl IntoIterator<Item = LogItem>) -> Vec<String> {
        let timeline = Timeline::of(items);
        let line = |(view, is_new): (DiffView, bool)| {
            let first = view.hunks.first().and_then(|hunk| hunk.lines.last()?.new);
            let (path, added, removed) = (view.path, view.added, view.removed);
            format!("{path} +{added} -{removed} new {is_new} at {first:?}")
        };
        let changes = recorded_changes(&timeline.rows(), None);
        changes.into_iter().map(line).collect()
    }

    fn v0(id: i64, mut event: Value) -> LogItem {
        (event["id"], event["source"]) = (json!(id), json!("agent"));
        from_v0(&Incoming::read(event))
    }

    /// An edit of 0.x, and what came of it.
    fn edit_v0(id: i64, args: Value, content: &str, extras: Value) -> [LogItem; 2] {
        let result =
            json!({"observation": "edit", "cause": id, "content": content, "extras": extras});
        [
            v0(id, json!({"action": "edit", "args": args})),
            v0(id + 1, result),
        ]
    }

    #[test]
    fn edits_of_0x_are_counted_by_their_diffs_and_those_by_a_model_by_both_texts() {
        let by_tool = |mut args: Value| {
            (args["impl_source"], args["path"]) = (json!("oh_aci"), json!("/w/a.py"));
            args
        };
        let drawn =
            |diff: &str| by_tool(json!({"old_content": "a", "new_content": "b", "diff": diff}));
        let replace = by_tool(json!({"command": "str_replace", "old_str": "a", "new_str": "b"}));
        let by_model = json!({"path": "/w/b.py", "content": "y", "start": 1, "end": -1});
        let items = [
            edit_v0(1, replace.clone(), "edited", drawn("@@ -5 +5 @@\n-a\n+b\n")),
            edit_v0(
                3,
                replace.clone(),
                "edited",
                drawn("@@ -8 +8,2 @@\n-a\n+b\n+c\n"),
            ),
            edit_v0(5, replace, "ERROR:\nno", drawn("")),
            edit_v0(
                7,
                by_model,
                "--- b",
                json!({"path": "/w/b.py", "old_content": "x\nz\n", "new_content": "x\ny\n"}),
            ),
        ];
        let expected = [
            "/w/a.py +3 -2 new false at Some(5)",
            "/w/b.py +1 -1 new false at Some(2)",
        ];
        assert_eq!(changed(items.into_iter().flatten()), expected);
    }

    #[test]
    fn what_the_result_does_not_show_is_what_was_asked_for_and_what_never_ran_is_no_change() {
        let write = |id| {
            v0(
                id,
                json!({"action": "write", "args": {"path": "/w/n", "content": "1\n2\n"}}),
            )
        };
        let done = v0(
            2,
            json!({"observation": "write", "cause": 1, "content": "", "extras": {"path": "/w/n"}}),
        );
        assert_eq!(changed([write(1), done]), ["/w/n +2 -0 new true at None"]);
        assert_eq!(changed([write(1)]), Vec::<String>::new());
    }

    #[test]
    fn edits_of_1x_are_compared_from_the_first_to_the_last() {
        let edit = |number: i64, old: Option<&str>, new: &str| {
            let (call, id) = (format!("c{number}"), format!("e{number}"));
            let action = json!({"kind": "ActionEvent", "id": id, "source": "agent", "tool_name": "file_editor", "tool_call_id": call,
                "llm_response_id": id, "action": {"kind": "FileEditorAction", "command": "create", "path": "/w/a", "file_text": new}});
            let result = json!({"kind": "ObservationEvent", "id": format!("r{number}"), "source": "environment", "tool_call_id": call,
                "action_id": id, "tool_name": "file_editor", "observation": {"kind": "FileEditorObservation", "command": "create",
                "path": "/w/a", "old_content": old, "new_content": new, "content": []}});
            [action, result].map(|event| from_v1::item(&Event::read(event), None, None))
        };
        let first = edit(1, None, "a\n");
        let second = edit(2, Some("a\n"), "a\nb\n");
        let both = first.into_iter().chain(second);
        assert_eq!(changed(both), ["/w/a +2 -0 new true at Some(2)"]);
        let undone = edit(1, Some("a\n"), "b\n")
            .into_iter()
            .chain(edit(2, Some("b\n"), "a\n"));
        assert_eq!(changed(undone), Vec::<String>::new());
    }
}
