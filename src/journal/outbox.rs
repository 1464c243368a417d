//! The outbox: messages being sent to an agent.
//!
//! Invariant: a `client_id` is accepted only once, ever. Invariant: nothing in the outbox is resent automatically.

use super::conversations::number_of;
use super::engine::{self, Row, Transaction, params};
use super::{Journal, JournalError, approvals, audit, database::Durability};
use crate::clock::now;
use crate::conversation::LogItem;
use crate::words::words;

/// A message in the outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// The id that the page assigned.
    pub client_id: String,
    /// The text of the message.
    pub text: String,
    /// `data:` URLs of images.
    pub images: Vec<String>,
    /// Names of uploaded files.
    pub files: Vec<String>,
    /// Time of writing, milliseconds since the Unix epoch.
    pub at: i64,
    /// Name of the author.
    pub by: String,
    /// Its delivery state.
    pub state: OutgoingState,
    /// The reason for waiting, failure or unknown outcome; else empty.
    pub why: String,
    /// The journal's `seq` when it was sent: its event gets a higher one.
    pub sent_after: i64,
}

/// Delivery state of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutgoingState {
    /// Queued until the agent is ready.
    Waiting,
    /// Being sent.
    Sending,
    /// Accepted by the backend.
    Sent,
    /// Not sent.
    Failed,
    /// Sent, but its delivery is not confirmed.
    Indeterminate,
    /// On the timeline, but perhaps without a run that reads it.
    Unread,
    /// On the timeline or discarded: only its id is kept.
    Done,
}

words! {
    OutgoingState, word: Waiting "waiting", Sending "sending", Sent "sent", Failed "failed",
    Indeterminate "indeterminate", Unread "unread", Done "done"
}

impl Journal {
    /// Stores a new message. `false`, without a change, if a message with this id was stored before.
    ///
    /// Errors: [`JournalError::Unknown`] if the journal has no such conversation.
    pub async fn take_message(
        &self,
        conversation: &str,
        message: Outgoing,
    ) -> Result<bool, JournalError> {
        let id = conversation.to_owned();
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(Err(JournalError::Unknown(id)));
                };
                let taken = transaction.execute(
                    "INSERT INTO outbox (conversation, client_id, text, images, files, at, state, why, sent_after, written_by)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT DO NOTHING",
                    params![
                        number,
                        message.client_id,
                        message.text,
                        json(&message.images),
                        json(&message.files),
                        message.at,
                        message.state.word(),
                        message.why,
                        message.sent_after,
                        message.by,
                    ],
                )?;
                Ok(Ok(taken == 1))
            })
            .await?
    }

    /// Updates the delivery state of a message. In state [`OutgoingState::Done`] only its id is kept. That it is being sent is
    /// on disk when this returns; that it has arrived can be lost in a power failure, and is then unknown.
    pub async fn mark_message(
        &self,
        conversation: &str,
        client_id: &str,
        state: OutgoingState,
        why: &str,
        sent_after: i64,
    ) -> Result<(), JournalError> {
        let (id, client_id, why) = (
            conversation.to_owned(),
            client_id.to_owned(),
            why.to_owned(),
        );
        let durability = match state {
            OutgoingState::Sent | OutgoingState::Unread | OutgoingState::Done => {
                Durability::Ordinary
            }
            _ => Durability::OnDisk,
        };
        self.database
            .write(durability, move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(());
                };
                if state == OutgoingState::Done {
                    transaction.execute(
                        "UPDATE outbox SET state = 'done', text = '', images = '[]', files = '[]', why = ''
                         WHERE conversation = ?1 AND client_id = ?2",
                        params![number, client_id],
                    )?;
                } else {
                    transaction.execute(
                        "UPDATE outbox SET state = ?3, why = ?4, sent_after = ?5 WHERE conversation = ?1 AND client_id = ?2",
                        params![number, client_id, state.word(), why, sent_after],
                    )?;
                }
                Ok(())
            })
            .await
    }

    /// Messages that are not done, in the order in which they were written.
    pub async fn outbox(&self, conversation: &str) -> Result<Vec<Outgoing>, JournalError> {
        let id = conversation.to_owned();
        let is_unmarked = self.database.is_unmarked();
        let sql = "SELECT client_id, text, images, files, at, state, why, sent_after, written_by
                   FROM outbox INDEXED BY outbox_under_way
                   WHERE conversation = (SELECT number FROM conversation WHERE id = ?1) AND state <> 'done' ORDER BY rowid";
        let found: Vec<Outgoing> = self.database.list(sql, [id], read).await?;
        Ok(match is_unmarked {
            true => found.into_iter().map(interrupted).collect(),
            false => found,
        })
    }

    /// Whether a message with this id was ever stored.
    pub async fn has_message(
        &self,
        conversation: &str,
        client_id: &str,
    ) -> Result<bool, JournalError> {
        let (id, client_id) = (conversation.to_owned(), client_id.to_owned());
        let sql =
            "SELECT 1 FROM outbox JOIN conversation ON conversation.number = outbox.conversation
                   WHERE conversation.id = ?1 AND client_id = ?2";
        let found = self.database.find(sql, (id, client_id), |_| Ok(()));
        Ok(found.await?.is_some())
    }

    /// The last message of a person in the log: its row, the upstream id of the event before it, and the event.
    pub async fn last_said(
        &self,
        conversation: &str,
    ) -> Result<Option<(i64, Option<String>, LogItem)>, JournalError> {
        let (id, reader) = (conversation.to_owned(), self.reader);
        let sql = "SELECT event.row, CASE WHEN json_valid(event.raw) THEN json_extract(event.raw, '$.parent_id') END, event.raw
                   FROM event JOIN conversation ON conversation.number = event.conversation
                   WHERE conversation.id = ?1 AND event.kind = 'message' AND event.source = 'human'
                     AND event.row IS NOT NULL ORDER BY event.pos DESC, event.seq DESC LIMIT 1";
        self.database
            .find(sql, [id], move |row| {
                Ok((row.get(0)?, row.get(1)?, reader(row.get_ref(2)?.as_str()?)))
            })
            .await
    }

    /// The first message of a person in the log, and its row.
    pub async fn first_said(
        &self,
        conversation: &str,
    ) -> Result<Option<(i64, LogItem)>, JournalError> {
        let (id, reader) = (conversation.to_owned(), self.reader);
        let sql = "SELECT event.row, event.raw FROM event JOIN conversation ON conversation.number = event.conversation
                   WHERE conversation.id = ?1 AND event.kind = 'message' AND event.source = 'human'
                     AND event.row IS NOT NULL ORDER BY event.seq LIMIT 1";
        self.database
            .find(sql, [id], move |row| {
                Ok((row.get(0)?, reader(row.get_ref(1)?.as_str()?)))
            })
            .await
    }
}

