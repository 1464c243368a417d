//! The connections to the database (one [`Writer`], several readers) and the schema migrations.
//!
//! Both engines block, so all work runs on blocking threads. A single writer is no limitation, since SQLite allows no more,
//! and readers never wait for it.
//!
//! Long because its tests need its connections.

use super::JournalError;
use super::blocking::{off_thread, on_this_thread};
use super::copies::{self, DATABASE_FILE};
use super::engine::{self, Access, Connection, Location, Params, Place, Row, Transaction};
use super::error::of_engine;
use super::readers::{Purpose, Readers};
use super::room::RoomWatch;
use super::writer::{First, Writer};
use crate::sync::lock;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

pub(super) use super::writer::Durability;

/// The oldest schema that can be converted.
const BASE: &str = include_str!("migrations/base.sql");
/// Its version.
const BASE_VERSION: i64 = 13;

/// Conversion steps in order: each makes the next version.
const MIGRATIONS: [&str; 18] = [
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
    include_str!("migrations/0028.sql"),
    include_str!("migrations/0029.sql"),
    include_str!("migrations/0030.sql"),
    include_str!("migrations/0031.sql"),
];

/// The version that the last of them makes.
const NEWEST_VERSION: i64 = BASE_VERSION + MIGRATIONS.len() as i64;

/// The schema on a server, and its version.
pub(super) const SERVER_BASE: &str = include_str!("migrations/postgres.sql");
/// See [`SERVER_BASE`].
const SERVER_BASE_VERSION: i64 = 28;
/// Conversion steps on a server, in order, for the same versions.
const SERVER_MIGRATIONS: [&str; 3] = [
    include_str!("migrations/postgres_0029.sql"),
    include_str!("migrations/postgres_0030.sql"),
    include_str!("migrations/postgres_0031.sql"),
];
const _: () = assert!(SERVER_BASE_VERSION + SERVER_MIGRATIONS.len() as i64 == NEWEST_VERSION);

