//! The lock of the data folder: at most one server uses it at a time.
//!
//! A second one would take the first one's work for that of a process that has ended. Commands beside a server
//! (`commands.rs`) need no lock. The system releases it with the process, however that ends.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use thiserror::Error;

/// Name of the locked file.
pub const FILE: &str = "handrail.lock";

/// Why a folder cannot be locked.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another server uses it.
    #[error("another Handrail uses it. Stop that one, or choose another folder with --data-dir")]
    Taken,
    /// The folder or the file cannot be created.
    #[error("its lock cannot be created")]
    Broken(#[from] io::Error),
}

/// Locks a folder, which is created if it is missing, until the returned file is dropped.
///
/// Where nothing can be locked or created, because the disk is full or has no locks, it stays unlocked.
///
/// # Errors
/// Another process has locked it, or the folder cannot be created.
pub fn of(folder: &Path) -> Result<Option<File>, LockError> {
    of_file(folder, FILE)
}

/// The same with a file of another name.
///
/// # Errors
/// As [`of`].
pub fn of_file(folder: &Path, name: &str) -> Result<Option<File>, LockError> {
    let mut builder = DirBuilder::new();
    let mut options = OpenOptions::new();
    builder.recursive(true);
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    builder.create(folder)?;
    let locked = match options.open(folder.join(name)) {
        Ok(file) => file.try_lock().map(|()| file),
        Err(error) if is_full(&error) => Err(TryLockError::Error(error)),
        Err(error) => return Err(error.into()),
    };
    match locked {
        Ok(file) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(LockError::Taken),
        Err(TryLockError::Error(error)) => {
            tracing::warn!(%error, "the folder cannot be locked; make sure that no other Handrail uses it");
            Ok(None)
        }
    }
}

/// Whether nothing can be created for want of room. The journal says so, and can be read.
fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(
        error.kind(),
        QuotaExceeded | ReadOnlyFilesystem | StorageFull
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_server_at_a_time() {
        let parent = tempfile::TempDir::new().expect("a temporary folder");
        let folder = parent.path().join("data");
        let first = of(&folder).expect("it is free");
        assert!(first.is_some());
        let second = of(&folder);
        assert!(matches!(second, Err(LockError::Taken)), "{second:?}");
        drop(first);
        assert!(of(&folder).is_ok_and(|locked| locked.is_some()));
    }
}
