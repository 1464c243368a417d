//! The views of rows, and the helpers that make rows for all tests.
//!
//! Long because every kind of card is tested.

use super::*;
use crate::{
    conversation::*,
    render::{Block, Change, StepState, StepView},
};

mod agent_server;
mod files;
mod waiting;
mod weight;

fn call(tool: Tool) -> CallRow {
    CallRow {
        call: Call {
            held: true,
            ..Call::of(tool)
        },
        state: CallState::Done,
        executions: Vec::new(),
        hooks: Vec::new(),
    }
}

fn execution(seq: i64, result: ToolResult) -> Execution {
    Execution {
        seq,
        at: 1500,
        result,
    }
}

fn text(text: &str, shape: ResultShape) -> ToolResult {
    ToolResult {
        text: text.to_owned(),
        shape,
        ..ToolResult::default()
    }
}

fn view(card: Card) -> RowView {
    render_row(&row(card), "c0ffee", &Limits::short("/app/"))
}

fn row(card: Card) -> Row {
    Row {
        id: 3,
        pos: 4,
        seq: 5,
        at: 1000,
        from: Actor::Agent,
        card,
    }
}

fn step_of(row: CallRow) -> StepView {
    let view = view(Card::Call(Box::new(row)));
    let size = serde_json::to_string(&view).expect("a view is JSON").len();
    assert!(size < 200_000, "{size}");
    match view.card {
        CardView::Step(step) => step,
        card => panic!("{card:?}"),
    }
}

fn shell(command: &str) -> Tool {
    Tool::Shell {
        command: command.to_owned(),
        input: false,
    }
}

fn edit(old: &str, new: &str) -> Tool {
    Tool::File(FileOp::Replace {
        path: "/w/app.py".into(),
        old: old.into(),
        new: new.into(),
    })
}

#[test]
fn a_command_and_its_output_are_one_small_step() {
    let result = ToolResult {
        exit_code: Some(7),
        failed: true,
        ..text("no such file\n", ResultShape::Terminal)
    };
    let row = CallRow {
        state: CallState::Failed,
        executions: vec![execution(9, result)],
        ..call(shell("cat /x; (exit 7)"))
    };
    let rendered = view(Card::Call(Box::new(row.clone())));
    assert!(
        serde_json::to_string(&rendered)
            .expect("a view is JSON")
            .len()
            < 3000
    );
    let step = step_of(row);
    assert_eq!(
        (
            step.verb.as_str(),
            step.subject.as_str(),
            step.outcome.as_str()
        ),
        ("Run", "cat /x; (exit 7)", "exit 7")
    );
    assert_eq!(
        (step.state, step.took, step.folded),
        (StepState::Failed, Some(500), false)
    );
    assert!(
        matches!(&step.blocks[..], [Block::Code { label, .. }, Block::Terminal { lines: 1, .. }] if label == "Command")
    );
}

#[test]
fn hidden_characters_in_a_waiting_command_are_said_and_shown() {
    let step = step_of(CallRow {
        state: CallState::Waiting,
        ..call(shell("rm -rf /\u{202e}tmp"))
    });
    assert_eq!(step.state, StepState::Waiting);
    assert!(step.subject.contains("U+202E"));
    assert!(
        matches!(&step.blocks[0], Block::Code { hidden: true, html, .. } if html.contains("hidden-char"))
    );
}

#[test]
fn a_waiting_command_is_shown_whole_and_says_when_it_is_not() {
    let long: String = (0..1000).map(|n| format!("echo {n}\n")).collect();
    let step = step_of(CallRow {
        state: CallState::Waiting,
        ..call(shell(&long))
    });
    assert!(matches!(&step.blocks[..], [Block::Code { cut: false, text, .. }] if *text == long));
    let step = step_of(CallRow {
        state: CallState::Waiting,
        ..call(shell(&"x".repeat(100 << 10)))
    });
    assert!(
        matches!(&step.blocks[..], [Block::Code { cut: true, .. }, Block::Remark { text, .. }] if text.contains("36 KB"))
    );
}

#[test]
fn a_finished_command_is_cut_with_a_mark() {
    let long: String = (0..1000).map(|n| format!("echo {n}\n")).collect();
    let step = step_of(call(shell(&long)));
    assert!(matches!(&step.blocks[..], [Block::Code { cut: true, .. }]));
}

