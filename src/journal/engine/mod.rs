//! The database engines: the only place that knows a driver.
//!
//! A statement is written once, in the SQL of SQLite, with `?1` or `:name` for its values. PostgreSQL gets it translated
//! (`dialect`), with functions of the same names in its schema (`postgres.sql`). Values are those of rusqlite for both.
//!
//! Long because each operation stands with what both engines make of it.

mod dialect;
mod file;
mod nul;
mod parameters;
mod postgres;
#[cfg(test)]
mod testing;
mod tokens;

pub(super) use file::pages_of_log;
pub(super) use nul::stored as stored_text;
pub(super) use parameters::Params;
pub use postgres::{AddressError, Server};
pub(super) use rusqlite::types::{FromSql, Value, ValueRef};
pub(super) use rusqlite::{ToSql, named_params, params};
#[cfg(test)]
pub(crate) use testing::{OnServer, in_a_file, on_server};

#[cfg(all(test, unix))]
pub(crate) use testing::socket;

use file::File;
use postgres::Session;
use std::error::Error as StdError;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error as ThisError;

/// Result of an operation of the database.
pub(super) type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation of the database failed.
#[derive(Debug, ThisError)]
pub(super) enum Error {
    /// An error of SQLite, or a value of an unexpected type.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// An error of PostgreSQL.
    #[error(transparent)]
    Postgres(#[from] postgres::Failure),
    /// A query for one row found none.
    #[error("the query found nothing")]
    NoRows,
    /// The query was given up.
    #[error("the query took too long")]
    TooSlow,
    /// The connection was lost during a commit.
    #[error(
        "the connection was lost during a commit, and the server does not say whether it was made"
    )]
    Unknown,
}

impl From<rusqlite::types::FromSqlError> for Error {
    fn from(error: rusqlite::types::FromSqlError) -> Self {
        Self::Sqlite(error.into())
    }
}

/// What an error means for its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Nothing can be stored, because the disk is full, or must not be written. What is stored can be read.
    Full,
    /// The query was given up.
    TooSlow,
    /// The database cannot be reached, and will be later on. Nothing was stored.
    Away,
    /// The database cannot be reached, and what was to be committed may be stored.
    Unknown,
    /// Anything else.
    Broken,
}

impl Error {
    /// That of a full disk.
    #[cfg(test)]
    pub(super) fn full() -> Self {
        let full = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
        Self::Sqlite(rusqlite::Error::SqliteFailure(full, None))
    }

    pub(super) fn meaning(&self) -> Meaning {
        match self {
            Self::Sqlite(error) if file::is_interrupted(error) => Meaning::TooSlow,
            Self::Sqlite(error) if file::is_full(error) => Meaning::Full,
            Self::Postgres(failure) => failure.meaning,
            Self::TooSlow => Meaning::TooSlow,
            Self::Unknown => Meaning::Unknown,
            _ => Meaning::Broken,
        }
    }
}

/// Makes a missing row `None`.
pub(super) trait OptionalExtension<T> {
    fn optional(self) -> Result<Option<T>>;
}

impl<T> OptionalExtension<T> for Result<T> {
    fn optional(self) -> Result<Option<T>> {
        match self {
            Ok(found) => Ok(Some(found)),
            Err(Error::NoRows) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Why a database cannot be opened.
pub(super) type OpenError = Box<dyn StdError + Send + Sync>;

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Write,
}

/// Where the database is.
#[derive(Debug, Clone)]
pub(super) enum Place {
    File(File),
    Server(Arc<Server>),
}

impl Place {
    /// The database `path` in `folder`, both created if necessary, and its connection for changes.
    pub(super) fn of_file(
        folder: &Path,
        path: &Path,
    ) -> std::result::Result<(Self, Connection), OpenError> {
        let (file, writer) = File::open(folder, path)?;
        Ok((Self::File(file), Connection::Sqlite(writer)))
    }

    /// The file at `path`, which is not created.
    pub(super) fn existing(path: &Path) -> Self {
        Self::File(File::existing(path))
    }

    /// A connection to a file that changes nothing. Without permission for the files beside it, it is read as it is.
    pub(super) fn reader_of_file(path: &Path) -> Result<Connection> {
        Ok(Connection::Sqlite(File::existing(path).reader()?))
    }

    /// The path of the file.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::File(file) => Some(file.path()),
            Self::Server(_) => None,
        }
    }

    pub(super) fn server(&self) -> Option<&Server> {
        match self {
            Self::File(_) => None,
            Self::Server(server) => Some(server),
        }
    }

