//! Authors of rows: who wrote a message or answered an approval, where Handrail knows it.

use super::conversations::number_of;
use super::engine::{self, Transaction, params};
use super::search::put_row_again;
use super::{Journal, JournalError, database::Durability};
use std::collections::HashMap;

/// The author of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// Name of the person; empty if there are no other people.
    pub name: String,
    /// Name of the person who approved before them, where two had to; else empty.
    pub first: String,
    /// How long the row waited for the answer, in milliseconds; `None` for messages, and where that is not known.
    pub waited: Option<i64>,
    /// Whether a rule that they made has answered.
    pub by_rule: bool,
    /// Whether they asked for exactly this instead of something else, which has answered.
    pub amended: bool,
    /// Why it was rejected, if nobody has answered; else empty.
    pub unanswered: String,
    /// Whether they have touched a passkey for it.
    pub touched: bool,
}

impl Author {
    /// Everybody who approved, in their order.
    pub fn names(&self) -> String {
        match self.first.as_str() {
            "" => self.name.clone(),
            first => format!("{first} and {}", self.name),
        }
    }
}

impl Journal {
    /// Stores `name` as the author of these rows.
    pub async fn sign_rows(
        &self,
        conversation: &str,
        rows: Vec<i64>,
        name: &str,
    ) -> Result<(), JournalError> {
        self.for_rows(
            "INSERT INTO row_author (conversation, row, name) VALUES (?1, ?2, ?3)
             ON CONFLICT (conversation, row) DO UPDATE SET
               name = excluded.name, rule = NULL, first_name = '', amended = 0, touched = 0, unanswered = ''",
            conversation,
            rows,
            name,
        )
        .await
    }

    /// Stores who answered the approval of these rows, when it was asked for and answered, and by which rule of theirs, or
    /// because they had `amended` another action.
    pub async fn sign_answer(
        &self,
        conversation: &str,
        rows: Vec<i64>,
        name: &str,
        token: &str,
        (rule, amended): (Option<i64>, bool),
    ) -> Result<(), JournalError> {
        let (id, name, token) = (conversation.to_owned(), name.to_owned(), token.to_owned());
        let reader = self.reader;
        self.database
            .write(Durability::Ordinary, move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(());
                };
                for row in rows {
                    transaction.execute(
                        "INSERT INTO row_author (conversation, row, name, asked_at, answered_at, rule, amended, touched, first_name, unanswered)
                         SELECT ?1, ?2, ?3, asked_at, answered_at, ?5, ?6, touched,
                           CASE WHEN approved = 1 AND first_name <> ?3 THEN first_name ELSE '' END,
                           CASE WHEN unanswered = 1 THEN coalesce(reason, '') ELSE '' END
                         FROM approval WHERE conversation = ?1 AND token = ?4
                         ON CONFLICT (conversation, row) DO UPDATE SET
                           name = excluded.name, asked_at = excluded.asked_at, answered_at = excluded.answered_at,
                           rule = excluded.rule, amended = excluded.amended, touched = excluded.touched,
                           first_name = excluded.first_name, unanswered = excluded.unanswered",
                        params![number, row, name, token, rule, amended],
                    )?;
                    put_row_again(transaction, reader, number, row)?;
                }
                Ok(())
            })
            .await
    }

    /// Removes `name` as the author of these rows; rows with another author stay unchanged.
    pub async fn unsign_rows(
        &self,
        conversation: &str,
        rows: Vec<i64>,
        name: &str,
    ) -> Result<(), JournalError> {
        self.for_rows(
            "DELETE FROM row_author WHERE conversation = ?1 AND row = ?2 AND name = ?3",
            conversation,
            rows,
            name,
        )
        .await
    }

    async fn for_rows(
        &self,
        change: &'static str,
        conversation: &str,
        rows: Vec<i64>,
        name: &str,
    ) -> Result<(), JournalError> {
        let (id, name) = (conversation.to_owned(), name.to_owned());
        let reader = self.reader;
        self.database
            .write(Durability::Ordinary, move |transaction| {
                if let Some(number) = number_of(transaction, &id)? {
                    for row in rows {
                        transaction.execute(change, params![number, row, name])?;
                        put_row_again(transaction, reader, number, row)?;
                    }
                }
                Ok(())
            })
            .await
    }

    /// Authors by row id; a row without a known author is missing.
    pub async fn authors(
        &self,
        conversation: &str,
        rows: Vec<i64>,
    ) -> Result<HashMap<i64, Author>, JournalError> {
        let id = conversation.to_owned();
        self.database
            .read(move |transaction| match number_of(transaction, &id)? {
                Some(number) => authors_of(transaction, number, &rows),
                None => Ok(HashMap::new()),
            })
            .await
    }
}

/// Authors by row id of these rows, and of some between them.
pub(super) fn authors_of(
    transaction: &Transaction<'_>,
    number: i64,
    rows: &[i64],
) -> engine::Result<HashMap<i64, Author>> {
    let (Some(first), Some(last)) = (rows.iter().min(), rows.iter().max()) else {
        return Ok(HashMap::new());
    };
    let mut statement = transaction.prepare_cached(
        "SELECT row, name, answered_at - asked_at, rule IS NOT NULL, first_name, amended, touched, unanswered FROM row_author
         WHERE conversation = ?1 AND row BETWEEN ?2 AND ?3",
    )?;
    let author = |row: &engine::Row<'_>| {
        let author = Author {
            name: row.get(1)?,
            waited: row.get(2)?,
            by_rule: row.get(3)?,
            first: row.get(4)?,
            amended: row.get(5)?,
            touched: row.get(6)?,
            unanswered: row.get(7)?,
        };
        Ok((row.get(0)?, author))
    };
    statement
        .query_map(params![number, first, last], author)?
        .collect()
}
