//! The outbox of notifications.
//!
//! Invariant: what people were told about a conversation is stored in the same transaction as the notifications
//! themselves, so a crash loses none; an attempt that it interrupts may be repeated. Invariant: an attempt is counted
//! before it is made, so a notification without attempts has reached nobody.
//!
//! Long because the life of a notification, from telling to forgetting, is in these transactions.

use super::channels::{CHANNEL, CHANNEL_COLUMNS, ChannelRecord, IS_GOOD, OWNERS, read_channel};
use super::engine::{self, Transaction, params};
use super::{Journal, JournalError, database::Durability};

/// Notifications kept for each channel; older ones are deleted.
const MOST: i64 = 1_000;

/// What people were last told about a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notified {
    /// Its phase, in a word.
    pub phase: String,
    /// Token of the approval, else empty.
    pub token: String,
}

/// A notification to send.
#[derive(Debug, Clone)]
pub struct NewNotice {
    /// Number of the channel.
    pub channel: i64,
    /// Occasion, in a word.
    pub occasion: &'static str,
    /// Its content, as JSON.
    pub content: String,
    /// Time from which it may be sent, milliseconds since the Unix epoch.
    pub due_at: i64,
    /// Time after which it is worthless, milliseconds since the Unix epoch.
    pub expires_at: i64,
    /// Whether it takes the place of earlier ones about the conversation.
    pub replaces: bool,
}

/// A notification whose time has come, with its channel.
#[derive(Debug, Clone)]
pub struct DueNotice {
    /// Its number.
    pub number: i64,
    /// Its number within the channel.
    pub seq: i64,
    /// Id of the conversation.
    pub conversation: String,
    /// Token of the approval, else empty.
    pub token: String,
    /// Occasion, in a word.
    pub occasion: String,
    /// Its content, as JSON.
    pub content: String,
    /// Time of the occasion, milliseconds since the Unix epoch.
    pub made_at: i64,
    /// Time after which it is worthless, milliseconds since the Unix epoch.
    pub expires_at: i64,
    /// Attempts so far.
    pub attempts: u32,
    /// The channel.
    pub channel: ChannelRecord,
}

/// The end of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoticeEnd {
    /// The service has accepted it.
    Sent,
    /// Another attempt is made at this time, milliseconds since the Unix epoch.
    Again(i64, String),
    /// No further attempt is made.
    GivenUp(String),
}

/// A notification of an approval that may be shown somewhere.
#[derive(Debug, Clone)]
pub struct SentNotice {
    /// Time of the delivery, milliseconds since the Unix epoch.
    pub sent_at: i64,
    /// What the channel notifies of, as JSON.
    pub choices: String,
    /// What was sent, as JSON.
    pub content: String,
}

impl Journal {
    /// What people were last told about a conversation.
    pub async fn last_notified(
        &self,
        conversation: &str,
    ) -> Result<Option<Notified>, JournalError> {
        let id = conversation.to_owned();
        let sql = "SELECT phase, token FROM told WHERE conversation = ?1";
        self.database
            .find(sql, [id], |row| {
                Ok(Notified {
                    phase: row.get(0)?,
                    token: row.get(1)?,
                })
            })
            .await
    }

    /// The conversations of which people were last told that the agent works, or that an approval is pending.
    pub async fn unsettled(&self) -> Result<Vec<String>, JournalError> {
        let sql = "SELECT conversation FROM told WHERE phase = 'working' OR token <> ''";
        self.database.list(sql, [], |row| row.get(0)).await
    }

