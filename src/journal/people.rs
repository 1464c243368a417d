//! The people who may log in.
//!
//! Invariant: once there is an owner who is not disabled, there always is one. Whatever takes a right
//! away also ends the person's logins, in the same transaction, and moves [`Journal::people_version`] on.

use super::{Journal, JournalError, database::Durability};
use rusqlite::{OptionalExtension, Row, Transaction, params};

/// Somebody with an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonRecord {
    /// Their number, never used again.
    pub number: i64,
    /// What they are called; differs from all others, whatever the case of its letters.
    pub name: String,
    /// Their role, in the word of the layer above.
    pub role: String,
    /// Hash of their password, as a PHC string.
    pub password: String,
    /// They cannot log in.
    pub disabled: bool,
    /// Since when there is an account, milliseconds since the Unix epoch.
    pub created_at: i64,
}

/// What is to be different about somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PersonChange {
    /// Another role.
    Role(String),
    /// Another password, as a PHC string; the login with this number goes on.
    Password(String, Option<i64>),
    /// Cannot log in, or can again.
    Disabled(bool),
}

/// What came of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonChanged {
    /// It is done.
    Done,
    /// There is no such person.
    Unknown,
    /// Nobody would be owner any more; nothing was done.
    LastOwner,
}

/// The role that there must always be somebody with.
const OWNER: &str = "owner";

const COLUMNS: &str = "number, name, role, password, disabled, created_at";

impl Journal {
    /// All accounts, by name.
    pub async fn people(&self) -> Result<Vec<PersonRecord>, JournalError> {
        self.database
            .read(|transaction| {
                transaction
                    .prepare_cached(&format!("SELECT {COLUMNS} FROM person ORDER BY name"))?
                    .query_map([], |row| read_person(row, 0))?
                    .collect()
            })
            .await
    }

    /// The account of this name.
    pub async fn person(&self, name: &str) -> Result<Option<PersonRecord>, JournalError> {
        let name = name.to_owned();
        self.database
            .read(move |transaction| {
                transaction
                    .prepare_cached(&format!("SELECT {COLUMNS} FROM person WHERE name = ?1"))?
                    .query_row([name], |row| read_person(row, 0))
                    .optional()
            })
            .await
    }

    /// Whether somebody is owner and can log in.
    pub async fn has_owner(&self) -> Result<bool, JournalError> {
        self.database.read(owned).await
    }

    /// Makes an account and answers its number; `None` if the name is taken, or if `first` is wanted and
    /// there is an owner already.
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
                Ok((made == 1).then(|| transaction.last_insert_rowid()))
            })
            .await
    }

    /// Changes an account, and ends its logins. Its access tokens never allow more than its role does.
    pub async fn change_person(
        &self,
        number: i64,
        change: PersonChange,
    ) -> Result<PersonChanged, JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let before = transaction
                    .prepare_cached(&format!("SELECT {COLUMNS} FROM person WHERE number = ?1"))?
                    .query_row([number], |row| read_person(row, 0))
                    .optional()?;
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
                        None
                    }
                    PersonChange::Password(password, kept) => {
                        transaction.execute(
                            "UPDATE person SET password = ?2 WHERE number = ?1",
                            params![number, password],
                        )?;
                        kept
                    }
                    PersonChange::Disabled(disabled) => {
                        transaction.execute(
                            "UPDATE person SET disabled = ?2 WHERE number = ?1",
                            params![number, disabled],
                        )?;
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

    /// A number that grows whenever somebody loses a right, by whatever process.
    pub async fn people_version(&self) -> Result<i64, JournalError> {
        let version = self.setting("people_version").await?;
        Ok(version.and_then(|text| text.parse().ok()).unwrap_or(0))
    }
}

/// Notes that somebody lost a right.
pub(super) fn changed(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    transaction.execute(
        "INSERT INTO setting (key, value) VALUES ('people_version', '1')
         ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)",
        [],
    )?;
    Ok(())
}

fn owners(transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached("SELECT count(*) FROM person WHERE role = ?1 AND disabled = 0")?
        .query_row([OWNER], |row| row.get(0))
}

fn owned(transaction: &Transaction<'_>) -> rusqlite::Result<bool> {
    Ok(owners(transaction)? > 0)
}

/// Reads a person whose columns begin at `at`.
pub(super) fn read_person(row: &Row<'_>, at: usize) -> rusqlite::Result<PersonRecord> {
    Ok(PersonRecord {
        number: row.get(at)?,
        name: row.get(at + 1)?,
        role: row.get(at + 2)?,
        password: row.get(at + 3)?,
        disabled: row.get(at + 4)?,
        created_at: row.get(at + 5)?,
    })
}
