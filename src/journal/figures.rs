//! What metrics say about the contents of the journal.

use super::{Journal, JournalError};

/// Figures of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Figures {
    /// Size of the database with its log.
    pub bytes: u64,
    /// Conversations with a pending approval.
    pub asking: i64,
    /// When the oldest of these approvals was asked for, milliseconds since the Unix epoch.
    pub asked_at: Option<i64>,
    /// Notifications that are still to be sent.
    pub notices: i64,
}

impl Journal {
    /// The figures of this moment.
    pub async fn figures(&self) -> Result<Figures, JournalError> {
        let path = self.database.path().map(std::path::Path::to_owned);
        let path_is_missing = path.is_none();
        let read = self.database.read(move |transaction| {
            let (asking, asked_at) = transaction.query_row(
                "SELECT count(DISTINCT line.number), min(approval.asked_at) FROM line
                 LEFT JOIN approval ON approval.conversation = line.number AND approval.state IN ('open', 'indeterminate')
                 WHERE line.asks = 1 AND line.shelved = 0",
                [],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?;
            let waiting = "SELECT count(*) FROM notice WHERE state = 'waiting'";
            Ok(Figures {
                asking,
                asked_at,
                notices: transaction.one(waiting, [])?,
                bytes: match path_is_missing {
                    true => transaction
                        .query_row("SELECT pg_database_size(current_database())", [], |row| {
                            row.get::<_, i64>(0)
                        })?
                        .unsigned_abs(),
                    false => 0,
                },
            })
        });
        let figures = read.await?;
        let Some(path) = path else {
            return Ok(figures);
        };
        let bytes = ["", "-wal"].map(|end| {
            let mut file = path.as_os_str().to_owned();
            file.push(end);
            std::fs::metadata(file).map_or(0, |file| file.len())
        });
        Ok(Figures {
            bytes: bytes.iter().sum(),
            ..figures
        })
    }
}
