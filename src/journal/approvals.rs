//! Approval requests, exactly as they were shown, and their outcomes.
//!
//! Invariant: of two answers to one request exactly one is stored ([`Journal::claim`] compares and sets in one
//! transaction that is on disk before it returns), and only a stored answer is sent.
//! Invariant: whether an approval counts, and as which of two, is decided in that transaction (`standing.rs`).
//!
//! Long because an approval is asked, claimed and resolved here.

use super::conversations::number_of;
use super::engine::{self, Row, Transaction, params};
use super::standing::{self, FirstApproval, Standing, Verdict};
use super::{
    AuditEntry, Journal, JournalError, NewAmendment, NewTouch, amendments, audit,
    database::Durability, touches,
};
use crate::words::words;

/// A pending approval, as shown on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Identifies exactly what is shown.
    pub token: String,
    /// Identifies the actions that need approval, independent of how they are shown.
    pub question: String,
    /// The text that is shown.
    pub shown: String,
    /// The word for how its actions are rated, by which a second person may have to approve.
    pub rating: String,
}

/// An answer to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAnswer {
    /// The decision.
    pub approved: bool,
    /// The reason of a rejection, or empty.
    pub reason: String,
    /// The name that others see, or empty.
    pub by: String,
    /// Who answers and when, for the audit entries of the first and the second of two approvals.
    pub entry: AuditEntry,
    /// What is asked for instead of what is rejected.
    pub amendment: Option<NewAmendment>,
    /// What a passkey of its author has signed for it.
    pub touch: Option<NewTouch>,
}

/// An approval request with its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Identifies exactly what was shown.
    pub token: String,
    /// Its state.
    pub state: ApprovalState,
    /// The decision: approved or rejected. `None` until it is answered.
    pub approved: Option<bool>,
    /// Time of the answer, milliseconds since the Unix epoch.
    pub answered_at: Option<i64>,
    /// Name of the person who answered; empty until it is answered.
    pub answered_by: String,
    /// The approval that waits for a second one, or that had one.
    pub first: Option<FirstApproval>,
}

/// State of an approval request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalState {
    /// Not answered.
    Open,
    /// An answer is stored and being sent.
    Sent,
    /// The backend accepted an approval.
    Approved,
    /// The backend accepted a rejection.
    Rejected,
    /// An answer was sent, but its delivery is not confirmed.
    Indeterminate,
    /// The pending action has changed or is no longer pending: the request cannot be answered.
    Superseded,
}

words! {
    ApprovalState, word: Open "open", Sent "sent", Approved "approved", Rejected "rejected",
    Indeterminate "indeterminate", Superseded "superseded"
}

impl ApprovalState {
    /// Whether an answer was given and its delivery is known.
    pub fn is_answered(self) -> bool {
        matches!(self, Self::Sent | Self::Approved | Self::Rejected)
    }

    /// Whether an answer is still accepted.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Open | Self::Indeterminate)
    }
}

/// Result of [`Journal::claim`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// The answer is stored and may be sent.
    Won,
    /// It is stored as the first of two approvals, or was before by the same person: nothing may be sent.
    First(FirstApproval),
    /// It needs a touch of a passkey of its author, or came with one that does not hold. Nothing is stored.
    Untouched,
    /// It does not count, and why, in a whole sentence. Nothing is stored.
    Refused(String),
    /// An earlier answer is stored, or the request is superseded.
    Answered(Approval),
    /// There is no such request.
    Unknown,
}

const COLUMNS: &str =
    "token, state, approved, answered_at, answered_by, first_person, first_name, first_at";