    /// Stores what people are told about a conversation now, and the notifications to send. `None` forgets it, and so does
    /// the end of the conversation.
    pub async fn tell(
        &self,
        conversation: &str,
        notified: Option<Notified>,
        made_at: i64,
        notices: Vec<NewNotice>,
    ) -> Result<(), JournalError> {
        let id = conversation.to_owned();
        let durability = match notices.is_empty() {
            true => Durability::Ordinary,
            false => Durability::OnDisk,
        };
        self.database
            .write(durability, move |transaction| {
                let token = notified.as_ref().map(|notified| notified.token.clone());
                match notified {
                    Some(notified) => transaction.execute(
                        "INSERT INTO told (conversation, phase, token)
                         SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM conversation WHERE id = ?1)
                         ON CONFLICT (conversation) DO UPDATE SET phase = excluded.phase, token = excluded.token",
                        params![id, notified.phase, notified.token],
                    )?,
                    None => {
                        transaction.execute("DELETE FROM told WHERE conversation = ?1", [&id])?
                    }
                };
                for notice in notices {
                    insert(
                        transaction,
                        &id,
                        token.as_deref().unwrap_or_default(),
                        made_at,
                        &notice,
                    )?;
                }
                Ok(())
            })
            .await
    }

    /// Channels in which a notification of an approval may be shown. Notifications of it that were never tried are
    /// deleted: nobody has to know any more.
    pub async fn take_back(
        &self,
        conversation: &str,
        token: &str,
    ) -> Result<Vec<i64>, JournalError> {
        let (id, token) = (conversation.to_owned(), token.to_owned());
        self.database
            .write(Durability::OnDisk, move |transaction| {
                transaction.execute(
                    "DELETE FROM notice WHERE conversation = ?1 AND token = ?2 AND state = 'waiting' AND attempts = 0
                       AND occasion = 'needs_approval'",
                    params![id, token],
                )?;
                transaction.values(
                    "SELECT DISTINCT channel FROM notice
                     WHERE conversation = ?1 AND token = ?2 AND occasion = 'needs_approval'
                       AND (sent_at IS NOT NULL OR state = 'waiting')",
                    params![id, token],
                )
            })
            .await
    }

    /// Notifications to send now, oldest first, except those in `flying`; each counts one more attempt from now on. Also
    /// the time when the next one is due.
    pub async fn take_due(
        &self,
        now: i64,
        (oldest, idle): (i64, i64),
        flying: Vec<i64>,
        most: usize,
    ) -> Result<(Vec<DueNotice>, Option<i64>), JournalError> {
        self.database
            .write(Durability::Ordinary, move |transaction| {
                let mut due: Vec<DueNotice> = transaction.list(
                    &format!(
                        "SELECT {CHANNEL}, notice.number, notice.seq, notice.conversation, notice.token, notice.occasion,
                           notice.content, notice.made_at, notice.expires_at, notice.attempts
                         FROM notice JOIN channel ON channel.number = notice.channel {OWNERS}
                         WHERE notice.state = 'waiting' AND notice.due_at <= ?3 AND {IS_GOOD}
                         ORDER BY notice.due_at, notice.number LIMIT ?4"
                    ),
                    params![oldest, idle, now, (most + flying.len()) as i64],
                    |row| {
                        Ok(DueNotice {
                            channel: read_channel(row, 0)?,
                            number: row.get(CHANNEL_COLUMNS)?,
                            seq: row.get(CHANNEL_COLUMNS + 1)?,
                            conversation: row.get(CHANNEL_COLUMNS + 2)?,
                            token: row.get(CHANNEL_COLUMNS + 3)?,
                            occasion: row.get(CHANNEL_COLUMNS + 4)?,
                            content: row.get(CHANNEL_COLUMNS + 5)?,
                            made_at: row.get(CHANNEL_COLUMNS + 6)?,
                            expires_at: row.get(CHANNEL_COLUMNS + 7)?,
                            attempts: row.get(CHANNEL_COLUMNS + 8)?,
                        })
                    },
                )?;
                due.retain(|notice| !flying.contains(&notice.number));
                due.truncate(most);
                for notice in &due {
                    transaction
                        .prepare_cached("UPDATE notice SET attempts = attempts + 1 WHERE number = ?1")?
                        .execute([notice.number])?;
                }
                let next = transaction.one(
                    "SELECT min(due_at) FROM notice WHERE state = 'waiting' AND due_at > ?1",
                    [now],
                )?;
                Ok((due, next))
            })
            .await
    }

    /// Stores how attempts ended.
    pub async fn end_attempts(
        &self,
        now: i64,
        ended: Vec<(i64, NoticeEnd)>,
    ) -> Result<(), JournalError> {
        self.database
            .write(Durability::Ordinary, move |transaction| {
                for (number, end) in &ended {
                    match end {
                        NoticeEnd::Sent => transaction.execute(
                            "UPDATE notice SET state = 'sent', sent_at = ?2, trouble = '' WHERE number = ?1",
                            [number, &now],
                        )?,
                        NoticeEnd::Again(at, why) => transaction.execute(
                            "UPDATE notice SET due_at = ?2, trouble = ?3 WHERE number = ?1",
                            params![number, at, why],
                        )?,
                        NoticeEnd::GivenUp(why) => transaction.execute(
                            "UPDATE notice SET state = 'failed', trouble = ?2 WHERE number = ?1",
                            params![number, why],
                        )?,
                    };
                }
                Ok(())
            })
            .await
    }

    /// Deletes notifications made before `oldest`, milliseconds since the Unix epoch, except those of approvals that a
    /// person can still answer.
    pub async fn forget_notices(&self, oldest: i64) -> Result<(), JournalError> {
        let sql = "DELETE FROM notice WHERE made_at < ?1 AND NOT EXISTS
                     (SELECT 1 FROM told WHERE told.conversation = notice.conversation AND told.token = notice.token
                        AND notice.token <> '')";
        let forgotten = self.database.execute(Durability::Ordinary, sql, [oldest]);
        forgotten.await.map(drop)
    }

    /// The notification of an approval that was sent to a channel of this person and login.
    pub async fn sent_notice(
        &self,
        (person, login, channel): (i64, Option<i64>, i64),
        conversation: &str,
        token: &str,
    ) -> Result<Option<SentNotice>, JournalError> {
        let (id, token) = (conversation.to_owned(), token.to_owned());
        let sql = "SELECT notice.sent_at, channel.choices, notice.content FROM notice JOIN channel ON channel.number = notice.channel
                   WHERE channel.number = ?3 AND channel.person = ?1 AND channel.login IS NOT DISTINCT FROM ?2 AND channel.kind = 'push'
                     AND notice.conversation = ?4 AND notice.token = ?5 AND notice.occasion = 'needs_approval'
                     AND notice.sent_at IS NOT NULL
                   ORDER BY notice.number DESC LIMIT 1";
        self.database
            .find(sql, (person, login, channel, id, token), |row| {
                Ok(SentNotice {
                    sent_at: row.get(0)?,
                    choices: row.get(1)?,
                    content: row.get(2)?,
                })
            })
            .await
    }
}

fn insert(
    transaction: &Transaction<'_>,
    conversation: &str,
    token: &str,
    made_at: i64,
    notice: &NewNotice,
) -> engine::Result<()> {
    // The channel may have been removed since.
    let seq: Option<i64> = transaction.value(
        "UPDATE channel SET seq = seq + 1 WHERE number = ?1 RETURNING seq",
        [notice.channel],
    )?;
    let Some(seq) = seq else { return Ok(()) };
    if notice.replaces {
        // One that is being sent ends without a record of its own: the new one is shown in its place.
        transaction
            .prepare_cached(
                "DELETE FROM notice WHERE channel = ?1 AND conversation = ?2 AND state = 'waiting'",
            )?
            .execute(params![notice.channel, conversation])?;
    }
    transaction
        .prepare_cached(
            "INSERT INTO notice (channel, seq, conversation, occasion, token, content, made_at, due_at, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            notice.channel,
            seq,
            conversation,
            notice.occasion,
            token,
            notice.content,
            made_at,
            notice.due_at,
            notice.expires_at
        ])?;
    transaction
        .prepare_cached("DELETE FROM notice WHERE channel = ?1 AND seq <= ?2")?
        .execute([notice.channel, seq - MOST])?;
    Ok(())
}
