//! The heading of a step: verb, subject, outcome.

use crate::{
    conversation::{CallRow, CallState, FileOp, Task, TaskStatus, Tool},
    render::{Block, hidden::plain_line},
};

/// Longest subject, in characters; the page shows fewer, the tooltip all.
const SUBJECT: usize = 160;

/// Whether a heading shows the whole text unchanged.
pub(super) fn is_whole(text: &str) -> bool {
    plain_line(text, SUBJECT) == text
}

/// The verb, and the subject on one line.
pub(super) fn headline(tool: &Tool) -> (&'static str, String) {
    let line = |text: &str| plain_line(text, SUBJECT);
    match tool {
        Tool::Shell {
            command,
            input: true,
        } if command.trim().is_empty() => ("Wait", "for more output".to_owned()),
        Tool::Shell {
            command,
            input: true,
        } => ("Type", line(command)),
        Tool::Shell { command, .. } => ("Run", line(command)),
        Tool::Cell { code } => ("Python", line(code)),
        Tool::File(op) => (file_verb(op), file_subject(op)),
        Tool::Browser { url: Some(url), .. } => ("Open", line(url)),
        Tool::Browser { action, .. } => ("Browse", line(action)),
        Tool::Think { text } => ("Think", line(text)),
        Tool::Finish { .. } => ("Finish", String::new()),
        Tool::Decline { .. } => ("Decline", String::new()),
        Tool::Tasks { tasks } if tasks.is_empty() => ("Tasks", "view the list".to_owned()),
        Tool::Tasks { tasks } => ("Tasks", progress(tasks)),
        Tool::Mcp { name, .. } | Tool::Other { name, .. } => ("Call", line(name)),
        Tool::SubAgent { agent, task, .. } => ("Delegate", line(&format!("{agent}: {task}"))),
        Tool::Skill { name } => ("Skill", line(name)),
        Tool::Search { pattern, place } if place.is_empty() => ("Search", line(pattern)),
        Tool::Search { pattern, place } => ("Search", line(&format!("{pattern} in {place}"))),
        Tool::Condense => ("Summarize", "older events".to_owned()),
    }
}

fn file_verb(op: &FileOp) -> &'static str {
    match op {
        FileOp::View { .. } => "Read",
        FileOp::Create { .. } => "Create",
        FileOp::Replace { .. } => "Edit",
        FileOp::Insert { .. } => "Insert",
        FileOp::Undo { .. } => "Undo",
        FileOp::Rewrite { .. } => "Rewrite",
    }
}

fn file_subject(op: &FileOp) -> String {
    let path = short_path(op.path());
    let lines = match op {
        FileOp::View {
            range: Some(range), ..
        } => Some(*range),
        FileOp::Rewrite { range, .. } if *range != (1, -1) => Some(*range),
        _ => None,
    };
    match lines {
        Some((first, -1)) => format!("{path}, from line {first}"),
        Some((first, last)) => format!("{path}, lines {first} to {last}"),
        None => path,
    }
}

/// Longest path in a heading, in characters.
const ROOM: usize = 48;

/// Whether a path is too long for a heading.
pub(super) fn is_long(path: &str) -> bool {
    path.chars().count() > ROOM
}

/// Shortens a long path to its last part, with the folder before it if that fits and is not an id.
fn short_path(path: &str) -> String {
    let line = plain_line(path, 1000);
    if line.chars().count() <= ROOM {
        return line;
    }
    let parts: Vec<&str> = line.split('/').filter(|part| !part.is_empty()).collect();
    let name = parts.last().copied().unwrap_or_default();
    match parts.iter().rev().nth(1) {
        Some(folder) if folder.len() + name.len() < ROOM && !is_id(folder) => {
            format!("…/{folder}/{name}")
        }
        _ => plain_line(&format!("…/{name}"), SUBJECT),
    }
}

/// Whether a folder name looks like an id, such as the conversation ids that agent-servers use for folders.
fn is_id(folder: &str) -> bool {
    folder.len() >= 32
        && folder
            .chars()
            .all(|letter| letter == '-' || letter.is_ascii_hexdigit())
}

fn progress(tasks: &[Task]) -> String {
    let done = tasks
        .iter()
        .filter(|task| task.status == TaskStatus::Done)
        .count();
    format!("{done} of {} done", tasks.len())
}

/// The outcome in one short word.
pub(super) fn outcome(call: &CallRow, blocks: &[Block]) -> String {
    match call.state {
        CallState::CutOff(_) => return "interrupted".to_owned(),
        // The numbers of a change would read as if it was done: the state says what became of it.
        CallState::Waiting | CallState::Rejected(_) | CallState::NotExecuted(_) => {
            return String::new();
        }
        _ => {}
    }
    // An action that succeeded once and failed when repeated is done.
    let results = || {
        call.executions
            .iter()
            .rev()
            .map(|execution| &execution.result)
    };
    let done = call.state == CallState::Done;
    let Some(result) = results()
        .find(|result| !(done && result.failed))
        .or(results().next())
    else {
        return String::new();
    };
    if result.unfinished {
        return "still running".to_owned();
    }
    match result.exit_code {
        Some(0) | None => {}
        Some(code) => return format!("exit {code}"),
    }
    if result.failed {
        return "failed".to_owned();
    }
    let said = blocks.iter().rev().find_map(|block| match block {
        Block::Diff(diff) if diff.added + diff.removed > 0 => {
            Some(format!("+{} −{}", diff.added, diff.removed))
        }
        Block::File(file) if file.total == 1 => Some("1 line".to_owned()),
        Block::File(file) => Some(format!("{} lines", file.total)),
        _ => None,
    });
    said.unwrap_or_default()
}
