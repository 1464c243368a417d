//! Approval requests that nobody answers: since when each waits, whom deputies it was passed to, and its rejection.
//!
//! What is to happen, and when, is decided above this layer: here are the facts, as they are in the transaction.
//!
//! Invariant: nothing here approves. A rejection is stored with its audit entry in the transaction that finds that nobody has
//! answered the request, or any other of the same actions.

use super::conversations::number_of;
use super::drafts::until_known;
use super::engine::{self, Transaction, params};
use super::standing::{self, Account, Standing};
use super::{AuditEntry, Journal, JournalError, audit, database::Durability};

/// Setting: what happens when nobody answers, as JSON.
pub(crate) const ESCALATIONS: &str = "escalations";

/// Since when waits what nobody can answer, in milliseconds since the Unix epoch: never. It stays so when the clock is changed.
pub(crate) const NEVER: i64 = i64::MAX / 2;

/// That deputies were told of an approval request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Escalated {
    /// When, milliseconds since the Unix epoch.
    pub at: i64,
    /// Their names, as they were; empty if none of them could answer.
    pub to: Vec<String>,
}

/// Whose accounts matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Around {
    /// Numbers of the deputies.
    pub deputies: Vec<i64>,
    /// Names of those who look at the conversation.
    pub watchers: Vec<String>,
}

/// The facts about an approval request that nobody has answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// Since when it waits, milliseconds since the Unix epoch.
    pub since: i64,
    /// Whether deputies were told.
    pub escalated: Option<Escalated>,
    /// What happens when nobody answers, as JSON; empty if nobody has set it.
    pub escalations: String,
    /// Repository of the conversation.
    pub repository: Option<String>,
    /// Who may approve it, and who has approved first.
    pub standing: Standing,
    /// The deputies with an enabled account.
    pub deputies: Vec<Account>,
    /// Those who look at the conversation and have an enabled account.
    pub watchers: Vec<Account>,
}

impl Journal {
    /// Stores what happens when nobody answers. Where it has changed (`None`: everywhere), what waits does so from now on.
    pub async fn keep_escalations(
        &self,
        stored: &str,
        repository: Option<&str>,
        now: i64,
    ) -> Result<(), JournalError> {
        let kept = until_known(|| {
            let (stored, repository) = (stored.to_owned(), repository.map(str::to_owned));
            self.database.write(Durability::OnDisk, move |transaction| {
                transaction.execute(
                    "INSERT INTO setting (key, value) VALUES (?1, ?2)
                     ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                    [ESCALATIONS, &stored],
                )?;
                all_wait_anew(transaction, repository.as_deref(), now)
            })
        });
        kept.await
    }

    /// All approval requests wait from now on, as if they had just been asked.
    pub async fn all_wait_anew(&self, now: i64) -> Result<(), JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                all_wait_anew(transaction, None, now)
            })
            .await
    }

    /// The facts about an approval request; `None` if it is not open, or somebody has answered it.
    pub async fn unanswered(
        &self,
        conversation: &str,
        token: &str,
        around: Around,
    ) -> Result<Option<Unanswered>, JournalError> {
        let (id, token) = (conversation.to_owned(), token.to_owned());
        self.database
            .read(move |transaction| match number_of(transaction, &id)? {
                Some(number) => of(transaction, (number, &id), &token, &around),
                None => Ok(None),
            })
            .await
    }

    /// An approval request waits since this time, as if it had just been asked.
    pub async fn wait_anew(
        &self,
        conversation: &str,
        token: &str,
        since: i64,
    ) -> Result<(), JournalError> {
        let sql = "UPDATE approval SET waits_since = ?3, escalated_at = NULL, escalated_to = ''
                   WHERE conversation = (SELECT number FROM conversation WHERE id = ?1) AND token = ?2";
        let which = (conversation.to_owned(), token.to_owned(), since);
        let changed = self.database.execute(Durability::OnDisk, sql, which);
        changed.await.map(drop)
    }

    /// The clock was changed by so many milliseconds: what waits has waited as long as before. When deputies were told stays, as
    /// they would be told again.
    ///
    /// Errors: after [`JournalError::Indeterminate`] nobody knows how long anything has waited ([`Self::all_wait_anew`]).
    pub async fn shift_waits(&self, by: i64) -> Result<(), JournalError> {
        let sql = "UPDATE approval SET waits_since = coalesce(waits_since, asked_at) + ?1
                   WHERE state IN ('open', 'indeterminate')";
        let changed = self.database.execute(Durability::OnDisk, sql, [by]);
        changed.await.map(drop)
    }

    /// Stores that deputies are told of an approval request, with its audit entry. `judge` names them; if it returns `None`,
    /// or somebody has answered, nothing is stored.
    pub async fn escalate(
        &self,
        conversation: &str,
        token: &str,
        around: Around,
        entry: AuditEntry,
        judge: impl FnOnce(&Unanswered) -> Option<Vec<String>> + Send + 'static,
    ) -> Result<Option<Escalated>, JournalError> {
        let (id, token) = (conversation.to_owned(), token.to_owned());
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(None);
                };
                let facts = of(transaction, (number, &id), &token, &around)?;
                let Some(to) = facts.and_then(|facts| judge(&facts)) else {
                    return Ok(None);
                };
                let names = serde_json::to_string(&to).expect("names are plain data");
                transaction.execute(
                    "UPDATE approval SET escalated_at = ?3, escalated_to = ?4 WHERE conversation = ?1 AND token = ?2",
                    params![number, token, entry.at, names],
                )?;
                let detail = match to.is_empty() {
                    true => "no deputy can answer".to_owned(),
                    false => format!("to {}", to.join(", ")),
                };
                let at = entry.at;
                audit::append_done(transaction, AuditEntry { detail, ..entry })?;
                Ok(Some(Escalated { at, to }))
            })
            .await
    }

    /// Stores the rejection of an approval request that nobody has answered, with its audit entry, if `judge` agrees. Both
    /// are on disk when this returns the number of the entry; `None` if nothing was stored.
    pub async fn claim_unanswered(
        &self,
        conversation: &str,
        token: &str,
        (by, reason): (&str, &str),
        entry: AuditEntry,
        judge: impl FnOnce(&Unanswered) -> bool + Send + 'static,
    ) -> Result<Option<i64>, JournalError> {
        let (id, token) = (conversation.to_owned(), token.to_owned());
        let (by, reason) = (by.to_owned(), reason.to_owned());
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(None);
                };
                let facts = of(transaction, (number, &id), &token, &Around::default())?;
                if !facts.is_some_and(|facts| judge(&facts)) {
                    return Ok(None);
                }
                transaction.execute(
                    "UPDATE approval SET state = 'sent', approved = 0, reason = ?3, answered_at = ?4, answered_by = ?5, unanswered = 1
                     WHERE conversation = ?1 AND token = ?2",
                    params![number, token, reason, entry.at, by],
                )?;
                super::rules::answered(transaction, number, &token, false, None)?;
                let (number, hash) = audit::append(transaction, &entry)?;
                tracing::info!(number, hash, "audit entry appended");
                Ok(Some(number))
            })
            .await
    }
}

