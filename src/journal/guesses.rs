//! Wrong guesses of passwords: kept here, so that a restart does not forgive them.

use super::{Journal, JournalError, database::Durability};
use rusqlite::{OptionalExtension, params};

/// What was guessed wrongly about one account or from one address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guess {
    /// Which.
    pub subject: String,
    /// How often.
    pub failures: i64,
    /// Since when it is counted, milliseconds since the Unix epoch.
    pub since: i64,
    /// Until when no guess is taken, milliseconds since the Unix epoch.
    pub locked_until: i64,
}

impl Journal {
    /// Shows what is known of these subjects to `decide`, which may change it, in one transaction: of two
    /// guesses at once the second sees the first.
    pub async fn with_guesses<T: Send + 'static>(
        &self,
        subjects: Vec<String>,
        decide: impl FnOnce(&mut [Guess]) -> T + Send + 'static,
    ) -> Result<T, JournalError> {
        self.database
            .write(Durability::Ordinary, move |transaction| {
                let mut read = transaction.prepare_cached(
                    "SELECT failures, since, locked_until FROM guess WHERE subject = ?1",
                )?;
                let mut guesses = Vec::with_capacity(subjects.len());
                for subject in subjects {
                    let known = read
                        .query_row([&subject], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                        .optional()?;
                    let (failures, since, locked_until) = known.unwrap_or_default();
                    guesses.push(Guess {
                        subject,
                        failures,
                        since,
                        locked_until,
                    });
                }
                let decided = decide(&mut guesses);
                for guess in guesses {
                    if guess.failures == 0 {
                        transaction
                            .execute("DELETE FROM guess WHERE subject = ?1", [guess.subject])?;
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
            })
            .await
    }

    /// Those that are locked after `now`.
    pub async fn locked(&self, now: i64) -> Result<Vec<Guess>, JournalError> {
        self.database
            .read(move |transaction| {
                transaction
                    .prepare_cached(
                        "SELECT subject, failures, since, locked_until FROM guess WHERE locked_until > ?1 ORDER BY subject",
                    )?
                    .query_map([now], |row| {
                        Ok(Guess {
                            subject: row.get(0)?,
                            failures: row.get(1)?,
                            since: row.get(2)?,
                            locked_until: row.get(3)?,
                        })
                    })?
                    .collect()
            })
            .await
    }
}
