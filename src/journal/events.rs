//! Reading single events: for subscribers, exports and the JSON view.

use super::engine::params;
use super::folding::reread;
use super::words::word_of_body;
use super::{Journal, JournalError};
use crate::conversation::{Body, LogItem};

/// Limit on the JSON of one result, in bytes; the first event is always included.
const MOST_READ: usize = 1 << 20;

/// One stored event.
#[derive(Debug, Clone, PartialEq)]
pub struct LogEvent {
    /// Its sequence number in the conversation.
    pub seq: i64,
    /// The id of its row; `None` if the event is not on the timeline.
    pub row: Option<i64>,
    /// Time of receipt, milliseconds since the Unix epoch.
    pub received_at: i64,
    /// The parsed event.
    pub item: LogItem,
    /// Its JSON, as stored: without redundant fields and the key of a 1.x server, and truncated if too large.
    pub raw: String,
}

/// The JSON of a stored event.
#[derive(Debug, Clone, PartialEq)]
pub struct RawEvent {
    /// Its sequence number in the conversation.
    pub seq: i64,
    /// Its upstream position.
    pub pos: i64,
    /// Position and id of its row, if it is on the timeline.
    pub row: Option<(i64, i64)>,
    /// Its JSON, as stored.
    pub raw: String,
}

impl LogEvent {
    /// Its kind in one word: "message", "call", "result", "status", ...
    pub fn kind(&self) -> &'static str {
        word_of_body(&self.item.body)
    }

    /// Its source in one word: "human", "agent", "environment", "hook".
    pub fn source(&self) -> &'static str {
        self.item.from.as_str()
    }
}

impl Journal {
    /// Up to `limit` events after `after`, ordered by `seq`.
    pub async fn events(
        &self,
        conversation: &str,
        after: i64,
        limit: u32,
    ) -> Result<Vec<LogEvent>, JournalError> {
        let id = conversation.to_owned();
        let reader = self.reader;
        let sql = "SELECT event.seq, event.row, event.pos, event.received_at, event.raw, event.at FROM event
                   JOIN conversation ON conversation.number = event.conversation
                   WHERE conversation.id = ?1 AND event.seq > ?2 ORDER BY event.seq LIMIT ?3";
        self.database
            .list(sql, (id, after, limit), move |row| {
                let raw: String = row.get(4)?;
                Ok(LogEvent {
                    seq: row.get(0)?,
                    row: row.get(1)?,
                    received_at: row.get(3)?,
                    item: reread(reader, &raw, (row.get(2)?, row.get(5)?)),
                    raw,
                })
            })
            .await
    }

    /// Up to `limit` events after `after`, ordered by `seq`; fewer where events are large. Empty at the end of the log.
    pub async fn page_of_events(
        &self,
        conversation: &str,
        after: i64,
        limit: usize,
    ) -> Result<Vec<LogEvent>, JournalError> {
        let id = conversation.to_owned();
        let reader = self.reader;
        self.database
            .read(move |transaction| {
                let mut statement = transaction.prepare_cached(
                    "SELECT event.seq, event.row, event.pos, event.received_at, event.raw, event.at FROM event
                     JOIN conversation ON conversation.number = event.conversation
                     WHERE conversation.id = ?1 AND event.seq > ?2 ORDER BY event.seq LIMIT ?3",
                )?;
                let limit = i64::try_from(limit).unwrap_or(i64::MAX);
                let mut rows = statement.stream(params![id, after, limit])?;
                let (mut events, mut read): (Vec<LogEvent>, usize) = (Vec::new(), 0);
                while read < MOST_READ
                    && let Some(row) = rows.next()?
                {
                    let raw: String = row.get(4)?;
                    read += raw.len();
                    events.push(LogEvent {
                        seq: row.get(0)?,
                        row: row.get(1)?,
                        received_at: row.get(3)?,
                        item: reread(reader, &raw, (row.get(2)?, row.get(5)?)),
                        raw,
                    });
                }
                Ok(events)
            })
            .await
    }

    /// The JSON of the next events after `after`, ordered by `seq`. Empty at the end of the log.
    pub async fn raw_events(
        &self,
        conversation: &str,
        after: i64,
    ) -> Result<Vec<RawEvent>, JournalError> {
        let id = conversation.to_owned();
        self.database
            .read(move |transaction| {
                let mut statement = transaction.prepare_cached(
                    "SELECT event.seq, event.pos, timeline_row.pos, timeline_row.id, event.raw FROM event
                     JOIN conversation ON conversation.number = event.conversation
                     LEFT JOIN timeline_row ON timeline_row.conversation = event.conversation AND timeline_row.id = event.row
                     WHERE conversation.id = ?1 AND event.seq > ?2 ORDER BY event.seq",
                )?;
                let mut rows = statement.stream(params![id, after])?;
                let (mut events, mut read): (Vec<RawEvent>, usize) = (Vec::new(), 0);
                while read < MOST_READ
                    && let Some(row) = rows.next()?
                {
                    let row_pos: Option<i64> = row.get(2)?;
                    let event = RawEvent {
                        seq: row.get(0)?,
                        pos: row.get(1)?,
                        row: row_pos.zip(row.get(3)?),
                        raw: row.get(4)?,
                    };
                    read += event.raw.len();
                    events.push(event);
                }
                Ok(events)
            })
            .await
    }

    /// The upstream position of an event.
    pub async fn position(
        &self,
        conversation: &str,
        seq: i64,
    ) -> Result<Option<i64>, JournalError> {
        let id = conversation.to_owned();
        let sql = "SELECT event.pos FROM event JOIN conversation ON conversation.number = event.conversation
                   WHERE conversation.id = ?1 AND event.seq = ?2";
        self.database.find(sql, (id, seq), |row| row.get(0)).await
    }

    /// The JSON of an event, as stored.
    pub async fn raw(&self, conversation: &str, seq: i64) -> Result<Option<String>, JournalError> {
        let id = conversation.to_owned();
        let sql = "SELECT event.raw FROM event JOIN conversation ON conversation.number = event.conversation
                   WHERE conversation.id = ?1 AND event.seq = ?2";
        self.database.find(sql, (id, seq), |row| row.get(0)).await
    }

    /// The newest event at an upstream position: its key and its upstream timestamp, milliseconds since the Unix epoch.
    /// Fast near the end of the log, where all callers look.
    pub async fn event_at(
        &self,
        conversation: &str,
        pos: i64,
    ) -> Result<Option<(String, i64)>, JournalError> {
        let id = conversation.to_owned();
        let sql = "SELECT event.key, event.at FROM event
                   JOIN conversation ON conversation.number = event.conversation
                   WHERE conversation.id = ?1 AND event.pos = ?2 AND event.key IS NOT NULL
                   ORDER BY event.seq DESC LIMIT 1";
        self.database
            .find(sql, (id, pos), |row| Ok((row.get(0)?, row.get(1)?)))
            .await
    }

    /// Images of an event in order: `data:` URLs and web addresses.
    pub(super) async fn images(
        &self,
        conversation: &str,
        seq: i64,
    ) -> Result<Vec<String>, JournalError> {
        let raw = self.raw(conversation, seq).await?;
        Ok(match raw.map(|raw| (self.reader)(&raw).body) {
            Some(Body::Message(message)) => message.images,
            Some(Body::Result(result)) => result.images,
            _ => Vec::new(),
        })
    }
}
