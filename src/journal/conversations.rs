//! Metadata of conversations for the list, and the session state that each log folds to.
//!
//! Long because what changes a conversation as a whole is here, with what it outdates.

use super::engine::{self, Row, Transaction, params};
use super::unlined::outdate_line;
use super::{Journal, JournalError, Reader, database::Durability, folding::Log};
use crate::conversation::{IMPORTED, Session, Tags};

/// The runtime of a conversation while it is imported.
pub const IMPORTING: &str = "importing";

/// Metadata of a conversation, as the backend reports it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConversationMeta {
    /// Its id.
    pub id: String,
    /// Label of its backend.
    pub backend: String,
    /// Its title, or empty.
    pub title: String,
    /// State of its sandbox, in the hub's word.
    pub runtime: String,
    /// Repository of the workspace.
    pub repository: Option<String>,
    /// Branch that the conversation started from.
    pub branch: Option<String>,
    /// Its labels.
    pub tags: Tags,
    /// Time of creation, milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Time of the last change, milliseconds since the Unix epoch.
    pub updated_at: i64,
}

/// All that is stored of a conversation except its rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Known {
    /// Metadata from the backend's latest report.
    pub meta: ConversationMeta,
    /// The session state that the log folds to.
    pub session: Session,
    /// Excerpt of the newest message.
    pub excerpt: String,
    /// The newest `seq`; 0 when the log is empty.
    pub seq: i64,
    /// The newest `seq` of what is on the timeline and is news for a reader; 0 if nothing is.
    pub newest_row: i64,
    /// Upstream position up to which no event is missing; `None` if no position is known to be complete.
    pub complete_to: Option<i64>,
    /// Whether it is archived.
    pub archived: bool,
}

/// The log's state before a batch is appended.
pub(super) struct LogState {
    pub(super) number: i64,
    pub(super) seq: i64,
    pub(super) session: Session,
    /// The `seq` up to which checkpoints and marks are complete.
    pub(super) folded: i64,
}

/// What the task of a conversation holds of its log: parsed already, if nothing has been stored since.
#[derive(Debug, Clone)]
pub struct Held {
    /// The newest `seq`.
    pub seq: i64,
    /// The session then.
    pub session: Session,
}

impl LogState {
    pub(super) fn log(&self, reader: Reader) -> Log<'_> {
        Log {
            number: self.number,
            session: &self.session,
            reader,
            until: i64::MAX,
            edit: None,
        }
    }
}

pub(super) const COLUMNS: &str = "id, backend, title, runtime, repository, branch, created_at, updated_at, session, excerpt, seq, complete_to, tags,
  ifnull((SELECT max(timeline_row.seq) FROM timeline_row WHERE timeline_row.conversation = conversation.number), 0), archived,
  ifnull((SELECT timeline_row.seq FROM timeline_row WHERE timeline_row.conversation = conversation.number
          ORDER BY timeline_row.seq DESC LIMIT 1 OFFSET 1), 0)";

impl Journal {
    /// Inserts or updates metadata reported by a backend. The later of the stored and the reported time of change is
    /// kept.
    pub async fn describe(&self, meta: Vec<ConversationMeta>) -> Result<(), JournalError> {
        self.describe_unless(meta, |_| false).await
    }

    /// As [`Self::describe`], except for conversations whose id is `outdated` at the time of writing.
    pub async fn describe_unless(
        &self,
        meta: Vec<ConversationMeta>,
        outdated: impl Fn(&str) -> bool + Send + 'static,
    ) -> Result<(), JournalError> {
        self.database
            .write(Durability::Ordinary, move |transaction| {
                let mut statement = transaction.prepare_cached(
                    "INSERT INTO conversation (id, backend, title, runtime, repository, branch, created_at, updated_at, tags)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                     ON CONFLICT (id) DO UPDATE SET backend = excluded.backend, title = excluded.title,
                       runtime = excluded.runtime, repository = excluded.repository, branch = excluded.branch, tags = excluded.tags,
                       created_at = excluded.created_at, updated_at = max(conversation.updated_at, excluded.updated_at)
                     RETURNING number, seq",
                )?;
                for one in meta.into_iter().filter(|one| !outdated(&one.id)) {
                    let tags = serde_json::to_string(&one.tags).expect("labels are plain data");
                    let (number, seq) = statement.query_row(
                        params![
                            one.id, one.backend, one.title, one.runtime, one.repository, one.branch,
                            one.created_at, one.updated_at, tags,
                        ],
                        |row| Ok((row.get(0)?, row.get(1)?)),
                    )?;
                    outdate_line(transaction, number, seq)?;
                }
                Ok(())
            })
            .await
    }