/// Has approval requests wait from now on, of all repositories or of one; but not what nobody can answer.
fn all_wait_anew(
    transaction: &Transaction<'_>,
    repository: Option<&str>,
    now: i64,
) -> engine::Result<()> {
    let repository = repository.map(str::to_ascii_lowercase);
    transaction
        .execute(
            "UPDATE approval SET waits_since = ?1, escalated_at = NULL, escalated_to = ''
             WHERE state IN ('open', 'indeterminate') AND coalesce(waits_since, asked_at) <= ?1
               AND (CAST(?2 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM conversation WHERE number = approval.conversation
                 AND lower(repository) = CAST(?2 AS TEXT)))",
            params![now, repository],
        )
        .map(drop)
}

/// The facts about an approval request of a conversation (its number and id); `None` if it is not open, or somebody has
/// answered it, or another one of the same actions.
fn of(
    transaction: &Transaction<'_>,
    (number, id): (i64, &str),
    token: &str,
    around: &Around,
) -> engine::Result<Option<Unanswered>> {
    let found = transaction.find(
        "SELECT coalesce(waits_since, asked_at), escalated_at, escalated_to,
           (SELECT repository FROM conversation WHERE number = ?1), (SELECT value FROM setting WHERE key = ?3)
         FROM approval WHERE conversation = ?1 AND token = ?2 AND state = 'open'
           AND (approved IS NULL OR unanswered = 1)
           AND NOT EXISTS (SELECT 1 FROM approval AS other WHERE other.conversation = ?1
             AND other.question = approval.question AND other.approved IS NOT NULL AND other.unanswered = 0)",
        params![number, token, ESCALATIONS],
        |row| {
            let at: Option<i64> = row.get(1)?;
            let to: String = row.get(2)?;
            let escalated = at.map(|at| Escalated {
                at,
                to: serde_json::from_str(&to).unwrap_or_default(),
            });
            let escalations: Option<String> = row.get(4)?;
            Ok((row.get(0)?, escalated, row.get(3)?, escalations.unwrap_or_default()))
        },
    )?;
    let Some((since, escalated, repository, escalations)) = found else {
        return Ok(None);
    };
    let Some(standing) = standing::of(transaction, (number, id), token, 0)? else {
        return Ok(None);
    };
    let (mut deputies, mut watchers) = (Vec::new(), Vec::new());
    for person in &around.deputies {
        deputies.extend(standing::account(transaction, *person)?);
    }
    for name in &around.watchers {
        watchers.extend(standing::account_named(transaction, name)?);
    }
    Ok(Some(Unanswered {
        since,
        escalated,
        escalations,
        repository,
        standing,
        deputies,
        watchers,
    }))
}