    pub(super) fn connect(&self, access: Access) -> Result<Connection> {
        Ok(match self {
            Self::File(file) => Connection::Sqlite(file.connect(access)?),
            Self::Server(server) => Connection::Postgres(Box::new(Session::new(server, access)?)),
        })
    }
}

/// Where a journal is stored.
#[derive(Debug, Clone)]
pub enum Location {
    /// In a file in this folder.
    Folder(PathBuf),
    /// On a server.
    Server(Arc<Server>),
}

impl From<&Path> for Location {
    fn from(folder: &Path) -> Self {
        #[cfg(test)]
        if on_server() {
            return testing::location(folder);
        }
        Self::Folder(folder.to_owned())
    }
}

impl From<&PathBuf> for Location {
    fn from(folder: &PathBuf) -> Self {
        Self::from(folder.as_path())
    }
}

/// A connection to the database.
#[derive(Debug)]
pub(super) enum Connection {
    Sqlite(rusqlite::Connection),
    Postgres(Box<Session>),
}

impl Connection {
    /// Begins a change, alone among all processes.
    pub(super) fn begin_change(&mut self, is_on_disk: bool) -> Result<Transaction<'_>> {
        match self {
            Self::Sqlite(connection) => {
                let synchronous = if is_on_disk { "FULL" } else { "NORMAL" };
                connection.pragma_update(None, "synchronous", synchronous)?;
                connection.execute_batch("BEGIN IMMEDIATE")?;
            }
            // Always on disk: a server that crashes alone must not know less than Handrail does.
            Self::Postgres(session) => session.begin_change()?,
        }
        Ok(Transaction::of(self, true))
    }

    /// Begins a change that nodes make which do not hold the lease.
    pub(super) fn begin_unfenced_change(&mut self) -> Result<Transaction<'_>> {
        match self {
            Self::Sqlite(_) => return self.begin_change(true),
            Self::Postgres(session) => session.begin_unfenced_change()?,
        }
        Ok(Transaction::of(self, true))
    }

    /// Makes one change outside of a transaction, while others are made.
    pub(super) fn execute_at_once(&mut self, sql: &str, params: impl Params) -> Result<usize> {
        if let Self::Postgres(session) = self {
            session.be_connected()?;
        }
        self.execute(sql, params)
    }

    /// Begins to read a consistent snapshot. With `once`, for a single query.
    pub(super) fn begin_read(&mut self, once: bool) -> Result<Transaction<'_>> {
        let is_open = match self {
            Self::Sqlite(connection) => {
                connection.execute_batch("BEGIN DEFERRED")?;
                true
            }
            Self::Postgres(session) => session.begin_read(once)?,
        };
        Ok(Transaction::of(self, is_open))
    }

    /// Lets statements on a server take as long as they need, as those that convert a large database do, or not any more.
    pub(super) fn take_time(&mut self, is_long: bool) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(session) => session.take_time(is_long),
        }
    }

    /// Gives up queries that take longer. SQLite looks at the clock after so many `steps` of its virtual machine.
    pub(super) fn limit_time(&mut self, time: Duration, steps: std::ffi::c_int) -> Result<()> {
        match self {
            Self::Sqlite(connection) => {
                let until = Instant::now() + time;
                let is_over = move || Instant::now() >= until;
                connection.progress_handler(steps, Some(is_over))?;
                Ok(())
            }
            Self::Postgres(session) => session.limit_time(time),
        }
    }

    /// Gives up a query of SQLite once `is_over` returns true, which it asks after so many steps.
    pub(super) fn give_up_when(
        &mut self,
        steps: std::ffi::c_int,
        is_over: impl FnMut() -> bool + Send + 'static,
    ) -> Result<()> {
        match self {
            Self::Sqlite(connection) => {
                connection.progress_handler(steps, Some(is_over))?;
                Ok(())
            }
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Keeps other servers from using the same database on a server, as long as this connection lasts, and this one from using
    /// it once it has another version.
    pub(super) fn serve(&mut self, version: i64) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(session) => session.serve(version),
        }
    }

    /// Keeps all servers from using the same database on a server until [`Self::unlock_serving`].
    pub(super) fn lock_serving(&self) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(session) => session.lock_serving(),
        }
    }

    /// The same without waiting; returns whether it is locked.
    pub(super) fn try_lock_serving(&self) -> Result<bool> {
        match self {
            Self::Sqlite(_) => Ok(true),
            Self::Postgres(session) => session.try_lock_serving(),
        }
    }

    /// How often the connection was made again: what only a connection has is gone each time.
    pub(super) fn generation(&self) -> u32 {
        match self {
            Self::Sqlite(_) => 0,
            Self::Postgres(session) => session.generation,
        }
    }

    /// As [`Self::lock_serving`], for a node that takes the lease.
    pub(super) fn lock_serving_as_node(&self) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(session) => session.lock_serving_as_node(),
        }
    }

    /// Ends all connections of a node that waits no more, or has to stop.
    pub(super) fn end_connections_of(&self, node: &str) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(session) => session.end_connections_of(node),
        }
    }

    /// See [`Self::lock_serving`].
    pub(super) fn unlock_serving(&self) -> Result<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(session) => session.unlock_serving(),
        }
    }

    /// Checks that a server can be used; returns its version, or nothing for a file.
    pub(super) fn check(&self) -> Result<String> {
        match self {
            Self::Sqlite(_) => Ok(String::new()),
            Self::Postgres(session) => session.check(),
        }
    }

    /// Makes every change fail as on a full disk, or no longer.
    #[cfg(test)]
    pub(super) fn fill(&self, is_full: bool) -> Result<()> {
        self.execute_batch(&match self {
            Self::Sqlite(_) => format!("PRAGMA query_only = {is_full}"),
            Self::Postgres(_) => format!("SET default_transaction_read_only = {is_full}"),
        })
    }

    pub(super) fn is_postgres(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    /// Prepares a statement, or takes it from the cache.
    pub(super) fn prepare_cached(&self, sql: &str) -> Result<Statement<'_>> {
        Ok(match self {
            Self::Sqlite(connection) => Statement::Sqlite(connection.prepare_cached(sql)?),
            Self::Postgres(session) => Statement::Postgres(session, dialect::translated(sql)),
        })
    }

    /// As [`Self::prepare_cached`], for a statement that is rare.
    pub(super) fn prepare(&self, sql: &str) -> Result<Statement<'_>> {
        self.prepare_cached(sql)
    }

    /// Makes one change; returns the number of rows that it concerned.
    pub(super) fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        match self {
            Self::Sqlite(connection) => {
                let mut statement = connection.prepare(sql)?;
                parameters::bind(&mut statement, params)?;
                Ok(statement.raw_execute()?)
            }
            Self::Postgres(_) => self.prepare(sql)?.execute(params),
        }
    }

    /// Runs statements without values.
    pub(super) fn execute_batch(&self, sql: &str) -> Result<()> {
        match self {
            Self::Sqlite(connection) => Ok(connection.execute_batch(sql)?),
            Self::Postgres(session) => session.batch(sql),
        }
    }

    /// The first row that a query finds.
    pub(super) fn query_row<T>(
        &self,
        sql: &str,
        params: impl Params,
        row: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        self.prepare(sql)?.query_row(params, row)
    }

    /// The same for a query that may find nothing.
    pub(super) fn find<T>(
        &self,
        sql: &str,
        params: impl Params,
        row: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.query_row(sql, params, row).optional()
    }

    /// The value in the first column of the first row that a query finds.
    pub(super) fn one<T: FromSql>(&self, sql: &str, params: impl Params) -> Result<T> {
        self.query_row(sql, params, |row| row.get(0))
    }

    /// The same for a query that may find nothing.
    pub(super) fn value<T: FromSql>(&self, sql: &str, params: impl Params) -> Result<Option<T>> {
        self.one(sql, params).optional()
    }

    /// All rows that a query finds.
    pub(super) fn list<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        params: impl Params,
        row: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<C> {
        self.prepare(sql)?.query_map(params, row)?.collect()
    }

    /// The values in the first column of all rows that a query finds.
    pub(super) fn values<T: FromSql, C: FromIterator<T>>(
        &self,
        sql: &str,
        params: impl Params,
    ) -> Result<C> {
        self.list(sql, params, |row| row.get(0))
    }

    /// Whether a query finds something.
    pub(super) fn exists(&self, sql: &str, params: impl Params) -> Result<bool> {
        self.prepare(sql)?.exists(params)
    }

    /// The number that the last inserted row was given.
    pub(super) fn last_insert_rowid(&self) -> Result<i64> {
        match self {
            Self::Sqlite(connection) => Ok(connection.last_insert_rowid()),
            Self::Postgres(_) => self.one("SELECT lastval()", []),
        }
    }

    /// Whether a transaction has ended by itself, with all of its changes undone.
    pub(super) fn is_autocommit(&self) -> bool {
        match self {
            Self::Sqlite(connection) => connection.is_autocommit(),
            Self::Postgres(session) => session.is_closed(),
        }
    }

    /// An expression of FTS5 as the engine takes it.
    pub(super) fn matching(&self, expression: String) -> String {
        match self {
            Self::Sqlite(_) => expression,
            Self::Postgres(_) => tokens::tsquery(&expression),
        }
    }

    /// Puts an event into the index of words, in place of what it has of it.
    pub(super) fn put_words(&self, event: i64, columns: [&str; 4]) -> Result<()> {
        let [scope, body, pieces, path] = columns;
        match self {
            Self::Sqlite(_) => self
                .prepare_cached(
                    "INSERT OR REPLACE INTO word (rowid, scope, body, pieces, path) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![event, scope, body, pieces, path]),
            Self::Postgres(_) => self
                .prepare_cached(
                    "INSERT INTO word (rowid, word) VALUES (?1, CAST(?2 AS tsvector))
                     ON CONFLICT (rowid) DO UPDATE SET word = excluded.word",
                )?
                .execute(params![event, tokens::tsvector(scope, path, body, pieces)]),
        }
        .map(drop)
    }

    /// The version of the schema; 0 without one.
    pub(super) fn schema_version(&self) -> Result<i64> {
        match self {
            Self::Sqlite(_) => self.one("PRAGMA user_version", []),
            Self::Postgres(_) if !self.has_table("schema_version")? => Ok(0),
            Self::Postgres(_) => self.one("SELECT version FROM schema_version", []),
        }
    }

    /// Whether there is a table.
    pub(super) fn has_table(&self, name: &str) -> Result<bool> {
        let sql = match self {
            Self::Sqlite(_) => "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?1)",
            Self::Postgres(_) => "SELECT to_regclass('handrail.' || ?1) IS NOT NULL",
        };
        self.one(sql, [name])
    }

    /// Adds rows to a table on a server, in the text format of COPY.
    pub(super) fn copy_in(&self, sql: &str, rows: String) -> Result<()> {
        match self {
            Self::Sqlite(_) => Err(rusqlite::Error::InvalidQuery.into()),
            Self::Postgres(session) => session.copy_in(sql, rows),
        }
    }

    /// Bytes of the database that are in use; on a server those of the JSON of events, since files do not show what is deleted.
    /// Of a table with more than `most` pages a sample is counted, the same one as long as nothing changes.
    pub(super) fn used_bytes(&self, most: i64) -> Result<i64> {
        let number = |sql: &str| self.one::<i64>(sql, []);
        match self {
            Self::Sqlite(_) => {
                let pages =
                    number("PRAGMA page_count")?.saturating_sub(number("PRAGMA freelist_count")?);
                Ok(pages * number("PRAGMA page_size")?)
            }
            Self::Postgres(_) => {
                let pages = number(
                    "SELECT pg_relation_size('event') / CAST(current_setting('block_size') AS bigint)",
                )?;
                // Values that are stored apart from their pages are not read: these know their lengths.
                let share = most as f64 / pages.max(most) as f64;
                let counted = number(&format!(
                    "SELECT coalesce(sum(octet_length(raw)), 0) FROM event TABLESAMPLE SYSTEM ({}) REPEATABLE (0)",
                    share * 100.0
                ))?;
                Ok((counted as f64 / share) as i64)
            }
        }
    }

    /// SQLite's own connection.
    #[cfg(test)]
    pub(super) fn sqlite(&mut self) -> Option<&mut rusqlite::Connection> {
        match self {
            Self::Sqlite(connection) => Some(connection),
            Self::Postgres(_) => None,
        }
    }
}

