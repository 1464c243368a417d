//! Appending to the log: each event once, with its `seq` and the id of its row. What is known of the log is read, what is to
//! be written is planned (`plan`), and written. The index of words follows behind (`search`).

use super::authors::{Author, authors_of};
use super::checkpoints::Checkpoints;
use super::conversations::{self, Held, LogState};
use super::engine::{self, Transaction, params};
use super::folding::Log;
use super::plan::{AppendPlan, Entry, Known, Named, Planned, RowChange, Stored};
use super::rows::put_row;
use super::words::word_of_body;
use super::zone::Zone;
use super::{Journal, JournalError, Reader, database::Durability};
use crate::conversation::{Answer, Body, KnownRows, Row, Session};
use crate::metrics;
use crate::wire::reading_cost;
use std::collections::{HashMap, HashSet};

/// What a batch of events changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Appended {
    /// The newest `seq` of the conversation, even if no event was new.
    pub seq: i64,
    /// The events that were new.
    pub new: Vec<Stored>,
    /// What it made of rows.
    pub rows: AppendedRows,
    /// The current session state.
    pub session: Session,
    /// Excerpt of the newest message in the batch, if it has one.
    pub excerpt: Option<String>,
}

/// New and changed rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AppendedRows {
    /// The rows, in their current state.
    pub rows: Vec<Row>,
    /// The authors of those that are not new, by row id.
    pub authors: HashMap<i64, Author>,
    /// The JSON of all of them, in bytes; many small values count as more.
    pub weight: usize,
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
        self.append_after(conversation, None, entries, complete, now)
            .await
    }

    /// As [`Self::append`], by the task of the conversation: what it has `held` of the log is not read again.
    ///
    /// Errors: [`JournalError::Unknown`] if the journal has no such conversation.
    pub async fn append_after(
        &self,
        conversation: &str,
        held: Option<Held>,
        entries: Vec<Entry>,
        complete: bool,
        now: i64,
    ) -> Result<Appended, JournalError> {
        let id = conversation.to_owned();
        let reader = self.reader;
        let appended = self
            .database
            .write(Durability::Ordinary, move |transaction| {
                let Some(state) = conversations::log_state_after(transaction, &id, held)? else {
                    return Ok(Err(JournalError::Unknown(id)));
                };
                let writing = Writing {
                    transaction,
                    reader,
                    number: state.number,
                    now,
                };
                let known = writing.read(state, &entries)?;
                let plan = AppendPlan::new(known, entries, now);
                writing.write(plan, complete).map(Ok)
            })
            .await?;
        self.appended.notify_one();
        appended.inspect(|appended: &Appended| metrics::EVENTS.add(appended.new.len() as u64))
    }
}

/// An append in progress.
struct Writing<'t> {
    transaction: &'t Transaction<'t>,
    reader: Reader,
    number: i64,
    now: i64,
}

impl Writing<'_> {
    /// What is known of the log, as far as `entries` need it.
    fn read(&self, state: LogState, entries: &[Entry]) -> engine::Result<Known> {
        let items = entries.iter().map(|entry| &entry.item);
        Ok(Known {
            seq: state.seq,
            session: state.session,
            is_folded: state.folded == state.seq,
            zone: Zone::read(self.transaction, self.number, items)?,
            rows: self.rows_named(&Named::by(entries))?,
        })
    }

    /// The rows that events name. An index of PostgreSQL has the first characters of names.
    fn rows_named(&self, named: &Named<'_>) -> engine::Result<KnownRows> {
        let mut rows = KnownRows::default();
        if named.keys.is_empty() && named.calls.is_empty() {
            return Ok(rows);
        }
        let json = |names: &HashSet<&str>| serde_json::to_string(names).expect("plain data");
        // There may be many events for a name, such as reports of a call's progress: one of them is read.
        let mut statement = self.transaction.prepare_cached(
            "SELECT 'key', value, (SELECT ifnull(event.row, 0) FROM event WHERE conversation = ?1 AND event.key = value
                                     AND substr(event.key, 1, 500) = substr(value, 1, 500)) FROM json_each(?2) UNION ALL
             SELECT 'answer', value, (SELECT row FROM event WHERE conversation = ?1 AND answers_key = value AND row IS NOT NULL
                                     AND substr(answers_key, 1, 500) = substr(value, 1, 500) ORDER BY seq LIMIT 1)
               FROM json_each(?2) UNION ALL
             SELECT 'call', value, (SELECT row FROM event WHERE conversation = ?1 AND call_id = value AND row IS NOT NULL
                                     ORDER BY seq DESC LIMIT 1) FROM json_each(?3)",
        )?;
        let names = params![self.number, json(&named.keys), json(&named.calls)];
        let mut found = statement.query(names)?;
        while let Some(found) = found.next()? {
            let (name, Some(row)) = (found.get(1)?, found.get(2)?) else {
                continue;
            };
            match found.get_ref(0)?.as_str()? {
                // No row has the number 0: that event is not on the timeline.
                "key" => drop(rows.keys.insert(name, Some(row).filter(|row| *row != 0))),
                "answer" => drop(rows.answering.insert(name, row)),
                _ => drop(rows.calls.insert(name, row)),
            }
        }
        Ok(rows)
    }

    fn write(&self, plan: AppendPlan, complete: bool) -> engine::Result<Appended> {
        let AppendPlan { seq, session, .. } = plan;
        if let Some(zone) = plan.zone {
            zone.keep(self.transaction, self.number)?;
        }
        let checkpoints = Checkpoints {
            transaction: self.transaction,
            number: self.number,
        };
        let mut new = Vec::with_capacity(plan.new.len());
        let mut weight = 0;
        for Planned { event, raw, kept } in plan.new {
            self.insert(&event, &raw)?;
            weight += reading_cost(raw.as_bytes());
            checkpoints.keep(event.seq, &kept)?;
            new.push(event);
        }
        plan.spent.put(self.transaction, self.number)?;
        let log = Log {
            number: self.number,
            session: &session,
            reader: self.reader,
            until: i64::MAX,
            edit: None,
        };
        let (mut rows, mut older) = (Vec::with_capacity(plan.rows.len()), Vec::new());
        for (id, change) in plan.rows {
            let row = match change {
                RowChange::New(row) => row.map(|row| *row),
                RowChange::Older(changed_by) => {
                    older.push(id);
                    let (row, read) = log.fold_row(self.transaction, id, changed_by)?;
                    weight += read;
                    row
                }
            };
            put_row(self.transaction, self.number, id, row.as_ref())?;
            rows.extend(row);
        }
        conversations::keep_log_state(
            self.transaction,
            self.number,
            seq,
            &session,
            plan.excerpt.as_deref(),
            (complete, plan.is_folded),
        )?;
        Ok(Appended {
            seq,
            new,
            rows: AppendedRows {
                rows,
                authors: authors_of(self.transaction, self.number, &older)?,
                weight,
            },
            session,
            excerpt: plan.excerpt,
        })
    }

    fn insert(&self, Stored { seq, row, item }: &Stored, raw: &str) -> engine::Result<()> {
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
            .send(params![
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
            ])
    }
}
