//! Who wrote or answered what is read in a row, where Handrail knows it.

use super::conversations::number_of;
use super::{Journal, JournalError, database::Durability};
use rusqlite::params;
use std::collections::HashMap;

impl Journal {
    /// Notes that these rows are somebody's.
    pub async fn sign_rows(
        &self,
        conversation: &str,
        rows: Vec<i64>,
        name: &str,
    ) -> Result<(), JournalError> {
        let (id, name) = (conversation.to_owned(), name.to_owned());
        self.database
            .write(Durability::Ordinary, move |transaction| {
                if let Some(number) = number_of(transaction, &id)? {
                    for row in rows {
                        transaction.execute(
                            "INSERT INTO row_author (conversation, row, name) VALUES (?1, ?2, ?3)
                             ON CONFLICT (conversation, row) DO UPDATE SET name = excluded.name",
                            params![number, row, name],
                        )?;
                    }
                }
                Ok(())
            })
            .await
    }

    /// Whose these rows are; those of which it is not known are missing.
    pub async fn authors(
        &self,
        conversation: &str,
        rows: Vec<i64>,
    ) -> Result<HashMap<i64, String>, JournalError> {
        let id = conversation.to_owned();
        self.database
            .read(move |transaction| {
                let mut authors = HashMap::new();
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(authors);
                };
                let (Some(first), Some(last)) = (rows.iter().min(), rows.iter().max()) else {
                    return Ok(authors);
                };
                let mut statement = transaction.prepare_cached(
                    "SELECT row, name FROM row_author WHERE conversation = ?1 AND row BETWEEN ?2 AND ?3",
                )?;
                let mut found = statement.query(params![number, first, last])?;
                while let Some(row) = found.next()? {
                    authors.insert(row.get(0)?, row.get(1)?);
                }
                Ok(authors)
            })
            .await
    }
}
