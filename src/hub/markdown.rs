//! The timeline as Markdown.
//!
//! It says of each step what became of it, before the step itself: a rejected command must not read as an executed one.
//! Long because of its tests: each state and each card is one.

use crate::conversation::{
    Actor, CallRow, CallState, Card, FileOp, Recall, Risk, Row, TaskStatus, Tool, ToolResult,
};
use crate::render::tool_in_words;
use crate::wire::as_written;
use std::fmt::Write;

/// Rows as Markdown, for the end of a document.
pub(super) fn markdown(rows: &[Row]) -> String {
    let mut text = String::new();
    rows.iter().for_each(|row| write_row(&mut text, row));
    text
}

/// Actions that wait for approval, in words: everything that is asked for, and how risky it was rated. What the agent says
/// about an action comes last and is fenced, so that it cannot look like one.
pub(super) fn in_words(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let Card::Call(call) = &row.card else {
            write_row(&mut text, row);
            continue;
        };
        write_call(&mut text, call, true);
        let risk = match call.call.risk {
            Risk::Low => "low",
            Risk::Medium => "medium",
            Risk::High => "high",
            Risk::Unknown => "not rated",
        };
        let _ = write!(text, "\n*Risk: {risk}*\n");
        if !call.call.more.is_empty() {
            let _ = write!(text, "\n*Further arguments*\n");
            let more = serde_json::Value::Object(call.call.more.clone());
            fence(&mut text, &as_written(format!("{more:#}")));
        }
        let thought = call.call.thought.trim();
        if !thought.is_empty() {
            let _ = write!(text, "\n*The agent says*\n");
            fence(&mut text, thought);
        }
    }
    text.trim().to_owned()
}

/// A call that was approved, and what came of it, without what the agent says about it.
pub(super) fn what_ran_in_words(call: &CallRow) -> String {
    let mut text = String::new();
    write_call(&mut text, call, true);
    text.trim().to_owned()
}

/// A text with markup of its own, as a quotation: nothing in it reaches beyond it or looks like a part of the document.
fn quote(text: &mut String, quoted: &str) {
    for line in quoted.lines() {
        text.push_str("> ");
        text.push_str(line);
        text.push('\n');
    }
}

/// Writing into a string cannot fail, so the result of `write!` is ignored.
fn write_row(text: &mut String, row: &Row) {
    match &row.card {
        Card::Message { message, .. } => {
            let is_human = row.from == Actor::Human;
            let who = if is_human { "You" } else { "Agent" };
            let _ = write!(text, "\n## {who}\n\n");
            quote(text, message.text.trim_end());
            for file in &message.files {
                let _ = writeln!(text, "\n*File: {}*", one_line(file));
            }
            write_recall(text, &message.recall);
        }
        Card::Call(call) => write_call(text, call, false),
        Card::Orphan(execution) => {
            let _ = write!(text, "\n### Result of a step that is not in this log\n");
            write_result(text, &execution.result);
        }
        Card::RunError {
            code, text: error, ..
        } => {
            let _ = write!(text, "\n**Error** {}\n", one_line(code));
            fence(text, error.trim_end());
        }
        Card::Condensed { summary, .. } => {
            let _ = write!(text, "\n**Older events were summarized**\n\n{summary}\n");
        }
        Card::Note(note) => {
            let _ = write!(text, "\n*{note}*\n");
        }
        Card::Hook(hook) => {
            let _ = write!(text, "\n**Hook** `{}`\n", one_line(&hook.command));
            fence(text, hook.output.trim_end());
        }
        Card::Recall(recall) => write_recall(text, recall),
        Card::Stopped { hard } => {
            let what = if *hard { "Stopped" } else { "Paused" };
            let _ = write!(text, "\n**{what}**\n");
        }
        Card::System(system) => {
            let _ = write!(text, "\n### Instructions\n");
            fence(text, system.prompt.trim_end());
            let tools: Vec<&str> = system.tools.iter().map(|(name, _)| name.as_str()).collect();
            if !tools.is_empty() {
                let _ = write!(text, "\nTools: {}\n", tools.join(", "));
            }
        }
        Card::Unknown { kind, json } => {
            let _ = write!(text, "\n**Unknown event: {}**\n", one_line(kind));
            fence(text, json.trim_end());
        }
    }
}

