//! Appending to the log: each event once, with its `seq` and the id of its row.

use super::checkpoints::{Checkpoints, Folding};
use super::folding::Log;
use super::index::Index;
use super::rows::put_row;
use super::search::put_words;
use super::usage::put_usage;
use super::words::word_of_body;
use super::zone;
use super::{Journal, JournalError, Reader, conversations, database::Durability};
use crate::conversation::{Answer, Body, LogItem, Placed, Row, RowContext, Session, place};
use crate::render::first_line;
use rusqlite::{Transaction, params};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Longest excerpt of a message in the conversation list, in characters.
const EXCERPT: usize = 160;

/// An event to append.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The parsed event.
    pub item: LogItem,
    /// Its JSON, stored unchanged.
    pub raw: String,
}

/// An event in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// Its sequence number in the conversation.
    pub seq: i64,
    /// The id of its row; `None` if the event is not on the timeline.
    pub row: Option<i64>,
    /// The parsed event.
    pub item: LogItem,
}

/// What a batch of events changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Appended {
    /// The newest `seq` of the conversation, even if no event was new.
    pub seq: i64,
    /// The events that were new.
    pub new: Vec<Stored>,
    /// New and changed rows, in their current state.
    pub rows: Vec<Row>,
    /// The current session state.
    pub session: Session,
    /// Excerpt of the newest message in the batch, if it has one.
    pub excerpt: Option<String>,
}

impl Journal {
    /// Appends `entries` in one transaction; entries whose key is already stored are skipped.
    ///
    /// `now` is the time of receipt, milliseconds since the Unix epoch. `complete` states that, with this batch, no
    /// upstream event up to the newest position is missing.
    ///
    /// Errors: [`JournalError::Unknown`] if the journal has no such conversation.
    pub async fn append(
        &self,
        conversation: &str,
        entries: Vec<Entry>,
        complete: bool,
        now: i64,
    ) -> Result<Appended, JournalError> {
        let id = conversation.to_owned();
        let reader = self.reader;
        self.database
            .write(Durability::Ordinary, move |transaction| {
                let Some(state) = conversations::log_state(transaction, &id)? else {
                    return Ok(Err(JournalError::Unknown(id)));
                };
                let writing = Writing {
                    transaction,
                    reader,
                    number: state.number,
                    now,
                };
                writing
                    .append(entries, state.seq, state.session, complete)
                    .map(Ok)
            })
            .await?
    }
}

/// The changes of a batch to one row.
#[derive(Default)]
struct Touched {
    /// Items added to the row, each with its `seq`.
    items: Vec<(i64, LogItem)>,
    /// `seq` of the newest event outside the row that changed its state, or 0.
    changed_by: i64,
}

/// An append in progress.
struct Writing<'t> {
    transaction: &'t Transaction<'t>,
    reader: Reader,
    number: i64,
    now: i64,
}

