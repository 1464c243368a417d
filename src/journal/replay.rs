//! Reading a log as it was after one of its events.
//!
//! The cost does not depend on the length of the log: the session comes from the checkpoint before the event, and each
//! row is folded from its own events up to it.

use super::checkpoints::Checkpoints;
use super::conversations::{ConversationMeta, known, log_state};
use super::engine::{self, Transaction, params};
use super::folding::{Folded, Log};
use super::rows::Page;
use super::{Journal, JournalError};
use crate::conversation::{Kind, Mark, Session};

/// Events that a player is told of in advance: a second of a busy log at 16 times its speed.
const AHEAD: u32 = 128;
/// Rows that are read in addition, because a row can have stood a few places later than it does now: a result that
/// arrived before its call stood in its own place.
const SLACK: usize = 8;

/// A log as it was after one of its events.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// The event; 0 if the log is empty.
    pub at: i64,
    /// The newest `seq` of the log now.
    pub newest: i64,
    /// Upstream timestamp of the event, or else its time of receipt, in milliseconds since the Unix epoch.
    pub time: i64,
    /// Metadata as it is now.
    pub meta: ConversationMeta,
    /// The session state.
    pub session: Session,
    /// The newest rows.
    pub page: Page,
    /// The newest rows of the requested kind, oldest first.
    pub family: Page,
    /// The mark of the event.
    pub mark: Option<Mark>,
    /// The marked events before and after it.
    pub around: (Option<i64>, Option<i64>),
    /// The next events: `seq`, and upstream timestamp in milliseconds since the Unix epoch, or 0.
    pub ahead: Vec<(i64, i64)>,
}

/// The marks of a log, grouped by equal parts of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Track {
    /// The newest `seq`.
    pub newest: i64,
    /// The marks in order: the `seq` of the first event of each kind in each part, its kind, and the number of such
    /// events in this part.
    pub marks: Vec<(i64, Mark, u32)>,
}

impl Journal {
    /// The log after the event `at`, or after the nearest event that exists; without `at`, after its first mark. At
    /// most `limit` rows, and as many of `kind` if one is given; fewer where events are large. `None` if there is no
    /// such conversation.
    pub async fn moment(
        &self,
        conversation: &str,
        at: Option<i64>,
        kind: Option<Kind>,
        limit: u32,
    ) -> Result<Option<Moment>, JournalError> {
        let id = conversation.to_owned();
        let reader = self.reader;
        self.database
            .read(move |transaction| {
                let Some((known, state)) =
                    known(transaction, &id)?.zip(log_state(transaction, &id)?)
                else {
                    return Ok(None);
                };
                let checkpoints = Checkpoints {
                    transaction,
                    number: state.number,
                };
                let marks = Marks(&checkpoints);
                let at = match at {
                    Some(at) => at,
                    None => marks.after(0)?.unwrap_or(1),
                };
                let at = at.clamp(state.seq.min(1), state.seq);
                let session = checkpoints.session(reader, at)?;
                let log = Log {
                    number: state.number,
                    session: &session,
                    reader,
                    until: at,
                    edit: None,
                };
                let page = page(transaction, &log, None, limit)?;
                let family = match kind {
                    Some(kind) => page_of(transaction, &log, kind, limit)?,
                    None => Page::default(),
                };
                Ok(Some(Moment {
                    at,
                    newest: state.seq,
                    time: time_of(transaction, state.number, at)?,
                    mark: marks.at(at)?,
                    around: (marks.before(at)?, marks.after(at)?),
                    ahead: ahead(transaction, state.number, at)?,
                    meta: known.meta,
                    page,
                    family,
                    session,
                }))
            })
            .await
    }

