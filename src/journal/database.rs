//! The SQLite connections (one [`Writer`], several readers) and the schema migrations.
//!
//! SQLite blocks, so all work runs on blocking threads. A single writer is no limitation, since SQLite allows no more,
//! and readers never wait for it (WAL).
//!
//! Long because its tests need its connections.

use super::JournalError;
use super::blocking::off_thread;
use super::copies::{self, DATABASE_FILE};
use super::error::of_sqlite;
use super::place::{Place, is_full};
use super::readers::{Purpose, Readers};
use super::room::RoomWatch;
use super::writer::{First, Writer};
use crate::sync::lock;
use rusqlite::{
    Connection, OpenFlags, OptionalExtension, Params, Row, Transaction, TransactionBehavior,
};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Arc, Mutex};

pub(super) use super::writer::Durability;

/// The oldest schema that can be converted.
const BASE: &str = include_str!("migrations/base.sql");
/// Its version.
const BASE_VERSION: i64 = 13;

/// Conversion steps in order: each makes the next version.
const MIGRATIONS: [&str; 14] = [
    include_str!("migrations/0014.sql"),
    include_str!("migrations/0015.sql"),
    include_str!("migrations/0016.sql"),
    include_str!("migrations/0017.sql"),
    include_str!("migrations/0018.sql"),
    include_str!("migrations/0019.sql"),
    include_str!("migrations/0020.sql"),
    include_str!("migrations/0021.sql"),
    include_str!("migrations/0022.sql"),
    include_str!("migrations/0023.sql"),
    include_str!("migrations/0024.sql"),
    include_str!("migrations/0025.sql"),
    include_str!("migrations/0026.sql"),
    include_str!("migrations/0027.sql"),
];

/// The version that the last of them makes.
const NEWEST_VERSION: i64 = BASE_VERSION + MIGRATIONS.len() as i64;

/// The versions that can be read.
pub(super) const fn known_versions() -> RangeInclusive<i64> {
    BASE_VERSION..=NEWEST_VERSION
}

/// The open database.
#[derive(Debug, Clone)]
pub(super) struct Database(Arc<Connections>);

#[derive(Debug)]
struct Connections {
    place: Place,
    writer: Arc<Writer>,
    readers: Readers,
    /// See [`Database::read_at_once`].
    at_once: Mutex<Option<Connection>>,
}

impl Database {
    /// Opens `handrail.db` in `folder`, creates both if necessary, and migrates the schema.
    ///
    /// Errors: [`JournalError::Open`], and [`JournalError::OtherVersion`] if the schema is not known.
    pub(super) async fn open(folder: &Path) -> Result<Self, JournalError> {
        let path = folder.join(DATABASE_FILE);
        let folder = folder.to_owned();
        off_thread(move || {
            let open = |source: Box<dyn std::error::Error + Send + Sync>| JournalError::Open {
                path: path.clone(),
                source,
            };
            let opened = Place::open(&folder, &path).map_err(open)?;
            let (place, mut writer) = opened;
            migrate(&place, &mut writer)?;
            let writer = Writer::new(place.clone(), writer).map_err(of_sqlite)?;
            Ok(Self(Arc::new(Connections {
                writer: Arc::new(writer),
                place,
                readers: Readers::default(),
                at_once: Mutex::default(),
            })))
        })
        .await
        .map_err(|_| JournalError::Closing)?
    }

    /// The path of its main file.
    pub(super) fn path(&self) -> &Path {
        self.0.place.path()
    }

