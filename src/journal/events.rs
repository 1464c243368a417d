//! Reading events one by one: for subscribers, for exports, and for whoever wants to see the JSON.

use super::rows::reread;
use super::words::{word_of_actor, word_of_body};
use super::{Journal, JournalError};
use crate::conversation::{Body, LogItem};
use rusqlite::{OptionalExtension, params};

/// One event of the log, with all that is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct LogEvent {
    /// Its number in its conversation.
    pub seq: i64,
    /// The row it is read in; `None` when it is not on the timeline.
    pub row: Option<i64>,
    /// When it reached us, milliseconds since the Unix epoch.
    pub received_at: i64,
    /// What it means.
    pub item: LogItem,
    /// Its JSON, as it arrived.
    pub raw: String,
}

impl LogEvent {
    /// The word for what it is: "message", "call", "result", "status", ...
    pub fn kind(&self) -> &'static str {
        word_of_body(&self.item.body)
    }

    /// The word for who it comes from: "human", "agent", "environment", "hook".
    pub fn source(&self) -> &'static str {
        word_of_actor(self.item.from)
    }
}

impl Journal {
    /// Up to `limit` events behind `after`, in order of `seq`.
    pub async fn events(
        &self,
        conversation: &str,
        after: i64,
        limit: u32,
    ) -> Result<Vec<LogEvent>, JournalError> {
        let id = conversation.to_owned();
        let reader = self.reader;
        self.database
            .read(move |transaction| {
                transaction
                    .prepare_cached(
                        "SELECT event.seq, event.row, event.pos, event.received_at, event.raw FROM event
                         JOIN conversation ON conversation.number = event.conversation
                         WHERE conversation.id = ?1 AND event.seq > ?2 ORDER BY event.seq LIMIT ?3",
                    )?
                    .query_map(params![id, after, limit], |row| {
                        let raw: String = row.get(4)?;
                        Ok(LogEvent {
                            seq: row.get(0)?,
                            row: row.get(1)?,
                            received_at: row.get(3)?,
                            item: reread(reader, &raw, row.get(2)?),
                            raw,
                        })
                    })?
                    .collect()
            })
            .await
    }

    /// The JSON of an event, as it arrived.
    pub async fn raw(&self, conversation: &str, seq: i64) -> Result<Option<String>, JournalError> {
        let id = conversation.to_owned();
        self.database
            .read(move |transaction| {
                transaction
                    .prepare_cached(
                        "SELECT event.raw FROM event JOIN conversation ON conversation.number = event.conversation
                         WHERE conversation.id = ?1 AND event.seq = ?2",
                    )?
                    .query_row(params![id, seq], |row| row.get(0))
                    .optional()
            })
            .await
    }

    /// The newest event at one of upstream's positions: its key, and when it happened as upstream says
    /// (milliseconds). Quick for what is near the end of the log, which is what is asked for.
    pub async fn event_at(
        &self,
        conversation: &str,
        pos: i64,
    ) -> Result<Option<(String, i64)>, JournalError> {
        let id = conversation.to_owned();
        self.database
            .read(move |transaction| {
                transaction
                    .prepare_cached(
                        "SELECT event.key, event.at FROM event
                         JOIN conversation ON conversation.number = event.conversation
                         WHERE conversation.id = ?1 AND event.pos = ?2 AND event.key IS NOT NULL
                         ORDER BY event.seq DESC LIMIT 1",
                    )?
                    .query_row(params![id, pos], |row| Ok((row.get(0)?, row.get(1)?)))
                    .optional()
            })
            .await
    }

    /// Images of an event: `data:` URLs and addresses, in their order.
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
