//! Features of 1.x only.

use super::*;

fn notice_of(card: Card) -> crate::render::NoticeView {
    match view(card).card {
        CardView::Notice(notice) => notice,
        card => panic!("{card:?}"),
    }
}

#[test]
fn two_whole_texts_become_a_small_diff() {
    let old: String = (0..5000).map(|n| format!("line {n}\n")).collect();
    let new = old.replace("line 2500\n", "another line\n");
    let result = ToolResult {
        texts: Some((old.clone(), new)),
        ..text("The file has been edited.", ResultShape::Plain)
    };
    let step = step_of(CallRow {
        executions: vec![execution(2, result)],
        ..call(edit("line 2500", "another line"))
    });
    assert_eq!(step.outcome, "+1 −1");
    let [Block::Diff(diff)] = &step.blocks[..] else {
        panic!("{:?}", step.blocks)
    };
    assert_eq!(diff.hunks[0].lines.len(), 8);
    assert_eq!(
        diff.hunks[0].lines[3].old,
        Some(2501),
        "numbers are the file's"
    );
    // Without a change, the request is shown with the tool's text.
    let same = ToolResult {
        texts: Some((old.clone(), old)),
        ..text("No change.", ResultShape::Plain)
    };
    let step = step_of(CallRow {
        executions: vec![execution(2, same)],
        ..call(edit("a", "b"))
    });
    assert!(matches!(
        &step.blocks[..],
        [Block::Diff(_), Block::Remark { .. }]
    ));
}

#[test]
fn a_file_of_one_endless_line_is_cut() {
    let result = ToolResult {
        texts: Some((String::new(), "x".repeat(3 << 20))),
        ..ToolResult::default()
    };
    let step = step_of(CallRow {
        executions: vec![execution(2, result)],
        ..call(edit("", "x"))
    });
    assert!(matches!(&step.blocks[..], [Block::Diff(diff)] if diff.cut && diff.added == 1));
}

#[test]
fn hooks_say_what_they_have_to_say_and_no_more() {
    let hook = |event: &str, output: &str, exit_code: i64, blocked: bool| HookRun {
        event: event.into(),
        output: output.into(),
        exit_code: Some(exit_code),
        blocked,
        ..HookRun::default()
    };
    let step = step_of(CallRow {
        hooks: vec![
            hook("PreToolUse", "", 0, false),
            hook("PreToolUse", "forbidden", 2, true),
            hook("PostToolUse", "<b>fine</b>\n", 0, false),
            hook("Stop", "", 1, false),
        ],
        ..call(shell("ls"))
    });
    let said: Vec<(&str, Tone)> = step.blocks[1..]
        .iter()
        .map(|block| match block {
            Block::Remark { text, tone } => (text.as_str(), *tone),
            block => panic!("{block:?}"),
        })
        .collect();
    assert_eq!(
        said,
        [
            ("Hook PostToolUse: <b>fine</b>", Tone::Info),
            ("Hook Stop failed", Tone::Warning)
        ]
    );
}

#[test]
fn what_was_cut_off_is_not_said_to_have_never_been_carried_out() {
    let step = step_of(CallRow {
        state: CallState::CutOff("A restart occurred".into()),
        ..call(shell("make"))
    });
    assert_eq!(
        (step.state, step.outcome.as_str()),
        (StepState::Failed, "interrupted")
    );
    assert!(
        matches!(&step.blocks[1], Block::Remark { text, .. } if text == "Interrupted: A restart occurred")
    );
}

#[test]
fn a_failure_says_what_happened_and_what_helps() {
    let notice = notice_of(Card::RunError {
        code: "LLMRateLimitError".into(),
        text: "slow down".into(),
        remedy: Some(Remedy::Retry),
    });
    assert_eq!(notice.title, "Too many requests to the model");
    assert_eq!(notice.remedy, Some(Remedy::Retry));
}

#[test]
fn skills_of_a_message_stand_under_it_as_labels() {
    let message = Message {
        text: "Handle the zebra".into(),
        recall: Recall {
            chips: vec!["zebra\u{202e}".into()],
            knowledge: vec![Knowledge {
                content: "<script>x</script>".into(),
                ..Knowledge::default()
            }],
        },
        ..Message::default()
    };
    let CardView::Message(message) = view(Card::Message { seq: 1, message }).card else {
        panic!()
    };
    assert!(message.recall.chips[0].contains("U+202E"));
    assert!(!message.recall.knowledge[0].2.contains("<script>"));
}

#[test]
fn skills_and_searches_have_their_words_and_a_child_its_link() {
    let skill = step_of(call(Tool::Skill {
        name: "demo".into(),
    }));
    assert_eq!(
        (skill.verb.as_str(), skill.subject.as_str(), skill.folded),
        ("Skill", "demo", true)
    );
    let search = step_of(call(Tool::Search {
        pattern: "*.rs".into(),
        place: "/w".into(),
    }));
    assert_eq!(
        (search.verb.as_str(), search.subject.as_str()),
        ("Search", "*.rs in /w")
    );
    let result = ToolResult {
        conversation: Some("child".into()),
        ..text("Started", ResultShape::Plain)
    };
    let child = step_of(CallRow {
        executions: vec![execution(2, result)],
        ..call(Tool::SubAgent {
            agent: "T".into(),
            task: "t".into(),
            apart: true,
        })
    });
    assert_eq!(child.conversation.as_deref(), Some("child"));
    assert_eq!(child.sub_agent, None);
}

#[test]
fn the_steps_of_a_sub_agent_end_with_its_result() {
    let end_of = |state, executions| {
        let row = CallRow {
            state,
            executions,
            ..call(Tool::SubAgent {
                agent: "T".into(),
                task: "t".into(),
                apart: false,
            })
        };
        step_of(row).sub_agent
    };
    let result = || vec![execution(2, text("Done", ResultShape::Plain))];
    assert_eq!(end_of(CallState::Done, result()), Some(1500));
    assert_eq!(end_of(CallState::Running, vec![]), Some(i64::MAX));
    assert_eq!(end_of(CallState::NotExecuted(String::new()), vec![]), None);
}

#[test]
fn stopping_now_and_pausing_read_differently() {
    let title = |hard| notice_of(Card::Stopped { hard }).title;
    assert_eq!(
        (title(true), title(false)),
        ("Stopped".to_owned(), "Paused".to_owned())
    );
}
