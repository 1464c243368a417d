//! Accounts.
//!
//! Invariant: once there is an enabled owner, there always is one. Every change that takes a right away also deletes
//! the person's logins and increments [`Journal::people_version`], in the same transaction.

use super::engine::{self, OptionalExtension, Row, Transaction, params};
use super::{
    Journal, JournalError, amendments, database::Durability, devices, readers::Purpose, standing,
};

/// An account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonRecord {
    /// Its number, never reused.
    pub number: i64,
    /// Name, unique regardless of case.
    pub name: String,
    /// The word for its role.
    pub role: String,
    /// Hash of the password, as a PHC string.
    pub password: String,
    /// Whether logging in is blocked.
    pub disabled: bool,
    /// Time of creation, milliseconds since the Unix epoch.
    pub created_at: i64,
}

/// A change of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PersonChange {
    /// New role.
    Role(String),
    /// New password, as a PHC string; the login with this number, if any, stays valid.
    Password(String, Option<i64>),
    /// Disables or enables the account.
    Disabled(bool),
}

/// Result of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonChanged {
    /// The change is stored.
    Done,
    /// There is no such account.
    Unknown,
    /// The change would leave no enabled owner; nothing was changed.
    LastOwner,
}

/// The role that at least one enabled account must have.
const OWNER: &str = "owner";

const COLUMNS: &str = "number, name, role, password, disabled, created_at";
/// The same columns in a query of several tables, for [`read_person`].
pub(super) const PERSON: &str =
    "person.number, person.name, person.role, person.password, person.disabled, person.created_at";
/// Their number.
pub(super) const PERSON_COLUMNS: usize = 6;

/// An account in the list of accounts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPerson {
    /// The account.
    pub person: PersonRecord,
    /// Number of its logins.
    pub devices: usize,
    /// Number of its passkeys.
    pub passkeys: usize,
    /// Last use of a login, milliseconds since the Unix epoch.
    pub seen_at: Option<i64>,
}

impl Journal {
    /// Accounts with `words` in their names, ordered by name, at most `limit` after a name.
    pub async fn people(
        &self,
        words: &str,
        after: &str,
        limit: usize,
    ) -> Result<Vec<ListedPerson>, JournalError> {
        let (words, after) = (words.to_owned(), after.to_owned());
        let sql = format!(
            "SELECT {COLUMNS}, (SELECT count(*) FROM login WHERE login.person = person.number),
                     (SELECT max(seen_at) FROM login WHERE login.person = person.number),
                     (SELECT count(*) FROM passkey WHERE passkey.person = person.number)
                   FROM person WHERE name > ?2 AND (?1 = '' OR instr(lower(name), lower(?1)) > 0)
                   ORDER BY name LIMIT ?3"
        );
        self.database
            .list(sql, (words, after, limit as i64), |row| {
                let count = |at: usize| {
                    row.get(at)
                        .map(|count: i64| usize::try_from(count).unwrap_or_default())
                };
                Ok(ListedPerson {
                    person: read_person(row, 0)?,
                    devices: count(PERSON_COLUMNS)?,
                    seen_at: row.get(PERSON_COLUMNS + 1)?,
                    passkeys: count(PERSON_COLUMNS + 2)?,
                })
            })
            .await
    }

    /// The first names, at most `limit`, of those who can log in and are no owners.
    pub async fn names_but_of_owners(&self, limit: usize) -> Result<Vec<String>, JournalError> {
        let sql =
            "SELECT name FROM person WHERE disabled = 0 AND role <> ?1 ORDER BY name LIMIT ?2";
        self.database
            .list(sql, (OWNER, limit as i64), |row| row.get(0))
            .await
    }

    /// The account with this name.
    pub async fn person(&self, name: &str) -> Result<Option<PersonRecord>, JournalError> {
        let name = name.to_owned();
        let sql = format!("SELECT {COLUMNS} FROM person WHERE name = ?1");
        self.database
            .find_for(Purpose::Account, sql, [name], |row| read_person(row, 0))
            .await
    }

    /// The accounts with these numbers.
    pub async fn people_numbered(
        &self,
        numbers: Vec<i64>,
    ) -> Result<Vec<PersonRecord>, JournalError> {
        self.database
            .read(move |transaction| {
                let sql = format!("SELECT {COLUMNS} FROM person WHERE number = ?1");
                let mut statement = transaction.prepare_cached(&sql)?;
                let mut found = Vec::with_capacity(numbers.len());
                for number in numbers {
                    let person = statement.query_row([number], |row| read_person(row, 0));
                    found.extend(person.optional()?);
                }
                Ok(found)
            })
            .await
    }

    /// Whether there is an enabled owner.
    pub async fn has_owner(&self) -> Result<bool, JournalError> {
        self.database.read_for(Purpose::Account, owned).await
    }

