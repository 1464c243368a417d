//! The head line of a step: verb, subject, outcome.

use crate::{
    conversation::{CallRow, CallState, FileOp, Task, TaskStatus, Tool},
    render::{Block, hidden::plain_line},
};

/// Letters of a subject; the page shows fewer, the tooltip all.
const SUBJECT: usize = 160;

/// What is done, in one word, and what it is done to, in one line.
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
        Tool::Tasks { tasks } if tasks.is_empty() => ("Tasks", "look at the list".to_owned()),
        Tool::Tasks { tasks } => ("Tasks", progress(tasks)),
        Tool::Mcp { name, .. } | Tool::Other { name, .. } => ("Call", line(name)),
        Tool::SubAgent { agent, task, .. } => ("Delegate", line(&format!("{agent}: {task}"))),
        Tool::Skill { name } => ("Skill", line(name)),
        Tool::Search { pattern, place } if place.is_empty() => ("Search", line(pattern)),
        Tool::Search { pattern, place } => ("Search", line(&format!("{pattern} in {place}"))),
        Tool::Condense => ("Condense", "older events".to_owned()),
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

/// Letters of a path in a head line.
const ROOM: usize = 48;

/// Whether a head line has no room for all of a path.
pub(super) fn is_long(path: &str) -> bool {
    path.chars().count() > ROOM
}

/// The end of a long path says more than its beginning, and a folder that is named by an id says nothing.
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

/// Such as the ids of conversations, by which agent-servers name folders.
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

/// One short word about what came of it.
pub(super) fn outcome(call: &CallRow, blocks: &[Block]) -> String {
    if matches!(call.state, CallState::CutOff(_)) {
        return "cut off".to_owned();
    }
    // What was done once and failed when it was done again is done.
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
