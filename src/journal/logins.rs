//! Logins of browsers, and access tokens of scripts.
//!
//! Both are looked up by the SHA-256 of a secret that only the client knows, so a copy of the journal is not enough to
//! log in.
//!
//! Long because stored logins and those in memory are one.

use super::engine::{self, Row, params};
use super::people::{PERSON, PERSON_COLUMNS, PersonRecord, changed, read_person};
use super::{Journal, JournalError, SecretHash, database::Durability, devices, readers::Purpose};

/// A login of a person in a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginRecord {
    /// Its number.
    pub number: i64,
    /// The browser's description of itself.
    pub device: String,
    /// Network address at login.
    pub address: String,
    /// Time of login, milliseconds since the Unix epoch.
    pub begun_at: i64,
    /// Last used, milliseconds since the Unix epoch.
    pub seen_at: i64,
    /// Whether a passkey or a recovery code was part of it.
    pub strong: bool,
}

/// A login in memory. It is good as long as the account has the same password.
#[derive(Debug, Clone)]
pub(super) struct VolatileLogin {
    pub(super) person: i64,
    pub(super) password: String,
    pub(super) login: LoginRecord,
}

/// An access token of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRecord {
    /// Its number.
    pub number: i64,
    /// Its purpose, as its creator named it.
    pub name: String,
    /// The most that it allows, in the word for a role.
    pub role: String,
    /// The words of its scopes, with blanks between; empty if it has none.
    pub scopes: String,
    /// Time of creation, milliseconds since the Unix epoch.
    pub created_at: i64,
    /// Time of expiry, milliseconds since the Unix epoch.
    pub expires_at: i64,
    /// Last used, milliseconds since the Unix epoch.
    pub used_at: Option<i64>,
}

const LOGIN: &str =
    "login.number, login.device, login.address, login.begun_at, login.seen_at, login.strong";
const TOKEN: &str = "access_token.number, access_token.name, access_token.role, access_token.created_at, access_token.expires_at, access_token.used_at, access_token.scopes";
/// Accounts whose role requires no passkey.
const FREE: &str = "NOT EXISTS (SELECT 1 FROM passkey_role WHERE passkey_role.role = person.role)";
/// Accounts whose access tokens are good: a role that requires a passkey has them rest until there is one.
const SECURED: &str =
    "(NOT EXISTS (SELECT 1 FROM passkey_role WHERE passkey_role.role = person.role)
    OR EXISTS (SELECT 1 FROM passkey WHERE passkey.person = person.number))";

impl Journal {
    /// Creates a login and remembers the browser whose secret hashes to `device`. Deletes all logins created before
    /// `oldest` or last used before `idle`. `false`, without a login, if the person was disabled or got a new password
    /// since the lookup, or if the role requires a passkey and none was part of the login.
    pub async fn begin_login(
        &self,
        person: &PersonRecord,
        hash: SecretHash,
        device: SecretHash,
        login: LoginRecord,
        (oldest, idle): (i64, i64),
    ) -> Result<bool, JournalError> {
        let (person, password) = (person.number, person.password.clone());
        let unstored = VolatileLogin {
            person,
            password: password.clone(),
            login: login.clone(),
        };
        let begun = self
            .database
            .write(Durability::OnDisk, move |transaction| {
                transaction.execute(
                    "DELETE FROM login WHERE begun_at < ?1 OR seen_at < ?2",
                    [oldest, idle],
                )?;
                let sql = format!(
                    "INSERT INTO login (hash, person, device, address, begun_at, seen_at, known_device, strong)
                     SELECT ?1, number, ?3, ?4, ?5, ?6, ?7, ?9 FROM person
                     WHERE number = ?2 AND password = ?8 AND disabled = 0 AND (?9 = 1 OR {FREE})"
                );
                let begun = transaction.execute(
                    &sql,
                    params![
                        hash, person, login.device, login.address, login.begun_at, login.seen_at, device, password,
                        login.strong
                    ],
                )?;
                if begun == 1 {
                    devices::know(transaction, device, person, login.begun_at)?;
                }
                Ok(begun == 1)
            })
            .await;
        if let Some(begun) = Self::unless_full(begun)? {
            return Ok(begun);
        }
        let is_good = self.account_of(&unstored).await?.is_some();
        if is_good {
            self.volatile.begin(hash, unstored);
        }
        Ok(is_good)
    }

