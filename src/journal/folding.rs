//! Folding events into rows, within limits on the JSON read.

use super::engine::{self, Transaction, params};
use super::{Edit, Reader};
use crate::conversation::{LogItem, Row, RowContext, Session};
use crate::wire::reading_cost;
use std::collections::HashMap;

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
        let sizes = self.sizes(transaction, &ids)?;
        let size = |id: &i64| sizes.get(id).map_or(0, |size| size.bytes);
        let (mut rows, mut read) = (Vec::with_capacity(ids.len()), 0);
        let mut rest = &ids[..];
        while !rest.is_empty() {
            let mut bytes = 0_usize;
            let fit = rest.iter().take_while(|id| {
                bytes = bytes.saturating_add(size(id));
                bytes <= MOST_READ
            });
            let (together, later) = rest.split_at(fit.count().max(1));
            rest = later;
            let mut events = self.events(transaction, together, &sizes)?;
            for id in together {
                if read >= MOST_READ {
                    return Ok(Folded { rows, whole: false });
                }
                let version = sizes.get(id).and_then(|size| size.version);
                let events = events.remove(id).unwrap_or_default();
                let (row, cost) = self.fold(*id, events, version.unwrap_or(0));
                rows.extend(row);
                read += cost;
            }
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
        let sizes = self.sizes(transaction, &[id])?;
        let mut events = self.events(transaction, &[id], &sizes)?;
        let version = sizes.get(&id).and_then(|size| size.version);
        let events = events.remove(&id).unwrap_or_default();
        Ok(self.fold(id, events, changed_by.max(version.unwrap_or(0))))
    }

    fn fold(&self, id: i64, events: Events, seq: i64) -> (Option<Row>, usize) {
        let (mut items, mut read) = (Vec::with_capacity(events.stored.len()), 0);
        for (seq, place, raw) in events.stored {
            let cost = reading_cost(raw.as_bytes());
            if items.is_empty() || read + cost <= MOST_OF_ROW {
                let edited = self.edit.and_then(|edit| edit(&raw));
                let text = edited.as_deref().unwrap_or(&raw);
                items.push((seq, reread(self.reader, text, place)));
                read += cost;
            }
        }
        let context = RowContext {
            seq,
            ..self.session.context(id)
        };
        (Row::fold(&items, context), read)
    }

    /// What is known of rows before their events are read.
    fn sizes(
        &self,
        transaction: &Transaction<'_>,
        ids: &[i64],
    ) -> engine::Result<HashMap<i64, Size>> {
        let mut statement = transaction.prepare_cached(
            "SELECT CAST(value AS bigint), (SELECT seq FROM timeline_row WHERE conversation = ?1 AND id = CAST(value AS bigint)),
               (SELECT count(*) FROM (SELECT 1 FROM event WHERE conversation = ?1 AND row = CAST(value AS bigint)
                                        AND seq <= ?4 LIMIT ?3) AS first),
               (SELECT sum(octet_length(raw)) FROM (SELECT raw FROM event WHERE conversation = ?1
                  AND row = CAST(value AS bigint) AND seq <= ?4 ORDER BY seq LIMIT ?3) AS first)
             FROM json_each(?2)",
        )?;
        let params = params![self.number, as_json(ids), MOST_AT_END, self.until];
        let sizes = statement.query_map(params, |row| {
            let version: Option<i64> = row.get(1)?;
            let is_long = row.get::<_, i64>(2)? == MOST_AT_END;
            let bytes = row.get::<_, Option<i64>>(3)?.unwrap_or(0);
            let size = Size {
                // What changed the row last may be later than the last event to read.
                version: version.filter(|version| *version <= self.until),
                is_long,
                bytes: match is_long {
                    true => usize::MAX,
                    false => usize::try_from(bytes).unwrap_or_default(),
                },
            };
            Ok((row.get(0)?, size))
        })?;
        sizes.collect()
    }

    /// The events of rows, oldest first: those of several small ones at once, or the ends of one that is long.
    fn events(
        &self,
        transaction: &Transaction<'_>,
        ids: &[i64],
        sizes: &HashMap<i64, Size>,
    ) -> engine::Result<HashMap<i64, Events>> {
        let mut events: HashMap<i64, Events> = HashMap::with_capacity(ids.len());
        if let [id] = ids
            && sizes.get(id).is_some_and(|size| size.is_long)
        {
            let (mut oldest, mut newest) = (Events::default(), Vec::new());
            let mut statement = transaction.prepare_cached(
                "SELECT row, seq, pos, raw, at FROM event WHERE conversation = ?1 AND row = ?2 AND seq <= ?4
                 ORDER BY seq LIMIT ?3",
            )?;
            let mut found = statement.stream(params![self.number, id, MOST_AT_END, self.until])?;
            let mut last = 0;
            while let Some(row) = found.next()? {
                last = row.get(1)?;
                let event = oldest.take(&row)?;
                oldest.stored.extend(event);
            }
            drop(found);
            let mut statement = transaction.prepare_cached(
                "SELECT row, seq, pos, raw, at FROM event WHERE conversation = ?1 AND row = ?2 AND seq > ?3
                   AND seq <= ?5 ORDER BY seq DESC LIMIT ?4",
            )?;
            let mut found =
                statement.stream(params![self.number, id, last, MOST_AT_END, self.until])?;
            while let Some(row) = found.next()? {
                newest.extend(oldest.take(&row)?);
            }
            oldest.stored.extend(newest.into_iter().rev());
            events.insert(*id, oldest);
            return Ok(events);
        }
        let mut statement = transaction.prepare_cached(
            "SELECT row, seq, pos, raw, at FROM event WHERE conversation = ?1
               AND row IN (SELECT CAST(value AS BIGINT) FROM json_each(?2)) AND seq <= ?3 ORDER BY row, seq",
        )?;
        let mut found = statement.query(params![self.number, as_json(ids), self.until])?;
        while let Some(row) = found.next()? {
            let of = events.entry(row.get(0)?).or_default();
            let event = of.take(&row)?;
            of.stored.extend(event);
        }
        Ok(events)
    }
}

/// What is known of a row before its events are read.
struct Size {
    /// The `seq` that changed it last.
    version: Option<i64>,
    /// Whether it has so many events that only its ends are read.
    is_long: bool,
    /// Bytes of JSON.
    bytes: usize,
}

/// An event as it is stored: `seq`, position and time, and JSON.
type StoredEvent = (i64, (i64, i64), String);

/// The events of a row.
#[derive(Default)]
struct Events {
    stored: Vec<StoredEvent>,
    bytes: usize,
}

impl Events {
    /// Reads an event, unless the row is too large with it. The first one is always read.
    fn take(&mut self, row: &engine::Row<'_>) -> engine::Result<Option<StoredEvent>> {
        let length = row.get_ref(3)?.as_str()?.len();
        if self.bytes > 0 && self.bytes + length > MOST_OF_ROW {
            return Ok(None);
        }
        self.bytes += length;
        Ok(Some((row.get(1)?, (row.get(2)?, row.get(4)?), row.get(3)?)))
    }
}

fn as_json(ids: &[i64]) -> String {
    serde_json::to_string(ids).expect("numbers are plain data")
}

/// Parses a stored event; a missing position is filled with the one stored when it arrived. Its time is the stored
/// one, which is corrected where the server's time zone is known.
pub(super) fn reread(reader: Reader, raw: &str, (pos, at): (i64, i64)) -> LogItem {
    let mut item = reader(raw);
    item.pos.get_or_insert(pos);
    item.at.millis = at;
    item
}
