//! The session as it was after any event.
//!
//! The session is stored after some events, so at most [`EVERY`] events are folded for any of them. The journal stores
//! checkpoints and marks as it appends; those of a log that an older version wrote are made up when it is first
//! replayed.

use super::engine::{self, Transaction, params};
use super::{Journal, JournalError, Reader, conversations::read_session, database::Durability};
use crate::conversation::{LogItem, Mark, PendingConfirmation, Session};

/// A session is stored after this many events; few in tests, whose logs are short.
const EVERY: i64 = if cfg!(test) { 7 } else { 256 };
/// A session is stored after an event with this many bytes of JSON, too, so the bytes to parse stay few.
const LARGE: usize = 32 << 10;
/// Events and bytes of JSON that are folded in one transaction, if a log has no checkpoints yet: other writers wait.
const AT_ONCE: (i64, usize) = if cfg!(test) {
    (10, 4 << 20)
} else {
    (2_000, 4 << 20)
};

/// The fold of a log, event by event.
pub(super) struct Checkpoints<'t> {
    pub(super) transaction: &'t Transaction<'t>,
    pub(super) number: i64,
}

/// What a replay needs of an event.
#[derive(Debug, Default)]
pub(super) struct Kept {
    mark: Option<Mark>,
    /// The session after the event, as JSON.
    session: Option<String>,
}

impl Kept {
    /// What is kept of the event `seq`, with so many `bytes` of JSON, that `session` has just been given. `before` was
    /// pending before it.
    pub(super) fn of(
        (seq, row, bytes): (i64, Option<i64>, usize),
        item: &LogItem,
        before: Option<&PendingConfirmation>,
        session: &Session,
    ) -> Self {
        let is_due = seq % EVERY == 0;
        let json = (is_due || bytes >= LARGE)
            .then(|| serde_json::to_string(session).expect("a session is plain data"));
        Self {
            mark: Mark::of(item, row, before, session),
            // A log of large events must not grow to a multiple of itself.
            session: json.filter(|json| is_due || json.len() <= bytes),
        }
    }
}

impl Checkpoints<'_> {
    /// The `seq` up to which checkpoints and marks are complete.
    pub(super) fn complete_to(&self) -> engine::Result<i64> {
        self.transaction.one(
            "SELECT folded FROM conversation WHERE number = ?1",
            [self.number],
        )
    }

    /// Stores what a replay needs of an event.
    pub(super) fn keep(&self, seq: i64, kept: &Kept) -> engine::Result<()> {
        if let Some(mark) = &kept.mark {
            self.transaction
                .prepare_cached(
                    "INSERT INTO mark (conversation, seq, kind) VALUES (?1, ?2, ?3)
                     ON CONFLICT (conversation, seq) DO UPDATE SET kind = excluded.kind",
                )?
                .send(params![self.number, seq, mark.as_str()])?;
        }
        if let Some(json) = &kept.session {
            self.transaction
                .prepare_cached(
                    "INSERT INTO checkpoint (conversation, seq, session) VALUES (?1, ?2, ?3)
                     ON CONFLICT (conversation, seq) DO UPDATE SET session = excluded.session",
                )?
                .send(params![self.number, seq, json])?;
        }
        Ok(())
    }

    /// Records that checkpoints and marks are complete up to `seq`.
    pub(super) fn completed(&self, seq: i64) -> engine::Result<()> {
        self.transaction
            .prepare_cached("UPDATE conversation SET folded = ?2 WHERE number = ?1")?
            .execute(params![self.number, seq])?;
        Ok(())
    }

    /// The session after the event `at`.
    pub(super) fn session(&self, reader: Reader, at: i64) -> engine::Result<Session> {
        let stored: Option<(i64, String)> = self.transaction.find(
            "SELECT seq, session FROM checkpoint WHERE conversation = ?1 AND seq <= ?2
                 ORDER BY seq DESC LIMIT 1",
            params![self.number, at],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let (after, mut session) = match stored {
            Some((seq, json)) => (seq, read_session(&json)),
            None => (0, Session::default()),
        };
        self.fold(
            reader,
            &mut session,
            after,
            (at - after, usize::MAX),
            |_, _, _, _| Ok(()),
        )?;
        Ok(session)
    }

    /// Applies the events after `after` to the session: at most as many, and about as many bytes of JSON, as `limit`
    /// says. Returns the `seq` of the last one.
    fn fold(
        &self,
        reader: Reader,
        session: &mut Session,
        after: i64,
        limit: (i64, usize),
        mut keep: impl FnMut(
            (i64, Option<i64>, usize),
            &LogItem,
            Option<&PendingConfirmation>,
            &Session,
        ) -> engine::Result<()>,
    ) -> engine::Result<i64> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT seq, row, pos, raw, at FROM event WHERE conversation = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
        )?;
        let mut rows = statement.query(params![self.number, after, limit.0])?;
        let (mut last, mut read) = (after, 0);
        while read < limit.1
            && let Some(stored) = rows.next()?
        {
            let raw = stored.get_ref(3)?.as_str()?;
            let (seq, row) = (stored.get(0)?, stored.get(1)?);
            let mut item = positioned(reader(raw), stored.get(2)?, session);
            item.at.millis = stored.get(4)?;
            let before = session.pending.clone();
            session.apply(&item, row);
            keep((seq, row, raw.len()), &item, before.as_ref(), session)?;
            (last, read) = (seq, read + raw.len());
        }
        Ok(last)
    }
}

/// An item as it was when it arrived. Its position is not always in its JSON, and the position of an item without one
/// is stored as that of the newest item before it, which means the same, except at the beginning of a log: there only
/// an item with a key has one.
fn positioned(mut item: LogItem, pos: i64, session: &Session) -> LogItem {
    if session.newest_pos.is_some() || item.key.is_some() {
        item.pos.get_or_insert(pos);
    }
    item
}

impl Journal {
    /// Makes up checkpoints and marks of a log, if an older version wrote it. Takes a few seconds per 100,000 events,
    /// once.
    pub async fn fold_for_replay(&self, conversation: &str) -> Result<(), JournalError> {
        while !self.fold_some(conversation).await? {}
        Ok(())
    }

    /// The next part of [`Self::fold_for_replay`]; answers whether nothing is left.
    async fn fold_some(&self, conversation: &str) -> Result<bool, JournalError> {
        let (id, reader) = (conversation.to_owned(), self.reader);
        let is_done = self
            .database
            .read(move |transaction| {
                transaction.value("SELECT folded >= seq FROM conversation WHERE id = ?1", [id])
            })
            .await?
            .unwrap_or(true);
        if is_done {
            return Ok(true);
        }
        let id = conversation.to_owned();
        self.database
            .write(Durability::Ordinary, move |transaction| {
                let Some(number) = super::conversations::number_of(transaction, &id)? else {
                    return Ok(true);
                };
                let checkpoints = Checkpoints {
                    transaction,
                    number,
                };
                let from = checkpoints.complete_to()?;
                let mut session = checkpoints.session(reader, from)?;
                let keep = |event: (i64, Option<i64>, usize),
                            item: &_,
                            before: Option<&_>,
                            session: &_| {
                    checkpoints.keep(event.0, &Kept::of(event, item, before, session))
                };
                let to = checkpoints.fold(reader, &mut session, from, AT_ONCE, keep)?;
                checkpoints.completed(to)?;
                Ok(to == from)
            })
            .await
    }
}