    /// The enabled account of a login that could not be stored, if it still has the same password.
    async fn account_of(
        &self,
        login: &VolatileLogin,
    ) -> Result<Option<PersonRecord>, JournalError> {
        let (person, password) = (login.person, login.password.clone());
        let sql = format!(
            "SELECT {PERSON} FROM person
             WHERE number = ?1 AND password = ?2 AND disabled = 0 AND (?3 = 1 OR {FREE})"
        );
        let strong = login.login.strong;
        self.database
            .find_for(Purpose::Account, sql, (person, password, strong), |row| {
                read_person(row, 0)
            })
            .await
    }

    /// The person and login with this secret, unless the person is disabled.
    pub async fn login(
        &self,
        hash: SecretHash,
    ) -> Result<Option<(PersonRecord, LoginRecord)>, JournalError> {
        if let Some(unstored) = self.volatile.login(&hash) {
            let person = self.account_of(&unstored).await?;
            return Ok(person.map(|person| (person, unstored.login)));
        }
        let sql = format!(
            "SELECT {PERSON}, {LOGIN} FROM login JOIN person ON person.number = login.person
             WHERE login.hash = ?1 AND person.disabled = 0"
        );
        let found = self
            .database
            .find_for(Purpose::Account, sql, [hash], |row| {
                Ok((read_person(row, 0)?, read_login(row, PERSON_COLUMNS)?))
            });
        Ok(found
            .await?
            .filter(|(_, login)| !self.volatile.has_ended(login.number)))
    }

    /// Replaces the secret of a login; the old one becomes invalid.
    pub async fn renew_login(&self, number: i64, hash: SecretHash) -> Result<(), JournalError> {
        let sql = "UPDATE login SET hash = ?2 WHERE number = ?1";
        self.database
            .execute(Durability::OnDisk, sql, (number, hash))
            .await
            .map(drop)
    }

    /// Records that a login was used.
    pub async fn touch_login(&self, number: i64, now: i64) -> Result<(), JournalError> {
        let sql = "UPDATE login SET seen_at = max(seen_at, ?2) WHERE number = ?1";
        self.database
            .execute(Durability::Ordinary, sql, [number, now])
            .await
            .map(drop)
    }

    /// The logins of a person, most recently used first.
    pub async fn logins(&self, person: i64) -> Result<Vec<LoginRecord>, JournalError> {
        let sql = format!(
            "SELECT {LOGIN} FROM login WHERE person = ?1 ORDER BY seen_at DESC, number DESC"
        );
        let stored = self
            .database
            .list_for(Purpose::Account, sql, [person], |row| read_login(row, 0));
        let stored: Vec<LoginRecord> = stored.await?;
        let stored = stored.into_iter();
        let mut logins = self.volatile.logins(person);
        logins.extend(stored.filter(|login| !self.volatile.has_ended(login.number)));
        Ok(logins)
    }