#[test]
fn pictures_are_addresses_under_our_path_and_never_inlined() {
    let result = ToolResult {
        images: vec!["data:image/png;base64,iVBORw0KGgoAAAAN".into()],
        url: Some("http://x/page".into()),
        ..ToolResult::default()
    };
    let tool = Tool::Browser {
        action: "goto(\"http://x/page\")".into(),
        url: None,
    };
    let step = step_of(CallRow {
        executions: vec![execution(51, result)],
        ..call(tool)
    });
    assert!(matches!(&step.blocks[1], Block::Image { src, caption, .. }
        if src == "/app/c/c0ffee/event/51/image/0" && caption == "http://x/page"));
    let message = Message {
        images: vec![
            "data:image/png;base64,iVBORw0KGgoAAAAN".into(),
            "https://evil/p.png".into(),
        ],
        ..Message::default()
    };
    let CardView::Message(message) = view(Card::Message { seq: 7, message }).card else {
        panic!()
    };
    assert_eq!(
        (message.images, message.files),
        (
            vec!["/app/c/c0ffee/event/7/image/0".to_owned()],
            vec!["https://evil/p.png".to_owned()]
        )
    );
}

#[test]
fn an_id_from_upstream_cannot_leave_its_place_in_an_address() {
    let encoded = utf8_percent_encode("../x?y#z", ENCODED).to_string();
    assert_eq!(encoded, "%2E%2E%2Fx%3Fy%23z");
}

#[test]
fn an_mcp_answer_shows_what_it_says() {
    let answer =
        r#"{"meta":null,"content":[{"type":"text","text":"2 + 40 = 42"}],"isError":false}"#;
    let tool = Tool::Mcp {
        name: "demo_add".into(),
        arguments: serde_json::json!({"a": 2}),
    };
    let step = step_of(CallRow {
        executions: vec![execution(2, text(answer, ResultShape::Json))],
        ..call(tool)
    });
    assert!(
        matches!(&step.blocks[..], [Block::Json { label, .. }, Block::Code { text, .. }]
        if label == "Arguments" && text == "2 + 40 = 42")
    );
}

#[test]
fn a_rejection_and_its_reason_stand_in_the_step() {
    let step = step_of(CallRow {
        state: CallState::Rejected("too risky".into()),
        ..call(shell("x"))
    });
    assert!(matches!(&step.blocks[1], Block::Remark { text, .. } if text == "Rejected: too risky"));
}

#[test]
fn the_code_of_an_error_becomes_words() {
    let card = Card::RunError {
        code: "STATUS$ERROR_LLM_AUTHENTICATION".into(),
        text: "<b>bad key</b>".into(),
        remedy: None,
    };
    let CardView::Notice(notice) = view(card).card else {
        panic!()
    };
    assert_eq!(notice.title, "The model rejected the API key");
    assert!(notice.html.contains("&lt;b&gt;bad key"), "{}", notice.html);
    assert!(!notice.html.contains("STATUS$"), "{}", notice.html);
    assert_eq!(notice.remedy, Some(Remedy::Settings));
    assert_eq!(
        reason_in_words("STATUS$ERROR_LLM_AUTHENTICATION"),
        "The model rejected the API key"
    );
    assert_eq!(reason_in_words("The disk is full"), "The disk is full");
    assert_eq!(reason_in_words("It costs $5"), "It costs $5");
    assert_eq!(
        reason_in_words("STATUS$ODD"),
        "OpenHands reported the code STATUS$ODD"
    );
}

#[test]
fn a_code_instead_of_a_text_is_not_shown_as_the_text() {
    let code = "STATUS$ERROR_LLM_AUTHENTICATION";
    for given in [code, ""] {
        let card = Card::RunError {
            code: given.into(),
            text: code.into(),
            remedy: None,
        };
        let CardView::Notice(notice) = view(card).card else {
            panic!()
        };
        assert_eq!(notice.title, "The model rejected the API key");
        assert_eq!(notice.html, "");
        let banner = notice_in_words(&Notice {
            tone: Tone::Bad,
            code: given.into(),
            text: code.into(),
            remedy: None,
        });
        assert_eq!(banner.text, "The model rejected the API key.");
        assert_eq!(banner.remedy, Some(Remedy::Settings));
    }
}

#[test]
fn that_an_action_was_not_executed_is_said_once_and_why_if_there_is_a_reason() {
    let remarks = |reason: &str| {
        let step = step_of(CallRow {
            state: CallState::NotExecuted(reason.to_owned()),
            ..call(shell("wait"))
        });
        assert_eq!(step.state, StepState::NotExecuted);
        let texts = step.blocks.into_iter().filter_map(|block| match block {
            Block::Remark { text, .. } => Some(text),
            _ => None,
        });
        texts.collect::<Vec<_>>()
    };
    let stopped = "Stop button pressed. The action has not been executed.";
    assert_eq!(remarks(stopped), [""; 0]);
    assert_eq!(remarks(" "), [""; 0]);
    assert_eq!(remarks("Too dangerous."), ["Too dangerous."]);
}