    /// One conversation; `None` if the journal has none of this id.
    pub async fn conversation(&self, id: &str) -> Result<Option<Known>, JournalError> {
        let id = id.to_owned();
        self.database
            .read(move |transaction| known(transaction, &id))
            .await
    }

    /// Archives a conversation, or brings it back. Its line is outdated then.
    pub async fn archive(&self, id: &str, archived: bool) -> Result<(), JournalError> {
        let id = id.to_owned();
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let changed = transaction.find(
                    "UPDATE conversation SET archived = ?2 WHERE id = ?1 RETURNING number, seq",
                    params![id, archived],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )?;
                let Some((number, seq)) = changed else {
                    return Ok(());
                };
                outdate_line(transaction, number, seq)
            })
            .await
    }

    /// Whether a conversation is archived. It is read at once, on the caller's thread.
    pub fn is_archived(&self, id: &str) -> Result<bool, JournalError> {
        self.database.read_at_once(|transaction| {
            let archived =
                transaction.value("SELECT archived FROM conversation WHERE id = ?1", [id])?;
            Ok(archived.unwrap_or_default())
        })
    }

    /// Ids of the conversations whose runtime is the word [`IMPORTING`].
    pub async fn unfinished_imports(&self) -> Result<Vec<String>, JournalError> {
        self.database
            .read(|transaction| {
                // Written out, so that the index of them is used.
                let sql = format!("SELECT id FROM conversation WHERE runtime = '{IMPORTING}'");
                transaction.values(&sql, [])
            })
            .await
    }

    /// The labels of all backends that have conversations, configured or not.
    pub async fn backend_labels(&self) -> Result<Vec<String>, JournalError> {
        let sql = "WITH RECURSIVE label (backend) AS (
                     SELECT min(backend) FROM line UNION ALL
                     SELECT (SELECT min(line.backend) FROM line WHERE line.backend > label.backend)
                     FROM label WHERE label.backend IS NOT NULL
                   )
                   SELECT backend FROM label WHERE backend IS NOT NULL UNION
                   SELECT backend FROM unlined JOIN conversation ON conversation.number = unlined.conversation";
        self.database.list(sql, [], |row| row.get(0)).await
    }

    /// Renames a backend.
    pub async fn relabel_backend(&self, from: &str, to: &str) -> Result<(), JournalError> {
        let (from, to) = (from.to_owned(), to.to_owned());
        self.database
            .write(Durability::OnDisk, move |transaction| {
                for relabel in [
                    "UPDATE conversation SET backend = ?2 WHERE backend = ?1",
                    "UPDATE line SET backend = ?2, shown = json_set(shown, '$.backend', ?2) WHERE backend = ?1",
                ] {
                    transaction.execute(relabel, [&from, &to])?;
                }
                Ok(())
            })
            .await
    }

    /// Records that no event up to the upstream position `pos` is missing.
    pub async fn complete_to(&self, id: &str, pos: i64) -> Result<(), JournalError> {
        let id = id.to_owned();
        let sql =
            "UPDATE conversation SET complete_to = max(ifnull(complete_to, ?2), ?2) WHERE id = ?1";
        self.database
            .execute(Durability::Ordinary, sql, (id, pos))
            .await
            .map(drop)
    }
}

/// The number of a conversation.
pub(super) fn number_of(transaction: &Transaction<'_>, id: &str) -> engine::Result<Option<i64>> {
    transaction.value("SELECT number FROM conversation WHERE id = ?1", [id])
}

