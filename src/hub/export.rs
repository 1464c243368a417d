//! A conversation to take away: all events as JSON, or what was said and done as Markdown.

use super::{Hub, HubError, check_id};
use crate::conversation::{Actor, CallRow, Card, FileOp, Row, Tool};
use std::fmt::Write;

/// What is read from the journal at once.
const PAGE: u32 = 500;

impl Hub {
    /// All events as JSON: as the backend exports them while the conversation runs, else as they were kept.
    pub async fn trajectory(&self, id: &str) -> Result<String, HubError> {
        check_id(id)?;
        if self.journal().conversation(id).await?.is_none() {
            return Err(HubError::NotFound("conversation"));
        }
        if let Ok(backend) = self.backend_of(id).await
            && let Ok(value) = backend.trajectory(id).await
        {
            return Ok(format!("{value:#}"));
        }
        let mut text = String::from("[");
        let mut cursor = 0;
        loop {
            let page = self.journal().events(id, cursor, PAGE).await?;
            let Some(last) = page.last() else { break };
            for event in &page {
                text.push_str(if text.len() == 1 { "\n" } else { ",\n" });
                text.push_str(&event.raw);
            }
            cursor = last.seq;
        }
        text.push_str("\n]\n");
        Ok(text)
    }

    /// What was said and done, as Markdown.
    pub async fn export_markdown(&self, id: &str) -> Result<String, HubError> {
        check_id(id)?;
        let known = self
            .journal()
            .conversation(id)
            .await?
            .ok_or(HubError::NotFound("conversation"))?;
        let mut pages = Vec::new();
        let mut before = None;
        loop {
            let page = self.journal().rows(id, before, None, PAGE).await?;
            before = page.rows.first().map(|row| (row.pos, row.id));
            let older = page.older;
            pages.push(page.rows);
            if !older {
                break;
            }
        }
        let title = super::view::title(&known.session.title, &known.described.title);
        super::compute(move || {
            let mut text = format!(
                "# {}\n",
                if title.is_empty() {
                    "Conversation"
                } else {
                    &title
                }
            );
            pages
                .iter()
                .rev()
                .flatten()
                .for_each(|row| write_row(&mut text, row));
            text
        })
        .await
    }
}

/// Writing into a text cannot fail, so nothing is made of what `write!` answers.
fn write_row(text: &mut String, row: &Row) {
    match &row.card {
        Card::Message { message, .. } => {
            let who = if row.from == Actor::Human {
                "You"
            } else {
                "Agent"
            };
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
            let _ = write!(text, "\n**Older events were summarised**\n\n{summary}\n");
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
                let _ = writeln!(text, "- {} ({:?})", task.title, task.status);
            }
        }
        Tool::Mcp { name, arguments } | Tool::Other { name, arguments } => {
            what(name, &format!("{arguments:#}"))
        }
        Tool::SubAgent { agent, task, .. } => what(&format!("Hand over to {agent}"), task),
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
    let longest = body
        .split(|letter| letter != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    let marks = "`".repeat(3.max(longest + 1));
    let _ = write!(text, "\n{marks}\n{}\n{marks}\n", body.trim_end());
}
