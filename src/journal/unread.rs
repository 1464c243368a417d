//! How far people have read.

use super::checkpoints::Checkpoints;
use super::conversations::log_state;
use super::engine::{self, OptionalExtension, params};
use super::{Journal, JournalError, database::Durability};
use crate::conversation::Row;
use std::collections::HashMap;

/// How far a person has read a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// The newest `seq` that was shown.
    pub seq: i64,
    /// The same before this visit; 0 if it is the first one.
    pub since: i64,
    /// Time when something was last shown, milliseconds since the Unix epoch.
    pub at: i64,
}

/// How far a person has read a conversation, to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenBy {
    /// Number of the person; 0 is the local user.
    pub person: i64,
    /// Id of the conversation.
    pub conversation: String,
    /// How far.
    pub seen: Seen,
}

/// The rows that are new or have changed since an event.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewRows {
    /// Position and id of the first new row, in the order of the timeline; `None` if there is none.
    pub first: Option<(i64, i64)>,
    /// The number of new rows, up to the limit.
    pub count: usize,
    /// The newest of them, and those that have changed, oldest first. Fewer where events are large.
    pub rows: Vec<Row>,
    /// Whether these are all.
    pub is_whole: bool,
    /// What was spent since, in US dollars.
    pub cost: f64,
}

impl Journal {
    /// The rows that are new or have changed since the event `since`, at most `limit`. `None` if there is no such
    /// conversation.
    pub async fn new_rows(
        &self,
        conversation: &str,
        since: i64,
        limit: u32,
    ) -> Result<Option<NewRows>, JournalError> {
        let (id, reader) = (conversation.to_owned(), self.reader);
        self.database
            .read(move |transaction| {
                let Some(state) = log_state(transaction, &id)? else {
                    return Ok(None);
                };
                let mut new = NewRows::default();
                let mut walk = transaction.prepare_cached(
                    "SELECT pos, id FROM timeline_row WHERE conversation = ?1 ORDER BY pos DESC, id DESC LIMIT ?2",
                )?;
                let mut walked = walk.query(params![state.number, limit + 1])?;
                let mut ids: Vec<i64> = Vec::new();
                loop {
                    let place = match walked.next()? {
                        Some(row) => Some((row.get(0)?, row.get(1)?)),
                        None => None,
                    };
                    let Some(place) = place.filter(|(_, id)| *id > since) else {
                        new.is_whole = true;
                        break;
                    };
                    if ids.len() == limit as usize {
                        break;
                    }
                    new.first = Some(place);
                    ids.push(place.1);
                }
                new.count = ids.len();
                if ids.is_empty() {
                    return Ok(Some(new));
                }
                if !new.is_whole {
                    // What arrived first stands before everything else that is new, unless it was read later.
                    new.first = transaction.find(
                        "SELECT pos, id FROM timeline_row WHERE conversation = ?1 AND id > ?2 ORDER BY id LIMIT 1",
                        params![state.number, since],
                        |row| {
                            Ok((row.get(0)?, row.get(1)?))
                        },
                    )?;
                }
                // Those that had begun before.
                let mut changed = transaction.prepare_cached(
                    "SELECT id FROM (SELECT id FROM timeline_row WHERE conversation = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3) AS changed
                     WHERE id <= ?2",
                )?;
                let changed = changed.query_map(params![state.number, since, 2 * limit], |row| row.get(0))?;
                ids.extend(changed.collect::<engine::Result<Vec<i64>>>()?);
                let folded = state.log(reader).fold_rows(transaction, ids)?;
                new.rows = folded.rows;
                new.rows.sort_unstable_by_key(|row| (row.pos, row.id));
                new.is_whole &= folded.whole;
                let checkpoints = Checkpoints {
                    transaction,
                    number: state.number,
                };
                let before = checkpoints.session(reader, since)?;
                new.cost = state.session.metrics.cost - before.metrics.cost;
                Ok(Some(new))
            })
            .await
    }

    /// How far a person has read a conversation; `None` if they have never opened it.
    pub async fn seen(
        &self,
        person: i64,
        conversation: &str,
    ) -> Result<Option<Seen>, JournalError> {
        let sql = "SELECT seen.seq, since, at FROM conversation
                   JOIN seen ON seen.conversation = conversation.number AND seen.person = ?1 WHERE conversation.id = ?2";
        let seen = |row: &engine::Row<'_>| {
            Ok(Seen {
                seq: row.get(0)?,
                since: row.get(1)?,
                at: row.get(2)?,
            })
        };
        self.database
            .find(sql, (person, conversation.to_owned()), seen)
            .await
    }

    /// The newest `seq` that a person was shown of each of these conversations that they have opened.
    pub async fn seen_among(
        &self,
        person: i64,
        ids: Vec<String>,
    ) -> Result<HashMap<String, i64>, JournalError> {
        self.database
            .read(move |transaction| {
                let mut seen = transaction.prepare_cached(
                    "SELECT seen.seq FROM conversation
                     JOIN seen ON seen.conversation = conversation.number AND seen.person = ?1 WHERE conversation.id = ?2",
                )?;
                let mut found = HashMap::new();
                for id in ids {
                    let seq = seen
                        .query_row(params![person, id], |row| row.get(0))
                        .optional()?;
                    found.extend(seq.map(|seq| (id, seq)));
                }
                Ok(found)
            })
            .await
    }

    /// Stores how far people have read. Nobody reads backwards, or beyond the end; conversations that are not in the journal
    /// are left out.
    pub async fn keep_seen(&self, all: Vec<SeenBy>) -> Result<(), JournalError> {
        self.database
            .write(Durability::Ordinary, move |transaction| {
                let mut keep = transaction.prepare_cached(
                    "INSERT INTO seen SELECT ?1, number, min(?3, seq), min(?4, seq), ?5 FROM conversation WHERE id = ?2
                     ON CONFLICT (person, conversation) DO UPDATE SET seq = max(seen.seq, excluded.seq),
                       since = max(seen.since, excluded.since), at = max(seen.at, excluded.at)",
                )?;
                for SeenBy { person, conversation, seen } in all {
                    keep.execute(params![person, conversation, seen.seq, seen.since, seen.at])?;
                }
                Ok(())
            })
            .await
    }
}
