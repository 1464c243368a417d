//! The search index: what is stored of an event. The index follows behind the log, and is filled again after its format
//! has changed.
//!
//! Long because what is indexed of each kind of event is one list.

use super::scope::words_of;
use super::unspaced::{Tokens, is_mark};
use crate::conversation::{Body, Family, FileOp, LogItem, Tool, camel_parts, path_of};
use crate::journal::database::Durability;
use crate::journal::engine::{self, Transaction, params};
use crate::journal::folding::reread;
use crate::journal::readers::Purpose;
use crate::journal::{Journal, JournalError, Reader};
use crate::wire::json_text;
use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

/// Bytes indexed per event: a longer output is found only by its beginning.
pub(super) const LONGEST: usize = 64 * 1024;
/// Most parts of a camelCase word; what has more is no name but encoded data.
const MOST_PARTS: usize = 8;
/// Events that are indexed in one transaction, and their JSON in bytes: some ten milliseconds, because everything that
/// arrives meanwhile waits.
const SLICE: i64 = 50;
/// See [`SLICE`].
const SLICE_BYTES: usize = 128 << 10;
/// Most events of a row that are indexed again when its author becomes known.
const MOST_SIGNED: i64 = 32;
/// How long a search indexes what has arrived before it looks at what is indexed.
const CATCHING_UP: Duration = Duration::from_millis(80);

/// Adds an event to the index, replacing what it has of it.
fn put_words(
    transaction: &Transaction<'_>,
    number: i64,
    event: i64,
    row: i64,
    item: &LogItem,
) -> engine::Result<()> {
    let text = text_of(&item.body);
    let path = path_of(&item.body).unwrap_or_default();
    if text.is_empty() && path.is_empty() {
        return Ok(());
    }
    let authors: Option<[String; 2]> = transaction.find(
        "SELECT name, first_name FROM row_author WHERE conversation = ?1 AND row = ?2",
        params![number, row],
        |found| Ok([found.get(0)?, found.get(1)?]),
    )?;
    let authors = authors.unwrap_or_default();
    let family = Family::of(&item.body);
    let scope = words_of(number, family, item.from, item.at.millis, &authors);
    let text = &text[..text.floor_char_boundary(LONGEST)];
    transaction.put_words(event, [&scope, text, &parts_of(text), path])
}

/// Indexes the events of a row again, because its author has changed.
pub(in crate::journal) fn put_row_again(
    transaction: &Transaction<'_>,
    reader: Reader,
    number: i64,
    row: i64,
) -> engine::Result<()> {
    let mut statement = transaction.prepare_cached(
        "SELECT id, pos, raw, at FROM event WHERE conversation = ?1 AND row = ?2 ORDER BY seq LIMIT ?3",
    )?;
    let mut events = statement.query(params![number, row, MOST_SIGNED])?;
    while let Some(event) = events.next()? {
        let item = reread(
            reader,
            event.get_ref(2)?.as_str()?,
            (event.get(1)?, event.get(3)?),
        );
        put_words(transaction, number, event.get(0)?, row, &item)?;
    }
    Ok(())
}

/// How far the index is filled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filled {
    /// All newer events are still to be indexed.
    pub(super) until: i64,
    /// The newest event.
    newest: i64,
    /// The newest event of those that an older version has left, or 0.
    left: i64,
    /// How many it had left.
    of: i64,
}

impl Filled {
    pub(super) fn read(transaction: &Transaction<'_>) -> engine::Result<Self> {
        transaction.query_row(
            "SELECT after, up_to, of, (SELECT ifnull(max(id), 0) FROM event) FROM unindexed",
            [],
            |row| {
                Ok(Self {
                    until: row.get(0)?,
                    left: row.get(1)?,
                    of: row.get(2)?,
                    newest: row.get(3)?,
                })
            },
        )
    }

    /// Whether it lacks events that have arrived since it was last filled.
    pub(super) fn is_behind(self) -> bool {
        self.until < self.newest
    }

    /// The share of the older events that is indexed, in percent; `None` if all are.
    pub(super) fn percent(self) -> Option<u8> {
        let percent = (self.of - self.left).saturating_mul(100) / self.of.max(1);
        (self.left > 0).then_some(u8::try_from(percent).unwrap_or(100))
    }
}

