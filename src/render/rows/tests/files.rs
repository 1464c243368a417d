//! Steps that read or edit files.

use super::*;

#[test]
fn an_edit_shows_the_diff_that_came_back() {
    let result = ToolResult {
        diff: Some("--- a\n+++ b\n@@ -5 +5 @@\n-a\n+b\n".into()),
        ..text("edited", ResultShape::Plain)
    };
    let step = step_of(CallRow {
        executions: vec![execution(2, result)],
        ..call(edit("a", "b"))
    });
    let [Block::Diff(diff)] = &step.blocks[..] else {
        panic!("{:?}", step.blocks)
    };
    assert_eq!(
        (diff.path.as_str(), diff.hunks[0].lines[0].old),
        ("/w/app.py", Some(5))
    );
    assert_eq!(step.outcome, "+1 −1");
}

#[test]
fn an_edit_that_is_not_carried_out_has_no_numbers_and_no_duration() {
    for (state, outcome) in [
        (CallState::Waiting, ""),
        (CallState::Rejected("no".into()), "already executed"),
        (CallState::NotExecuted("stopped".into()), ""),
    ] {
        let result = ToolResult {
            diff: Some("@@ -1 +1 @@\n-a\n+b\n".into()),
            ..ToolResult::default()
        };
        let mut row = CallRow {
            state,
            executions: vec![execution(2, result)],
            ..call(edit("a", "b"))
        };
        row.call.held = false;
        let step = step_of(row);
        assert_eq!(
            (step.outcome.as_str(), step.took),
            (outcome, None),
            "{step:?}"
        );
    }
}

#[test]
fn an_edit_that_was_carried_out_before_and_after_the_answer_tells_both() {
    let first = ToolResult {
        diff: Some("@@ -0,0 +1 @@\n+x\n".into()),
        ..ToolResult::default()
    };
    let second = ToolResult {
        failed: true,
        ..text(
            "ERROR:\nFile already exists at: /w/app.py.",
            ResultShape::Plain,
        )
    };
    let tool = Tool::File(FileOp::Create {
        path: "/w/app.py".into(),
        text: "x\n".into(),
    });
    let mut row = CallRow {
        executions: vec![execution(2, first), execution(8, second)],
        ..call(tool)
    };
    row.call.held = false;
    row.state = CallState::Failed;
    let step = step_of(row);
    let remarks: Vec<_> = step
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::Remark { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(
        remarks,
        [
            "Already executed before approval",
            "Executed again after approval: failed: File already exists at: /w/app.py."
        ]
    );
    assert_eq!(
        step.blocks
            .iter()
            .filter(|block| matches!(block, Block::Diff(_)))
            .count(),
        1
    );
}

#[test]
fn a_waiting_edit_that_the_server_does_not_hold_shows_its_change_once() {
    let result = ToolResult {
        diff: Some("@@ -1 +1 @@\n-a\n+b\n".into()),
        ..ToolResult::default()
    };
    let mut row = CallRow {
        state: CallState::Waiting,
        executions: vec![execution(2, result)],
        ..call(edit("a", "b"))
    };
    row.call.held = false;
    let step = step_of(row);
    assert!(matches!(&step.blocks[..], [Block::Diff(_)]));
}

#[test]
fn a_file_step_that_waits_names_its_whole_path() {
    let path = format!("/home/agent/conversations/{}/notes.txt", "0".repeat(36));
    let tool = |path: &str| {
        Tool::File(FileOp::View {
            path: path.to_owned(),
            range: None,
        })
    };
    let waiting = |path: &str| {
        step_of(CallRow {
            state: CallState::Waiting,
            ..call(tool(path))
        })
    };
    let step = waiting(&path);
    assert_eq!(step.subject, "…/notes.txt");
    assert!(matches!(&step.blocks[..], [Block::Code { text, .. }] if *text == path));
    assert!(waiting("/w/app.py").blocks.is_empty());
    assert!(step_of(call(tool(&path))).blocks.is_empty());
}

#[test]
fn a_passage_that_is_replaced_has_no_line_numbers_of_its_own() {
    let step = step_of(CallRow {
        state: CallState::Running,
        ..call(edit("a\nb", "a\nc"))
    });
    let [Block::Diff(diff)] = &step.blocks[..] else {
        panic!("{:?}", step.blocks)
    };
    assert!(
        diff.hunks[0]
            .lines
            .iter()
            .all(|line| line.old.is_none() && line.new.is_none())
    );
    assert_eq!(diff.hunks[0].lines[0].change, Change::Same);
}

#[test]
fn a_read_shows_the_lines_of_the_file() {
    let said = "Here's the result of running `cat -n` on /w/app.py:\n     4\tdef add(a, b):\n     5\t    return 1\n";
    let result = ToolResult {
        path: Some("/w/app.py".into()),
        ..text(said, ResultShape::NumberedFile)
    };
    let tool = Tool::File(FileOp::View {
        path: "/w/app.py".into(),
        range: Some((4, 5)),
    });
    let step = step_of(CallRow {
        executions: vec![execution(2, result)],
        ..call(tool)
    });
    let [Block::File(file)] = &step.blocks[..] else {
        panic!("{:?}", step.blocks)
    };
    assert_eq!(
        (file.first, file.total, file.lines.len(), file.cut),
        (4, 2, 2, false)
    );
    assert_eq!(
        (step.subject.as_str(), step.outcome.as_str(), step.folded),
        ("/w/app.py, lines 4 to 5", "2 lines", true)
    );
}
