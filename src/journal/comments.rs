//! Comments on lines of changes, as their authors keep them until they are sent, and afterwards.
//!
//! A comment is sent if the outbox has, or had, the message that it names: no second state can differ from that of the
//! message.

use super::conversations::number_of;
use super::engine::{self, Row, Transaction, params};
use super::{Journal, JournalError, OutgoingState, database::Durability};
use crate::render::{DiffSide, DiffSpot};

/// Comments of a person in a conversation, at most.
const MOST: i64 = 200;
/// Their bytes, at most.
const MOST_BYTES: i64 = 256 << 10;

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Its number, never reused.
    pub number: i64,
    /// The commented line.
    pub spot: DiffSpot,
    /// The text of that line when the comment was written.
    pub quote: String,
    /// The comment.
    pub text: String,
    /// How far the message is that has it; `None` for a draft.
    pub sent: Option<OutgoingState>,
    /// Whether its author is done with it.
    pub resolved: bool,
}

/// The columns of a comment, and whether the outbox knows its message.
const COMMENTS: &str = "SELECT comment.number, in_commit, file, side, line, quote, comment.text, outbox.state, resolved
    FROM comment LEFT JOIN outbox ON outbox.conversation = comment.conversation AND outbox.client_id = comment.client_id
    WHERE comment.conversation = (SELECT number FROM conversation WHERE id = ?1) AND person = ?2";

/// Finds drafts of a person.
const WHERE_DRAFT: &str = "conversation = ?1 AND person = ?2 AND NOT EXISTS (SELECT 1 FROM outbox
    WHERE outbox.conversation = comment.conversation AND outbox.client_id = comment.client_id)";

impl Journal {
    /// The comments of a person in a conversation, oldest first.
    pub async fn comments(
        &self,
        conversation: &str,
        person: i64,
    ) -> Result<Vec<Comment>, JournalError> {
        let id = conversation.to_owned();
        let sql = format!("{COMMENTS} ORDER BY comment.number");
        self.database.list(sql, (id, person), read).await
    }