/// A call with its results. `is_asked`: people are or were asked for it, so nothing that the agent says stands outside of a fence.
fn write_call(text: &mut String, row: &CallRow, is_asked: bool) {
    let thought = row.call.thought.trim();
    if !thought.is_empty() && !is_asked {
        let _ = write!(text, "\n{thought}\n");
    }
    let state = state(&row.state);
    let (verb, subject) = tool_in_words(&row.call.tool);
    // Space at the end of what people are asked for is a part of it.
    let block = |text: &mut String, body: &str| match is_asked {
        true => fence(text, body),
        false => fence(text, body.trim_end()),
    };
    let mut what = |rest: &str, body: Option<&str>| {
        let title = one_line(&format!("{verb} {rest}"));
        let _ = write!(text, "\n### {}\n{state}", title.trim_end());
        if let Some(body) = body {
            block(text, body);
        }
    };
    match &row.call.tool {
        Tool::Shell {
            command,
            input: true,
        } if !command.trim().is_empty() => what("into the running command", Some(command)),
        Tool::Shell { input: true, .. } | Tool::Skill { .. } | Tool::Condense => {
            what(&subject, None)
        }
        Tool::Search { pattern, place } if is_asked && !place.is_empty() => {
            what("", Some(pattern));
            let _ = write!(text, "\nin\n");
            block(text, place);
        }
        Tool::Shell { .. } | Tool::Cell { .. } | Tool::Browser { .. } | Tool::Search { .. } => {
            what("", Some(&subject))
        }
        Tool::File(op) => match op {
            FileOp::View { .. } | FileOp::Undo { .. } => what(&subject, None),
            FileOp::Create { text, .. }
            | FileOp::Insert { text, .. }
            | FileOp::Rewrite { text, .. } => what(&subject, Some(text)),
            FileOp::Replace { old, new, .. } => {
                what(&format!("{subject}: replace"), Some(old));
                let _ = write!(text, "\nby\n");
                block(text, new);
            }
        },
        Tool::Think { .. } | Tool::Finish { .. } | Tool::Decline { .. } if is_asked => {
            what("", Some(&subject))
        }
        Tool::Think { .. } | Tool::Finish { .. } | Tool::Decline { .. } => {
            let _ = write!(text, "{state}\n{}\n", subject.trim_end());
        }
        Tool::Tasks { tasks } => {
            what("", None);
            text.push('\n');
            for task in tasks {
                let status = match task.status {
                    TaskStatus::Todo => "to do",
                    TaskStatus::InProgress => "in progress",
                    TaskStatus::Done => "done",
                };
                let _ = writeln!(text, "- {} ({status})", one_line(&task.title));
            }
        }
        Tool::Mcp { arguments, .. } | Tool::Other { arguments, .. } => {
            what(&subject, Some(&as_written(format!("{arguments:#}"))))
        }
        Tool::SubAgent { agent, task, .. } => what(&format!("to {agent}"), Some(task)),
    }
    // What was asked for stands above: that it was done says the same again.
    let says_again = match row.call.tool {
        Tool::Tasks { .. } => true,
        Tool::File(ref op) => !matches!(op, FileOp::View { .. } | FileOp::Undo { .. }),
        _ => false,
    };
    if !(says_again && row.state == CallState::Done) {
        for execution in &row.executions {
            write_result(text, &execution.result);
        }
    }
    for hook in &row.hooks {
        let what = if hook.blocked {
            "Blocked by hook"
        } else {
            "Hook"
        };
        let _ = write!(text, "\n**{what}** `{}`\n", one_line(&hook.command));
        if !hook.output.trim().is_empty() {
            fence(text, hook.output.trim_end());
        }
    }
}

/// What became of a call, as a paragraph; empty if it is done.
fn state(state: &CallState) -> String {
    let (word, reason) = match state {
        CallState::Done => return String::new(),
        CallState::Running => ("Running", ""),
        CallState::Waiting => ("Waiting for approval", ""),
        CallState::Approved => ("Approved", ""),
        CallState::Failed => ("Failed", ""),
        CallState::Rejected(reason) => ("Rejected", reason.as_str()),
        CallState::NotExecuted(reason) => ("Not executed", reason.as_str()),
        CallState::Unknown(reason) => ("Outcome unknown", reason.as_str()),
        CallState::CutOff(reason) => ("Interrupted", reason.as_str()),
    };
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    match reason.is_empty() {
        true => format!("\n**{word}**\n"),
        false => format!("\n**{word}:** {reason}\n"),
    }
}

fn write_result(text: &mut String, result: &ToolResult) {
    if !result.text.trim().is_empty() {
        fence(text, result.text.trim_end());
    }
    match result.exit_code {
        Some(0) | None => {}
        Some(code) => {
            let _ = write!(text, "\n*Exit code {code}*\n");
        }
    }
    if result.unfinished {
        let _ = write!(text, "\n*Still running at that time*\n");
    }
}

fn write_recall(text: &mut String, recall: &Recall) {
    if recall.is_empty() {
        return;
    }
    let _ = write!(
        text,
        "\n**Context for the agent:** {}\n",
        recall.chips.join(", ")
    );
    for known in &recall.knowledge {
        let _ = write!(text, "\n*{}*\n", one_line(&known.name));
        fence(text, known.content.trim_end());
    }
}