    /// The marks of a log, at most one of each kind in each of `parts` equal parts.
    pub async fn track(&self, conversation: &str, parts: u32) -> Result<Track, JournalError> {
        let id = conversation.to_owned();
        self.database
            .read(move |transaction| {
                let Some(state) = log_state(transaction, &id)?.filter(|state| state.seq > 0) else {
                    return Ok(Track::default());
                };
                let mut statement = transaction.prepare_cached(
                    "SELECT min(seq), kind, count(*) FROM mark WHERE conversation = ?1
                     GROUP BY (seq - 1) * ?2 / ?3, kind ORDER BY min(seq)",
                )?;
                let rows = statement.query_map(params![state.number, parts, state.seq], |row| {
                    let kind: String = row.get(1)?;
                    Ok((row.get(0)?, Mark::from_word(&kind), row.get(2)?))
                })?;
                let mut marks = Vec::new();
                for row in rows {
                    let (seq, mark, count) = row?;
                    // A kind of another version is left out.
                    marks.extend(mark.map(|mark| (seq, mark, count)));
                }
                Ok(Track {
                    newest: state.seq,
                    marks,
                })
            })
            .await
    }
}

/// The marked events of a log.
struct Marks<'c>(&'c Checkpoints<'c>);

impl Marks<'_> {
    fn at(&self, seq: i64) -> engine::Result<Option<Mark>> {
        let word = self.find::<String>(
            "SELECT kind FROM mark WHERE conversation = ?1 AND seq = ?2",
            seq,
        )?;
        Ok(word.and_then(|word| Mark::from_word(&word)))
    }

    fn before(&self, seq: i64) -> engine::Result<Option<i64>> {
        self.find(
            "SELECT seq FROM mark WHERE conversation = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT 1",
            seq,
        )
    }

    fn after(&self, seq: i64) -> engine::Result<Option<i64>> {
        self.find(
            "SELECT seq FROM mark WHERE conversation = ?1 AND seq > ?2 ORDER BY seq LIMIT 1",
            seq,
        )
    }

    fn find<T: engine::FromSql>(&self, sql: &str, seq: i64) -> engine::Result<Option<T>> {
        self.0.transaction.value(sql, params![self.0.number, seq])
    }
}

/// The newest rows of a kind.
fn page_of(
    transaction: &Transaction<'_>,
    log: &Log<'_>,
    kind: Kind,
    limit: u32,
) -> engine::Result<Page> {
    let mut page = page(transaction, log, Some(kind), limit)?;
    // A result whose call has not arrived yet is not known to be of this kind.
    page.rows.retain(|row| row.kind() == kind);
    Ok(page)
}

/// The newest rows, in the order in which they stood.
fn page(
    transaction: &Transaction<'_>,
    log: &Log<'_>,
    kind: Option<Kind>,
    limit: u32,
) -> engine::Result<Page> {
    let limit = limit as usize;
    let wanted = i64::try_from(limit + SLACK + 1).unwrap_or(i64::MAX);
    let ids: Vec<i64> = match kind {
        None => transaction.values(
            "SELECT id FROM timeline_row WHERE conversation = ?1 AND id <= ?2
                 ORDER BY pos DESC, id DESC LIMIT ?3",
            params![log.number, log.until, wanted],
        )?,
        Some(kind) => transaction.values(
            "SELECT id FROM timeline_row WHERE conversation = ?1 AND kind = ?4 AND id <= ?2
                 ORDER BY pos DESC, id DESC LIMIT ?3",
            params![log.number, log.until, wanted, kind.as_str()],
        )?,
    };
    let Folded { mut rows, whole } = log.fold_rows(transaction, ids)?;
    rows.sort_by_key(|row| (row.pos, row.id));
    let over = rows.len().saturating_sub(limit);
    rows.drain(..over);
    Ok(Page {
        rows,
        older: over > 0 || !whole,
    })
}

fn time_of(transaction: &Transaction<'_>, number: i64, seq: i64) -> engine::Result<i64> {
    let time = transaction.value(
        "SELECT CASE WHEN at > 0 THEN at ELSE received_at END FROM event WHERE conversation = ?1 AND seq = ?2",
        params![number, seq],
    )?;
    Ok(time.unwrap_or(0))
}

fn ahead(
    transaction: &Transaction<'_>,
    number: i64,
    after: i64,
) -> engine::Result<Vec<(i64, i64)>> {
    transaction.list(
        "SELECT seq, at FROM event WHERE conversation = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
        params![number, after, AHEAD],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}
