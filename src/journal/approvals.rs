//! Questions that were put to people, exactly as they were shown, and what became of them.
//!
//! Invariant: of two answers to one question exactly one is stored ([`Journal::claim`] compares and
//! sets in one transaction that is on the disk before it returns), and only a stored one is sent.

use super::conversations::number_of;
use super::{Journal, JournalError, database::Durability};
use rusqlite::{OptionalExtension, Row, Transaction, params};

/// A question as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Names exactly what is shown.
    pub token: String,
    /// Names what is asked, however it is shown.
    pub question: String,
    /// What is shown.
    pub shown: String,
}

/// A question with what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Names exactly what was shown.
    pub token: String,
    /// What became of it.
    pub state: ApprovalState,
    /// The answer: a yes or a no. `None` while nobody answered.
    pub approved: Option<bool>,
    /// When it was answered, milliseconds since the Unix epoch.
    pub answered_at: Option<i64>,
    /// Who answered; empty while nobody did.
    pub answered_by: String,
}

/// What became of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalState {
    /// Nobody has answered.
    Open,
    /// An answer is stored and on its way.
    Sent,
    /// The backend took a yes.
    Approved,
    /// The backend took a no.
    Rejected,
    /// An answer was sent and it is not known whether it arrived.
    Indeterminate,
    /// What waits has changed, or waits no more: nobody can answer it.
    Superseded,
}

impl ApprovalState {
    const ALL: [Self; 6] = [
        Self::Open,
        Self::Sent,
        Self::Approved,
        Self::Rejected,
        Self::Indeterminate,
        Self::Superseded,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Sent => "sent",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Indeterminate => "indeterminate",
            Self::Superseded => "superseded",
        }
    }

    /// A word that we do not know cannot be answered.
    fn from_word(word: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|state| state.word() == word)
            .unwrap_or(Self::Superseded)
    }

    /// Whether an answer was given and is not in doubt.
    pub fn is_answered(self) -> bool {
        matches!(self, Self::Sent | Self::Approved | Self::Rejected)
    }

    /// Whether an answer may still be given.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Open | Self::Indeterminate)
    }
}

/// What came of trying to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// The answer is stored: it may be sent.
    Won,
    /// Somebody was there before; this is what they said.
    Answered(Approval),
    /// There is no such question.
    Unknown,
}

const COLUMNS: &str = "token, state, approved, answered_at, answered_by";

impl Journal {
    /// Stores a question that is being shown and answers the one that stands.
    ///
    /// If the same question has an answer on its way, that one stands. Every other one of the
    /// conversation that is still open is superseded.
    pub async fn ask(
        &self,
        conversation: &str,
        question: Question,
        now: i64,
    ) -> Result<Approval, JournalError> {
        let id = conversation.to_owned();
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(Err(JournalError::Unknown(id)));
                };
                let standing = transaction
                    .prepare_cached(&format!(
                        "SELECT {COLUMNS} FROM approval WHERE conversation = ?1 AND question = ?2
                         AND (state IN ('sent', 'approved', 'rejected') OR (token = ?3 AND state <> 'superseded'))"
                    ))?
                    .query_row(params![number, question.question, question.token], read)
                    .optional()?;
                let keep = standing.as_ref().map_or(&question.token, |one| &one.token);
                supersede(transaction, number, keep)?;
                if let Some(standing) = standing {
                    return Ok(Ok(standing));
                }
                transaction.execute(
                    "INSERT INTO approval (conversation, token, question, shown, asked_at, state) VALUES (?1, ?2, ?3, ?4, ?5, 'open')
                     ON CONFLICT (conversation, token) DO UPDATE SET state = 'open'",
                    params![number, question.token, question.question, question.shown, now],
                )?;
                Ok(Ok(Approval {
                    token: question.token,
                    state: ApprovalState::Open,
                    approved: None,
                    answered_at: None,
                    answered_by: String::new(),
                }))
            })
            .await?
    }

    /// Nothing waits any more: what nobody has answered cannot be answered now.
    pub async fn nothing_asked(&self, conversation: &str) -> Result<(), JournalError> {
        let id = conversation.to_owned();
        self.database
            .write(Durability::Ordinary, move |transaction| {
                if let Some(number) = number_of(transaction, &id)? {
                    supersede(transaction, number, "")?;
                }
                Ok(())
            })
            .await
    }

    /// Stores an answer if nobody has answered yet. On the disk when it returns.
    pub async fn claim(
        &self,
        conversation: &str,
        token: &str,
        approved: bool,
        reason: &str,
        by: &str,
        now: i64,
    ) -> Result<Claim, JournalError> {
        let (id, token) = (conversation.to_owned(), token.to_owned());
        let (reason, by) = (reason.to_owned(), by.to_owned());
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(Claim::Unknown);
                };
                let won = transaction.execute(
                    "UPDATE approval SET state = 'sent', approved = ?3, reason = ?4, answered_at = ?5, answered_by = ?6
                     WHERE conversation = ?1 AND token = ?2 AND state IN ('open', 'indeterminate')",
                    params![number, token, approved, reason, now, by],
                )?;
                if won == 1 {
                    return Ok(Claim::Won);
                }
                Ok(find(transaction, number, &token)?.map_or(Claim::Unknown, Claim::Answered))
            })
            .await
    }

    /// What became of a question; `None` if there was none.
    pub async fn approval(
        &self,
        conversation: &str,
        token: &str,
    ) -> Result<Option<Approval>, JournalError> {
        let (id, token) = (conversation.to_owned(), token.to_owned());
        self.database
            .read(move |transaction| match number_of(transaction, &id)? {
                Some(number) => find(transaction, number, &token),
                None => Ok(None),
            })
            .await
    }

    /// Stores what became of an answer that was on its way.
    pub async fn settle_answer(
        &self,
        conversation: &str,
        token: &str,
        state: ApprovalState,
    ) -> Result<(), JournalError> {
        let (id, token) = (conversation.to_owned(), token.to_owned());
        self.database
            .write(Durability::OnDisk, move |transaction| {
                if let Some(number) = number_of(transaction, &id)? {
                    transaction.execute(
                        "UPDATE approval SET state = ?3 WHERE conversation = ?1 AND token = ?2 AND state <> 'superseded'",
                        params![number, token, state.word()],
                    )?;
                }
                Ok(())
            })
            .await
    }
}

/// What was on its way when the program ended may or may not have arrived.
pub(super) fn mark_interrupted(transaction: &Transaction<'_>) -> rusqlite::Result<usize> {
    transaction.execute(
        "UPDATE approval SET state = 'indeterminate' WHERE state = 'sent'",
        [],
    )
}

fn supersede(transaction: &Transaction<'_>, number: i64, keep: &str) -> rusqlite::Result<usize> {
    transaction.execute(
        "UPDATE approval SET state = 'superseded'
         WHERE conversation = ?1 AND token <> ?2 AND state IN ('open', 'indeterminate')",
        params![number, keep],
    )
}

fn find(
    transaction: &Transaction<'_>,
    number: i64,
    token: &str,
) -> rusqlite::Result<Option<Approval>> {
    transaction
        .prepare_cached(&format!(
            "SELECT {COLUMNS} FROM approval WHERE conversation = ?1 AND token = ?2"
        ))?
        .query_row(params![number, token], read)
        .optional()
}

fn read(row: &Row<'_>) -> rusqlite::Result<Approval> {
    Ok(Approval {
        token: row.get(0)?,
        state: ApprovalState::from_word(row.get_ref(1)?.as_str()?),
        approved: row.get(2)?,
        answered_at: row.get(3)?,
        answered_by: row.get(4)?,
    })
}