impl Writing<'_> {
    fn append(
        &self,
        entries: Vec<Entry>,
        mut seq: i64,
        mut session: Session,
        complete: bool,
    ) -> rusqlite::Result<Appended> {
        let before = seq;
        let checkpoints = Checkpoints {
            transaction: self.transaction,
            number: self.number,
        };
        let is_folded = checkpoints.complete_to()? == before;
        let times = entries.iter().map(|entry| entry.item.at.clone());
        let ahead = zone::ahead(self.transaction, self.number, times, self.now)?;
        let mut new = Vec::with_capacity(entries.len());
        let mut touched: BTreeMap<i64, Touched> = BTreeMap::new();
        let mut excerpt: Option<(i64, String)> = None;
        for Entry { mut item, raw } in entries {
            if let Some(key) = &item.key
                && self.has(key)?
            {
                continue;
            }
            seq += 1;
            item.at = item.at.in_zone(ahead);
            let row = match self.place(&item, &session)? {
                Placed::New => Some(seq),
                Placed::Joins(row) => Some(row),
                Placed::Aside => None,
            };
            let pos = session.pos_of(&item);
            let spent = item.metrics.is_some().then(|| session.metrics.clone());
            let pending = session.pending.clone();
            for other in session.apply(&item, row) {
                touched.entry(other).or_default().changed_by = seq;
            }
            if let Some(before) = spent.filter(|before| *before != session.metrics) {
                let at = Some(item.at.millis).filter(|at| *at > 0);
                put_usage(
                    self.transaction,
                    self.number,
                    &before,
                    &session,
                    at.unwrap_or(self.now),
                )?;
            }
            item.pos = Some(pos);
            self.insert(seq, row, &item, &raw)?;
            if is_folded {
                let event = Folding {
                    seq,
                    row,
                    item: &item,
                    bytes: raw.len(),
                    before: pending,
                };
                checkpoints.keep(&event, &session)?;
            }
            if let Body::Message(message) = &item.body
                && excerpt.as_ref().is_none_or(|(newest, _)| *newest <= pos)
            {
                excerpt = Some((pos, first_line(&message.text, EXCERPT)));
            }
            if let Some(row) = row {
                touched
                    .entry(row)
                    .or_default()
                    .items
                    .push((seq, item.clone()));
            }
            new.push(Stored { seq, row, item });
        }
        let log = Log {
            number: self.number,
            session: &session,
            reader: self.reader,
            until: i64::MAX,
            edit: None,
        };
        if is_folded {
            checkpoints.completed(seq)?;
        }
        let mut rows = Vec::with_capacity(touched.len());
        for (id, Touched { items, changed_by }) in touched {
            let row = if id > before {
                let context = RowContext {
                    seq: changed_by,
                    ..session.context(id)
                };
                Row::fold(&items, context)
            } else {
                log.fold_row(self.transaction, id, changed_by)?
            };
            put_row(self.transaction, self.number, id, row.as_ref())?;
            rows.extend(row);
        }
        let excerpt = excerpt.map(|(_, text)| text);
        conversations::keep_log_state(
            self.transaction,
            self.number,
            seq,
            &session,
            excerpt.as_deref(),
            complete,
        )?;
        Ok(Appended {
            seq,
            new,
            rows,
            session,
            excerpt,
        })
    }

    fn has(&self, key: &str) -> rusqlite::Result<bool> {
        self.transaction
            .prepare_cached("SELECT 1 FROM event WHERE conversation = ?1 AND key = ?2")?
            .exists(params![self.number, key])
    }

    fn place(&self, item: &LogItem, session: &Session) -> rusqlite::Result<Placed> {
        let index = Index {
            transaction: self.transaction,
            number: self.number,
            failure: RefCell::new(None),
        };
        let placed = place(item, session, &index);
        match index.failure.into_inner() {
            Some(error) => Err(error),
            None => Ok(placed),
        }
    }

    fn insert(
        &self,
        seq: i64,
        row: Option<i64>,
        item: &LogItem,
        raw: &str,
    ) -> rusqlite::Result<()> {
        let answers = match &item.answers {
            Some(Answer::Key(key)) => Some(key),
            _ => None,
        };
        let call_id = match &item.body {
            Body::Call(call) => call.call_id.as_ref(),
            _ => None,
        };
        self.transaction
            .prepare_cached(
                "INSERT INTO event (conversation, seq, key, row, pos, kind, answers_key, call_id, at, source, received_at, raw)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?
            .execute(params![
                self.number,
                seq,
                item.key,
                row,
                item.pos,
                word_of_body(&item.body),
                answers,
                call_id,
                item.at.millis,
                item.from.as_str(),
                self.now,
                raw,
            ])?;
        if let Some(row) = row {
            let event = self.transaction.last_insert_rowid();
            put_words(self.transaction, self.number, event, row, item)?;
        }
        Ok(())
    }
}
