//! The file of SQLite, and how it is opened: for changes, or, without room on the disk, as it is.

use super::{Access, OpenError};
use rusqlite::hooks::Wal;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};
use std::cell::Cell;
use std::ffi::c_int;
use std::fs::{self, DirBuilder, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;
use url::Url;

thread_local! {
    /// Pages in the write-ahead log after this thread's last commit; 0 if that changed nothing.
    static PAGES: Cell<usize> = const { Cell::new(0) };
}

/// Pages in the write-ahead log (4 KiB each) after this thread's last commit since the last call; 0 without one.
pub(in crate::journal) fn pages_of_log() -> usize {
    PAGES.take()
}

/// In place of SQLite's own hook, which copies the log back within a commit.
fn count_pages(_: &mut Wal, pages: c_int) -> rusqlite::Result<()> {
    PAGES.set(usize::try_from(pages).unwrap_or(0));
    Ok(())
}

/// Where the database is.
#[derive(Debug, Clone)]
pub(in crate::journal) struct File {
    path: PathBuf,
    /// It is read without the files beside it, and cannot be changed.
    is_frozen: bool,
}

impl File {
    /// The database `path` in `folder`, both created if necessary, and its connection for changes.
    pub(super) fn open(folder: &Path, path: &Path) -> Result<(Self, Connection), OpenError> {
        make_private(folder, path)?;
        let place = Self::existing(path);
        match place.writer() {
            // Without room for the files beside it, the database is read as it is. Nothing changes it meanwhile.
            Err(error) if is_full(&error) && !has_log(path) => {
                let place = Self {
                    is_frozen: true,
                    ..place
                };
                let writer = place.writer()?;
                Ok((place, writer))
            }
            opened => Ok((place, opened?)),
        }
    }

    /// The database at `path`, which is not created.
    pub(super) fn existing(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            is_frozen: false,
        }
    }

    /// A connection that changes nothing. Without permission for the files beside the database, it is read as it is.
    pub(super) fn reader(mut self) -> rusqlite::Result<Connection> {
        let open = |place: &Self| -> rusqlite::Result<Connection> {
            let reader = place.connect(Access::Read)?;
            reader.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
            Ok(reader)
        };
        match open(&self) {
            Err(_) if self.path.exists() && !has_log(&self.path) => {
                self.is_frozen = true;
                open(&self)
            }
            opened => opened,
        }
    }

    /// The path of its main file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The connection for changes.
    fn writer(&self) -> rusqlite::Result<Connection> {
        let mut writer = self.connect(Access::Write)?;
        writer.wal_hook(Some(count_pages))?;
        if !self.is_frozen {
            writer.pragma_update(None, "journal_mode", "WAL")?;
        }
        // Opens the files beside the database.
        writer.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(writer)
    }

    pub(super) fn connect(&self, access: Access) -> rusqlite::Result<Connection> {
        let access = match access {
            Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
        };
        let access = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = match self.is_frozen {
            false => Connection::open_with_flags(&self.path, access)?,
            true => {
                let mut uri =
                    Url::from_file_path(std::path::absolute(&self.path).unwrap_or_default())
                        .map_err(|()| rusqlite::Error::InvalidPath(self.path.clone()))?;
                uri.set_query(Some("immutable=1"));
                let access = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                let access = access | OpenFlags::SQLITE_OPEN_URI;
                Connection::open_with_flags(uri.as_str(), access)?
            }
        };
        // Only another process, such as a backup, can hold the lock; a page should not wait for it longer than this.
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(connection)
    }
}

/// Whether a query was given up.
pub(super) fn is_interrupted(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted)
}

/// Whether something could not be written: the disk is full, a quota is used up, or the file cannot be changed.
pub(super) fn is_full(error: &rusqlite::Error) -> bool {
    let Some(error) = error.sqlite_error() else {
        return false;
    };
    match error.code {
        ErrorCode::DiskFull | ErrorCode::ReadOnly => true,
        ErrorCode::SystemIoFailure => matches!(
            error.extended_code,
            ffi::SQLITE_IOERR_WRITE
                | ffi::SQLITE_IOERR_FSYNC
                | ffi::SQLITE_IOERR_TRUNCATE
                | ffi::SQLITE_IOERR_SHMSIZE
                | ffi::SQLITE_IOERR_SHMMAP
                | ffi::SQLITE_IOERR_SHMOPEN
        ),
        _ => false,
    }
}

/// Whether there are changes beside the main file.
fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    fs::metadata(log).is_ok_and(|log| log.len() > 0)
}

/// Creates folder and file with permissions for their owner only, before they have any content. SQLite gives its WAL
/// and shared-memory files the permissions of the main file.
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
