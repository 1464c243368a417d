//! Finding words in the log.

use super::conversations::log_state;
use super::{Journal, JournalError};
use crate::conversation::{Body, FileOp, LogItem, Row, Tool};
use rusqlite::{Transaction, params};

/// So many bytes of one event are searchable: a longer output is found by its beginning.
const LONGEST: usize = 64 * 1024;

impl Journal {
    /// Rows in which every word of `text` begins a word, newest first, at most `limit`.
    pub async fn search(
        &self,
        conversation: &str,
        text: &str,
        limit: u32,
    ) -> Result<Vec<Row>, JournalError> {
        let id = conversation.to_owned();
        let words = words(text);
        let reader = self.reader;
        if words.is_empty() {
            return Ok(Vec::new());
        }
        self.database
            .read(move |transaction| {
                let Some(state) = log_state(transaction, &id)? else {
                    return Ok(Vec::new());
                };
                let mut statement = transaction.prepare_cached(
                    "SELECT event.row FROM word JOIN event ON event.id = word.rowid
                     WHERE word MATCH ?1 ORDER BY word.rowid DESC",
                )?;
                let query = format!("conversation : \"c{}\" AND body : ({words})", state.number);
                let mut hits = statement.query([query])?;
                let mut ids: Vec<i64> = Vec::new();
                while let Some(hit) = hits.next()? {
                    let row = hit.get(0)?;
                    if !ids.contains(&row) {
                        ids.push(row);
                    }
                    if ids.len() == limit as usize {
                        break;
                    }
                }
                state.log(reader).fold_rows(transaction, ids)
            })
            .await
    }
}

/// The words as the engine wants them: quoted, so that none is an operator.
fn words(text: &str) -> String {
    let quoted: Vec<String> = text
        .split_whitespace()
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .map(|word| format!("\"{}\"*", word.replace('"', "\"\"")))
        .collect();
    quoted.join(" AND ")
}

/// Makes the words of an event findable.
pub(super) fn put_words(
    transaction: &Transaction<'_>,
    number: i64,
    event: i64,
    item: &LogItem,
) -> rusqlite::Result<()> {
    let text = text_of(&item.body);
    if text.is_empty() {
        return Ok(());
    }
    let end = text.floor_char_boundary(LONGEST);
    transaction
        .prepare_cached("INSERT INTO word (rowid, conversation, body) VALUES (?1, ?2, ?3)")?
        .execute(params![event, format!("c{number}"), &text[..end]])?;
    Ok(())
}

/// What a person would look for.
fn text_of(body: &Body) -> String {
    match body {
        Body::Message(message) => message.text.clone(),
        Body::Call(call) => format!("{} {}", call.thought, text_of_tool(&call.tool)),
        Body::Result(result) => match &result.path {
            Some(path) => format!("{path} {}", result.text),
            None => result.text.clone(),
        },
        Body::Rejected { reason } => reason.clone(),
        Body::CallError { text, .. } | Body::RunError { text, .. } | Body::Note(text) => {
            text.clone()
        }
        Body::Condensed { summary, .. } => summary.clone(),
        Body::Hook(hook) => format!("{} {}", hook.command, hook.output),
        Body::Recall(recall) => recall.chips.join(" "),
        Body::Status { .. }
        | Body::Steered { .. }
        | Body::Lost { .. }
        | Body::Title(_)
        | Body::State(_)
        | Body::Progress { .. }
        | Body::Stopped { .. }
        | Body::System(_)
        | Body::Nothing
        | Body::Unknown { .. } => String::new(),
    }
}

fn text_of_tool(tool: &Tool) -> String {
    match tool {
        Tool::Shell { command, .. } => command.clone(),
        Tool::Cell { code } => code.clone(),
        Tool::File(op) => match op {
            FileOp::View { path, .. } | FileOp::Undo { path } => path.clone(),
            FileOp::Create { path, text }
            | FileOp::Insert { path, text, .. }
            | FileOp::Rewrite { path, text, .. } => format!("{path} {text}"),
            FileOp::Replace { path, old, new } => format!("{path} {old} {new}"),
        },
        Tool::Browser { action, url } => match url {
            Some(url) => format!("{action} {url}"),
            None => action.clone(),
        },
        Tool::Think { text } | Tool::Finish { text } | Tool::Decline { text } => text.clone(),
        Tool::Tasks { tasks } => {
            let titles: Vec<&str> = tasks.iter().map(|task| task.title.as_str()).collect();
            titles.join(" ")
        }
        Tool::Mcp { name, arguments } | Tool::Other { name, arguments } => {
            format!("{name} {arguments}")
        }
        Tool::SubAgent { agent, task, .. } => format!("{agent} {task}"),
        Tool::Skill { name } => name.clone(),
        Tool::Search { pattern, place } => format!("{pattern} {place}"),
        Tool::Condense => String::new(),
    }
}
