//! Passkeys of people, and the roles that require a passkey.
//!
//! Invariant: nobody with a role that requires a passkey has a login without one. Beginning a login and requiring passkeys
//! both keep it, each in one transaction.

use super::engine::{self, Row, Transaction, params};
use super::people::{PERSON, PERSON_COLUMNS, PersonRecord, changed, end_access, read_person};
use super::recovery::{add_codes, end_codes};
use super::{Journal, JournalError, SecretHash, database::Durability, readers::Purpose};

/// A passkey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasskeyRecord {
    /// Its number, never reused.
    pub number: i64,
    /// Its id, which the authenticator has chosen.
    pub id: Vec<u8>,
    /// What the authenticator knows the person by: random, and the same for all of their passkeys.
    pub handle: Vec<u8>,
    /// Its name, as the person has named it.
    pub name: String,
    /// The host name that it belongs to.
    pub place: String,
    /// Its public key and state, as JSON.
    pub credential: String,
    /// Time of registration, milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Last used, milliseconds since the Unix epoch.
    pub used_at: Option<i64>,
}

/// What a person logs in with beside the password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Factors {
    /// Number of passkeys.
    pub passkeys: usize,
    /// Number of unused recovery codes.
    pub codes: usize,
    /// Whether the role requires a passkey.
    pub required: bool,
}

/// Result of adding a passkey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasskeyAdded {
    /// It is stored; whether the recovery codes are stored as well, because there were none.
    Done(bool),
    /// It belongs to an account already.
    Taken,
    /// The person has too many.
    TooMany,
}

/// Result of removing a passkey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasskeyEnded {
    /// It is removed.
    Done,
    /// The person has no passkey of this number.
    Unknown,
    /// It is the last one, and the role requires one.
    Required,
}

/// Most passkeys of a person.
const MOST: i64 = 20;

const PASSKEY: &str = "passkey.number, passkey.id, passkey.handle, passkey.name, passkey.place, passkey.credential, passkey.created_at, passkey.used_at";

impl Journal {
    /// What a person logs in with beside the password.
    pub async fn factors(&self, person: i64) -> Result<Factors, JournalError> {
        let sql = "SELECT (SELECT count(*) FROM passkey WHERE person = ?1),
                          (SELECT count(*) FROM recovery_code WHERE person = ?1),
                          EXISTS (SELECT 1 FROM passkey_role JOIN person USING (role) WHERE person.number = ?1)";
        let found = self
            .database
            .find_for(Purpose::Account, sql, [person], |row| {
                let count = |at: usize| {
                    row.get(at)
                        .map(|count: i64| usize::try_from(count).unwrap_or_default())
                };
                Ok(Factors {
                    passkeys: count(0)?,
                    codes: count(1)?,
                    required: row.get(2)?,
                })
            });
        Ok(found.await?.unwrap_or_default())
    }

    /// The passkeys of a person, oldest first.
    pub async fn passkeys(&self, person: i64) -> Result<Vec<PasskeyRecord>, JournalError> {
        let sql = format!("SELECT {PASSKEY} FROM passkey WHERE person = ?1 ORDER BY number");
        self.database
            .list_for(Purpose::Account, sql, [person], |row| read_passkey(row, 0))
            .await
    }

    /// The person and passkey with this id, unless the person is disabled.
    pub async fn passkey(
        &self,
        id: Vec<u8>,
    ) -> Result<Option<(PersonRecord, PasskeyRecord)>, JournalError> {
        let sql = format!(
            "SELECT {PERSON}, {PASSKEY} FROM passkey JOIN person ON person.number = passkey.person
             WHERE passkey.id = ?1 AND person.disabled = 0"
        );
        self.database
            .find_for(Purpose::Account, sql, [id], |row| {
                Ok((read_person(row, 0)?, read_passkey(row, PERSON_COLUMNS)?))
            })
            .await
    }

