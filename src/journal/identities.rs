//! External identities of people (OpenID Connect), looked up by issuer and subject.

use super::engine::{self, Transaction, params};
use super::people::{PERSON, PERSON_COLUMNS, PersonRecord, read_person};
use super::{Journal, JournalError, database::Durability, readers::Purpose};

/// An external identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityRecord {
    /// The identity provider.
    pub issuer: String,
    /// The provider's identifier of the person, never reassigned.
    pub subject: String,
}

impl Journal {
    /// The account of an identity, and whether the account was created for it.
    pub async fn identified(
        &self,
        identity: IdentityRecord,
    ) -> Result<Option<(PersonRecord, bool)>, JournalError> {
        self.database
            .read_for(Purpose::Account, move |transaction| {
                find(transaction, &identity)
            })
            .await
    }

    /// Creates an account for an identity, under the first free one of `names`, unless the identity has an account
    /// already. `None` if all names are taken.
    pub async fn add_identified(
        &self,
        identity: IdentityRecord,
        names: Vec<String>,
        role: &str,
        password: String,
        now: i64,
    ) -> Result<Option<PersonRecord>, JournalError> {
        let role = role.to_owned();
        self.database
            .write(Durability::OnDisk, move |transaction| {
                if let Some((person, _)) = find(transaction, &identity)? {
                    return Ok(Some(person));
                }
                for name in names {
                    let made = transaction.execute(
                        "INSERT INTO person (name, role, password, created_at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
                        params![name, role, password, now],
                    )?;
                    if made == 1 {
                        let number = transaction.last_insert_rowid()?;
                        keep(transaction, &identity, number, true, now)?;
                        return Ok(find(transaction, &identity)?.map(|(person, _)| person));
                    }
                }
                Ok(None)
            })
            .await
    }

    /// Links an identity to a person; `false` if it is linked already.
    pub async fn add_identity(
        &self,
        identity: IdentityRecord,
        person: i64,
        now: i64,
    ) -> Result<bool, JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                keep(transaction, &identity, person, false, now)
            })
            .await
    }

    /// Whether the account was created for an identity; `None` if the person has no identity.
    pub async fn has_identity(&self, person: i64) -> Result<Option<bool>, JournalError> {
        self.database
            .read(move |transaction| {
                transaction.one("SELECT max(made) FROM identity WHERE person = ?1", [person])
            })
            .await
    }

    /// Removes the identities that a person has linked; the one that the account was created for stays. `false` if
    /// there is nothing to remove.
    pub async fn forget_identities(&self, person: i64) -> Result<bool, JournalError> {
        let sql = "DELETE FROM identity WHERE person = ?1 AND made = 0";
        let forgotten = self
            .database
            .execute(Durability::OnDisk, sql, [person])
            .await?;
        Ok(forgotten > 0)
    }
}

fn find(
    transaction: &Transaction<'_>,
    identity: &IdentityRecord,
) -> engine::Result<Option<(PersonRecord, bool)>> {
    transaction.find(
        &format!(
            "SELECT {PERSON}, identity.made FROM identity JOIN person ON person.number = identity.person
             WHERE identity.issuer = ?1 AND identity.subject = ?2"
        ),
        [&identity.issuer, &identity.subject],
        |row| Ok((read_person(row, 0)?, row.get(PERSON_COLUMNS)?)),
    )
}

fn keep(
    transaction: &Transaction<'_>,
    identity: &IdentityRecord,
    person: i64,
    made: bool,
    now: i64,
) -> engine::Result<bool> {
    let kept = transaction.execute(
        "INSERT INTO identity (issuer, subject, person, made, since) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
        params![identity.issuer, identity.subject, person, made, now],
    )?;
    Ok(kept == 1)
}