impl Journal {
    /// Stores an approval request that is being shown and returns the current one.
    ///
    /// If the same actions already have an answer (sent or confirmed), that request is returned. All other open
    /// requests of the conversation are superseded. One that was superseded is asked anew: nobody has approved it yet.
    ///
    /// Errors: [`JournalError::Unknown`] if the journal has no such conversation.
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
                let standing = transaction.find(
                    &format!(
                        "SELECT {COLUMNS} FROM approval INDEXED BY approval_by_question
                         WHERE conversation = ?1 AND question = ?2
                         AND (state IN ('sent', 'approved', 'rejected') OR (token = ?3 AND state <> 'superseded'))"
                    ),
                    params![number, question.question, question.token],
                    read,
                )?;
                let keep = standing.as_ref().map_or(&question.token, |one| &one.token);
                supersede(transaction, number, keep)?;
                if let Some(standing) = standing {
                    // An older version has stored none.
                    transaction.execute(
                        "UPDATE approval SET rating = ?3 WHERE conversation = ?1 AND token = ?2 AND rating <> ?3",
                        params![number, question.token, question.rating],
                    )?;
                    return Ok(Ok(standing));
                }
                transaction.execute(
                    "INSERT INTO approval (conversation, token, question, shown, asked_at, state, rating)
                     VALUES (?1, ?2, ?3, ?4, ?5, 'open', ?6)
                     ON CONFLICT (conversation, token) DO UPDATE SET
                       state = 'open', rating = excluded.rating, first_person = NULL, first_name = '', first_at = NULL,
                       first_touched = 0, waits_since = excluded.asked_at, escalated_at = NULL, escalated_to = ''",
                    params![number, question.token, question.question, question.shown, now, question.rating],
                )?;
                Ok(Ok(Approval {
                    token: question.token,
                    state: ApprovalState::Open,
                    approved: None,
                    answered_at: None,
                    answered_by: String::new(),
                    first: None,
                }))
            })
            .await?
    }

    /// Supersedes all open requests of the conversation, because no action is pending any more.
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

    /// Stores an answer if the request is still open. The answer is on disk when this returns. `judge` decides what an
    /// approval counts for, and whether something may be asked for instead; a rejection by anybody counts.
    pub async fn claim(
        &self,
        conversation: &str,
        token: &str,
        answer: NewAnswer,
        judge: impl FnOnce(&Standing) -> Verdict + Send + 'static,
    ) -> Result<Claim, JournalError> {
        let (id, token) = (conversation.to_owned(), token.to_owned());
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(Claim::Unknown);
                };
                let (mut after, mut touched) = (None, false);
                if (answer.approved || answer.amendment.is_some())
                    && let Some(mut standing) =
                        standing::of(transaction, (number, &id), &token, answer.entry.person)?
                {
                    standing.touch = match &answer.touch {
                        Some(touch) => {
                            let is_same = touch.amended.is_empty() == answer.amendment.is_none();
                            Some(is_same && touches::holds(transaction, number, &token, touch, &answer.entry)?)
                        }
                        None => None,
                    };
                    touched = standing.touch == Some(true);
                    match judge(&standing) {
                        Verdict::Send => {}
                        Verdict::Second => after = standing.first,
                        Verdict::Touch => return Ok(Claim::Untouched),
                        Verdict::Refuse(why) => return Ok(Claim::Refused(why)),
                        Verdict::Keep => {
                            let known = find(transaction, number, &token)?;
                            let first = known.and_then(|known| known.first);
                            return Ok(first.map_or(Claim::Unknown, Claim::First));
                        }
                        Verdict::First => {
                            if let Some(touch) = answer.touch.as_ref().filter(|_| touched) {
                                touches::keep(transaction, touch, &answer.entry)?;
                            }
                            let (by, entry) = (answer.by, answer.entry);
                            return standing::keep_first(transaction, number, &token, by, entry, touched)
                                .map(Claim::First);
                        }
                    }
                }
                let NewAnswer {
                    approved,
                    reason,
                    by,
                    entry,
                    amendment,
                    touch,
                } = answer;
                let won = transaction.execute(
                    "UPDATE approval SET state = 'sent', approved = ?3, reason = ?4, answered_at = ?5, answered_by = ?6, unanswered = 0,
                       touched = ?7
                     WHERE conversation = ?1 AND token = ?2 AND state IN ('open', 'indeterminate')",
                    params![number, token, approved, reason, entry.at, by, touched && approved],
                )?;
                if won == 1 {
                    super::rules::answered(transaction, number, &token, approved, None)?;
                    if let Some(amendment) = amendment.filter(|_| !approved) {
                        amendments::keep(transaction, number, &token, &amendment, &entry, &by, touched)?;
                    }
                    if let Some(touch) = touch.filter(|_| touched) {
                        touches::keep(transaction, &touch, &entry)?;
                    }
                    if let Some(first) = after {
                        let entry = AuditEntry {
                            action: "second approval".to_owned(),
                            detail: format!("after {}", first.name),
                            ..entry
                        };
                        audit::append_done(transaction, entry)?;
                    }
                    return Ok(Claim::Won);
                }
                Ok(find(transaction, number, &token)?.map_or(Claim::Unknown, Claim::Answered))
            })
            .await
    }

    /// Marks the answers of a conversation as indeterminate that were being sent when its former task ended.
    ///
    /// Errors: the journal cannot be read or written.
    pub async fn interrupt_answers(&self, conversation: &str) -> Result<(), JournalError> {
        let id = conversation.to_owned();
        let is_sent =
            "state = 'sent' AND conversation = (SELECT number FROM conversation WHERE id = ?1)";
        let any = format!("SELECT 1 FROM approval WHERE {is_sent} LIMIT 1");
        let any = self.database.find(any, [id.clone()], |_| Ok(()));
        // Nearly always there is none, and nothing is written.
        if any.await?.is_some() {
            let mark = format!("UPDATE approval SET state = 'indeterminate' WHERE {is_sent}");
            self.database
                .write(Durability::Ordinary, move |transaction| {
                    transaction.execute(&mark, [id]).map(drop)
                })
                .await?;
        }
        Ok(())
    }

    /// The approval request with this token; `None` if there is none.
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

    /// Stores the outcome of an answer that was sent; a superseded request stays superseded. It is on disk with the audit
    /// entry that follows; an answer whose outcome a power failure loses is one with an unknown outcome.
    pub async fn resolve_answer(
        &self,
        conversation: &str,
        token: &str,
        state: ApprovalState,
    ) -> Result<(), JournalError> {
        let (id, token) = (conversation.to_owned(), token.to_owned());
        let sql = "UPDATE approval SET state = ?3 WHERE token = ?2 AND state <> 'superseded'
                   AND conversation = (SELECT number FROM conversation WHERE id = ?1)";
        self.database
            .execute(Durability::Ordinary, sql, (id, token, state.word()))
            .await
            .map(drop)
    }
}