    /// Stores a new draft. `false`, without a change, beyond the limits: resolved comments make room, oldest first.
    ///
    /// Errors: [`JournalError::Unknown`] if the journal has no such conversation.
    pub async fn add_comment(
        &self,
        conversation: &str,
        person: i64,
        (spot, quote, text): (DiffSpot, String, String),
    ) -> Result<bool, JournalError> {
        let id = conversation.to_owned();
        self.database
            .write(Durability::Ordinary, move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(Err(JournalError::Unknown(id)));
                };
                let size = spot.commit.len() + spot.file.len() + quote.len() + text.len();
                let size = i64::try_from(size).unwrap_or(i64::MAX);
                loop {
                    let (count, bytes) = taken(transaction, number, person)?;
                    if count < MOST && bytes.saturating_add(size) <= MOST_BYTES {
                        break;
                    }
                    let removed = transaction.execute(
                        "DELETE FROM comment WHERE number = (SELECT min(number) FROM comment
                           WHERE conversation = ?1 AND person = ?2 AND resolved = 1)",
                        params![number, person],
                    )?;
                    if removed == 0 {
                        return Ok(Ok(false));
                    }
                }
                transaction.execute(
                    "INSERT INTO comment (conversation, person, in_commit, file, side, line, quote, text)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                    params![
                        number,
                        person,
                        spot.commit,
                        spot.file,
                        spot.side.word(),
                        spot.number,
                        quote,
                        text
                    ],
                )?;
                Ok(Ok(true))
            })
            .await?
    }

    /// Changes the text of a draft, within the limits; an empty one deletes it. `false` if that is no draft of this person, or
    /// too long.
    pub async fn edit_comment(
        &self,
        conversation: &str,
        person: i64,
        comment: i64,
        text: &str,
    ) -> Result<bool, JournalError> {
        let (id, text) = (conversation.to_owned(), text.to_owned());
        self.database
            .write(Durability::Ordinary, move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(false);
                };
                if text.is_empty() {
                    let sql = format!("DELETE FROM comment WHERE {WHERE_DRAFT} AND number = ?3");
                    return Ok(transaction.execute(&sql, params![number, person, comment])? == 1);
                }
                let (_, bytes) = taken(transaction, number, person)?;
                let sql = format!(
                    "UPDATE comment SET text = ?4 WHERE {WHERE_DRAFT} AND number = ?3
                     AND ?5 - octet_length(text) + octet_length(?4) <= ?6"
                );
                let changed = params![number, person, comment, text, bytes, MOST_BYTES];
                Ok(transaction.execute(&sql, changed)? == 1)
            })
            .await
    }

    /// Marks a comment that was sent as resolved, or no longer. `false` if that is none of this person.
    pub async fn resolve_comment(
        &self,
        conversation: &str,
        person: i64,
        comment: i64,
        resolved: bool,
    ) -> Result<bool, JournalError> {
        let id = conversation.to_owned();
        let sql = "UPDATE comment SET resolved = ?4 FROM outbox
                   WHERE comment.number = ?3 AND person = ?2 AND outbox.conversation = comment.conversation
                     AND outbox.client_id = comment.client_id
                     AND comment.conversation = (SELECT number FROM conversation WHERE id = ?1)";
        let changed = (id, person, comment, resolved);
        let changed = self.database.execute(Durability::Ordinary, sql, changed);
        Ok(changed.await? == 1)
    }

    /// Has all drafts of a person go with the message `client_id`, and returns them. They stay drafts until the outbox has it.
    pub async fn put_comments_into(
        &self,
        conversation: &str,
        person: i64,
        client_id: &str,
    ) -> Result<Vec<Comment>, JournalError> {
        let (id, client_id) = (conversation.to_owned(), client_id.to_owned());
        self.database
            .write(Durability::OnDisk, move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(Vec::new());
                };
                let sql = format!("UPDATE comment SET client_id = ?3 WHERE {WHERE_DRAFT}");
                transaction.execute(&sql, params![number, person, client_id])?;
                let sql = format!("{COMMENTS} AND comment.client_id = ?3 ORDER BY comment.number");
                let mut query = transaction.prepare_cached(&sql)?;
                query
                    .query_map(params![id, person, client_id], read)?
                    .collect()
            })
            .await
    }

    /// Makes the comments of a message drafts again: it was discarded.
    pub async fn take_comments_out(
        &self,
        conversation: &str,
        client_id: &str,
    ) -> Result<(), JournalError> {
        let key = (conversation.to_owned(), client_id.to_owned());
        let sql = "UPDATE comment SET client_id = '', resolved = 0
                   WHERE conversation = (SELECT number FROM conversation WHERE id = ?1) AND client_id = ?2";
        let changed = self.database.execute(Durability::Ordinary, sql, key);
        changed.await.map(drop)
    }
}

/// The number of a person's comments in a conversation, and their bytes.
fn taken(
    transaction: &Transaction<'_>,
    conversation: i64,
    person: i64,
) -> engine::Result<(i64, i64)> {
    transaction.query_row(
        "SELECT count(*), ifnull(sum(octet_length(in_commit || file || quote || text)), 0) FROM comment
         WHERE conversation = ?1 AND person = ?2",
        params![conversation, person],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

fn read(row: &Row<'_>) -> engine::Result<Comment> {
    let sent: Option<String> = row.get(7)?;
    Ok(Comment {
        number: row.get(0)?,
        spot: DiffSpot {
            commit: row.get(1)?,
            file: row.get(2)?,
            side: DiffSide::from_word(row.get_ref(3)?.as_str()?).unwrap_or(DiffSide::New),
            number: row.get(4)?,
        },
        quote: row.get(5)?,
        text: row.get(6)?,
        // An unknown word: a person decides what becomes of the message.
        sent: sent
            .map(|word| OutgoingState::from_word(&word).unwrap_or(OutgoingState::Indeterminate)),
        resolved: row.get(8)?,
    })
}
