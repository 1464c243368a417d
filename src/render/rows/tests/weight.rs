//! Size limits of rows: each test is an attack on the page of every viewer.

use super::*;
use serde_json::{Value, json};

/// Size of a row as sent to the page, in bytes; the row's frame adds a little to the counted size.
fn weight(card: &Card, limits: &Limits) -> usize {
    let row = Row {
        id: 3,
        pos: 4,
        seq: 5,
        at: 1000,
        from: Actor::Agent,
        card: card.clone(),
    };
    let view = render_row(&row, "c0ffee", limits);
    serde_json::to_string(&view).expect("a view is JSON").len()
}

/// Asserts that a row stays within its limits, short and in full. HTML in JSON is longer because of its escaped quotes.
fn assert_bounded(what: &str, card: &Card) {
    for limits in [Limits::short("/"), Limits::full("/")] {
        let weight = weight(card, &limits);
        let most = 2 * limits.row_bytes + (72 << 10);
        assert!(weight <= most, "{what}: {weight} of {most}");
    }
}

fn with_result(result: ToolResult) -> Card {
    Card::Call(Box::new(CallRow {
        executions: vec![execution(9, result)],
        ..call(shell("x"))
    }))
}

#[test]
fn fifty_thousand_recalled_names_are_told_by_their_number() {
    let recall = Recall {
        chips: (0..50_000).map(|n| format!("name {n}")).collect(),
        ..Recall::default()
    };
    let CardView::Chips(chips) = view(Card::Recall(recall.clone())).card else {
        panic!("chips");
    };
    assert_eq!(
        chips.chips.last().map(String::as_str),
        Some("and 49,950 more")
    );
    assert_bounded("recall", &Card::Recall(recall));
}

#[test]
fn json_that_grows_by_its_indentation_is_bounded() {
    let mut value: Value = vec![json!(0); 100_000].into();
    for _ in 0..100 {
        value = json!([value]);
    }
    for waiting in [true, false] {
        let mut row = call(Tool::Other {
            name: "x".to_owned(),
            arguments: value.clone(),
        });
        if waiting {
            row.state = CallState::Waiting;
        }
        assert_bounded("json", &Card::Call(Box::new(row)));
    }
}

#[test]
fn a_diff_that_grows_by_its_markup_is_bounded() {
    let lines = "+\u{200b}\n".repeat(100_000);
    let diff = Some(format!("@@ -0,0 +1,9999999 @@\n{lines}"));
    let result = ToolResult {
        diff,
        ..ToolResult::default()
    };
    assert_bounded("diff", &with_result(result));
}

#[test]
fn texts_that_grow_by_their_markup_are_bounded() {
    let shapes = [
        ResultShape::Plain,
        ResultShape::Terminal,
        ResultShape::NumberedFile,
        ResultShape::Markdown,
        ResultShape::Json,
    ];
    // With their KiB: what grows by its markup need not be long.
    for (piece, length) in [
        ("\u{200b}", 150),
        ("\u{1}", 150),
        ("\"", 600),
        ("\n", 600),
        ("     1\t\u{200b}\n", 150),
        ("|", 600),
        ("- ", 300),
        ("<http:a>", 150),
    ] {
        let long = piece.repeat((length << 10) / piece.len());
        for shape in shapes {
            assert_bounded(piece, &with_result(text(&long, shape)));
        }
        assert_bounded(
            piece,
            &with_result(ToolResult {
                texts: Some((String::new(), long.clone())),
                ..ToolResult::default()
            }),
        );
        for state in [CallState::Waiting, CallState::Done] {
            for tool in [
                shell(&long),
                edit(&long, "x"),
                edit("", &long),
                Tool::Think { text: long.clone() },
            ] {
                let row = CallRow {
                    state: state.clone(),
                    ..call(tool)
                };
                assert_bounded(piece, &Card::Call(Box::new(row)));
            }
        }
        let message = Message {
            text: long.clone(),
            reasoning: long,
            ..Message::default()
        };
        assert_bounded(piece, &Card::Message { seq: 1, message });
    }
}

#[test]
fn many_pieces_are_told_by_their_number() {
    let many = |n: usize| format!("{n} {}", "x".repeat(100));
    let names: Vec<String> = (0..20_000).map(many).collect();
    let tasks: Vec<Task> = names
        .iter()
        .map(|name| Task {
            title: name.clone(),
            ..Task::default()
        })
        .collect();
    let message = Message {
        files: names.clone(),
        images: vec!["data:image/png;base64,iVBORw0KGgo=".to_owned(); 20_000],
        ..Message::default()
    };
    assert_bounded("message", &Card::Message { seq: 1, message });
    let tool = Tool::Tasks {
        tasks: tasks.clone(),
    };
    assert_bounded("tasks", &Card::Call(Box::new(call(tool))));
    let result = ToolResult {
        images: vec!["data:image/png;base64,iVBORw0KGgo=".to_owned(); 20_000],
        remarks: names.clone(),
        tasks: Some(tasks),
        ..text("x", ResultShape::Terminal)
    };
    let row = CallRow {
        executions: vec![execution(9, result); 20],
        ..call(shell("x"))
    };
    assert_bounded("results", &Card::Call(Box::new(row)));
    let tools = names.iter().map(|name| (name.clone(), name.repeat(10)));
    let prompt = SystemPrompt {
        tools: tools.collect(),
        ..SystemPrompt::default()
    };
    assert_bounded("tools", &Card::System(prompt));
}