/// A transaction. It is undone unless it is committed.
#[derive(Debug)]
pub(super) struct Transaction<'c> {
    connection: &'c Connection,
    is_open: bool,
}

impl<'c> Transaction<'c> {
    fn of(connection: &'c Connection, is_open: bool) -> Self {
        Self {
            connection,
            is_open,
        }
    }

    /// Commits it.
    pub(super) fn commit(mut self) -> Result<()> {
        self.end("COMMIT")
    }

    /// Ends a transaction that has changed nothing.
    pub(super) fn finish(mut self) -> Result<()> {
        self.end("ROLLBACK")
    }

    fn end(&mut self, with: &str) -> Result<()> {
        if !self.is_open {
            return Ok(());
        }
        match self.connection {
            Connection::Sqlite(connection) => {
                // SQLite has ended it by itself, for instance because the disk is full.
                if with == "COMMIT" || !connection.is_autocommit() {
                    connection.execute_batch(with)?;
                }
            }
            Connection::Postgres(session) => session.end(with)?,
        }
        self.is_open = false;
        Ok(())
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // The connection is closed otherwise, which undoes it, too.
        let _ = self.end("ROLLBACK");
    }
}

impl std::ops::Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

/// A prepared statement.
pub(super) enum Statement<'c> {
    Sqlite(rusqlite::CachedStatement<'c>),
    Postgres(&'c Session, Arc<dialect::Translated>),
}

impl Statement<'_> {
    /// Makes a change; returns the number of rows that it concerned.
    pub(super) fn execute(&mut self, params: impl Params) -> Result<usize> {
        match self {
            Self::Sqlite(statement) => {
                parameters::bind(statement, params)?;
                Ok(statement.raw_execute()?)
            }
            Self::Postgres(session, sql) => session.execute(sql, parameters::values(sql, params)?),
        }
    }

    /// Makes a change. A server is not waited for: the next statement, or the commit, returns its error.
    pub(super) fn send(&mut self, params: impl Params) -> Result<()> {
        match self {
            Self::Sqlite(_) => self.execute(params).map(drop),
            Self::Postgres(session, sql) => session.send(sql, parameters::values(sql, params)?),
        }
    }

    /// The rows that a query finds. PostgreSQL reads all of them at once.
    pub(super) fn query(&mut self, params: impl Params) -> Result<Rows<'_>> {
        self.rows(params, false)
    }

    /// The same for more rows than are read in the end.
    pub(super) fn stream(&mut self, params: impl Params) -> Result<Rows<'_>> {
        self.rows(params, true)
    }

    fn rows(&mut self, params: impl Params, streamed: bool) -> Result<Rows<'_>> {
        Ok(match self {
            Self::Sqlite(statement) => {
                parameters::bind(statement, params)?;
                Rows::Sqlite(statement.raw_query())
            }
            Self::Postgres(session, sql) => {
                let values = parameters::values(sql, params)?;
                Rows::Postgres(session.query(sql, values, streamed)?)
            }
        })
    }

    /// Each row that a query finds, read by `row`.
    pub(super) fn query_map<T, F: FnMut(&Row<'_>) -> Result<T>>(
        &mut self,
        params: impl Params,
        row: F,
    ) -> Result<Mapped<'_, F>> {
        let rows = self.query(params)?;
        Ok(Mapped { rows, row })
    }

    /// The first row that a query finds.
    pub(super) fn query_row<T>(
        &mut self,
        params: impl Params,
        row: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        match self.query(params)?.next()? {
            Some(found) => row(&found),
            None => Err(Error::NoRows),
        }
    }

    /// Whether a query finds something.
    pub(super) fn exists(&mut self, params: impl Params) -> Result<bool> {
        Ok(self.query(params)?.next()?.is_some())
    }
}

