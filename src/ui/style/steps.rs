//! Steps in every state, and every kind of block.

use super::{group, row, view_of};
use crate::{
    conversation::{Actor, Kind, Risk, Task, TaskStatus},
    render::{
        Block, CardView, StepState, StepView, code_html, diff_of_texts, file_view, markdown_html,
        reveal_hidden, terminal_html,
    },
    ui::timeline::BlockView,
};
use leptos::prelude::*;
use std::fmt::Write as _;

const OLD: &str = "def mean(values):\n    total = 0\n    return sum(values)\n";
const NEW: &str = "def mean(values):\n    \"\"\"The arithmetic mean.\"\"\"\n    return sum(values) / len(values)\n";

/// A step without blocks.
pub(super) fn step(verb: &str, subject: &str, state: StepState) -> StepView {
    StepView {
        verb: verb.to_owned(),
        subject: subject.to_owned(),
        state,
        outcome: String::new(),
        risk: Risk::Unknown,
        thought: String::new(),
        reasoning: String::new(),
        blocks: Vec::new(),
        conversation: None,
        sub_agent: None,
        reason: String::new(),
        waited: None,
        took: None,
        folded: false,
    }
}

/// A command as a block.
pub(super) fn command(text: &str) -> Block {
    Block::Code {
        label: "Command".to_owned(),
        html: code_html(text, "sh"),
        text: text.to_owned(),
        hidden: false,
        cut: false,
    }
}

/// A change as a block.
pub(super) fn change() -> Block {
    Block::Diff(diff_of_texts("src/tally.py", OLD, NEW))
}

fn output(text: &str) -> Block {
    let (html, lines, shown) = terminal_html(text, 100);
    Block::Terminal {
        html,
        lines,
        shown,
        cut: false,
    }
}

/// Text in each colour of a terminal, and on each.
fn colours() -> String {
    let mut text = String::new();
    for code in (30..38).chain(90..98) {
        let ground = code + 10;
        let line =
            format!("\u{1b}[{code}mcolour {code}\u{1b}[0m \u{1b}[{ground}mon {ground}\u{1b}[0m");
        // Writing into a string cannot fail.
        let _ = writeln!(text, "{line}");
    }
    text + "\u{1b}[1mbold\u{1b}[0m \u{1b}[2mdim\u{1b}[0m \u{1b}[3mitalic\u{1b}[0m \u{1b}[4munderlined\u{1b}[0m \u{1b}[7minverse\u{1b}[0m\n"
}

/// A step in each state, a run of steps that is folded, and the steps of a sub-agent.
pub(super) fn steps(first: i64) -> AnyView {
    let states = [
        (StepState::Waiting, ""),
        (StepState::Running, ""),
        (StepState::Approved, ""),
        (StepState::Done, "exit 0"),
        (StepState::Failed, "exit 2"),
        (StepState::Rejected, ""),
        (StepState::NotExecuted, ""),
        (StepState::Unknown, ""),
    ];
    let shell = |id: i64, state: StepState, outcome: &str| {
        let step = StepView {
            outcome: outcome.to_owned(),
            risk: Risk::High,
            took: (state == StepState::Done).then_some(1_240),
            waited: (state == StepState::Done).then_some(15_000),
            blocks: vec![command("make test"), output("2 passed\n")],
            ..step("Run", "make test", state)
        };
        view_of(id, Actor::Agent, Kind::Shell, CardView::Step(step))
    };
    let states = (first..)
        .zip(states)
        .map(|(id, (state, outcome))| row(shell(id, state, outcome), false));
    let read = |id: i64| {
        let step = StepView {
            folded: true,
            blocks: vec![Block::File(file_view("src/tally.py", OLD, 1))],
            ..step("Read", "src/tally.py", StepState::Done)
        };
        row(
            view_of(id, Actor::Agent, Kind::Read, CardView::Step(step)),
            false,
        )
    };
    let fold = |open: bool, ids: std::ops::Range<i64>| {
        let rows = ids.map(read).collect_view();
        view! {
            <details class="fold" open=open>
                <summary class="fold__head">"3 steps"</summary>
                <div class="fold__rows">{rows}</div>
            </details>
        }
    };
    let finished = StepView {
        thought: markdown_html("All tests pass."),
        reasoning: markdown_html("Nothing is left to do."),
        blocks: vec![Block::Prose(markdown_html("The parser is repaired."))],
        ..step("Finish", "", StepState::Done)
    };
    let finished = CardView::Step(finished);
    let specimens = view! {
        {states.collect_view()}
        {fold(false, first + 20..first + 23)}
        {fold(true, first + 30..first + 33)}
        {row(shell(first + 40, StepState::Done, "exit 0"), true)}
        {row(view_of(first + 50, Actor::Agent, Kind::Finish, finished), false)}
    };
    group("Steps", specimens)
}

/// Every kind of block, as outside of a step.
pub(super) fn blocks(first: i64) -> AnyView {
    let hidden = "rm -rf \u{202e}build";
    let hidden = Block::Code {
        label: "Command".to_owned(),
        html: reveal_hidden(hidden).unwrap_or_default(),
        text: hidden.to_owned(),
        hidden: true,
        cut: false,
    };
    let json = "{\n  \"name\": \"parser\",\n  \"tests\": 2,\n  \"done\": true\n}";
    let json = Block::Json {
        label: "Arguments".to_owned(),
        html: code_html(json, "json"),
        cut: false,
    };
    let python = "# The mean of some numbers.\nclass Tally:\n    def mean(self):\n        return self.total / 2.5 or \"none\"";
    let python = Block::Code {
        label: "Python".to_owned(),
        html: code_html(python, "py"),
        text: python.to_owned(),
        hidden: false,
        cut: false,
    };
    let task = |title: &str, status| Task {
        title: title.to_owned(),
        status,
        notes: "A remark".to_owned(),
    };
    let tasks = vec![
        task("Read the parser", TaskStatus::Done),
        task("Repair it", TaskStatus::InProgress),
        task("Test it", TaskStatus::Todo),
    ];
    let blocks = [
        command("make test"),
        python,
        hidden,
        output(&colours()),
        change(),
        Block::File(file_view("src/tally.py", NEW, 8)),
        json,
        Block::Tasks(tasks),
    ];
    let blocks = blocks
        .into_iter()
        .map(|block| view! { <BlockView block row=Some(first) /> });
    let specimens = view! {
        {blocks.collect_view()}
        // A person who wants it so, where there is room.
        <div data-diffs="side">
            <BlockView block=change() row=Some(first) />
        </div>
    };
    group("Code, output, changes and tasks", specimens)
}