    /// Commits `work`, which is undone if it fails.
    ///
    /// Errors: that of `work`, or that of the commit.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        durability: Durability,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, JournalError> {
        self.0.writer.write(durability, work).await
    }

    /// Makes one change; returns the number of rows that it concerned.
    pub(super) async fn execute(
        &self,
        durability: Durability,
        sql: &'static str,
        params: impl Params + Send + 'static,
    ) -> Result<usize, JournalError> {
        let change = move |transaction: &Transaction<'_>| transaction.execute(sql, params);
        self.write(durability, change).await
    }

    /// The first row that a query for a page finds.
    pub(super) async fn find<T: Send + 'static>(
        &self,
        sql: impl AsRef<str> + Send + 'static,
        params: impl Params + Send + 'static,
        row: impl FnOnce(&Row<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<Option<T>, JournalError> {
        self.find_for(Purpose::Page, sql, params, row).await
    }

    /// The first row that a query finds.
    pub(super) async fn find_for<T: Send + 'static>(
        &self,
        purpose: Purpose,
        sql: impl AsRef<str> + Send + 'static,
        params: impl Params + Send + 'static,
        row: impl FnOnce(&Row<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<Option<T>, JournalError> {
        self.read_for(purpose, move |transaction| {
            let mut query = transaction.prepare_cached(sql.as_ref())?;
            query.query_row(params, row).optional()
        })
        .await
    }

    /// All rows that a query for a page finds.
    pub(super) async fn list<T, C: FromIterator<T> + Send + 'static>(
        &self,
        sql: impl AsRef<str> + Send + 'static,
        params: impl Params + Send + 'static,
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<C, JournalError> {
        self.list_for(Purpose::Page, sql, params, row).await
    }

    /// All rows that a query finds.
    pub(super) async fn list_for<T, C: FromIterator<T> + Send + 'static>(
        &self,
        purpose: Purpose,
        sql: impl AsRef<str> + Send + 'static,
        params: impl Params + Send + 'static,
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<C, JournalError> {
        self.read_for(purpose, move |transaction| {
            let mut query = transaction.prepare_cached(sql.as_ref())?;
            query.query_map(params, row)?.collect()
        })
        .await
    }

    /// Counts the steps of SQLite's virtual machine from now on, in changes and in queries for pages one at a time.
    #[cfg(test)]
    pub(super) async fn count_steps(&self) -> Arc<std::sync::atomic::AtomicU64> {
        let steps = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let count = || {
            let steps = Arc::clone(&steps);
            move || {
                steps.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                false
            }
        };
        let mut writer = self.connection().await;
        let counted = writer.progress_handler(1, Some(count()));
        drop(writer);
        counted.expect("an open connection");
        // There is a connection to reuse after a query.
        self.read(|_| Ok(())).await.expect("a healthy database");
        let mut reader = self.0.readers.idle(Purpose::Page).expect("it is idle");
        let counted = reader.progress_handler(1, Some(count()));
        counted.expect("an open connection");
        self.0.readers.put_back(Purpose::Page, reader);
        steps
    }

    /// The room on its disk.
    pub(super) fn room(&self) -> &RoomWatch {
        self.0.writer.room()
    }

    /// As [`Self::write`], for a change that makes room: it is made below the reserve, too.
    pub(super) async fn write_to_free<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, JournalError> {
        self.0.writer.write_to_free(work).await
    }

    /// Has the next change do this before everything else.
    pub(super) fn begin_with(&self, first: First) {
        self.0.writer.begin_with(first);
    }

    /// Whether there was no change since [`Self::begin_with`].
    pub(super) fn is_unmarked(&self) -> bool {
        self.0.writer.is_unmarked()
    }

    /// Whether it can be written. Tries it, unless a change has shown it just now.
    pub(super) async fn is_writable(&self) -> bool {
        if let Some(is_writable) = self.0.writer.was_writable() {
            return is_writable;
        }
        let probe = |transaction: &Transaction<'_>| {
            transaction.execute(
                "INSERT INTO setting (key, value) VALUES ('probe', '') ON CONFLICT (key) DO UPDATE SET value = ''",
                [],
            )
        };
        self.write(Durability::Ordinary, probe).await.is_ok()
    }

    /// Whether the last change was on disk when [`Self::write`] returned.
    #[cfg(test)]
    pub(super) async fn is_on_disk(&self) -> bool {
        const FULL: i64 = 2;
        let writer = self.connection().await;
        let synchronous = writer.pragma_query_value(None, "synchronous", |row| row.get(0));
        synchronous == Ok(FULL)
    }

    /// Makes every change fail as on a full disk, or no longer.
    #[cfg(test)]
    pub(super) async fn fill(&self, is_full: bool) {
        let writer = self.connection().await;
        let filled = writer.pragma_update(None, "query_only", is_full);
        filled.expect("an open database");
    }

    /// The connection for changes, between two commits.
    #[cfg(test)]
    pub(super) async fn connection(&self) -> tokio::sync::OwnedMutexGuard<Connection> {
        self.0.writer.connection().await
    }

    /// How often a commit has waited for the disk.
    #[cfg(test)]
    pub(super) fn waits_for_disk(&self) -> usize {
        self.0.writer.waits_for_disk()
    }

    #[cfg(test)]
    pub(super) fn readers(&self) -> &Readers {
        &self.0.readers
    }

    /// Runs a query for a page on a consistent snapshot.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, JournalError> {
        self.read_for(Purpose::Page, work).await
    }

    /// Runs a query on a consistent snapshot.
    ///
    /// # Errors
    /// [`JournalError::TooSlow`] if the query exceeds the time limit of its purpose.
    pub(super) async fn read_for<T: Send + 'static>(
        &self,
        purpose: Purpose,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, JournalError> {
        let connections = Arc::clone(&self.0);
        let permit = self.0.readers.permit(purpose).await;
        blocking(move || {
            // A caller that is dropped meanwhile does not stop the query, so the permit is held until the query has
            // ended.
            let _permit = permit;
            let idle = connections.readers.idle(purpose);
            let mut reader = match idle {
                Some(reader) => reader,
                None => connections
                    .place
                    .connect(OpenFlags::SQLITE_OPEN_READ_ONLY)?,
            };
            purpose.begin(&mut reader)?;
            let transaction = reader.transaction_with_behavior(TransactionBehavior::Deferred)?;
            let found = work(&transaction);
            if transaction.finish().is_ok() {
                connections.readers.put_back(purpose, reader);
            }
            found
        })
        .await
    }

    /// Runs a query of a few microseconds on this thread, on a connection of its own.
    pub(super) fn read_at_once<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, JournalError> {
        let mut reader = lock(&self.0.at_once);
        let read = || {
            let reader = match &mut *reader {
                Some(reader) => reader,
                none => none.insert(self.0.place.connect(OpenFlags::SQLITE_OPEN_READ_ONLY)?),
            };
            work(&reader.transaction_with_behavior(TransactionBehavior::Deferred)?)
        };
        let found = read();
        if found.is_err() {
            *reader = None;
        }
        found.map_err(of_sqlite)
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> rusqlite::Result<T> + Send + 'static,
) -> Result<T, JournalError> {
    off_thread(work)
        .await
        .map_err(|_| JournalError::Closing)?
        .map_err(of_sqlite)
}