/// Marks operations that the previous process left unfinished.
pub(super) fn mark_what_was_interrupted(transaction: &Transaction<'_>) -> engine::Result<()> {
    let answers = approvals::mark_interrupted(transaction)?;
    let messages = mark_interrupted(transaction)?;
    let actions = audit::mark_interrupted(transaction, now())?;
    if answers + messages + actions > 0 {
        tracing::warn!(
            answers,
            messages,
            actions,
            "operations were unfinished when Handrail last ended"
        );
    }
    Ok(())
}

/// Why a message may not have gone through.
const CUT_OFF: &str =
    "This may not have gone through. Handrail was restarted while it was being sent.";
/// Why a message was not sent.
const NOT_SENT: &str = "Handrail was restarted before this was sent.";

fn mark_interrupted(transaction: &Transaction<'_>) -> engine::Result<usize> {
    let sending = transaction.execute(
        "UPDATE outbox INDEXED BY outbox_under_way SET state = 'indeterminate', why = ?1
         WHERE state = 'sending' AND state <> 'done'",
        [CUT_OFF],
    )?;
    let waiting = transaction.execute(
        "UPDATE outbox INDEXED BY outbox_under_way SET state = 'failed', why = ?1
         WHERE state = 'waiting' AND state <> 'done'",
        [NOT_SENT],
    )?;
    Ok(sending + waiting)
}

/// The message as [`mark_interrupted`] marks it.
fn interrupted(mut message: Outgoing) -> Outgoing {
    let (state, why) = match message.state {
        OutgoingState::Sending => (OutgoingState::Indeterminate, CUT_OFF),
        OutgoingState::Waiting => (OutgoingState::Failed, NOT_SENT),
        _ => return message,
    };
    (message.state, message.why) = (state, why.to_owned());
    message
}

fn json(list: &[String]) -> String {
    serde_json::to_string(list).expect("a list of texts is plain data")
}

fn read(row: &Row<'_>) -> engine::Result<Outgoing> {
    let list = |text: String| serde_json::from_str(&text).unwrap_or_default();
    Ok(Outgoing {
        client_id: row.get(0)?,
        text: row.get(1)?,
        images: list(row.get(2)?),
        files: list(row.get(3)?),
        at: row.get(4)?,
        state: OutgoingState::from_word(row.get_ref(5)?.as_str()?)
            // An unknown word: the message is not sent, and a person decides.
            .unwrap_or(OutgoingState::Indeterminate),
        why: row.get(6)?,
        sent_after: row.get(7)?,
        by: row.get(8)?,
    })
}
