//! Folding events into rows, within limits on the JSON read.

use super::engine::{self, Transaction, params};
use super::{Edit, Reader};
use crate::conversation::{LogItem, Row, RowContext, Session};
use crate::wire::reading_cost;

/// JSON read for one result, in bytes; many small values count as more ([`reading_cost`]). Where events are large, a page
/// has fewer rows.
const MOST_READ: usize = 4 << 20;
/// JSON read for one row, in bytes, and events read at each end of it. A row that is huge or that many events join
/// would otherwise be read as a whole with every new event. The first event is always included.
const MOST_OF_ROW: usize = 8 << 20;
/// See [`MOST_OF_ROW`].
const MOST_AT_END: i64 = 128;

/// A log whose rows can be folded.
pub(super) struct Log<'s> {
    pub(super) number: i64,
    pub(super) session: &'s Session,
    pub(super) reader: Reader,
    /// The last event to read: `i64::MAX` for the log as it is now.
    pub(super) until: i64,
    /// Replaces the JSON of events before they are parsed; `None` keeps it.
    pub(super) edit: Option<&'s Edit>,
}

/// Result of folding rows.
pub(super) struct Folded {
    pub(super) rows: Vec<Row>,
    /// Whether all requested rows are included; otherwise the limit was reached.
    pub(super) whole: bool,
}

impl Log<'_> {
    /// Folds rows in the given order until [`MOST_READ`] is reached; at least one.
    pub(super) fn fold_rows(
        &self,
        transaction: &Transaction<'_>,
        ids: Vec<i64>,
    ) -> engine::Result<Folded> {
        let (mut rows, mut read) = (Vec::with_capacity(ids.len()), 0);
        for id in ids {
            if read >= MOST_READ {
                return Ok(Folded { rows, whole: false });
            }
            let (row, bytes) = self.fold_row(transaction, id, 0)?;
            rows.extend(row);
            read += bytes;
        }
        Ok(Folded { rows, whole: true })
    }

    /// Reads the events of one row and folds them. `changed_by` is the `seq` of an event outside the row that has just
    /// changed its state, or 0. Returns the bytes that were read, too.
    pub(super) fn fold_row(
        &self,
        transaction: &Transaction<'_>,
        id: i64,
        changed_by: i64,
    ) -> engine::Result<(Option<Row>, usize)> {
        let mut items: Vec<(i64, LogItem)> = Vec::new();
        let mut read = 0;
        let mut take =
            |items: &mut Vec<(i64, LogItem)>, row: &engine::Row<'_>| -> engine::Result<()> {
                let raw = row.get_ref(2)?.as_str()?;
                let cost = reading_cost(raw.as_bytes());
                if items.is_empty() || read + cost <= MOST_OF_ROW {
                    let edited = self.edit.and_then(|edit| edit(raw));
                    let text = edited.as_deref().unwrap_or(raw);
                    let place = (row.get(1)?, row.get(3)?);
                    items.push((row.get(0)?, reread(self.reader, text, place)));
                    read += cost;
                }
                Ok(())
            };
        let (mut oldest, mut seen) = (0, 0);
        let mut statement = transaction.prepare_cached(
            "SELECT seq, pos, raw, at FROM event WHERE conversation = ?1 AND row = ?2 AND seq <= ?4 ORDER BY seq LIMIT ?3",
        )?;
        let mut rows = statement.query(params![self.number, id, MOST_AT_END, self.until])?;
        while let Some(row) = rows.next()? {
            (oldest, seen) = (row.get(0)?, seen + 1);
            take(&mut items, &row)?;
        }
        if seen == MOST_AT_END {
            let mut statement = transaction.prepare_cached(
                "SELECT seq, pos, raw, at FROM event WHERE conversation = ?1 AND row = ?2 AND seq > ?3
                   AND seq <= ?5 ORDER BY seq DESC LIMIT ?4",
            )?;
            let mut rows =
                statement.query(params![self.number, id, oldest, MOST_AT_END, self.until])?;
            let mut newest = Vec::new();
            while let Some(row) = rows.next()? {
                take(&mut newest, &row)?;
            }
            items.extend(newest.into_iter().rev());
        }
        let version: Option<i64> = transaction.value(
            "SELECT seq FROM timeline_row WHERE conversation = ?1 AND id = ?2",
            params![self.number, id],
        )?;
        // What changed the row last may be later than the last event to read.
        let version = version.filter(|version| *version <= self.until);
        let seq = changed_by.max(version.unwrap_or(0));
        let context = RowContext {
            seq,
            ..self.session.context(id)
        };
        Ok((Row::fold(&items, context), read))
    }
}

/// Parses a stored event; a missing position is filled with the one stored when it arrived. Its time is the stored
/// one, which is corrected where the server's time zone is known.
pub(super) fn reread(reader: Reader, raw: &str, (pos, at): (i64, i64)) -> LogItem {
    let mut item = reader(raw);
    item.pos.get_or_insert(pos);
    item.at.millis = at;
    item
}
