//! Counts of failed password attempts, stored so that a restart does not reset them.

use super::engine::{self, OptionalExtension, Transaction, params};
use super::{Journal, JournalError, database::Durability, readers::Purpose};
use std::ops::RangeInclusive;

/// Failed attempts for one account or from one address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guess {
    /// The account or address.
    pub subject: String,
    /// Number of failed attempts.
    pub failures: i64,
    /// Start of the counting window, milliseconds since the Unix epoch.
    pub since: i64,
    /// End of the lock, milliseconds since the Unix epoch.
    pub locked_until: i64,
}

impl Journal {
    /// Passes the counts of these subjects to `decide`, which may change them, in one transaction: of two concurrent
    /// attempts the second sees the first. Other counts are deleted if their newest timestamp is outside `current`,
    /// milliseconds since the Unix epoch.
    pub async fn with_guesses<T: Send + 'static>(
        &self,
        subjects: Vec<String>,
        current: RangeInclusive<i64>,
        decide: impl Fn(&mut [Guess]) -> T + Clone + Send + 'static,
    ) -> Result<T, JournalError> {
        let (decides, named, within) = (decide.clone(), subjects.clone(), current.clone());
        let counted = self.database.write(Durability::Ordinary, move |transaction| {
            let mut guesses = read_guesses(transaction, named)?;
            let decided = decides(&mut guesses);
            // Attackers choose names and addresses freely, so expired counts must not accumulate.
            transaction.execute(
                "DELETE FROM guess WHERE max(since, locked_until) NOT BETWEEN ?1 AND ?2",
                [within.start(), within.end()],
            )?;
            for guess in guesses {
                if guess.failures == 0 {
                    transaction.execute("DELETE FROM guess WHERE subject = ?1", [guess.subject])?;
                    continue;
                }
                transaction.execute(
                    "INSERT INTO guess (subject, failures, since, locked_until) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (subject) DO UPDATE SET failures = excluded.failures, since = excluded.since,
                       locked_until = excluded.locked_until",
                    params![guess.subject, guess.failures, guess.since, guess.locked_until],
                )?;
            }
            Ok(decided)
        });
        if let Some(decided) = Self::unless_full(counted.await)? {
            return Ok(decided);
        }
        let _one_at_a_time = self.volatile.guessing.lock().await;
        let stored = self
            .database
            .read_for(Purpose::Account, move |transaction| {
                read_guesses(transaction, subjects)
            });
        Ok(self.volatile.with_guesses(stored.await?, &current, decide))
    }

    /// Counts that are locked beyond `now`.
    pub async fn locked(&self, now: i64) -> Result<Vec<Guess>, JournalError> {
        let sql = "SELECT subject, failures, since, locked_until FROM guess WHERE locked_until > ?1 ORDER BY subject";
        self.database
            .list(sql, [now], |row| {
                Ok(Guess {
                    subject: row.get(0)?,
                    failures: row.get(1)?,
                    since: row.get(2)?,
                    locked_until: row.get(3)?,
                })
            })
            .await
    }
}

fn read_guesses(
    transaction: &Transaction<'_>,
    subjects: Vec<String>,
) -> engine::Result<Vec<Guess>> {
    let mut read = transaction
        .prepare_cached("SELECT failures, since, locked_until FROM guess WHERE subject = ?1")?;
    let guess = |subject: String| {
        let known = read
            .query_row([&subject], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .optional()?;
        let (failures, since, locked_until) = known.unwrap_or_default();
        Ok(Guess {
            subject,
            failures,
            since,
            locked_until,
        })
    };
    subjects.into_iter().map(guess).collect()
}
