//! The connections: one that writes, a few that read, and how the schema came about.
//!
//! SQLite blocks, so everything runs on tokio's blocking threads. One writer at a time is no loss (SQLite
//! knows no more), and readers never wait for it (WAL).

use super::JournalError;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use std::fs::{DirBuilder, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Each step from one version of the schema to the next; the version is how many were taken.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001.sql"),
    include_str!("migrations/0002.sql"),
    include_str!("migrations/0003.sql"),
    include_str!("migrations/0004.sql"),
    include_str!("migrations/0005.sql"),
    include_str!("migrations/0006.sql"),
];

/// More would not read faster on the machines this runs on, and each has a page cache of its own.
const READERS: usize = 4;

/// Whether a change survives a power failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// It survives our own crash; upstream still has it if the machine fails.
    Ordinary,
    /// It is on the disk before anything else happens.
    OnDisk,
}

/// The open database.
#[derive(Debug, Clone)]
pub(super) struct Database(Arc<Connections>);

#[derive(Debug)]
struct Connections {
    path: PathBuf,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
    reading: Semaphore,
}

impl Database {
    /// Opens `handrail.db` in `folder`, makes both if they are not there, and brings the schema up to date.
    pub(super) async fn open(folder: &Path) -> Result<Self, JournalError> {
        let path = folder.join("handrail.db");
        let folder = folder.to_owned();
        tokio::task::spawn_blocking(move || {
            let open = |source: Box<dyn std::error::Error + Send + Sync>| JournalError::Open {
                path: path.clone(),
                source,
            };
            make_private(&folder, &path).map_err(|error| open(error.into()))?;
            let mut writer = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)
                .map_err(|error| open(error.into()))?;
            writer
                .pragma_update(None, "journal_mode", "WAL")
                .map_err(|error| open(error.into()))?;
            migrate(&mut writer)?;
            Ok(Self(Arc::new(Connections {
                path,
                writer: Mutex::new(writer),
                readers: Mutex::new(Vec::new()),
                reading: Semaphore::new(READERS),
            })))
        })
        .await
        .map_err(|_| JournalError::Closing)?
    }

    /// Does `work` in one transaction that is kept as a whole or not at all.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        durability: Durability,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, JournalError> {
        let connections = Arc::clone(&self.0);
        blocking(move || {
            let mut writer = lock(&connections.writer);
            let synchronous = match durability {
                Durability::Ordinary => "NORMAL",
                Durability::OnDisk => "FULL",
            };
            writer.pragma_update(None, "synchronous", synchronous)?;
            let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })
        .await
    }

    /// Reads from one consistent state.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, JournalError> {
        let connections = Arc::clone(&self.0);
        let _permit = self
            .0
            .reading
            .acquire()
            .await
            .expect("the semaphore is never closed");
        blocking(move || {
            let idle = lock(&connections.readers).pop();
            let mut reader = match idle {
                Some(reader) => reader,
                None => connect(&connections.path, OpenFlags::SQLITE_OPEN_READ_ONLY)?,
            };
            let transaction = reader.transaction_with_behavior(TransactionBehavior::Deferred)?;
            let found = work(&transaction)?;
            transaction.finish()?;
            lock(&connections.readers).push(reader);
            Ok(found)
        })
        .await
    }
}

/// A panic in between rolled its transaction back, so what a poisoned lock guards is whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> rusqlite::Result<T> + Send + 'static,
) -> Result<T, JournalError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| JournalError::Closing)?
        .map_err(|error| JournalError::Broken(error.into()))
}

/// Makes folder and file so that only their owner can read them, before anything is in them. SQLite
/// gives its side files the rights of the main one.
fn make_private(folder: &Path, file: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    let mut options = OpenOptions::new();
    builder.recursive(true);
    options.create(true).append(true);
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    builder.create(folder)?;
    options.open(file)?;
    Ok(())
}

fn connect(path: &Path, access: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    // Only a backup program can hold it; nobody should wait longer than this for a page.
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

fn migrate(connection: &mut Connection) -> Result<(), JournalError> {
    let broken = |error: rusqlite::Error| JournalError::Broken(error.into());
    let known = MIGRATIONS.len() as i64;
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(broken)?;
    let found: i64 = transaction
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(broken)?;
    if found > known {
        return Err(JournalError::Newer { found, known });
    }
    for step in MIGRATIONS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        transaction.execute_batch(step).map_err(broken)?;
    }
    transaction
        .pragma_update(None, "user_version", known)
        .map_err(broken)?;
    transaction.commit().map_err(broken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Journal;
    use crate::journal::sample::journal_in;

    #[tokio::test]
    async fn who_a_conversation_was_shared_with_before_still_sees_it() {
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        let old = Connection::open(folder.path().join("handrail.db")).expect("it is made");
        for step in &MIGRATIONS[..3] {
            old.execute_batch(step).expect("it is SQL");
        }
        old.execute_batch(
            r#"INSERT INTO sharing VALUES ('a', 'ada', 'some', '["bob","carl","Bob"]'), ('b', 'ada', 'all', '[]');
               PRAGMA user_version = 3"#,
        )
        .expect("it is SQL");
        drop(old);
        let journal: Journal = journal_in(folder.path()).await;
        let sharings = journal.sharings().await.expect("healthy");
        let with: Vec<_> = sharings.iter().map(|one| one.with.clone()).collect();
        let nobody = || String::new();
        let some = vec![("bob".to_owned(), nobody()), ("carl".to_owned(), nobody())];
        assert_eq!(with, [some, vec![]]);
        assert_eq!(sharings[0].audience, "some");
    }
}
