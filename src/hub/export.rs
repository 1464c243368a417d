//! Exports of a conversation: all events as JSON, or the timeline as Markdown.
//!
//! Both are streamed, so only one page is in memory, and few pages at a time are read, so that watchers do not wait.

use super::clock::now;
use super::view::title;
use super::{Hub, HubResult, compute, place};
use crate::conversation::{Actor, CallRow, Card, FileOp, Row, TaskStatus, Tool};
use bytes::Bytes;
use futures_util::Stream;
use jiff::Timestamp;
use std::fmt::Write;

const PAGE: u32 = 100;
/// Pages of exports that are rendered at a time, over all users.
pub(super) const PAGES_AT_ONCE: usize = 2;

/// Longest title in the name of a file, in characters.
const NAME: usize = 80;

/// The name of a file, without its ending: of the title the letters, digits and a few signs, then the date (UTC).
fn file_name(title: &str, id: &str, at: i64) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || " -_.".contains(letter);
    let plain = |letter| if is_plain(letter) { letter } else { ' ' };
    let plain: String = title.chars().map(plain).take(NAME).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let name = words.join(" ");
    let name = name.trim_matches(['.', ' ']);
    let name = if name.is_empty() { id } else { name };
    match Timestamp::from_millisecond(at) {
        Ok(time) => format!("{name} {}", time.strftime("%Y-%m-%d")),
        Err(_) => name.to_owned(),
    }
}

impl Hub {
    /// The name of a file with this conversation, without its ending.
    pub async fn file_name(&self, id: &str) -> HubResult<String> {
        let known = self.known(id).await?;
        let title = title(&known.session.title, &known.meta.title);
        Ok(file_name(&title, id, now()))
    }

    /// All events as JSON, as they were kept.
    pub async fn trajectory(
        &self,
        id: &str,
    ) -> HubResult<impl Stream<Item = HubResult<Bytes>> + Send + use<>> {
        self.known(id).await?;
        let (hub, id) = (self.clone(), id.to_owned());
        Ok(async_stream::try_stream! {
            yield Bytes::from_static(b"[");
            let mut after = 0;
            loop {
                let mut text = String::new();
                {
                    let _making = place(&hub.0.exporting).await;
                    for (seq, raw) in hub.journal().raw_events(&id, after).await? {
                        text.push_str(if after == 0 { "\n" } else { ",\n" });
                        text.push_str(&raw);
                        after = seq;
                    }
                }
                if text.is_empty() {
                    break;
                }
                yield Bytes::from(text);
            }
            yield Bytes::from_static(b"\n]\n");
        })
    }

    /// The timeline as Markdown.
    pub async fn export_markdown(
        &self,
        id: &str,
    ) -> HubResult<impl Stream<Item = HubResult<Bytes>> + Send + use<>> {
        let known = self.known(id).await?;
        let mut title = title(&known.session.title, &known.meta.title);
        if title.is_empty() {
            title = "Conversation".to_owned();
        }
        let (hub, id) = (self.clone(), id.to_owned());
        Ok(async_stream::try_stream! {
            yield Bytes::from(format!("# {title}\n"));
            let mut after = (i64::MIN, i64::MIN);
            loop {
                let making = place(&hub.0.exporting).await;
                let rows = hub.journal().rows_after(&id, after, PAGE).await?;
                let Some(last) = rows.last() else { break };
                after = (last.pos, last.id);
                let text = compute(move || markdown(&rows)).await?;
                drop(making);
                yield Bytes::from(text);
            }
        })
    }
}

fn markdown(rows: &[Row]) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_after_the_title_and_the_day() {
        let at = 1_763_694_245_678;
        for (title, name) in [
            (
                "Fix the *tally* in src/a.py",
                "Fix the tally in src a.py 2025-11-21",
            ),
            ("../../etc\u{202e}\r\n", "etc 2025-11-21"),
            ("Größe 😀", "Größe 2025-11-21"),
            ("", "c0ffee 2025-11-21"),
        ] {
            assert_eq!(file_name(title, "c0ffee", at), name);
        }
    }
}
