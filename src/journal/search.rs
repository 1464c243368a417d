//! Full-text search in the log.

use super::conversations::number_of;
use super::readers::Purpose;
use super::{Journal, JournalError};
use crate::conversation::{Body, FileOp, LogItem, Row, Tool};
use rusqlite::{Transaction, params};

/// Bytes indexed per event: a longer output is found only by its beginning.
const LONGEST: usize = 64 * 1024;

/// Limits on a search query: words, and bytes ([`MOST_BYTES`]). More than a person types; each word costs a scan of all
/// events that contain it.
pub const MOST_WORDS: usize = 16;
/// See [`MOST_WORDS`].
pub const MOST_BYTES: usize = 200;

/// Shortest word that also matches as a prefix, in characters; a shorter prefix matches too many words.
const SHORTEST_BEGINNING: usize = 3;

/// A search query within its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// The words, quoted so that SQLite reads none as an operator.
    quoted: Vec<String>,
    /// Whether the last word may match as a prefix.
    open: bool,
}

impl Words {
    /// The words of `text`. `None` if there are more than [`MOST_WORDS`] words or [`MOST_BYTES`] bytes.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        let words = || {
            let words = text.split_whitespace();
            words.filter(|word| word.contains(char::is_alphanumeric))
        };
        if text.len() > MOST_BYTES || words().count() > MOST_WORDS {
            return None;
        }
        // SQLite splits words at every other character, and only the last piece would match as a prefix.
        let mut pieces = words().next_back().into_iter().flat_map(|word| {
            word.rsplit(|letter: char| !letter.is_alphanumeric())
                .filter(|piece| !piece.is_empty())
        });
        Some(Self {
            open: (pieces.next()).is_some_and(|last| last.chars().count() >= SHORTEST_BEGINNING),
            quoted: words()
                .map(|word| format!("\"{}\"", word.replace('"', "\"\"")))
                .collect(),
        })
    }

    /// The FTS queries, run in order until there are enough hits: whole words first, then with the last one as a
    /// prefix.
    fn queries(&self, number: i64) -> Vec<String> {
        if self.quoted.is_empty() {
            return Vec::new();
        }
        let whole = self.quoted.join(" AND ");
        let endings = if self.open { &["", "*"][..] } else { &[""] };
        let query = |end: &&str| format!("conversation : \"c{number}\" AND body : ({whole}{end})");
        endings.iter().map(query).collect()
    }
}

impl Journal {
    /// Rows with events that match all words, newest first, at most `limit`. Rows that match the last word only as a
    /// prefix come last, if there is room.
    ///
    /// # Errors
    /// [`JournalError::TooSlow`] if the search exceeds its time limit.
    pub async fn search(
        &self,
        conversation: &str,
        words: Words,
        limit: usize,
    ) -> Result<Vec<Row>, JournalError> {
        let id = conversation.to_owned();
        let ids = self
            .database
            .read_for(Purpose::Search, move |transaction| {
                let mut ids: Vec<i64> = Vec::new();
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(ids);
                };
                let mut statement = transaction.prepare_cached(
                    "SELECT event.row FROM word JOIN event ON event.id = word.rowid
                     WHERE word MATCH ?1 ORDER BY word.rowid DESC",
                )?;
                for query in words.queries(number) {
                    let mut hits = statement.query([query])?;
                    while ids.len() < limit
                        && let Some(hit) = hits.next()?
                    {
                        let row = hit.get(0)?;
                        if !ids.contains(&row) {
                            ids.push(row);
                        }
                    }
                }
                Ok(ids)
            })
            .await?;
        self.rows_by_id(conversation, ids).await
    }
}

/// Adds the text of an event to the search index.
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

/// The searchable text of an event.
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