    /// Stores a passkey, and `codes` if the person has no recovery codes. The login with this number, if any, counts as one
    /// with a passkey from now on.
    pub async fn add_passkey(
        &self,
        person: i64,
        passkey: PasskeyRecord,
        codes: Vec<SecretHash>,
        login: Option<i64>,
    ) -> Result<PasskeyAdded, JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let added = add(transaction, person, &passkey, &codes)?;
                if matches!(added, PasskeyAdded::Done(_)) {
                    transaction.execute(
                        "UPDATE login SET strong = 1 WHERE person = ?1 AND number = ?2",
                        params![person, login],
                    )?;
                }
                Ok(added)
            })
            .await
    }

    /// Stores that a passkey was used, and its new state. If the disk is full, it stays as it was.
    pub async fn touch_passkey(
        &self,
        number: i64,
        credential: String,
        now: i64,
    ) -> Result<(), JournalError> {
        let sql = "UPDATE passkey SET credential = ?2, used_at = ?3 WHERE number = ?1";
        let touched = self
            .database
            .execute(Durability::OnDisk, sql, (number, credential, now));
        Self::unless_full(touched.await).map(drop)
    }

    /// Removes a passkey of a person; with the last one also the recovery codes, which stand in for it.
    pub async fn end_passkey(
        &self,
        person: i64,
        number: i64,
    ) -> Result<PasskeyEnded, JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let others: i64 = transaction.one(
                    "SELECT count(*) FROM passkey WHERE person = ?1 AND number <> ?2",
                    [person, number],
                )?;
                if others == 0 && is_required(transaction, person)? {
                    return Ok(PasskeyEnded::Required);
                }
                let ended = transaction.execute(
                    "DELETE FROM passkey WHERE person = ?1 AND number = ?2",
                    [person, number],
                )?;
                if ended == 0 {
                    return Ok(PasskeyEnded::Unknown);
                }
                if others == 0 {
                    end_codes(transaction, person)?;
                }
                Ok(PasskeyEnded::Done)
            })
            .await
    }

    /// Removes all passkeys and recovery codes of a person, with their logins and access tokens. Returns how many passkeys.
    pub async fn end_passkeys(&self, person: i64) -> Result<usize, JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let ended =
                    transaction.execute("DELETE FROM passkey WHERE person = ?1", [person])?;
                end_codes(transaction, person)?;
                end_access(transaction, person)?;
                changed(transaction)?;
                Ok(ended)
            })
            .await
    }

    /// The words for the roles that require a passkey.
    pub async fn passkey_roles(&self) -> Result<Vec<String>, JournalError> {
        let sql = "SELECT role FROM passkey_role";
        self.database
            .list_for(Purpose::Account, sql, [], |row| row.get(0))
            .await
    }

    /// Has exactly these roles require a passkey, and ends the logins without one of those who have them.
    pub async fn require_passkeys(&self, roles: Vec<String>) -> Result<(), JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                transaction.execute("DELETE FROM passkey_role", [])?;
                for role in roles {
                    transaction.execute("INSERT INTO passkey_role (role) VALUES (?1)", [role])?;
                }
                transaction.execute(
                    "DELETE FROM login WHERE strong = 0 AND person IN
                       (SELECT number FROM person JOIN passkey_role USING (role))",
                    [],
                )?;
                // The access tokens of those who have no passkey yet rest, too.
                changed(transaction)
            })
            .await
    }
}

/// Stores a passkey, and `codes` if the person has none.
pub(super) fn add(
    transaction: &Transaction<'_>,
    person: i64,
    passkey: &PasskeyRecord,
    codes: &[SecretHash],
) -> engine::Result<PasskeyAdded> {
    let count = |table: &str| -> engine::Result<i64> {
        let sql = format!("SELECT count(*) FROM {table} WHERE person = ?1");
        transaction.one(&sql, [person])
    };
    if count("passkey")? >= MOST {
        return Ok(PasskeyAdded::TooMany);
    }
    let added = transaction.execute(
        "INSERT INTO passkey (id, person, handle, name, place, credential, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT DO NOTHING",
        params![
            passkey.id,
            person,
            passkey.handle,
            passkey.name,
            passkey.place,
            passkey.credential,
            passkey.created_at
        ],
    )?;
    if added == 0 {
        return Ok(PasskeyAdded::Taken);
    }
    let has_none = count("recovery_code")? == 0;
    if has_none {
        add_codes(transaction, person, codes)?;
    }
    Ok(PasskeyAdded::Done(has_none))
}

fn is_required(transaction: &Transaction<'_>, person: i64) -> engine::Result<bool> {
    let sql = "SELECT 1 FROM passkey_role JOIN person USING (role) WHERE person.number = ?1";
    transaction.exists(sql, [person])
}

fn read_passkey(row: &Row<'_>, at: usize) -> engine::Result<PasskeyRecord> {
    Ok(PasskeyRecord {
        number: row.get(at)?,
        id: row.get(at + 1)?,
        handle: row.get(at + 2)?,
        name: row.get(at + 3)?,
        place: row.get(at + 4)?,
        credential: row.get(at + 5)?,
        created_at: row.get(at + 6)?,
        used_at: row.get(at + 7)?,
    })
}
