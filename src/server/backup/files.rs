//! Files and folders that are on disk, private and whole, or absent.

use crate::server::lock;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Name of the file that is locked while a backup is written beside it.
const LOCK: &str = ".handrail-backup.lock";
/// What the names of folders begin and end with that are being written, or deleted. Nobody else's look like this.
const PARTIAL: (&str, &str) = (".handrail-", ".partial");

/// Creates a folder that only its owner can read, and those above it. Errors: the system refuses.
pub fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Creates a file that only its owner can read. Errors: it exists, or the system refuses.
pub fn create_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Waits until the names in a folder are on disk. Errors: they cannot be written.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(path)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// An error with the path that it is about.
pub fn about(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}.", path.display())
}

/// A new folder under another name, in a parent that is locked for it. It is removed unless it is published.
pub struct Partial {
    parent: PathBuf,
    path: PathBuf,
    _lock: Option<File>,
}

impl Partial {
    /// Locks `parent`, which is created if it is missing, removes what a process that has ended left in it, and creates
    /// the folder.
    ///
    /// # Errors
    /// A sentence.
    pub fn new(parent: &Path, name: &str) -> Result<Self, String> {
        create_folder(parent).map_err(|error| about(parent, &error))?;
        let lock = lock::of_file(parent, LOCK).map_err(|error| match error {
            lock::LockError::Taken => format!(
                "another backup is being written to {}. Wait until it has finished.",
                parent.display()
            ),
            lock::LockError::Broken(error) => about(parent, &error),
        })?;
        let path = partial_path(parent, name);
        let clean = || {
            for entry in fs::read_dir(parent)? {
                let entry = entry?;
                let name = entry.file_name();
                let name = name.to_string_lossy();
                if name.starts_with(PARTIAL.0) && name.ends_with(PARTIAL.1) {
                    fs::remove_dir_all(entry.path())?;
                }
            }
            create_folder(&path)
        };
        clean().map_err(|error| about(parent, &error))?;
        Ok(Self {
            parent: parent.to_owned(),
            path,
            _lock: lock,
        })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the folder, whose files are on disk, its name; returns its path.
    ///
    /// # Errors
    /// A sentence.
    pub fn publish(self, name: &str) -> Result<PathBuf, String> {
        let path = self.parent.join(name);
        sync_folder(&self.path)
            .and_then(|()| fs::rename(&self.path, &path))
            .and_then(|()| sync_folder(&self.parent))
            .map_err(|error| about(&path, &error))?;
        Ok(path)
    }

    /// Deletes another folder beside this one: it loses its name first. Errors: the system refuses.
    pub fn delete(&self, name: &str) -> io::Result<()> {
        let partial = partial_path(&self.parent, name);
        fs::rename(self.parent.join(name), &partial)?;
        fs::remove_dir_all(partial)
    }
}

fn partial_path(parent: &Path, name: &str) -> PathBuf {
    let (start, end) = PARTIAL;
    parent.join(format!("{start}{name}{end}"))
}

impl Drop for Partial {
    fn drop(&mut self) {
        // The published one is no longer there.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_an_earlier_backup_left_is_removed() {
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        let [ours, theirs] = [".handrail-left.partial", ".rsync.partial"].map(|name| {
            let path = folder.path().join(name);
            fs::create_dir(&path).expect("it is made");
            path
        });
        let file = folder.path().join(".download.partial");
        fs::write(&file, "half").expect("it is written");
        let partial = Partial::new(folder.path(), "new").expect("nobody else writes");
        assert!(!ours.exists() && partial.path().exists());
        assert!(theirs.exists() && file.exists());
    }
}
