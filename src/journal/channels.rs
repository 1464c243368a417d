//! Channels: where people are notified.
//!
//! Only channels of people who may be notified are returned: the account is enabled, and a browser's login has not
//! ended. A browser's channel is deleted with its login.

use super::engine::{self, Row, params};
use super::{Journal, JournalError, database::Durability};

/// A new channel.
#[derive(Debug, Clone)]
pub struct NewChannel {
    /// Number of the person; 0 for the local user.
    pub person: i64,
    /// Number of the browser's login.
    pub login: Option<i64>,
    /// How it delivers, in a word.
    pub kind: &'static str,
    /// Where it delivers to.
    pub address: String,
    /// What authenticates or encrypts its deliveries, as JSON.
    pub secret: String,
    /// Address of Handrail's pages as the person uses it, ending in `/`.
    pub origin: String,
    /// Its name.
    pub name: String,
    /// What it notifies of, as JSON.
    pub choices: String,
    /// Time of creation, milliseconds since the Unix epoch.
    pub created_at: i64,
}

/// A channel of a person who may be notified.
#[derive(Debug, Clone)]
pub struct ChannelRecord {
    /// Its number, never reused.
    pub number: i64,
    /// Number of the person; 0 for the local user.
    pub person: i64,
    /// Name of the person; empty for the local user.
    pub person_name: String,
    /// Role of the person, in a word; empty for the local user.
    pub role: String,
    /// Number of the browser's login.
    pub login: Option<i64>,
    /// How it delivers, in a word.
    pub kind: String,
    /// Where it delivers to.
    pub address: String,
    /// What authenticates or encrypts its deliveries, as JSON.
    pub secret: String,
    /// Address of Handrail's pages, ending in `/`.
    pub origin: String,
    /// Its name.
    pub name: String,
    /// What it notifies of, as JSON.
    pub choices: String,
    /// Time of creation, milliseconds since the Unix epoch.
    pub created_at: i64,
}

/// How the deliveries of a channel went.
#[derive(Debug, Clone, Default)]
pub struct ChannelState {
    /// Time of the last delivered notification, milliseconds since the Unix epoch.
    pub sent_at: Option<i64>,
    /// Notifications that wait for another attempt.
    pub retrying: u32,
    /// Notifications that were given up.
    pub given_up: u32,
    /// Why the last attempt failed that was not followed by a success, or empty.
    pub trouble: String,
}

/// Columns of a [`ChannelRecord`].
pub(super) const CHANNEL: &str =
    "channel.number, channel.person, ifnull(person.name, ''), ifnull(person.role, ''), channel.login, channel.kind,
     channel.address, channel.secret, channel.origin, channel.name, channel.choices, channel.created_at";
/// Number of columns of [`CHANNEL`].
pub(super) const CHANNEL_COLUMNS: usize = 12;
/// The tables that [`CHANNEL`] needs beside `channel`.
pub(super) const OWNERS: &str = "LEFT JOIN person ON person.number = channel.person LEFT JOIN login ON login.number = channel.login";
/// The condition for channels of people who may be notified. Logins that began before `?1`, or were not used since `?2`,
/// have expired.
pub(super) const IS_GOOD: &str = "(channel.person = 0 OR person.disabled = 0) AND (channel.login IS NULL OR (login.begun_at >= ?1 AND login.seen_at >= ?2))";

