//! Invitations, with which people make their own account; looked up by the hash of their secret.
//!
//! An invitation is good once, and as long as the owner who made it is one.

use super::engine::{self, Row, params};
use super::passkeys::{self, PasskeyAdded, PasskeyRecord};
use super::people::{PERSON, PersonRecord, changed, read_person};
use super::{Journal, JournalError, SecretHash, database::Durability, readers::Purpose};

/// An invitation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvitationRecord {
    /// Its number, never reused.
    pub number: i64,
    /// The word for the role of the account.
    pub role: String,
    /// Name of the account; empty if the invited person chooses it.
    pub name: String,
    /// Name of its creator.
    pub by: String,
    /// Time of creation, milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Time of expiry, milliseconds since the Unix epoch.
    pub expires_at: i64,
}

/// The account that an invited person makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAccount {
    /// Its name.
    pub name: String,
    /// Hash of its password, as a PHC string.
    pub password: String,
    /// A passkey and recovery codes, if the person logs in with one.
    pub passkey: Option<(PasskeyRecord, Vec<SecretHash>)>,
}

/// Result of accepting an invitation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Accepted {
    /// The account is made, and the invitation used up.
    Done(PersonRecord),
    /// The invitation was used, revoked or has expired.
    Gone,
    /// The name is taken, or the passkey; the invitation stays.
    Taken,
}

/// Invitations that are good at the time `?1`.
const GOOD: &str =
    "SELECT invitation.number, invitation.role, invitation.name, person.name, invitation.created_at, invitation.expires_at
     FROM invitation JOIN person ON person.number = invitation.person
     WHERE person.disabled = 0 AND person.role = 'owner' AND invitation.expires_at > ?1";

impl Journal {
    /// Stores an invitation by `person`; returns its number. Deletes the expired ones.
    pub async fn add_invitation(
        &self,
        person: i64,
        hash: SecretHash,
        invitation: InvitationRecord,
    ) -> Result<i64, JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                transaction.execute(
                    "DELETE FROM invitation WHERE expires_at <= ?1",
                    [invitation.created_at],
                )?;
                transaction.execute(
                    "INSERT INTO invitation (hash, person, role, name, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    params![
                        hash,
                        person,
                        invitation.role,
                        invitation.name,
                        invitation.created_at,
                        invitation.expires_at
                    ],
                )?;
                transaction.last_insert_rowid()
            })
            .await
    }

    /// The invitation with this secret, if it is good at the time `now`.
    pub async fn invitation(
        &self,
        hash: SecretHash,
        now: i64,
    ) -> Result<Option<InvitationRecord>, JournalError> {
        let sql = format!("{GOOD} AND invitation.hash = ?2");
        self.database
            .find_for(Purpose::Account, sql, (now, hash), read_invitation)
            .await
    }

    /// The invitations that are good at the time `now`, newest first, at most `limit`.
    pub async fn invitations(
        &self,
        now: i64,
        limit: usize,
    ) -> Result<Vec<InvitationRecord>, JournalError> {
        let sql = format!("{GOOD} ORDER BY invitation.number DESC LIMIT ?2");
        self.database
            .list_for(Purpose::Account, sql, (now, limit as i64), read_invitation)
            .await
    }

    /// Revokes an invitation; `false` if there is none of this number.
    pub async fn end_invitation(&self, number: i64) -> Result<bool, JournalError> {
        let sql = "DELETE FROM invitation WHERE number = ?1";
        let ended = self.database.execute(Durability::OnDisk, sql, [number]);
        Ok(ended.await? == 1)
    }

    /// Makes the account of an invitation, which is used up. Of concurrent calls only one succeeds.
    pub async fn accept_invitation(
        &self,
        hash: SecretHash,
        account: NewAccount,
        now: i64,
    ) -> Result<Accepted, JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let found = transaction.find(
                    &format!("{GOOD} AND invitation.hash = ?2"),
                    params![now, hash],
                    read_invitation,
                )?;
                let Some(invitation) = found else {
                    return Ok(Accepted::Gone);
                };
                let name = match invitation.name.as_str() {
                    "" => &account.name,
                    name => name,
                };
                if let Some((passkey, _)) = &account.passkey
                    && transaction.exists("SELECT 1 FROM passkey WHERE id = ?1", [&passkey.id])?
                {
                    return Ok(Accepted::Taken);
                }
                let made = transaction.execute(
                    "INSERT INTO person (name, role, password, created_at) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
                    params![name, invitation.role, account.password, now],
                )?;
                if made == 0 {
                    return Ok(Accepted::Taken);
                }
                let number = transaction.last_insert_rowid()?;
                if let Some((passkey, codes)) = &account.passkey {
                    let added = passkeys::add(transaction, number, passkey, codes)?;
                    debug_assert_eq!(added, PasskeyAdded::Done(true), "it was looked up");
                }
                transaction.execute(
                    "DELETE FROM invitation WHERE number = ?1",
                    [invitation.number],
                )?;
                changed(transaction)?;
                let sql = format!("SELECT {PERSON} FROM person WHERE number = ?1");
                let person = transaction.query_row(&sql, [number], |row| read_person(row, 0))?;
                Ok(Accepted::Done(person))
            })
            .await
    }
}

fn read_invitation(row: &Row<'_>) -> engine::Result<InvitationRecord> {
    Ok(InvitationRecord {
        number: row.get(0)?,
        role: row.get(1)?,
        name: row.get(2)?,
        by: row.get(3)?,
        created_at: row.get(4)?,
        expires_at: row.get(5)?,
    })
}