/// The version that this build makes of a database.
pub(super) const fn newest_version() -> i64 {
    NEWEST_VERSION
}

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
    /// Opens `handrail.db` in a folder, or a database on a server; creates what is missing, and migrates the schema.
    ///
    /// Errors: [`JournalError::Open`], and [`JournalError::OtherVersion`] if the schema is not known.
    pub(super) async fn open(location: impl Into<Location>) -> Result<Self, JournalError> {
        let location = location.into();
        off_thread(move || {
            let (place, writer) = match location {
                Location::Folder(folder) => {
                    let path = folder.join(DATABASE_FILE);
                    let opened = Place::of_file(&folder, &path);
                    let (place, mut writer) =
                        opened.map_err(|source| JournalError::Open { path: path.clone(), source })?;
                    migrate(&path, &mut writer)?;
                    (place, writer)
                }
                Location::Server(server) => {
                    let path = PathBuf::from(server.name());
                    let place = Place::Server(server);
                    let open = |error: engine::Error| JournalError::Open {
                        path: path.clone(),
                        source: error.into(),
                    };
                    let mut writer = place.connect(Access::Write).map_err(open)?;
                    writer.check().map_err(open)?;
                    if writer.has_table("moving").map_err(open)? {
                        let source = "moving a journal to it is not finished: run the same handrail migrate again";
                        return Err(JournalError::Open { path, source: source.into() });
                    }
                    match writer.schema_version().map_err(open)? {
                        NEWEST_VERSION => {}
                        // Nobody serves from it meanwhile.
                        found if found < NEWEST_VERSION => {
                            writer.lock_serving().map_err(open)?;
                            migrate_server(&mut writer)?;
                            writer.unlock_serving().map_err(open)?;
                        }
                        _ => migrate_server(&mut writer)?,
                    }
                    (place, writer)
                }
            };
            Ok(Self(Arc::new(Connections {
                readers: Readers::of(&place),
                writer: Arc::new(Writer::new(place.clone(), writer)),
                place,
                at_once: Mutex::default(),
            })))
        })
        .await
        .map_err(|_| JournalError::Closing)?
    }

    /// Keeps other servers from using the same database on a server.
    pub(super) async fn serve(&self) -> Result<(), JournalError> {
        self.0.writer.serve(NEWEST_VERSION).await
    }

    /// The path of its main file; `None` on a server.
    pub(super) fn path(&self) -> Option<&Path> {
        self.0.place.path()
    }

    /// Commits `work`, which is undone if it fails.
    ///
    /// Errors: that of `work`, or that of the commit.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        durability: Durability,
        work: impl FnOnce(&Transaction<'_>) -> engine::Result<T> + Send + 'static,
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
        row: impl FnOnce(&Row<'_>) -> engine::Result<T> + Send + 'static,
    ) -> Result<Option<T>, JournalError> {
        self.find_for(Purpose::Page, sql, params, row).await
    }

    /// The first row that a query finds.
    pub(super) async fn find_for<T: Send + 'static>(
        &self,
        purpose: Purpose,
        sql: impl AsRef<str> + Send + 'static,
        params: impl Params + Send + 'static,
        row: impl FnOnce(&Row<'_>) -> engine::Result<T> + Send + 'static,
    ) -> Result<Option<T>, JournalError> {
        self.read_from(purpose, true, move |transaction| {
            transaction.find(sql.as_ref(), params, row)
        })
        .await
    }

    /// All rows that a query for a page finds.
    pub(super) async fn list<T, C: FromIterator<T> + Send + 'static>(
        &self,
        sql: impl AsRef<str> + Send + 'static,
        params: impl Params + Send + 'static,
        row: impl FnMut(&Row<'_>) -> engine::Result<T> + Send + 'static,
    ) -> Result<C, JournalError> {
        self.list_for(Purpose::Page, sql, params, row).await
    }

    /// All rows that a query finds.
    pub(super) async fn list_for<T, C: FromIterator<T> + Send + 'static>(
        &self,
        purpose: Purpose,
        sql: impl AsRef<str> + Send + 'static,
        params: impl Params + Send + 'static,
        row: impl FnMut(&Row<'_>) -> engine::Result<T> + Send + 'static,
    ) -> Result<C, JournalError> {
        self.read_from(purpose, true, move |transaction| {
            transaction.list(sql.as_ref(), params, row)
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
        let counted = writer
            .sqlite()
            .expect("steps are SQLite's")
            .progress_handler(1, Some(count()));
        drop(writer);
        counted.expect("an open connection");
        // There is a connection to reuse after a query.
        self.read(|_| Ok(())).await.expect("a healthy database");
        let mut reader = self.0.readers.idle(Purpose::Page).expect("it is idle");
        let counted = reader
            .sqlite()
            .expect("steps are SQLite's")
            .progress_handler(1, Some(count()));
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
        work: impl FnOnce(&Transaction<'_>) -> engine::Result<T> + Send + 'static,
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
        let mut writer = self.connection().await;
        let Some(writer) = writer.sqlite() else {
            return true;
        };
        let synchronous = writer.pragma_query_value(None, "synchronous", |row| row.get(0));
        synchronous == Ok(FULL)
    }

    /// Makes every change fail as on a full disk, or no longer.
    #[cfg(test)]
    pub(super) async fn fill(&self, is_full: bool) {
        let writer = self.connection().await;
        writer.fill(is_full).expect("an open database");
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
        work: impl FnOnce(&Transaction<'_>) -> engine::Result<T> + Send + 'static,
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
        work: impl FnOnce(&Transaction<'_>) -> engine::Result<T> + Send + 'static,
    ) -> Result<T, JournalError> {
        self.read_from(purpose, false, work).await
    }

    /// The same, for a single query with `once`.
    async fn read_from<T: Send + 'static>(
        &self,
        purpose: Purpose,
        once: bool,
        work: impl FnOnce(&Transaction<'_>) -> engine::Result<T> + Send + 'static,
    ) -> Result<T, JournalError> {
        let connections = Arc::clone(&self.0);
        let permit = self.0.readers.permit(purpose).await?;
        blocking(move || {
            // A caller that is dropped meanwhile does not stop the query, so the permit is held until the query has
            // ended.
            let _permit = permit;
            let idle = connections.readers.idle(purpose);
            let mut reader = match idle {
                Some(reader) => reader,
                None => connections.place.connect(Access::Read)?,
            };
            purpose.begin(&mut reader)?;
            let transaction = reader.begin_read(once)?;
            let found = work(&transaction);
            if transaction.finish().is_ok() {
                connections.readers.put_back(purpose, reader);
            }
            found
        })
        .await
    }

    /// Has the answer to a commit be lost, once, in which this query finds something.
    #[cfg(test)]
    pub(super) fn lose_answer_to(&self, sql: &'static str) {
        self.0.writer.lose_answer_to(sql);
    }

    /// Runs a query of a few microseconds on this thread, on a connection of its own. On a server it may take longer: another
    /// thread takes over what else this one has to do.
    pub(super) fn read_at_once<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> engine::Result<T>,
    ) -> Result<T, JournalError> {
        let read = || {
            let mut kept = lock(&self.0.at_once);
            let reader = match &mut *kept {
                Some(reader) => reader,
                none => none.insert(self.0.place.connect(Access::Read)?),
            };
            let found = reader
                .begin_read(false)
                .and_then(|transaction| work(&transaction));
            if found.is_err() {
                *kept = None;
            }
            found
        };
        let found = match self.0.place.server() {
            Some(_) => on_this_thread(read),
            None => read(),
        };
        found.map_err(of_engine)
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> engine::Result<T> + Send + 'static,
) -> Result<T, JournalError> {
    off_thread(work)
        .await
        .map_err(|_| JournalError::Closing)?
        .map_err(of_engine)
}

/// Converts a database to the newest version, of which a copy is kept before.
fn migrate(path: &Path, connection: &mut Connection) -> Result<(), JournalError> {
    // Nothing is written if there is nothing to do: the disk may be full.
    let found = connection.schema_version().map_err(of_engine)?;
    if found == NEWEST_VERSION {
        return Ok(());
    }
    if known_versions().contains(&found) {
        copies::keep_before(connection, path, NEWEST_VERSION)?;
    }
    let transaction = connection.begin_change(true).map_err(of_engine)?;
    let found = transaction.schema_version().map_err(of_engine)?;
    let known = known_versions();
    if found != 0 && !known.contains(&found) {
        return Err(JournalError::OtherVersion { found, known });
    }
    convert(&transaction, found, NEWEST_VERSION).map_err(of_engine)?;
    transaction.commit().map_err(of_engine)
}

/// The same on a server, where an administrator makes copies. An empty database gets the newest schema.
pub(super) fn migrate_server(connection: &mut Connection) -> Result<(), JournalError> {
    let begun = connection.take_time(true);
    let begun = begun.and_then(|()| connection.begin_change(true));
    let migrated = begun.and_then(|transaction| {
        let one = |sql: &str| transaction.query_row(sql, [], |row| row.get::<_, i64>(0));
        let mut found = transaction.schema_version()?;
        if found == 0 {
            if one("SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = 'handrail'")? == 0
            {
                transaction.execute_batch("CREATE SCHEMA handrail")?;
            }
            transaction.execute_batch(SERVER_BASE)?;
            found = SERVER_BASE_VERSION;
        } else if !(SERVER_BASE_VERSION..=NEWEST_VERSION).contains(&found) {
            return Ok(Err(found));
        }
        for (version, step) in (SERVER_BASE_VERSION + 1..).zip(SERVER_MIGRATIONS) {
            if version > found {
                transaction.execute_batch(step)?;
                transaction.execute("UPDATE schema_version SET version = ?1", [version])?;
            }
        }
        transaction.commit()?;
        Ok(Ok(()))
    });
    connection.take_time(false).map_err(of_engine)?;
    let known = SERVER_BASE_VERSION..=NEWEST_VERSION;
    match migrated {
        Ok(Ok(())) => Ok(()),
        Ok(Err(found)) => Err(JournalError::OtherVersion { found, known }),
        Err(error) => Err(of_engine(error)),
    }
}

/// Makes the schema of a version of one of an earlier version; 0 is an empty database.
fn convert(connection: &Connection, from: i64, to: i64) -> engine::Result<()> {
    if from == 0 {
        connection.execute_batch(BASE)?;
    }
    for (version, step) in (BASE_VERSION + 1..=to).zip(MIGRATIONS) {
        if version > from {
            connection.execute_batch(step)?;
        }
    }
    connection.execute_batch(&format!("PRAGMA user_version = {to}"))
}

/// A new database in `folder` as an earlier version made it.
#[cfg(test)]
pub(super) fn database_of_version(version: i64, folder: &Path) -> Connection {
    let (_, made) = Place::of_file(folder, &folder.join(DATABASE_FILE)).expect("it is made");
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
            let (_, other) = Place::of_file(folder.path(), &folder.path().join(DATABASE_FILE))
                .expect("it is made");
            let set = format!("PRAGMA user_version = {version}");
            other.execute_batch(&set).expect("it is SQL");
            let file = Location::Folder(folder.path().to_owned());
            let error = Database::open(file).await.expect_err("refused");
            assert!(
                matches!(&error, JournalError::OtherVersion { found, .. } if *found == version)
            );
            let tables = other.query_row("SELECT count(*) FROM sqlite_schema", [], |row| {
                row.get::<_, i64>(0)
            });
            assert_eq!(tables.expect("it is SQL"), 0);
        }
    }
}