/// All that is stored of a conversation except its rows.
pub(super) fn known(transaction: &Transaction<'_>, id: &str) -> engine::Result<Option<Known>> {
    transaction.find(
        &format!("SELECT {COLUMNS} FROM conversation WHERE id = ?1"),
        [id],
        read_known,
    )
}

pub(super) fn read_known(row: &Row<'_>) -> engine::Result<Known> {
    let (backend, runtime): (String, String) = (row.get(1)?, row.get(3)?);
    let session = read_whole_session(&row.get::<_, String>(8)?, is_whole(&backend, &runtime));
    let newest: i64 = row.get(13)?;
    let newest_row = match session.let_go == Some(newest) {
        true => row.get(15)?,
        false => newest,
    };
    Ok(Known {
        meta: ConversationMeta {
            id: row.get(0)?,
            backend,
            title: row.get(2)?,
            runtime,
            repository: row.get(4)?,
            branch: row.get(5)?,
            created_at: row.get(6)?,
            updated_at: row.get(7)?,
            // Tags that another version wrote in another format are dropped; the backend's next report brings them
            // back.
            tags: serde_json::from_str(&row.get::<_, String>(12)?).unwrap_or_default(),
        },
        session,
        excerpt: row.get(9)?,
        seq: row.get(10)?,
        complete_to: row.get(11)?,
        newest_row,
        archived: row.get(14)?,
    })
}

/// Whether nothing follows in a log: it was imported as a whole.
fn is_whole(backend: &str, runtime: &str) -> bool {
    backend == IMPORTED && runtime != IMPORTING
}

/// As [`read_session`], of a log in which nothing follows if it `is_whole`.
fn read_whole_session(text: &str, is_whole: bool) -> Session {
    let mut session = read_session(text);
    if is_whole {
        session.end_calls();
    }
    session
}

/// A session that this version cannot parse is replaced by an empty one.
pub(super) fn read_session(text: &str) -> Session {
    serde_json::from_str(text).unwrap_or_else(|error| {
        tracing::warn!(%error, "the stored session state cannot be parsed; an empty one replaces it");
        Session::default()
    })
}

pub(super) fn log_state(
    transaction: &Transaction<'_>,
    id: &str,
) -> engine::Result<Option<LogState>> {
    log_state_after(transaction, id, None)
}

/// As [`log_state`]: a session that is `held` is not read again, if it still is that of the log.
pub(super) fn log_state_after(
    transaction: &Transaction<'_>,
    id: &str,
    held: Option<Held>,
) -> engine::Result<Option<LogState>> {
    let (seq, mut session) = held.map(|held| (held.seq, held.session)).unzip();
    transaction.find(
        "SELECT number, seq, CASE WHEN seq = ?2 THEN NULL ELSE session END, folded, backend, runtime FROM conversation WHERE id = ?1",
        params![id, seq],
        |row| {
            let stored: Option<String> = row.get(2)?;
            let (backend, runtime): (String, String) = (row.get(4)?, row.get(5)?);
            Ok(LogState {
                number: row.get(0)?,
                seq: row.get(1)?,
                session: match stored {
                    Some(stored) => read_whole_session(&stored, is_whole(&backend, &runtime)),
                    None => session.take().unwrap_or_default(),
                },
                folded: row.get(3)?,
            })
        },
    )
}

/// Stores the state of a log after an append: whether no earlier event is missing, and whether checkpoints and marks are
/// complete.
pub(super) fn keep_log_state(
    transaction: &Transaction<'_>,
    number: i64,
    seq: i64,
    session: &Session,
    excerpt: Option<&str>,
    (complete, is_folded): (bool, bool),
) -> engine::Result<()> {
    let json = serde_json::to_string(session).expect("a session is plain data");
    let complete_to = session.newest_pos.filter(|_| complete);
    transaction
        .prepare_cached(
            "UPDATE conversation SET seq = ?2, session = ?3, excerpt = ifnull(?4, excerpt),
               complete_to = ifnull(?5, complete_to), folded = CASE WHEN ?6 = 1 THEN ?2 ELSE folded END WHERE number = ?1",
        )?
        .send(params![number, seq, json, excerpt, complete_to, is_folded])?;
    outdate_line(transaction, number, seq)
}
