//! What an approval counts for depends on this, read in the transaction that stores it.
//!
//! Who may approve, and when a second person has to, is decided above this layer: here are the facts, as they are in the
//! transaction, so that no right that is lost and no other answer slips in between.

use super::conversations::number_of;
use super::engine::{self, Transaction, params};
use super::sharing::{SharingRecord, sharing_of};
use super::touches::TOUCHES;
use super::{AuditEntry, Journal, JournalError, audit};

/// Setting: who may approve what, as JSON.
pub(crate) const AUTHORITY: &str = "approval_authority";

/// The owner's role.
const OWNER: &str = "owner";

/// An account that is enabled, or the local user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its number; 0 for the local user.
    pub person: i64,
    /// Its name; empty for the local user.
    pub name: String,
    /// The word for its role.
    pub role: String,
    /// Whether it has a passkey.
    pub has_passkey: bool,
}

/// The facts about an open approval request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The word for how its actions are rated.
    pub rating: String,
    /// Who may approve what, as JSON; empty if nobody has set it.
    pub authority: String,
    /// Who answers; `None` if the account is disabled or gone.
    pub by: Option<Account>,
    /// Who has approved before; `None` if nobody has, or the account is disabled or gone.
    pub first: Option<Account>,
    /// Who may see the conversation.
    pub sharing: SharingRecord,
    /// Which approvals need a touch of a passkey, as JSON; empty if nobody has set it.
    pub touches: String,
    /// The repository of the conversation.
    pub repository: Option<String>,
    /// Whether the touch that came with the answer holds; `None` if none came.
    pub touch: Option<bool>,
    /// Whether the one who has approved before has touched.
    pub first_touched: bool,
}

/// An approval that does not suffice alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstApproval {
    /// Number of the person.
    pub person: i64,
    /// Their name, as it was.
    pub name: String,
    /// Time, milliseconds since the Unix epoch.
    pub at: i64,
}

/// What an approval counts for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is sent.
    Send,
    /// It completes the first one, and is sent.
    Second,
    /// It is stored as the first of two.
    First,
    /// The same person has approved before: nothing changes.
    Keep,
    /// Nothing: it needs a touch of a passkey of its author.
    Touch,
    /// Nothing, and why, in a whole sentence.
    Refuse(String),
}

impl Journal {
    /// The facts about an open approval request, for nobody who answers; `None` if it is not open.
    pub async fn standing(
        &self,
        conversation: &str,
        token: &str,
    ) -> Result<Option<Standing>, JournalError> {
        let (id, token) = (conversation.to_owned(), token.to_owned());
        self.database
            .read(move |transaction| match number_of(transaction, &id)? {
                Some(number) => of(transaction, (number, &id), &token, 0),
                None => Ok(None),
            })
            .await
    }
}

/// The facts about an approval request of a conversation (its number and id); `None` if it is not open.
pub(super) fn of(
    transaction: &Transaction<'_>,
    (number, id): (i64, &str),
    token: &str,
    by: i64,
) -> engine::Result<Option<Standing>> {
    let open = transaction.find(
        "SELECT rating, first_person, first_touched FROM approval
             WHERE conversation = ?1 AND token = ?2 AND state IN ('open', 'indeterminate')",
        params![number, token],
        |row| {
            let first: Option<i64> = row.get(1)?;
            Ok((row.get::<_, String>(0)?, first, row.get::<_, bool>(2)?))
        },
    )?;
    let Some((rating, first, first_touched)) = open else {
        return Ok(None);
    };
    let setting = |key: &str| -> engine::Result<String> {
        let value = transaction.value("SELECT value FROM setting WHERE key = ?1", [key])?;
        Ok(value.unwrap_or_default())
    };
    let repository = transaction.value(
        "SELECT repository FROM conversation WHERE number = ?1",
        [number],
    )?;
    Ok(Some(Standing {
        rating,
        authority: setting(AUTHORITY)?,
        touches: setting(TOUCHES)?,
        repository: repository.flatten(),
        touch: None,
        first_touched,
        by: account(transaction, by)?,
        first: match first {
            Some(first) => account(transaction, first)?,
            None => None,
        },
        sharing: sharing_of(transaction, id)?.unwrap_or_default(),
    }))
}

/// An account that is enabled, by its number.
pub(super) fn account(
    transaction: &Transaction<'_>,
    person: i64,
) -> engine::Result<Option<Account>> {
    if person == 0 {
        // With the first owner, the local user loses all rights.
        let is_owned = transaction.exists(
            "SELECT 1 FROM person WHERE role = ?1 AND disabled = 0",
            [OWNER],
        )?;
        return Ok((!is_owned).then(|| Account {
            person,
            name: String::new(),
            role: OWNER.to_owned(),
            has_passkey: false,
        }));
    }
    transaction.find(
        "SELECT name, role, (SELECT count(*) FROM passkey WHERE passkey.person = ?1) FROM person WHERE number = ?1 AND disabled = 0",
        [person],
        |row| {
            Ok(Account {
                person,
                name: row.get(0)?,
                role: row.get(1)?,
                has_passkey: row.get::<_, i64>(2)? > 0,
            })
        },
    )
}

/// An account that is enabled, by its name.
pub(super) fn account_named(
    transaction: &Transaction<'_>,
    name: &str,
) -> engine::Result<Option<Account>> {
    let person = transaction.value("SELECT number FROM person WHERE name = ?1", [name])?;
    person.map_or(Ok(None), |person| account(transaction, person))
}

/// Stores an approval as the first of two, with its audit entry.
pub(super) fn keep_first(
    transaction: &Transaction<'_>,
    number: i64,
    token: &str,
    name: String,
    entry: AuditEntry,
    touched: bool,
) -> engine::Result<FirstApproval> {
    let first = FirstApproval {
        person: entry.person,
        name,
        at: entry.at,
    };
    transaction.execute(
        "UPDATE approval SET first_person = ?3, first_name = ?4, first_at = ?5, first_touched = ?6
         WHERE conversation = ?1 AND token = ?2",
        params![number, token, first.person, first.name, first.at, touched],
    )?;
    let entry = AuditEntry {
        action: "first approval".to_owned(),
        detail: "a second person has to approve".to_owned(),
        ..entry
    };
    audit::append_done(transaction, entry)?;
    Ok(first)
}

/// Takes back what a person has approved first, where a second one has to: they may have lost the right.
pub(super) fn take_back(transaction: &Transaction<'_>, person: i64) -> engine::Result<()> {
    transaction
        .execute(
            "UPDATE approval SET first_person = NULL, first_name = '', first_at = NULL
             WHERE first_person = ?1 AND state IN ('open', 'indeterminate')",
            [person],
        )
        .map(drop)
}
