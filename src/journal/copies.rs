//! Copies of the whole database, made while others write.
//!
//! A copy is what the database was at one moment. It has one file, without a log beside it, and nothing of what was
//! deleted before.

use super::JournalError;
use super::engine::{Access, Connection, Location, Place};
use super::error::of_engine;
use std::ffi::c_int;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Name of the database in its folder.
pub const DATABASE_FILE: &str = "handrail.db";
/// Name of the copy before a conversion, with the version that the conversion makes between these two.
const BEFORE: (&str, &str) = ("before-version-", ".db");
/// SQLite asks whether to go on after this many steps of its virtual machine, about every millisecond.
const STEPS: c_int = 2_000;

/// Copies the database in `folder` to the new file `to`, which only its owner can read and which is on disk when this
/// returns. Others can read and write the database meanwhile. Given up once `is_over` returns true. Blocks.
///
/// Errors: [`JournalError::Open`] if there is no database or it cannot be opened, [`JournalError::TooSlow`] if it was
/// given up.
pub fn copy_database(
    folder: &Path,
    to: &Path,
    is_over: impl FnMut() -> bool + Send + 'static,
) -> Result<(), JournalError> {
    let mut from = open(Location::Folder(folder.to_owned()))?;
    from.give_up_when(STEPS, is_over).map_err(of_engine)?;
    copy(&from, to)
}

fn copy(from: &Connection, to: &Path) -> Result<(), JournalError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            JournalError::Full(error.into())
        }
        _ => JournalError::Broken(error.into()),
    };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // SQLite fills an empty file, and leaves its permissions alone.
    let file: File = options.open(to).map_err(failed)?;
    from.execute("VACUUM INTO ?1", [to.to_string_lossy()])
        .map_err(of_engine)?;
    file.sync_all().map_err(failed)
}

/// Keeps a copy of a database of an earlier version beside it, in place of one before an earlier conversion.
///
/// Errors: [`JournalError::NoCopy`].
pub(super) fn keep_before(
    connection: &Connection,
    path: &Path,
    version: i64,
) -> Result<(), JournalError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let kept = folder.join(format!("{}{version}{}", BEFORE.0, BEFORE.1));
    let partial = kept.with_extension("partial");
    let failed = |source: Box<dyn std::error::Error + Send + Sync>| JournalError::NoCopy {
        path: kept.clone(),
        version,
        source,
    };
    let written = forget(&partial)
        .map_err(|error| failed(error.into()))
        .and_then(|()| copy(connection, &partial).map_err(|error| failed(error.into())))
        .and_then(|()| fs::rename(&partial, &kept).map_err(|error| failed(error.into())));
    if written.is_err() {
        // Its room is needed.
        let _ = forget(&partial);
    }
    written?;
    #[cfg(unix)]
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(|error| failed(error.into()))?;
    tracing::info!(path = %kept.display(), "the journal was copied before its conversion");
    for older in copies_in(folder).into_iter().filter(|copy| *copy != kept) {
        forget(&older).map_err(|error| failed(error.into()))?;
    }
    Ok(())
}

/// The copies before conversions in a folder.
fn copies_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_copy = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(BEFORE.0) && name.ends_with(BEFORE.1)
    };
    entries.map(|entry| entry.path()).filter(is_copy).collect()
}

fn forget(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A connection that changes nothing.
pub(super) fn open(location: Location) -> Result<Connection, JournalError> {
    let (path, opened) = match location {
        Location::Folder(folder) => {
            let path = folder.join(DATABASE_FILE);
            let opened = Place::reader_of_file(&path);
            (path, opened)
        }
        Location::Server(server) => (
            server.name().into(),
            Place::Server(server).connect(Access::Read),
        ),
    };
    opened.map_err(|error| JournalError::Open {
        path,
        source: error.into(),
    })
}
