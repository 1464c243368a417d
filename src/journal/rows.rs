//! Reading the log as rows: windows of it, and what changed since.
//!
//! Only the events of the rows in question are read and folded, whatever the length of the log.

use super::conversations::{Known, known, log_state};
use super::{Journal, JournalError, Reader};
use crate::conversation::{Kind, LogItem, Row, RowContext, Session};
use rusqlite::{OptionalExtension, Transaction, params};

/// A page of rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    /// The rows, oldest first.
    pub rows: Vec<Row>,
    /// There are older ones.
    pub older: bool,
}

/// One consistent look at a conversation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Window {
    /// Everything beside the rows; its `seq` is the cursor to go on from.
    pub known: Known,
    /// The newest rows.
    pub page: Page,
}

/// What changed behind a cursor.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// The newest `seq`.
    pub seq: i64,
    /// Rows that are new or changed, oldest change first.
    pub rows: Vec<Row>,
}

impl Journal {
    /// The newest `limit` rows with everything beside them, as of one moment.
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

    /// Rows that stand before (`pos`, `id`), of one kind if it is given; the newest `limit` of them.
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

    /// The rows with these ids that exist, in this order.
    pub async fn rows_by_id(
        &self,
        conversation: &str,
        rows: Vec<i64>,
    ) -> Result<Vec<Row>, JournalError> {
        let id = conversation.to_owned();
        let reader = self.reader;
        self.database
            .read(move |transaction| match log_state(transaction, &id)? {
                Some(state) => state.log(reader).fold_rows(transaction, rows),
                None => Ok(Vec::new()),
            })
            .await
    }

    /// What changed behind `after`. `None` when the cursor is none of ours (from the future), or when
    /// more than `limit` rows changed.
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
                let ids: Vec<i64> = transaction
                    .prepare_cached(
                        "SELECT id FROM timeline_row WHERE conversation = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
                    )?
                    .query_map(params![state.number, after, i64::from(limit) + 1], |row| row.get(0))?
                    .collect::<rusqlite::Result<_>>()?;
                if ids.len() > limit as usize {
                    return Ok(None);
                }
                let rows = state.log(reader).fold_rows(transaction, ids)?;
                Ok(Some(Changed { seq: state.seq, rows }))
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
) -> rusqlite::Result<Page> {
    let Some(state) = log_state(transaction, conversation)? else {
        return Ok(Page::default());
    };
    let number = state.number;
    let (pos, id) = before.unwrap_or((i64::MAX, i64::MAX));
    let wanted = i64::from(limit) + 1;
    let mut ids: Vec<i64> = match kind {
        None => transaction
            .prepare_cached(
                "SELECT id FROM timeline_row WHERE conversation = ?1 AND (pos, id) < (?2, ?3)
                 ORDER BY pos DESC, id DESC LIMIT ?4",
            )?
            .query_map(params![number, pos, id, wanted], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?,
        Some(kind) => transaction
            .prepare_cached(
                "SELECT id FROM timeline_row WHERE conversation = ?1 AND kind = ?5 AND (pos, id) < (?2, ?3)
                 ORDER BY pos DESC, id DESC LIMIT ?4",
            )?
            .query_map(params![number, pos, id, wanted, kind.as_str()], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?,
    };
    let older = ids.len() > limit as usize;
    ids.truncate(limit as usize);
    ids.reverse();
    Ok(Page {
        rows: state.log(reader).fold_rows(transaction, ids)?,
        older,
    })
}

/// One log, ready to fold rows of it.
pub(super) struct Log<'s> {
    pub(super) number: i64,
    pub(super) session: &'s Session,
    pub(super) reader: Reader,
}

impl Log<'_> {
    pub(super) fn fold_rows(
        &self,
        transaction: &Transaction<'_>,
        ids: Vec<i64>,
    ) -> rusqlite::Result<Vec<Row>> {
        let mut rows = Vec::with_capacity(ids.len());
        for id in ids {
            rows.extend(self.fold_row(transaction, id, 0)?);
        }
        Ok(rows)
    }

    /// Reads the events of one row and folds them. `changed_by` is the `seq` of an event elsewhere that has
    /// just changed how it stands, or 0.
    pub(super) fn fold_row(
        &self,
        transaction: &Transaction<'_>,
        id: i64,
        changed_by: i64,
    ) -> rusqlite::Result<Option<Row>> {
        let items: Vec<(i64, LogItem)> = transaction
            .prepare_cached(
                "SELECT seq, pos, raw FROM event WHERE conversation = ?1 AND row = ?2 ORDER BY seq",
            )?
            .query_map(params![self.number, id], |row| {
                let raw = row.get_ref(2)?.as_str()?;
                Ok((row.get(0)?, reread(self.reader, raw, row.get(1)?)))
            })?
            .collect::<rusqlite::Result<_>>()?;
        let version: Option<i64> = transaction
            .prepare_cached("SELECT seq FROM timeline_row WHERE conversation = ?1 AND id = ?2")?
            .query_row(params![self.number, id], |row| row.get(0))
            .optional()?;
        let seq = changed_by.max(version.unwrap_or(0));
        Ok(Row::fold(
            &items,
            RowContext {
                seq,
                ..self.session.context(id)
            },
        ))
    }
}

/// Notes where a row stands now.
pub(super) fn put_row(
    transaction: &Transaction<'_>,
    number: i64,
    id: i64,
    row: Option<&Row>,
) -> rusqlite::Result<()> {
    let Some(row) = row else {
        transaction
            .prepare_cached("DELETE FROM timeline_row WHERE conversation = ?1 AND id = ?2")?
            .execute(params![number, id])?;
        return Ok(());
    };
    transaction
        .prepare_cached(
            "INSERT INTO timeline_row (conversation, id, pos, kind, seq) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (conversation, id) DO UPDATE SET pos = excluded.pos, kind = excluded.kind, seq = excluded.seq",
        )?
        .execute(params![number, id, row.pos, row.kind().as_str(), row.seq])?;
    Ok(())
}

/// Reads an event again; its place was settled when it came.
pub(super) fn reread(reader: Reader, raw: &str, pos: i64) -> LogItem {
    let mut item = reader(raw);
    item.pos.get_or_insert(pos);
    item
}
