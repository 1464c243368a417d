//! The timeline as Markdown.

use crate::conversation::{Actor, CallRow, Card, FileOp, Row, TaskStatus, Tool};
use std::fmt::Write;

/// Rows as Markdown, for the end of a document.
pub(super) fn markdown(rows: &[Row]) -> String {
    let mut text = String::new();
    rows.iter().for_each(|row| write_row(&mut text, row));
    text
}

/// Writing into a string cannot fail, so the result of `write!` is ignored.
fn write_row(text: &mut String, row: &Row) {
    match &row.card {
        Card::Message { message, .. } => {
            let is_human = row.from == Actor::Human;
            let who = if is_human { "You" } else { "Agent" };
            let _ = write!(text, "\n## {who}\n\n{}\n", message.text.trim_end());
            for file in &message.files {
                let _ = writeln!(text, "\n*File: {file}*");
            }
        }
        Card::Call(call) => write_call(text, call),
        Card::Orphan(execution) => fence(text, &execution.result.text),
        Card::RunError {
            code, text: error, ..
        } => {
            let _ = write!(text, "\n**Error** {code}\n");
            fence(text, error);
        }
        Card::Condensed { summary, .. } => {
            let _ = write!(text, "\n**Older events were summarized**\n\n{summary}\n");
        }
        Card::Note(note) => {
            let _ = write!(text, "\n*{note}*\n");
        }
        Card::Hook(hook) => {
            let _ = write!(text, "\n**Hook** `{}`\n", hook.command);
            fence(text, &hook.output);
        }
        Card::Recall(_) | Card::Stopped { .. } | Card::System(_) | Card::Unknown { .. } => {}
    }
}

fn write_call(text: &mut String, row: &CallRow) {
    let thought = row.call.thought.trim();
    if !thought.is_empty() {
        let _ = write!(text, "\n{thought}\n");
    }
    let mut what = |title: &str, body: &str| {
        let _ = write!(text, "\n### {title}\n");
        fence(text, body);
    };
    match &row.call.tool {
        Tool::Shell { command, .. } => what("Run", command),
        Tool::Cell { code } => what("Python", code),
        Tool::File(op) => match op {
            FileOp::View { path, .. } => what("Read", path),
            FileOp::Undo { path } => what("Undo", path),
            FileOp::Create { path, text } => what(&format!("Create {path}"), text),
            FileOp::Insert { path, text, .. } | FileOp::Rewrite { path, text, .. } => {
                what(&format!("Edit {path}"), text)
            }
            FileOp::Replace { path, new, .. } => what(&format!("Edit {path}"), new),
        },
        Tool::Browser { action, url } => what("Browse", url.as_deref().unwrap_or(action)),
        Tool::Think { text: said } | Tool::Finish { text: said } | Tool::Decline { text: said } => {
            let _ = write!(text, "\n{}\n", said.trim_end());
        }
        Tool::Tasks { tasks } => {
            let _ = writeln!(text, "\n### Tasks\n");
            for task in tasks {
                let status = match task.status {
                    TaskStatus::Todo => "to do",
                    TaskStatus::InProgress => "in progress",
                    TaskStatus::Done => "done",
                };
                let _ = writeln!(text, "- {} ({status})", task.title);
            }
        }
        Tool::Mcp { name, arguments } | Tool::Other { name, arguments } => {
            what(name, &format!("{arguments:#}"))
        }
        Tool::SubAgent { agent, task, .. } => what(&format!("Delegate to {agent}"), task),
        Tool::Skill { name } => what("Skill", name),
        Tool::Search { pattern, place } => what("Search", format!("{pattern} {place}").trim_end()),
        Tool::Condense => {}
    }
    for execution in &row.executions {
        if !execution.result.text.trim().is_empty() {
            fence(text, execution.result.text.trim_end());
        }
    }
}

/// A block of code. Its fence is longer than any that is in it.
fn fence(text: &mut String, body: &str) {
    let runs = body.split(|letter| letter != '`').map(str::len);
    let marks = "`".repeat(3.max(runs.max().unwrap_or(0) + 1));
    let _ = write!(text, "\n{marks}\n{}\n{marks}\n", body.trim_end());
}
