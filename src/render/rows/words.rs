//! The heading of a step: verb, subject, outcome.

use crate::{
    conversation::{CallRow, CallState, FileOp, Kind, Task, TaskStatus, Tool},
    render::{Block, hidden::plain_line, text},
};
use std::borrow::Cow;

/// Longest subject, in characters; the page shows fewer, the tooltip all.
const SUBJECT: usize = 160;

/// Whether a heading shows the whole text unchanged.
pub(super) fn is_whole(text: &str) -> bool {
    plain_line(text, SUBJECT) == text
}

/// The verb of a step, and its subject in full: as the agent wrote it, with its lines and hidden characters.
pub fn tool_in_words(tool: &Tool) -> (&'static str, Cow<'_, str>) {
    let verb: &str = match tool {
        Tool::Shell {
            command,
            input: true,
        } if command.trim().is_empty() => text::wait(),
        Tool::Shell { input: true, .. } => text::type_input(),
        Tool::Shell { .. } => text::run(),
        Tool::Cell { .. } => text::python(),
        Tool::File(op) => file_verb(op),
        Tool::Browser { url: Some(_), .. } => text::open(),
        Tool::Browser { .. } => text::browse(),
        Tool::Think { .. } => text::think(),
        Tool::Finish { .. } => text::finish(),
        Tool::Decline { .. } => text::decline(),
        Tool::Tasks { .. } => text::tasks(),
        Tool::Mcp { .. } | Tool::Other { .. } => text::call(),
        Tool::SubAgent { .. } => text::delegate(),
        Tool::Skill { .. } => text::skill(),
        Tool::Search { .. } => text::search(),
        Tool::Condense => text::summarize(),
    };
    let subject = match tool {
        Tool::Shell {
            command,
            input: true,
        } if command.trim().is_empty() => text::for_more_output().into(),
        Tool::Shell { command, .. } => command.into(),
        Tool::Cell { code } => code.into(),
        Tool::File(FileOp::Insert { path, line: 0, .. }) => text::at_start(path).into(),
        Tool::File(FileOp::Insert { path, line, .. }) => text::after_line(path, line).into(),
        Tool::File(op) => file_subject(op, op.path().to_owned()).into(),
        Tool::Browser { url: Some(url), .. } => url.into(),
        Tool::Browser { action, .. } => action.into(),
        Tool::Think { text } | Tool::Finish { text } | Tool::Decline { text } => text.into(),
        Tool::Tasks { tasks } if tasks.is_empty() => text::view_tasks().into(),
        Tool::Tasks { tasks } => progress(tasks).into(),
        Tool::Mcp { name, .. } | Tool::Other { name, .. } | Tool::Skill { name } => name.into(),
        Tool::SubAgent { agent, task, .. } => text::delegated(agent, task).into(),
        Tool::Search { pattern, place } if place.is_empty() => pattern.into(),
        Tool::Search { pattern, place } => text::searched(pattern, place).into(),
        Tool::Condense => text::older_events().into(),
    };
    (verb, subject)
}

/// The verb, and the subject on one line.
pub(super) fn headline(tool: &Tool) -> (&'static str, String) {
    let (verb, subject) = tool_in_words(tool);
    let subject = match tool {
        Tool::File(op) => file_subject(op, short_path(op.path())),
        Tool::Finish { .. } | Tool::Decline { .. } => String::new(),
        _ => plain_line(&subject, SUBJECT),
    };
    (verb, subject)
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

fn file_subject(op: &FileOp, path: String) -> String {
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
