//! The heading of a step: verb, subject, outcome.

use crate::{
    conversation::{CallRow, CallState, FileOp, Kind, Task, TaskStatus, Tool},
    render::{Block, hidden::plain_line, text},
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
        } if command.trim().is_empty() => (text::wait(), text::for_more_output().to_owned()),
        Tool::Shell {
            command,
            input: true,
        } => (text::type_input(), line(command)),
        Tool::Shell { command, .. } => (text::run(), line(command)),
        Tool::Cell { code } => (text::python(), line(code)),
        Tool::File(op) => (file_verb(op), file_subject(op)),
        Tool::Browser { url: Some(url), .. } => (text::open(), line(url)),
        Tool::Browser { action, .. } => (text::browse(), line(action)),
        Tool::Think { text } => (text::think(), line(text)),
        Tool::Finish { .. } => (text::finish(), String::new()),
        Tool::Decline { .. } => (text::decline(), String::new()),
        Tool::Tasks { tasks } if tasks.is_empty() => (text::tasks(), text::view_tasks().to_owned()),
        Tool::Tasks { tasks } => (text::tasks(), progress(tasks)),
        Tool::Mcp { name, .. } | Tool::Other { name, .. } => (text::call(), line(name)),
        Tool::SubAgent { agent, task, .. } => {
            (text::delegate(), line(&text::delegated(agent, task)))
        }
        Tool::Skill { name } => (text::skill(), line(name)),
        Tool::Search { pattern, place } if place.is_empty() => (text::search(), line(pattern)),
        Tool::Search { pattern, place } => (text::search(), line(&text::searched(pattern, place))),
        Tool::Condense => (text::summarize(), text::older_events().to_owned()),
    }
}

fn file_verb(op: &FileOp) -> &'static str {
    match op {
        FileOp::View { .. } => text::read(),
        FileOp::Create { .. } => text::create(),
        FileOp::Replace { .. } => text::edit(),
        FileOp::Insert { .. } => text::insert(),
        FileOp::Undo { .. } => text::undo(),
        FileOp::Rewrite { .. } => text::rewrite(),
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
        Some((first, -1)) => text::from_line(path, first),
        Some((first, last)) => text::lines_of(path, first, last),
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
    text::tasks_done(done, tasks.len())
}

/// Whether the server carried an edit out before it was answered.
fn was_executed_before(row: &CallRow) -> bool {
    let mut results = row.executions.iter().map(|execution| &execution.result);
    !row.call.held && row.call.tool.kind() == Kind::Edit && results.any(|result| !result.failed)
}

/// The outcome in one short word.
pub(super) fn outcome(call: &CallRow, blocks: &[Block]) -> String {
    match call.state {
        CallState::CutOff(_) => return text::interrupted().to_owned(),
        CallState::Rejected(_) if was_executed_before(call) => {
            return text::already_executed().to_owned();
        }
        // The numbers of a change would read as if it was done: the state says what became of it.
        CallState::Waiting
        | CallState::Rejected(_)
        | CallState::NotExecuted(_)
        | CallState::Unknown(_) => {
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
        return text::still_running().to_owned();
    }
    match result.exit_code {
        Some(0) | None => {}
        Some(code) => return text::exit_code(code),
    }
    if result.failed {
        return text::failed().to_owned();
    }
    let said = blocks.iter().rev().find_map(|block| match block {
        Block::Diff(diff) if diff.added + diff.removed > 0 => {
            Some(text::changed_lines(diff.added, diff.removed))
        }
        Block::File(file) => Some(text::lines(file.total as usize)),
        _ => None,
    });
    said.unwrap_or_default()
}
