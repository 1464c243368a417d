//! Requests under a key that their client chose: a repetition gets the first answer, and has no effect.

use super::engine::params;
use super::{Journal, JournalError, database::Durability};

/// Keys of one client that are kept.
const MOST_KEYS: i64 = 10_000;
/// Longest answer that is kept, in bytes.
pub const LONGEST_ANSWER: usize = 64 << 10;

/// What is known of a request when it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repeated {
    /// It is new, and noted as begun.
    New,
    /// The key was used for another request.
    Other,
    /// It was answered before: the status and the body.
    Answered(u16, String),
    /// It was begun before, and its answer is not known.
    Begun,
    /// The client has used too many keys since the time from which they are kept.
    TooMany,
}

impl Journal {
    /// Notes that a client begins a request, by its digest. Forgets the keys that were used before `oldest`.
    pub async fn begin_once(
        &self,
        client: &str,
        key: &str,
        request: &str,
        (now, oldest): (i64, i64),
    ) -> Result<Repeated, JournalError> {
        let (client, key, request) = (client.to_owned(), key.to_owned(), request.to_owned());
        self.database
            .write(Durability::OnDisk, move |transaction| {
                transaction.execute("DELETE FROM idempotency WHERE asked_at < ?1", [oldest])?;
                let known: Option<(String, Option<u16>, String)> = transaction.find(
                    "SELECT request, status, answer FROM idempotency WHERE client = ?1 AND key = ?2",
                    [&client, &key],
                    |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
                )?;
                if let Some((before, status, answer)) = known {
                    return Ok(match status {
                        _ if before != request => Repeated::Other,
                        Some(status) => Repeated::Answered(status, answer),
                        None => Repeated::Begun,
                    });
                }
                let count: i64 = transaction.one(
                    "SELECT count(*) FROM idempotency WHERE client = ?1",
                    [&client],
                )?;
                if count >= MOST_KEYS {
                    return Ok(Repeated::TooMany);
                }
                transaction.execute(
                    "INSERT INTO idempotency (client, key, request, asked_at) VALUES (?1, ?2, ?3, ?4)",
                    params![client, key, request, now],
                )?;
                Ok(Repeated::New)
            })
            .await
    }

    /// Keeps the answer to a request that was begun; without one, nothing was done and the key is free again.
    pub async fn end_once(
        &self,
        client: &str,
        key: &str,
        answer: Option<(u16, String)>,
    ) -> Result<(), JournalError> {
        let (client, key) = (client.to_owned(), key.to_owned());
        self.database
            .write(Durability::Ordinary, move |transaction| {
                match answer {
                    Some((status, body)) => transaction.execute(
                        "UPDATE idempotency SET status = ?3, answer = ?4 WHERE client = ?1 AND key = ?2",
                        params![client, key, status, body],
                    ),
                    None => transaction.execute(
                        "DELETE FROM idempotency WHERE client = ?1 AND key = ?2",
                        [client, key],
                    ),
                }
                .map(drop)
            })
            .await
    }
}