    /// Creates an account and returns its number. `None` if the name is taken, or if `first` is set and there is an
    /// owner already.
    pub async fn add_person(
        &self,
        name: &str,
        role: &str,
        password: String,
        first: bool,
        now: i64,
    ) -> Result<Option<i64>, JournalError> {
        let (name, role) = (name.to_owned(), role.to_owned());
        self.database
            .write(Durability::OnDisk, move |transaction| {
                if first && owned(transaction)? {
                    return Ok(None);
                }
                let made = transaction.execute(
                    "INSERT INTO person (name, role, password, created_at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
                    params![name, role, password, now],
                )?;
                (made == 1).then(|| transaction.last_insert_rowid()).transpose()
            })
            .await
    }

    /// Changes an account and deletes its logins. A new password, disabling and enabling also revoke its access tokens;
    /// a new role does not, since a token never allows more than the role of its owner.
    pub async fn change_person(
        &self,
        number: i64,
        change: PersonChange,
    ) -> Result<PersonChanged, JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let before = transaction.find(
                    &format!("SELECT {COLUMNS} FROM person WHERE number = ?1"),
                    [number],
                    |row| read_person(row, 0),
                )?;
                let Some(before) = before else {
                    return Ok(PersonChanged::Unknown);
                };
                let is_owner = before.role == OWNER && !before.disabled;
                let stays_owner = match &change {
                    PersonChange::Role(role) => role == OWNER,
                    PersonChange::Password(..) => true,
                    PersonChange::Disabled(disabled) => !disabled,
                };
                if is_owner && !stays_owner && owners(transaction)? == 1 {
                    return Ok(PersonChanged::LastOwner);
                }
                let kept = match change {
                    PersonChange::Role(role) => {
                        transaction.execute(
                            "UPDATE person SET role = ?2 WHERE number = ?1",
                            params![number, role],
                        )?;
                        if role != OWNER {
                            take_back(transaction, number)?;
                        }
                        None
                    }
                    PersonChange::Password(password, kept) => {
                        transaction.execute(
                            "UPDATE person SET password = ?2 WHERE number = ?1",
                            params![number, password],
                        )?;
                        end_tokens(transaction, number)?;
                        kept
                    }
                    PersonChange::Disabled(disabled) => {
                        transaction.execute(
                            "UPDATE person SET disabled = ?2 WHERE number = ?1",
                            params![number, disabled],
                        )?;
                        devices::forget_all(transaction, number)?;
                        end_tokens(transaction, number)?;
                        take_back(transaction, number)?;
                        None
                    }
                };
                transaction.execute(
                    "DELETE FROM login WHERE person = ?1 AND number <> ifnull(?2, 0)",
                    params![number, kept],
                )?;
                changed(transaction)?;
                Ok(PersonChanged::Done)
            })
            .await
    }

    /// A counter that increases whenever any process takes a right away.
    pub async fn people_version(&self) -> Result<i64, JournalError> {
        let version = self.database.read_for(Purpose::Account, |transaction| {
            transaction
                .value::<String>("SELECT value FROM setting WHERE key = 'people_version'", [])
        });
        let version = version.await?;
        Ok(version.and_then(|text| text.parse().ok()).unwrap_or(0))
    }
}

/// Takes back what a person has approved or asked for, and what has not taken effect.
fn take_back(transaction: &Transaction<'_>, person: i64) -> engine::Result<()> {
    amendments::end_those_of(transaction, person)?;
    standing::take_back(transaction, person)
}

/// Ends all logins and access tokens of a person, and forgets their browsers.
pub(super) fn end_access(transaction: &Transaction<'_>, person: i64) -> engine::Result<()> {
    transaction.execute("DELETE FROM login WHERE person = ?1", [person])?;
    devices::forget_all(transaction, person)?;
    end_tokens(transaction, person)
}

/// Revokes all access tokens: someone who stole the password may have created one.
fn end_tokens(transaction: &Transaction<'_>, person: i64) -> engine::Result<()> {
    transaction.execute("DELETE FROM access_token WHERE person = ?1", [person])?;
    Ok(())
}

/// Increments [`Journal::people_version`].
pub(super) fn changed(transaction: &Transaction<'_>) -> engine::Result<()> {
    transaction.execute(
        "INSERT INTO setting (key, value) VALUES ('people_version', '1')
         ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(setting.value AS BIGINT) + 1 AS TEXT)",
        [],
    )?;
    Ok(())
}

fn owners(transaction: &Transaction<'_>) -> engine::Result<i64> {
    transaction.one(
        "SELECT count(*) FROM person WHERE role = ?1 AND disabled = 0",
        [OWNER],
    )
}

fn owned(transaction: &Transaction<'_>) -> engine::Result<bool> {
    Ok(owners(transaction)? > 0)
}

/// Reads a person from the columns that start at `at`.
pub(super) fn read_person(row: &Row<'_>, at: usize) -> engine::Result<PersonRecord> {
    Ok(PersonRecord {
        number: row.get(at)?,
        name: row.get(at + 1)?,
        role: row.get(at + 2)?,
        password: row.get(at + 3)?,
        disabled: row.get(at + 4)?,
        created_at: row.get(at + 5)?,
    })
}