impl Journal {
    /// Stores a channel, or replaces the one with this address; returns its number. Nobody else keeps the address: a
    /// browser belongs to the person who is logged in there.
    pub async fn add_channel(&self, new: NewChannel) -> Result<i64, JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let mut choices = new.choices;
                if new.login.is_some() {
                    transaction.execute(
                        "DELETE FROM channel WHERE kind = ?1 AND address = ?2 AND person <> ?3",
                        params![new.kind, new.address, new.person],
                    )?;
                    // A browser has one subscription at a time, and renews it now and then.
                    let before = transaction
                        .prepare("DELETE FROM channel WHERE kind = ?1 AND login = ?2 AND address <> ?3 RETURNING choices")?
                        .query_map(params![new.kind, new.login, new.address], |row| row.get(0))?
                        .last();
                    choices = before.transpose()?.unwrap_or(choices);
                }
                transaction.one(
                    "INSERT INTO channel (person, login, kind, address, secret, origin, name, choices, created_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                     ON CONFLICT (kind, address, person) DO UPDATE SET
                       login = excluded.login, secret = excluded.secret, origin = excluded.origin, name = excluded.name
                     RETURNING number",
                    params![
                        new.person, new.login, new.kind, new.address, new.secret, new.origin, new.name, choices,
                        new.created_at
                    ],
                )
            })
            .await
    }

    /// The channels of all people who may be notified. Logins before `oldest`, or not used since `idle`, have expired
    /// (both in milliseconds since the Unix epoch).
    pub async fn channels(
        &self,
        (oldest, idle): (i64, i64),
    ) -> Result<Vec<ChannelRecord>, JournalError> {
        let sql = format!(
            "SELECT {CHANNEL} FROM channel {OWNERS} WHERE {IS_GOOD} ORDER BY channel.number"
        );
        self.database
            .list(sql, [oldest, idle], |row| read_channel(row, 0))
            .await
    }

    /// The channels of a person, and how their deliveries went.
    pub async fn channels_of(
        &self,
        person: i64,
    ) -> Result<Vec<(ChannelRecord, ChannelState)>, JournalError> {
        self.database
            .read(move |transaction| {
                let channels: Vec<ChannelRecord> = transaction.list(
                    &format!(
                        "SELECT {CHANNEL} FROM channel {OWNERS} WHERE channel.person = ?1 ORDER BY channel.number"
                    ),
                    [person],
                    |row| read_channel(row, 0),
                )?;
                let mut state = transaction.prepare_cached(
                    "SELECT max(sent_at), count(*) FILTER (WHERE state = 'waiting' AND attempts > 0), count(*) FILTER (WHERE state = 'failed'),
                       ifnull((SELECT trouble FROM notice WHERE channel = ?1 AND trouble <> '' ORDER BY number DESC LIMIT 1), '')
                     FROM notice WHERE channel = ?1",
                )?;
                channels
                    .into_iter()
                    .map(|channel| {
                        let state = state.query_row([channel.number], |row| {
                            Ok(ChannelState {
                                sent_at: row.get(0)?,
                                retrying: row.get(1)?,
                                given_up: row.get(2)?,
                                trouble: row.get(3)?,
                            })
                        })?;
                        Ok((channel, state))
                    })
                    .collect()
            })
            .await
    }

    /// Changes what a channel of a person notifies of; `false` if the person has no such channel.
    pub async fn choose(
        &self,
        person: i64,
        number: i64,
        choices: String,
    ) -> Result<bool, JournalError> {
        let sql = "UPDATE channel SET choices = ?3 WHERE person = ?1 AND number = ?2";
        let changed = self
            .database
            .execute(Durability::OnDisk, sql, (person, number, choices))
            .await?;
        Ok(changed == 1)
    }

    /// Deletes a channel of a person with its notifications; `false` if the person has no such channel.
    pub async fn remove_channel(&self, person: i64, number: i64) -> Result<bool, JournalError> {
        let sql = "DELETE FROM channel WHERE person = ?1 AND number = ?2";
        let removed = self
            .database
            .execute(Durability::OnDisk, sql, [person, number])
            .await?;
        Ok(removed == 1)
    }

    /// Deletes a channel whose address does not exist any more.
    pub async fn forget_channel(&self, number: i64) -> Result<(), JournalError> {
        let sql = "DELETE FROM channel WHERE number = ?1";
        self.database
            .execute(Durability::OnDisk, sql, [number])
            .await
            .map(drop)
    }

    /// The channel of a person, if it is one.
    pub async fn channel_of(
        &self,
        person: i64,
        number: i64,
    ) -> Result<Option<ChannelRecord>, JournalError> {
        let sql = format!(
            "SELECT {CHANNEL} FROM channel {OWNERS} WHERE channel.person = ?1 AND channel.number = ?2"
        );
        self.database
            .find(sql, [person, number], |row| read_channel(row, 0))
            .await
    }
}

pub(super) fn read_channel(row: &Row<'_>, first: usize) -> engine::Result<ChannelRecord> {
    Ok(ChannelRecord {
        number: row.get(first)?,
        person: row.get(first + 1)?,
        person_name: row.get(first + 2)?,
        role: row.get(first + 3)?,
        login: row.get(first + 4)?,
        kind: row.get(first + 5)?,
        address: row.get(first + 6)?,
        secret: row.get(first + 7)?,
        origin: row.get(first + 8)?,
        name: row.get(first + 9)?,
        choices: row.get(first + 10)?,
        created_at: row.get(first + 11)?,
    })
}