/// A text on one line: what would break it stands there as an escape.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.trim().chars() {
        match letter {
            '\u{2028}' | '\u{2029}' => line.extend(letter.escape_default()),
            _ if letter.is_control() => line.extend(letter.escape_default()),
            _ => line.push(letter),
        }
    }
    line
}

/// A block of code. Its fence is longer than any that is in it.
fn fence(text: &mut String, body: &str) {
    let runs = body.split(|letter| letter != '`').map(str::len);
    let marks = "`".repeat(3.max(runs.max().unwrap_or(0) + 1));
    let _ = write!(text, "\n{marks}\n{body}\n{marks}\n");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Call, Execution, HookRun, Knowledge, Message, SystemPrompt};

    fn written(card: Card) -> String {
        markdown(&[Row {
            id: 1,
            pos: 1,
            seq: 1,
            at: 0,
            from: Actor::Agent,
            card,
        }])
    }

    fn call(tool: Tool) -> CallRow {
        CallRow {
            call: Call {
                tool_name: "run".to_owned(),
                held: true,
                ..Call::of(tool)
            },
            state: CallState::Done,
            executions: Vec::new(),
            hooks: Vec::new(),
        }
    }

    fn run(state: CallState, result: ToolResult) -> String {
        let tool = Tool::Shell {
            command: "rm -rf build".to_owned(),
            input: false,
        };
        let executions = vec![Execution {
            seq: 2,
            at: 0,
            result,
        }];
        written(Card::Call(Box::new(CallRow {
            state,
            executions,
            ..call(tool)
        })))
    }

    #[test]
    fn a_step_says_what_became_of_it_before_its_command() {
        let reason = || "too\n dangerous".to_owned();
        for (state, words) in [
            (CallState::Rejected(reason()), "**Rejected:** too dangerous"),
            (CallState::Rejected(String::new()), "**Rejected**"),
            (
                CallState::NotExecuted(reason()),
                "**Not executed:** too dangerous",
            ),
            (
                CallState::Unknown(reason()),
                "**Outcome unknown:** too dangerous",
            ),
            (
                CallState::CutOff(reason()),
                "**Interrupted:** too dangerous",
            ),
            (CallState::Waiting, "**Waiting for approval**"),
            (CallState::Running, "**Running**"),
            (CallState::Approved, "**Approved**"),
            (CallState::Failed, "**Failed**"),
        ] {
            let text = run(state, ToolResult::default());
            let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
            assert!(place(words) < place("rm -rf build"), "{text}");
        }
        let done = run(CallState::Done, ToolResult::default());
        assert_eq!(done, "\n### Run\n\n```\nrm -rf build\n```\n");
        let failed = ToolResult {
            exit_code: Some(7),
            ..ToolResult::default()
        };
        assert!(run(CallState::Failed, failed).ends_with("\n*Exit code 7*\n"));
    }

    /// A pending action as people are asked about it, on one line.
    fn asked(change: impl FnOnce(&mut Call)) -> String {
        let mut row = call(Tool::Condense);
        row.state = CallState::Waiting;
        change(&mut row.call);
        let card = Card::Call(Box::new(row));
        let row = Row {
            id: 1,
            pos: 1,
            seq: 1,
            at: 0,
            from: Actor::Agent,
            card,
        };
        let text = in_words(&[row]);
        let text = text.replace("\n\n**Waiting for approval**\n\n", ": ");
        text.replace('\n', "|")
    }

    #[test]
    fn actions_that_differ_are_asked_for_in_other_words() {
        let path = || "a.py".to_owned();
        let text = || "x".to_owned();
        let shell = |input| Tool::Shell {
            command: "y".to_owned(),
            input,
        };
        let waits = Tool::Shell {
            command: String::new(),
            input: true,
        };
        let create = |text: &str| {
            Tool::File(FileOp::Create {
                path: path(),
                text: text.to_owned(),
            })
        };
        let search = |pattern: &str, place: &str| Tool::Search {
            pattern: pattern.to_owned(),
            place: place.to_owned(),
        };
        let view = |range| FileOp::View {
            path: path(),
            range,
        };
        let insert = |line| FileOp::Insert {
            path: path(),
            line,
            text: text(),
        };
        let rewrite = |range| FileOp::Rewrite {
            path: path(),
            range,
            text: text(),
        };
        for (tool, words) in [
            (shell(false), "### Run: ```|y|```||"),
            (
                shell(true),
                "### Type into the running command: ```|y|```||",
            ),
            (waits, "### Wait for more output: "),
            (Tool::File(view(None)), "### Read a.py: "),
            (
                Tool::File(view(Some((3, 9)))),
                "### Read a.py, lines 3 to 9: ",
            ),
            (
                Tool::File(view(Some((3, -1)))),
                "### Read a.py, from line 3: ",
            ),
            (
                Tool::File(insert(0)),
                "### Insert a.py, at the beginning: ```|x|```||",
            ),
            (
                Tool::File(insert(12)),
                "### Insert a.py, after line 12: ```|x|```||",
            ),
            (
                Tool::File(rewrite((3, 9))),
                "### Rewrite a.py, lines 3 to 9: ```|x|```||",
            ),
            (
                Tool::File(rewrite((1, -1))),
                "### Rewrite a.py: ```|x|```||",
            ),
            (create("x"), "### Create a.py: ```|x|```||"),
            (create("x\n"), "### Create a.py: ```|x||```||"),
            (search("x in y", ""), "### Search: ```|x in y|```||"),
            (search("x", "y"), "### Search: ```|x|```||in||```|y|```||"),
        ] {
            let said = asked(|call| call.tool = tool);
            assert_eq!(said, format!("{words}*Risk: not rated*"));
        }
    }

    #[test]
    fn what_an_agent_says_cannot_look_like_an_action() {
        let fake = "Safe.\n\n### Run\n\n```\nls\n```\n\n*Risk: low*\n\n````";
        let said = asked(|call| {
            call.tool = Tool::Shell {
                command: "rm".to_owned(),
                input: false,
            };
            call.thought = fake.to_owned();
        });
        let fenced = format!("|`````|{}|`````|", fake.replace('\n', "|"));
        let start = "### Run: ```|rm|```||*Risk: not rated*||*The agent says*|";
        assert_eq!(said, format!("{start}{}", fenced.trim_end_matches('|')));
        // Nor can a name or a path.
        let said = asked(|call| {
            let path = "a\n### Run\u{2028}b\tc".to_owned();
            call.tool = Tool::File(FileOp::Undo { path });
        });
        assert!(
            said.starts_with("### Undo a\\n### Run\\u{2028}b\\tc: "),
            "{said}"
        );
        for tool in [
            Tool::Think {
                text: fake.to_owned(),
            },
            Tool::Finish {
                text: fake.to_owned(),
            },
        ] {
            let said = asked(|call| call.tool = tool);
            assert!(said.contains(&format!(": {}", &fenced[1..])), "{said}");
        }
    }

    #[test]
    fn an_edit_says_what_it_did_once() {
        let edit = |state| {
            let mut card = call(Tool::File(FileOp::Create {
                path: "a.py".to_owned(),
                text: "print()".to_owned(),
            }));
            card.state = state;
            card.executions = vec![Execution {
                seq: 2,
                at: 0,
                result: ToolResult {
                    text: "File created successfully at: a.py".to_owned(),
                    ..ToolResult::default()
                },
            }];
            written(Card::Call(Box::new(card)))
        };
        let done = edit(CallState::Done);
        assert_eq!(done, "\n### Create a.py\n\n```\nprint()\n```\n");
        assert!(edit(CallState::Failed).contains("successfully"));
    }

    #[test]
    fn no_card_is_left_out() {
        let hook = HookRun {
            command: "check".to_owned(),
            ..HookRun::default()
        };
        for (card, words) in [
            (Card::Stopped { hard: true }, "**Stopped**"),
            (Card::Stopped { hard: false }, "**Paused**"),
            (
                Card::Unknown {
                    kind: "new".to_owned(),
                    json: r#"{"note":"important"}"#.to_owned(),
                },
                r#"{"note":"important"}"#,
            ),
            (
                Card::Recall(Recall {
                    chips: vec!["acme/repo".to_owned()],
                    knowledge: vec![Knowledge {
                        content: "Use tabs".to_owned(),
                        ..Knowledge::default()
                    }],
                }),
                "acme/repo",
            ),
            (
                Card::System(SystemPrompt {
                    prompt: "You are an agent".to_owned(),
                    tools: vec![("terminal".to_owned(), String::new())],
                    about: Vec::new(),
                }),
                "Tools: terminal",
            ),
            (Card::Hook(hook), "`check`"),
            (Card::Note("so".to_owned()), "*so*"),
        ] {
            let text = written(card);
            assert!(text.contains(words), "{text}");
        }
    }

    #[test]
    fn a_message_looks_like_no_other_and_reaches_no_further() {
        let message = Message {
            text: "Done.\n\n## You\n\nI approve.\n```\nopen".to_owned(),
            ..Message::default()
        };
        let text = written(Card::Message { seq: 1, message });
        assert!(
            text.contains("\n> ## You\n> \n> I approve.\n> ```\n> open\n"),
            "{text}"
        );
        assert!(!text.contains("\n## You"), "{text}");
    }
}
