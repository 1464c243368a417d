//! A whole conversation in memory: the log, folded into rows item by item.
//!
//! The journal does the same with an index in a database; this type is for tests, fixtures and measurements, and is the
//! shortest complete example of [`place`], [`Session::apply`] and [`Row::fold`]. Rows are folded when they are read, so
//! the cost of adding an item does not depend on the length of the log or row.

use super::{Answer, Body, LogItem, Placed, Row, RowContext, RowIndex, Session, place};
use std::collections::{BTreeMap, HashMap};

/// A conversation in memory.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    seq: i64,
    session: Session,
    /// The items of each row, by the row's id.
    rows: BTreeMap<i64, Items>,
    index: KnownRows,
}

/// Result of adding an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Its sequence number.
    pub seq: i64,
    /// The new or changed row; `None` if the item is not on the timeline.
    pub row: Option<i64>,
    /// Other rows whose state changed.
    pub others: Vec<i64>,
}

#[derive(Debug, Clone, Default)]
struct Items {
    items: Vec<(i64, LogItem)>,
    /// See [`RowContext::seq`].
    changed_by: i64,
}

/// The rows of events that others may name, in memory.
#[derive(Debug, Clone, Default)]
pub struct KnownRows {
    /// The row of each key; `None` for items that are not on the timeline.
    pub keys: HashMap<String, Option<i64>>,
    /// The row of the first event that answers a key.
    pub answering: HashMap<String, i64>,
    /// The row of the newest call with a tool call id.
    pub calls: HashMap<String, i64>,
}

impl Timeline {
    /// A timeline of all `items`, added in order.
    pub fn of(items: impl IntoIterator<Item = LogItem>) -> Self {
        let mut timeline = Self::default();
        for item in items {
            timeline.push(item);
        }
        timeline
    }

    /// Adds an item. `None`, without a change, if its key is already known.
    pub fn push(&mut self, mut item: LogItem) -> Option<Taken> {
        if item
            .key
            .as_ref()
            .is_some_and(|key| self.index.keys.contains_key(key))
        {
            return None;
        }
        self.seq += 1;
        let row = match place(&item, &self.session, &self.index) {
            Placed::New => Some(self.seq),
            Placed::Joins(row) => Some(row),
            Placed::Aside => None,
        };
        let pos = self.session.pos_of(&item);
        let others = self.session.apply(&item, row);
        item.pos = Some(pos);
        for other in &others {
            if let Some(items) = self.rows.get_mut(other) {
                items.changed_by = self.seq;
            }
        }
        self.index.add(&item, row);
        if let Some(row) = row {
            self.rows
                .entry(row)
                .or_default()
                .items
                .push((self.seq, item));
        }
        Some(Taken {
            seq: self.seq,
            row,
            others,
        })
    }

    /// All rows in timeline order.
    pub fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = self.rows.keys().filter_map(|id| self.row(*id)).collect();
        rows.sort_by_key(|row| (row.pos, row.id));
        rows
    }

    /// One row.
    pub fn row(&self, id: i64) -> Option<Row> {
        let Items { items, changed_by } = self.rows.get(&id)?;
        Row::fold(
            items,
            RowContext {
                seq: *changed_by,
                ..self.session.context(id)
            },
        )
    }

    /// The session state.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// `seq` of the newest item.
    pub fn seq(&self) -> i64 {
        self.seq
    }
}

impl KnownRows {
    /// Adds an item that was placed.
    pub fn add(&mut self, item: &LogItem, row: Option<i64>) {
        if let Some(key) = &item.key {
            self.keys.insert(key.clone(), row);
        }
        let Some(row) = row else { return };
        if let Some(Answer::Key(key)) = &item.answers {
            self.answering.entry(key.clone()).or_insert(row);
        }
        if let Body::Call(call) = &item.body
            && let Some(id) = &call.call_id
        {
            self.calls.insert(id.clone(), row);
        }
    }
}

impl RowIndex for KnownRows {
    fn row_of_key(&self, key: &str) -> Option<i64> {
        self.keys.get(key).copied().flatten()
    }

    fn row_answering_key(&self, key: &str) -> Option<i64> {
        self.answering.get(key).copied()
    }

    fn row_of_call(&self, call_id: &str) -> Option<i64> {
        self.calls.get(call_id).copied()
    }
}