impl Journal {
    /// Indexes a slice of the events that are not indexed: those that have arrived, oldest first, then those that an older
    /// version has left, newest first. Returns whether there are more.
    pub async fn index_slice(&self) -> Result<bool, JournalError> {
        let reader = self.reader;
        self.database
            .write(Durability::Ordinary, move |transaction| {
                let filled = Filled::read(transaction)?;
                if filled.is_behind() {
                    let last = index(transaction, reader, "id > ?1 ORDER BY id", filled.until)?;
                    let until = last.unwrap_or(filled.newest);
                    transaction.execute("UPDATE unindexed SET after = ?1", [until])?;
                    return Ok(until < filled.newest || filled.left > 0);
                }
                if filled.left == 0 {
                    return Ok(false);
                }
                let last = index(
                    transaction,
                    reader,
                    "id <= ?1 ORDER BY id DESC",
                    filled.left,
                )?;
                let left = last.map_or(0, |last| last - 1);
                transaction.execute("UPDATE unindexed SET up_to = ?1", [left])?;
                Ok(left > 0)
            })
            .await
    }

    /// Returns when events have arrived since it last did.
    pub async fn appended(&self) {
        self.appended.notified().await;
    }

    /// Indexes what has arrived, for up to [`CATCHING_UP`].
    pub(super) async fn catch_up(&self) {
        let until = Instant::now() + CATCHING_UP;
        let is_behind = |transaction: &Transaction<'_>| Ok(Filled::read(transaction)?.is_behind());
        // What cannot be indexed, such as on a full disk, is not found; the answer says since when.
        while let Ok(true) = self.database.read_for(Purpose::Search, is_behind).await
            && self.index_slice().await.is_ok()
            && Instant::now() < until
        {}
    }
}

/// Indexes a slice of the `events` from an id on. Returns the last one's id; `None` if there was none.
fn index(
    transaction: &Transaction<'_>,
    reader: Reader,
    events: &str,
    from: i64,
) -> engine::Result<Option<i64>> {
    let mut statement = transaction.prepare_cached(&format!(
        "SELECT id, conversation, row, pos, raw, at FROM event WHERE {events} LIMIT ?2"
    ))?;
    let mut events = statement.query(params![from, SLICE])?;
    let (mut slice, mut read) = (Vec::new(), 0);
    while read < SLICE_BYTES
        && let Some(event) = events.next()?
    {
        let row: Option<i64> = event.get(2)?;
        let raw = event.get_ref(4)?.as_str()?;
        read += raw.len();
        let place = (event.get(3)?, event.get(5)?);
        let item = row.map(|row| (row, reread(reader, raw, place)));
        slice.push((event.get(0)?, event.get(1)?, item));
    }
    let last = slice.last().map(|(id, ..)| *id);
    // Written in ascending order: FTS5 writes out what it has gathered when an id is lower than the one before it.
    slice.sort_unstable_by_key(|(id, ..)| *id);
    for (id, number, item) in slice {
        if let Some((row, item)) = item {
            put_words(transaction, number, id, row, &item)?;
        }
    }
    Ok(last)
}

/// The parts of the camelCase words of a text, and of words of scripts without spaces, each word once. The parts of
/// snake_case words are words of the text.
fn parts_of(text: &str) -> String {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && !is_mark(letter));
    let (mut seen, mut all, mut ends) = (HashSet::new(), String::new(), BTreeSet::new());
    for word in words {
        if let Some(tokens) = Tokens::of(word) {
            if seen.insert(word) {
                all.push_str(&tokens.all.join(" "));
                all.push(' ');
                ends.extend(tokens.ends);
            }
            continue;
        }
        let parts = camel_parts(word);
        if (2..=MOST_PARTS).contains(&parts.len()) && seen.insert(word) {
            for part in parts {
                all.push_str(part);
                all.push(' ');
            }
        }
    }
    // Behind all phrases, which they would interrupt.
    for end in ends {
        all.push_str(&end);
        all.push(' ');
    }
    all
}

/// The searchable text of an event.
pub(super) fn text_of(body: &Body) -> String {
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
        | Body::Nothing => String::new(),
        Body::Unknown { kind, json, result } => match result {
            Some(text) if !text.is_empty() => format!("{kind} {text} {json}"),
            _ => format!("{kind} {json}"),
        },
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
            format!("{name} {}", json_text(arguments))
        }
        Tool::SubAgent { agent, task, .. } => format!("{agent} {task}"),
        Tool::Skill { name } => name.clone(),
        Tool::Search { pattern, place } => format!("{pattern} {place}"),
        Tool::Condense => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::parts_of;

    #[test]
    fn the_parts_of_a_word_are_indexed_once_and_those_of_encoded_data_not_at_all() {
        assert_eq!(
            parts_of("parseHeader(parseHeader, my_tokenOf)"),
            "parse Header token Of "
        );
        assert_eq!(parts_of("aGVsbG8gd29ybGQhIEhvdyBhcmUgeW91"), "");
        assert_eq!(parts_of("snake_case plain"), "");
        assert_eq!(parts_of("登录, 登录 gen-itgc后"), "登录 itgc 后 录 ");
    }
}
