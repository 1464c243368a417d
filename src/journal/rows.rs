//! Reading the log as rows: windows, and changes after a cursor.
//!
//! The cost does not depend on the length of the log: only events of the requested rows are read and folded.

use super::conversations::{Known, known, log_state};
use super::engine::{self, Transaction, params};
use super::folding::Folded;
use super::{Edit, Journal, JournalError, Reader};
use crate::conversation::{Kind, Row};
use std::sync::Arc;

/// A page of rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    /// The rows, oldest first.
    pub rows: Vec<Row>,
    /// Whether there are older rows.
    pub older: bool,
}

/// A consistent snapshot of a conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Window {
    /// All data except the rows; its `seq` is the cursor for changes after this snapshot.
    pub known: Known,
    /// The newest rows.
    pub page: Page,
}

/// Changes after a cursor.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// The newest `seq`.
    pub seq: i64,
    /// New and changed rows, oldest change first.
    pub rows: Vec<Row>,
}

impl Journal {
    /// The newest `limit` rows and all other data, from one snapshot. `None` if there is no such conversation.
    pub async fn window(
        &self,
        conversation: &str,
        limit: u32,
    ) -> Result<Option<Window>, JournalError> {
        let id = conversation.to_owned();
        let reader = self.reader;
        self.database
            .read(move |transaction| {
                let Some(known) = known(transaction, &id)? else {
                    return Ok(None);
                };
                let page = page(transaction, reader, &id, None, None, limit)?;
                Ok(Some(Window { known, page }))
            })
            .await
    }

    /// The newest `limit` rows before (`pos`, `id`), of one kind if `kind` is set. Fewer where events are large.
    pub async fn rows(
        &self,
        conversation: &str,
        before: Option<(i64, i64)>,
        kind: Option<Kind>,
        limit: u32,
    ) -> Result<Page, JournalError> {
        let id = conversation.to_owned();
        let reader = self.reader;
        self.database
            .read(move |transaction| page(transaction, reader, &id, before, kind, limit))
            .await
    }

    /// Rows after (`pos`, `id`), oldest first: at most `limit`, and fewer where events are large. Empty at the end of
    /// the log. They are folded from events whose JSON `edit` has replaced.
    pub async fn rows_after(
        &self,
        conversation: &str,
        after: (i64, i64),
        limit: u32,
        edit: Option<Arc<Edit>>,
    ) -> Result<Vec<Row>, JournalError> {
        let id = conversation.to_owned();
        let reader = self.reader;
        self.database
            .read(move |transaction| {
                let Some(state) = log_state(transaction, &id)? else {
                    return Ok(Vec::new());
                };
                let ids: Vec<i64> = transaction.values(
                    "SELECT id FROM timeline_row WHERE conversation = ?1 AND (pos, id) > (?2, ?3)
                         ORDER BY pos, id LIMIT ?4",
                    params![state.number, after.0, after.1, limit],
                )?;
                let mut log = state.log(reader);
                log.edit = edit.as_deref();
                Ok(log.fold_rows(transaction, ids)?.rows)
            })
            .await
    }

    /// The rows with these ids that exist, in the given order. Fewer where events are large.
    pub async fn rows_by_id(
        &self,
        conversation: &str,
        rows: Vec<i64>,
    ) -> Result<Vec<Row>, JournalError> {
        self.edited_rows(conversation, rows, None).await
    }

    /// The same, folded from events whose JSON `edit` has replaced.
    pub async fn edited_rows(
        &self,
        conversation: &str,
        rows: Vec<i64>,
        edit: Option<Arc<Edit>>,
    ) -> Result<Vec<Row>, JournalError> {
        let id = conversation.to_owned();
        let reader = self.reader;
        self.database
            .read(move |transaction| {
                let Some(state) = log_state(transaction, &id)? else {
                    return Ok(Vec::new());
                };
                let mut log = state.log(reader);
                log.edit = edit.as_deref();
                Ok(log.fold_rows(transaction, rows)?.rows)
            })
            .await
    }

    /// Changes after the cursor `after`. `None` if the cursor is invalid (from the future), or if more than `limit`
    /// rows or more than one result holds have changed.
    pub async fn changed_since(
        &self,
        conversation: &str,
        after: i64,
        limit: u32,
    ) -> Result<Option<Changed>, JournalError> {
        let id = conversation.to_owned();
        let reader = self.reader;
        self.database
            .read(move |transaction| {
                let state = log_state(transaction, &id)?;
                let Some(state) = state.filter(|state| (0..=state.seq).contains(&after)) else {
                    return Ok(None);
                };
                let ids: Vec<i64> = transaction.values(
                    "SELECT id FROM timeline_row WHERE conversation = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
                    params![state.number, after, i64::from(limit) + 1],
                )?;
                if ids.len() > limit as usize {
                    return Ok(None);
                }
                let folded = state.log(reader).fold_rows(transaction, ids)?;
                let (seq, rows) = (state.seq, folded.rows);
                Ok(folded.whole.then_some(Changed { seq, rows }))
            })
            .await
    }
}

fn page(
    transaction: &Transaction<'_>,
    reader: Reader,
    conversation: &str,
    before: Option<(i64, i64)>,
    kind: Option<Kind>,
    limit: u32,
) -> engine::Result<Page> {
    let Some(state) = log_state(transaction, conversation)? else {
        return Ok(Page::default());
    };
    let number = state.number;
    let (pos, id) = before.unwrap_or((i64::MAX, i64::MAX));
    let wanted = i64::from(limit) + 1;
    let mut ids: Vec<i64> = match kind {
        None => transaction.values(
            "SELECT id FROM timeline_row WHERE conversation = ?1 AND (pos, id) < (?2, ?3)
             ORDER BY pos DESC, id DESC LIMIT ?4",
            params![number, pos, id, wanted],
        )?,
        Some(kind) => transaction.values(
            "SELECT id FROM timeline_row WHERE conversation = ?1 AND kind = ?5 AND (pos, id) < (?2, ?3)
             ORDER BY pos DESC, id DESC LIMIT ?4",
            params![number, pos, id, wanted, kind.as_str()],
        )?,
    };
    let older = ids.len() > limit as usize;
    ids.truncate(limit as usize);
    let Folded { mut rows, whole } = state.log(reader).fold_rows(transaction, ids)?;
    rows.reverse();
    Ok(Page {
        rows,
        older: older || !whole,
    })
}

/// Stores the position, kind and newest `seq` of a row, or deletes it if `row` is `None`.
pub(super) fn put_row(
    transaction: &Transaction<'_>,
    number: i64,
    id: i64,
    row: Option<&Row>,
) -> engine::Result<()> {
    let Some(row) = row else {
        return transaction
            .prepare_cached("DELETE FROM timeline_row WHERE conversation = ?1 AND id = ?2")?
            .send(params![number, id]);
    };
    transaction
        .prepare_cached(
            "INSERT INTO timeline_row (conversation, id, pos, kind, seq) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (conversation, id) DO UPDATE SET pos = excluded.pos, kind = excluded.kind, seq = excluded.seq",
        )?
        .send(params![number, id, row.pos, row.kind().as_str(), row.seq])
}
