//! Drafts of messages, and Handrail's own settings.

use super::engine::params;
use super::{Journal, JournalError, database::Durability};
use std::time::Duration;

impl Journal {
    /// The unsent draft of a person in a conversation; empty if there is none.
    pub async fn draft(&self, conversation: &str, person: i64) -> Result<String, JournalError> {
        let id = conversation.to_owned();
        let sql = "SELECT text FROM draft WHERE conversation = ?1 AND person = ?2";
        let text = self.database.find(sql, (id, person), |row| row.get(0));
        Ok(text.await?.unwrap_or_default())
    }

    /// Stores a draft; an empty text deletes it.
    pub async fn keep_draft(
        &self,
        conversation: &str,
        person: i64,
        text: &str,
    ) -> Result<(), JournalError> {
        let (id, text) = (conversation.to_owned(), text.to_owned());
        self.database
            .write(Durability::Ordinary, move |transaction| {
                if text.is_empty() {
                    transaction.execute(
                        "DELETE FROM draft WHERE conversation = ?1 AND person = ?2",
                        params![id, person],
                    )?;
                } else {
                    transaction.execute(
                        "INSERT INTO draft (conversation, person, text) VALUES (?1, ?2, ?3)
                         ON CONFLICT (conversation, person) DO UPDATE SET text = excluded.text",
                        params![id, person, text],
                    )?;
                }
                Ok(())
            })
            .await
    }

    /// The value of a Handrail setting.
    pub async fn setting(&self, key: &str) -> Result<Option<String>, JournalError> {
        let key = key.to_owned();
        let sql = "SELECT value FROM setting WHERE key = ?1";
        self.database.find(sql, [key], |row| row.get(0)).await
    }

    /// Stores a Handrail setting.
    pub async fn keep_setting(&self, key: &str, value: &str) -> Result<(), JournalError> {
        let sql = "INSERT INTO setting (key, value) VALUES (?1, ?2)
                   ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        let kept = until_known(|| {
            let setting = (key.to_owned(), value.to_owned());
            self.database.execute(Durability::OnDisk, sql, setting)
        });
        kept.await.map(drop)
    }
}

/// Makes a change that may be made twice. If nobody knows whether it was stored, it is made again until somebody does, for 10 s:
/// what is in memory would be another setting than the stored one.
pub(super) async fn until_known<T, F>(change: impl Fn() -> F) -> Result<T, JournalError>
where
    F: Future<Output = Result<T, JournalError>>,
{
    let first = change().await;
    let Err(JournalError::Indeterminate(_)) = first else {
        return first;
    };
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let again = change().await;
        if again.is_ok() {
            return again;
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[tokio::test(start_paused = true)]
    async fn a_setting_that_is_perhaps_stored_is_stored_again() {
        let lost = || {
            Err(JournalError::Indeterminate(
                "the connection was lost".into(),
            ))
        };
        let made = async |outcome: fn(usize) -> Option<bool>| {
            let tries = Cell::new(0);
            let change = || {
                tries.set(tries.get() + 1);
                let outcome = match outcome(tries.get()) {
                    Some(true) => Ok(()),
                    Some(false) => Err(JournalError::Unknown("c1".to_owned())),
                    None => lost(),
                };
                std::future::ready(outcome)
            };
            (until_known(change).await, tries.get())
        };
        assert!(matches!(made(|_| Some(true)).await, (Ok(()), 1)));
        let known = made(|_| Some(false)).await;
        assert!(matches!(known, (Err(JournalError::Unknown(_)), 1)));
        assert!(matches!(
            made(|tries| (tries == 3).then_some(true)).await,
            (Ok(()), 3)
        ));
        let never = made(|tries| (tries > 1).then_some(false)).await;
        assert!(matches!(never, (Err(JournalError::Indeterminate(_)), 21)));
    }
}
