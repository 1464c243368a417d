//! Recovery codes, which stand in for a person's passkeys, each once.

use super::engine::{self, Transaction, params};
use super::{Journal, JournalError, SecretHash, database::Durability};

impl Journal {
    /// Replaces the recovery codes of a person.
    pub async fn keep_codes(
        &self,
        person: i64,
        codes: Vec<SecretHash>,
    ) -> Result<(), JournalError> {
        self.database
            .write(Durability::OnDisk, move |transaction| {
                end_codes(transaction, person)?;
                add_codes(transaction, person, &codes)
            })
            .await
    }

    /// Uses a recovery code up; `false` if the person has no such code.
    pub async fn use_code(&self, person: i64, code: SecretHash) -> Result<bool, JournalError> {
        let sql = "DELETE FROM recovery_code WHERE hash = ?1 AND person = ?2";
        let used = self
            .database
            .execute(Durability::OnDisk, sql, (code, person));
        Ok(used.await? == 1)
    }
}

/// Removes the recovery codes of a person.
pub(super) fn end_codes(transaction: &Transaction<'_>, person: i64) -> engine::Result<()> {
    transaction.execute("DELETE FROM recovery_code WHERE person = ?1", [person])?;
    Ok(())
}

/// Stores recovery codes of a person.
pub(super) fn add_codes(
    transaction: &Transaction<'_>,
    person: i64,
    codes: &[SecretHash],
) -> engine::Result<()> {
    for code in codes {
        transaction.execute(
            "INSERT INTO recovery_code (hash, person) VALUES (?1, ?2)",
            params![code, person],
        )?;
    }
    Ok(())
}