    /// Deletes the login `only`, or all logins of the person except `kept`; returns how many. With `forget`, their
    /// browsers are forgotten, too.
    pub async fn end_logins(
        &self,
        person: i64,
        only: Option<i64>,
        kept: Option<i64>,
        forget: bool,
    ) -> Result<usize, JournalError> {
        let ended = self
            .database
            .write(Durability::OnDisk, move |transaction| {
                if forget {
                    devices::forget(transaction, person, only, kept)?;
                }
                let ended = transaction.execute(
                    "DELETE FROM login WHERE person = ?1 AND number = ifnull(?2, number) AND number <> ifnull(?3, 0)",
                    params![person, only, kept],
                )?;
                if ended > 0 {
                    changed(transaction)?;
                }
                Ok(ended)
            })
            .await;
        if let Some(ended) = Self::unless_full(ended)? {
            return Ok(ended + self.volatile.end(person, only, kept, Vec::new()));
        }
        let all = self
            .logins(person)
            .await?
            .into_iter()
            .map(|login| login.number);
        let meant = |number: &i64| only.is_none_or(|only| only == *number) && kept != Some(*number);
        let meant: Vec<i64> = all.filter(meant).collect();
        self.volatile.end(person, only, kept, meant.clone());
        Ok(meant.len())
    }

    /// Stores an access token; returns its number.
    pub async fn add_token(
        &self,
        person: i64,
        hash: SecretHash,
        token: TokenRecord,
    ) -> Result<i64, JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                transaction.execute(
                    "INSERT INTO access_token (hash, person, name, role, created_at, expires_at, scopes)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                    params![
                        hash, person, token.name, token.role, token.created_at, token.expires_at, token.scopes
                    ],
                )?;
                transaction.last_insert_rowid()
            })
            .await
    }

    /// The person and access token with this secret, unless the person is disabled.
    pub async fn token(
        &self,
        hash: SecretHash,
    ) -> Result<Option<(PersonRecord, TokenRecord)>, JournalError> {
        let sql = format!(
            "SELECT {PERSON}, {TOKEN} FROM access_token JOIN person ON person.number = access_token.person
             WHERE access_token.hash = ?1 AND person.disabled = 0 AND {SECURED}"
        );
        self.database
            .find_for(Purpose::Account, sql, [hash], |row| {
                Ok((read_person(row, 0)?, read_token(row, PERSON_COLUMNS)?))
            })
            .await
    }

    /// Records that an access token was used.
    pub async fn touch_token(&self, number: i64, now: i64) -> Result<(), JournalError> {
        let sql = "UPDATE access_token SET used_at = ?2 WHERE number = ?1";
        self.database
            .execute(Durability::Ordinary, sql, [number, now])
            .await
            .map(drop)
    }

    /// The access tokens of a person, newest first; none while they rest because the role requires a passkey.
    pub async fn tokens(&self, person: i64) -> Result<Vec<TokenRecord>, JournalError> {
        let sql = format!(
            "SELECT {TOKEN} FROM access_token JOIN person ON person.number = access_token.person
             WHERE access_token.person = ?1 AND {SECURED} ORDER BY access_token.number DESC"
        );
        self.database
            .list_for(Purpose::Account, sql, [person], |row| read_token(row, 0))
            .await
    }

    /// Revokes an access token of a person; `false` if the person has none of this number.
    pub async fn end_token(&self, person: i64, number: i64) -> Result<bool, JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let ended = transaction.execute(
                    "DELETE FROM access_token WHERE person = ?1 AND number = ?2",
                    [person, number],
                )?;
                changed(transaction)?;
                Ok(ended == 1)
            })
            .await
    }
}

fn read_login(row: &Row<'_>, at: usize) -> engine::Result<LoginRecord> {
    Ok(LoginRecord {
        number: row.get(at)?,
        device: row.get(at + 1)?,
        address: row.get(at + 2)?,
        begun_at: row.get(at + 3)?,
        seen_at: row.get(at + 4)?,
        strong: row.get(at + 5)?,
    })
}

fn read_token(row: &Row<'_>, at: usize) -> engine::Result<TokenRecord> {
    Ok(TokenRecord {
        number: row.get(at)?,
        name: row.get(at + 1)?,
        role: row.get(at + 2)?,
        created_at: row.get(at + 3)?,
        expires_at: row.get(at + 4)?,
        used_at: row.get(at + 5)?,
        scopes: row.get(at + 6)?,
    })
}