/// Marks answers as indeterminate that were being sent when the previous process ended.
pub(super) fn mark_interrupted(transaction: &Transaction<'_>) -> engine::Result<usize> {
    transaction.execute(
        "UPDATE approval INDEXED BY approval_sent SET state = 'indeterminate' WHERE state = 'sent'",
        [],
    )
}

fn supersede(transaction: &Transaction<'_>, number: i64, keep: &str) -> engine::Result<usize> {
    transaction.execute(
        "UPDATE approval INDEXED BY approval_unanswered SET state = 'superseded'
         WHERE conversation = ?1 AND token <> ?2 AND state IN ('open', 'indeterminate')",
        params![number, keep],
    )
}

fn find(
    transaction: &Transaction<'_>,
    number: i64,
    token: &str,
) -> engine::Result<Option<Approval>> {
    transaction.find(
        &format!("SELECT {COLUMNS} FROM approval WHERE conversation = ?1 AND token = ?2"),
        params![number, token],
        read,
    )
}

fn read(row: &Row<'_>) -> engine::Result<Approval> {
    Ok(Approval {
        token: row.get(0)?,
        state: ApprovalState::from_word(row.get_ref(1)?.as_str()?)
            // An unknown word: the request cannot be answered.
            .unwrap_or(ApprovalState::Superseded),
        approved: row.get(2)?,
        answered_at: row.get(3)?,
        answered_by: row.get(4)?,
        first: match row.get(5)? {
            Some(person) => Some(FirstApproval {
                person,
                name: row.get(6)?,
                at: row.get(7)?,
            }),
            None => None,
        },
    })
}