#[test]
fn the_end_at_a_limit_is_said_once_with_what_to_do() {
    for (code, said, title) in [
        (
            "",
            "RuntimeError: Agent reached maximum iteration. Current iteration: 4, max iteration: 4",
            "The agent has reached its limit of 4 steps",
        ),
        (
            "",
            "RuntimeError: Agent reached maximum budget for conversation. Current budget: 1.20, max budget: 1.0",
            "The agent has reached its cost limit of $1.0",
        ),
        (
            "MaxIterationsReached",
            "Agent reached maximum iterations limit (4).",
            "The agent has reached its limit of 4 steps",
        ),
        (
            "MaxIterationsReached",
            "",
            "The agent has reached its step limit",
        ),
        (
            "AGENT_ERROR$TOO_MANY_CONVERSATIONS",
            "Too many conversations at once. If you are still using this one, try reactivating it",
            "Stopped: too many conversations are running",
        ),
    ] {
        let card = Card::RunError {
            code: code.to_owned(),
            text: said.to_owned(),
            remedy: Some(Remedy::Nothing),
        };
        let CardView::Notice(notice) = view(card).card else {
            panic!()
        };
        assert_eq!(notice.title, title);
        assert!(notice.html.contains("Send a message to continue."));
        assert!(!notice.html.contains("reached"), "{}", notice.html);
        assert!(!notice.html.contains("at once"), "{}", notice.html);
        // What is stopped cannot be resumed.
        let remedy = match code.ends_with("CONVERSATIONS") {
            true => Remedy::Nothing,
            false => Remedy::Retry,
        };
        assert_eq!(notice.remedy, Some(remedy));
    }
}

#[test]
fn an_unknown_code_of_an_error_is_in_a_sentence() {
    let card = Card::RunError {
        code: "STATUS$<b>ODD".into(),
        text: String::new(),
        remedy: None,
    };
    let CardView::Notice(notice) = view(card).card else {
        panic!()
    };
    assert_eq!(notice.title, "The run failed");
    assert!(
        notice
            .html
            .contains("OpenHands reported the code STATUS$&lt;b&gt;ODD."),
        "{}",
        notice.html
    );
}

#[test]
fn an_unknown_event_is_shown_with_all_that_it_says() {
    let json = r#"{"action":"deploy_preview","args":{"note":"<b>careful</b>","url":"https://example.org/42"}}"#;
    let CardView::Notice(notice) = view(Card::Unknown {
        kind: "deploy_preview".into(),
        json: json.into(),
    })
    .card
    else {
        panic!("a notice");
    };
    assert_eq!(notice.title, "Unknown event: deploy_preview");
    let [
        Block::Json {
            html, cut: false, ..
        },
    ] = &notice.blocks[..]
    else {
        panic!("{:?}", notice.blocks);
    };
    assert!(html.contains("https://example.org/42"), "{html}");
    assert!(html.contains("careful") && !html.contains("<b>"), "{html}");
}

#[test]
fn a_long_unknown_event_can_be_shown_in_full() {
    let json = serde_json::json!({ "text": "line ".repeat(60_000) }).to_string();
    let card = Card::Unknown {
        kind: "long".into(),
        json,
    };
    let row = row(card);
    assert!(!is_whole(&render_row(
        &row,
        "c0ffee",
        &Limits::short("/app/")
    )));
    assert!(is_whole(&render_step_in_full(&row, "c0ffee", "/app/")));
}

#[test]
fn every_other_card_has_a_view() {
    let cards = [
        Card::Orphan(execution(1, text("x", ResultShape::Plain))),
        Card::Recall(Recall {
            chips: vec!["repo".into()],
            knowledge: vec![Knowledge::default()],
        }),
        Card::Condensed {
            forgotten: Some(12),
            summary: "# so far".into(),
        },
        Card::Hook(HookRun {
            command: "check".into(),
            blocked: true,
            output: "no".into(),
            ..HookRun::default()
        }),
        Card::Stopped { hard: true },
        Card::System(SystemPrompt {
            prompt: "You are".into(),
            tools: vec![("run".into(), "Runs. More".into())],
            about: vec![],
        }),
        Card::Note("hi".into()),
        Card::Unknown {
            kind: "what".into(),
            json: "{}".into(),
        },
    ];
    for card in cards {
        assert_eq!(view(card).id, 3);
    }
}

#[test]
fn a_row_whose_rendering_fails_says_so_and_costs_no_other() {
    let card = unless_it_panics(|| panic!("a fault of a renderer"));
    let CardView::Notice(notice) = card else {
        panic!("{card:?}");
    };
    assert_eq!(
        (notice.tone, notice.title.as_str()),
        (Tone::Warning, text::not_shown())
    );
}