/// Converts a database to the newest version, of which a copy is kept before.
fn migrate(place: &Place, connection: &mut Connection) -> Result<(), JournalError> {
    let broken = |error: rusqlite::Error| match is_full(&error) {
        true => JournalError::Full(error.into()),
        false => JournalError::Broken(error.into()),
    };
    let version = |connection: &Connection| {
        connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
    };
    // Nothing is written if there is nothing to do: the disk may be full.
    let found = version(connection).map_err(broken)?;
    if found == NEWEST_VERSION {
        return Ok(());
    }
    if known_versions().contains(&found) {
        copies::keep_before(connection, place.path(), NEWEST_VERSION)?;
    }
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(broken)?;
    let found = version(&transaction).map_err(broken)?;
    let known = known_versions();
    if found != 0 && !known.contains(&found) {
        return Err(JournalError::OtherVersion { found, known });
    }
    convert(&transaction, found, NEWEST_VERSION).map_err(broken)?;
    transaction.commit().map_err(broken)
}

/// Makes the schema of a version of one of an earlier version; 0 is an empty database.
fn convert(connection: &Connection, from: i64, to: i64) -> rusqlite::Result<()> {
    if from == 0 {
        connection.execute_batch(BASE)?;
    }
    for (version, step) in (BASE_VERSION + 1..=to).zip(MIGRATIONS) {
        if version > from {
            connection.execute_batch(step)?;
        }
    }
    connection.pragma_update(None, "user_version", to)
}

/// A new database in `folder` as an earlier version made it.
#[cfg(test)]
pub(super) fn database_of_version(version: i64, folder: &Path) -> Connection {
    let made = Connection::open(folder.join(DATABASE_FILE)).expect("it is made");
    convert(&made, 0, version).expect("it is SQL");
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn writers_in_a_queue_park_no_threads() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .max_blocking_threads(4)
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let folder = tempfile::TempDir::new().expect("a temporary folder");
            let database = Database::open(folder.path()).await.expect("it is made");
            let (release, released) = std::sync::mpsc::channel::<()>();
            let mut writers = tokio::task::JoinSet::new();
            let first = database.clone();
            writers.spawn(async move {
                let long = move |_: &Transaction<'_>| {
                    released.recv().expect("it is released");
                    Ok(())
                };
                first.write(Durability::Ordinary, long).await
            });
            for _ in 0..20 {
                let database = database.clone();
                writers
                    .spawn(async move { database.write(Durability::Ordinary, |_| Ok(())).await });
            }
            // By now every writer is queued.
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            let other_work = tokio::task::spawn_blocking(|| ());
            let done = tokio::time::timeout(Duration::from_secs(10), other_work).await;
            release.send(()).expect("it waits");
            while let Some(written) = writers.join_next().await {
                written.expect("it ends").expect("a healthy database");
            }
            done.expect("a thread is free").expect("it ends");
        });
    }

    #[tokio::test]
    async fn a_database_of_a_version_that_is_not_known_is_left_as_it_is() {
        for version in [BASE_VERSION - 1, NEWEST_VERSION + 1] {
            let folder = tempfile::TempDir::new().expect("a temporary folder");
            let other = Connection::open(folder.path().join("handrail.db")).expect("it is made");
            other
                .pragma_update(None, "user_version", version)
                .expect("it is SQL");
            let error = Database::open(folder.path()).await.expect_err("refused");
            assert!(
                matches!(&error, JournalError::OtherVersion { found, .. } if *found == version)
            );
            let tables = other.query_row("SELECT count(*) FROM sqlite_schema", [], |row| {
                row.get::<_, i64>(0)
            });
            assert_eq!(tables, Ok(0));
        }
    }
}
