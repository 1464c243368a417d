//! Browsers in which a person has logged in before. Like logins, they are looked up by the hash of a secret that only
//! the browser knows.

use super::engine::{self, Transaction, params};
use super::{Journal, JournalError, SecretHash, readers::Purpose};

/// Maximum number of browsers kept per person; the oldest are dropped.
const MOST: i64 = 50;

impl Journal {
    /// Numbers of the people who have logged in before in the browser with this secret.
    pub async fn known_in(&self, device: SecretHash) -> Result<Vec<i64>, JournalError> {
        let sql = "SELECT person FROM known_device WHERE hash = ?1";
        self.database
            .list_for(Purpose::Account, sql, [device], |row| row.get(0))
            .await
    }
}

/// Stores that a person has logged in in this browser.
pub(super) fn know(
    transaction: &Transaction<'_>,
    device: SecretHash,
    person: i64,
    now: i64,
) -> engine::Result<()> {
    transaction.execute(
        "INSERT INTO known_device (hash, person, seen_at) VALUES (?1, ?2, ?3)
         ON CONFLICT (hash, person) DO UPDATE SET seen_at = excluded.seen_at",
        params![device, person, now],
    )?;
    transaction.execute(
        "DELETE FROM known_device WHERE person = ?1 AND hash NOT IN
           (SELECT hash FROM known_device WHERE person = ?1 ORDER BY seen_at DESC LIMIT ?2)",
        [person, MOST],
    )?;
    Ok(())
}

/// Forgets all browsers of a person.
pub(super) fn forget_all(transaction: &Transaction<'_>, person: i64) -> engine::Result<()> {
    transaction.execute("DELETE FROM known_device WHERE person = ?1", [person])?;
    Ok(())
}

/// Forgets the browser of the login `only`, or all of the person's if `None`; never the browser of the login `kept`.
pub(super) fn forget(
    transaction: &Transaction<'_>,
    person: i64,
    only: Option<i64>,
    kept: Option<i64>,
) -> engine::Result<()> {
    transaction.execute(
        "DELETE FROM known_device WHERE person = ?1
           AND (CAST(?2 AS BIGINT) IS NULL OR hash IN (SELECT known_device FROM login WHERE person = ?1 AND number = ?2))
           AND hash NOT IN (SELECT known_device FROM login WHERE number = ifnull(?3, 0))",
        params![person, only, kept],
    )?;
    Ok(())
}