/// The rows that a query finds.
pub(super) enum Rows<'s> {
    Sqlite(rusqlite::Rows<'s>),
    Postgres(postgres::Rows<'s>),
}

impl Rows<'_> {
    /// The next one.
    pub(super) fn next(&mut self) -> Result<Option<Row<'_>>> {
        Ok(match self {
            Self::Sqlite(rows) => rows.next()?.map(Row::Sqlite),
            Self::Postgres(rows) => rows.next()?.map(Row::Postgres),
        })
    }
}

/// Rows that are read by a function.
pub(super) struct Mapped<'s, F> {
    rows: Rows<'s>,
    row: F,
}

impl<T, F: FnMut(&Row<'_>) -> Result<T>> Iterator for Mapped<'_, F> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        match self.rows.next() {
            Ok(found) => found.map(|row| (self.row)(&row)),
            Err(error) => Some(Err(error)),
        }
    }
}

/// The number of a column.
pub(super) trait Column {
    fn place(self) -> usize;
}

impl Column for usize {
    fn place(self) -> usize {
        self
    }
}

/// A row.
#[derive(Clone, Copy)]
pub(super) enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(&'r tokio_postgres::Row),
}

impl<'r> Row<'r> {
    /// The value of a column.
    pub(super) fn get<I: Column, T: FromSql>(&self, column: I) -> Result<T> {
        match self {
            Self::Sqlite(row) => Ok(row.get(column.place())?),
            Self::Postgres(_) => Ok(match self.get_ref(column.place())? {
                ValueRef::Text(text) => T::column_result(ValueRef::Text(&nul::read(text)))?,
                value => T::column_result(value)?,
            }),
        }
    }

    /// The same without a copy, and as it is stored: of a text without NULs.
    pub(super) fn get_ref(&self, column: usize) -> Result<ValueRef<'r>> {
        match self {
            Self::Sqlite(row) => Ok(row.get_ref(column)?),
            Self::Postgres(row) => postgres::value_of(row, column),
        }
    }
}
