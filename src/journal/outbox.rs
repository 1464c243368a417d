//! Messages on their way to an agent.
//!
//! Invariant: a `client_id` is taken once, for ever. Invariant: nothing here is sent again by itself.

use super::conversations::number_of;
use super::{Journal, JournalError, approvals, database::Durability};
use rusqlite::{OptionalExtension, Row, Transaction, params};

/// A message on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// The id that the page gave it.
    pub client_id: String,
    /// The text.
    pub text: String,
    /// `data:` URLs of images.
    pub images: Vec<String>,
    /// Names of uploaded files.
    pub files: Vec<String>,
    /// Written at, milliseconds since the Unix epoch.
    pub at: i64,
    /// Who wrote it.
    pub by: String,
    /// How far it is.
    pub state: OutgoingState,
    /// What it waits for, why it failed or what is unsure, or empty.
    pub why: String,
    /// The journal's `seq` when it was sent: it comes back behind that.
    pub sent_after: i64,
}

/// How far a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutgoingState {
    /// Not sent yet: it waits until the agent is ready.
    Waiting,
    /// Being sent.
    Sending,
    /// The backend took it.
    Sent,
    /// It was not sent.
    Failed,
    /// It may or may not have arrived.
    Indeterminate,
    /// It is on the timeline, or was given up: only its id is kept.
    Done,
}

impl OutgoingState {
    const ALL: [Self; 6] = [
        Self::Waiting,
        Self::Sending,
        Self::Sent,
        Self::Failed,
        Self::Indeterminate,
        Self::Done,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Sending => "sending",
            Self::Sent => "sent",
            Self::Failed => "failed",
            Self::Indeterminate => "indeterminate",
            Self::Done => "done",
        }
    }

    /// What we do not understand is not sent, and a person looks at it.
    fn from_word(word: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|state| state.word() == word)
            .unwrap_or(Self::Indeterminate)
    }
}

impl Journal {
    /// Takes a message. `false` when one of this id was taken before; then nothing is changed.
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

    /// Notes how far a message is. One that is done keeps its id alone.
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
        self.database
            .write(Durability::OnDisk, move |transaction| {
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

    /// Messages on their way, in the order they were written.
    pub async fn outbox(&self, conversation: &str) -> Result<Vec<Outgoing>, JournalError> {
        let id = conversation.to_owned();
        self.database
            .read(move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(Vec::new());
                };
                transaction
                    .prepare_cached(
                        "SELECT client_id, text, images, files, at, state, why, sent_after, written_by FROM outbox
                         WHERE conversation = ?1 AND state <> 'done' ORDER BY rowid",
                    )?
                    .query_map([number], read)?
                    .collect()
            })
            .await
    }

    /// Whether a message of this id was ever taken.
    pub async fn has_message(
        &self,
        conversation: &str,
        client_id: &str,
    ) -> Result<bool, JournalError> {
        let (id, client_id) = (conversation.to_owned(), client_id.to_owned());
        self.database
            .read(move |transaction| {
                let found: Option<i64> = transaction
                    .query_row(
                        "SELECT 1 FROM outbox JOIN conversation ON conversation.number = outbox.conversation
                         WHERE conversation.id = ?1 AND client_id = ?2",
                        params![id, client_id],
                        |row| row.get(0),
                    )
                    .optional()?;
                Ok(found.is_some())
            })
            .await
    }

    /// Marks what was on its way when the program ended the last time.
    pub(super) async fn mark_what_was_interrupted(&self) -> Result<(), JournalError> {
        self.database
            .write(Durability::OnDisk, |transaction| {
                let answers = approvals::mark_interrupted(transaction)?;
                let messages = mark_interrupted(transaction)?;
                if answers + messages > 0 {
                    tracing::warn!(
                        answers,
                        messages,
                        "some things were on their way when Handrail ended"
                    );
                }
                Ok(())
            })
            .await
    }
}

fn mark_interrupted(transaction: &Transaction<'_>) -> rusqlite::Result<usize> {
    let sending = transaction.execute(
        "UPDATE outbox SET state = 'indeterminate',
           why = 'Handrail was restarted while this was being sent: it may or may not have arrived.'
         WHERE state = 'sending'",
        [],
    )?;
    let waiting = transaction.execute(
        "UPDATE outbox SET state = 'failed', why = 'Handrail was restarted before this was sent.' WHERE state = 'waiting'",
        [],
    )?;
    Ok(sending + waiting)
}

fn json(list: &[String]) -> String {
    serde_json::to_string(list).expect("a list of texts is plain data")
}

fn read(row: &Row<'_>) -> rusqlite::Result<Outgoing> {
    let list = |text: String| serde_json::from_str(&text).unwrap_or_default();
    Ok(Outgoing {
        client_id: row.get(0)?,
        text: row.get(1)?,
        images: list(row.get(2)?),
        files: list(row.get(3)?),
        at: row.get(4)?,
        state: OutgoingState::from_word(row.get_ref(5)?.as_str()?),
        why: row.get(6)?,
        sent_after: row.get(7)?,
        by: row.get(8)?,
    })
}
