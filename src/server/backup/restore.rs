//! Restoring a backup into a data folder that is new or empty.
//!
//! Everything is copied to a folder in the data folder, checked there, and moved to its place, the database last. Until
//! the staging folder is gone, no server and no command uses the data folder, and restoring begins anew.

use super::FOLDERS;
use super::files::{about, create_file, create_folder, sync_folder};
use super::manifest::{MANIFEST, Manifest};
use crate::clock::now;
use crate::journal::{
    AuditEntry, DATABASE_FILE, JournalError, Location, Server, end_access, inspect,
};
use crate::server::{lock, reasons};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

/// Name of the staging folder.
pub const STAGING: &str = "restoring";
/// What is said of what was restored, before its number.
const ENDED: &str = "All sessions, access tokens, links and invitations have ended";
/// Most files of an archive.
const MOST_FILES: usize = 100;

/// Restores a backup; returns a sentence about what was restored. Blocks.
///
/// # Errors
/// A sentence that says what failed and what to do.
pub fn restore(backup: &Path, data_dir: &Path) -> Result<String, String> {
    refuse_filled(data_dir)?;
    let _ours = lock::of(data_dir)
        .map_err(|error| format!("{}: {}", data_dir.display(), reasons(&error)))?;
    refuse_filled(data_dir)?;
    let staging = data_dir.join(STAGING);
    // Whatever is there was left by an interrupted call.
    if staging.exists() {
        clear(data_dir).map_err(|error| about(data_dir, &error))?;
    }
    let restored = fill(backup, &staging).and_then(|manifest| {
        let ended = prepare(&staging, &manifest)?;
        publish(&staging, data_dir).map_err(|error| about(data_dir, &error))?;
        Ok(format!(
            "Restored the backup of {} to {}. {ENDED}: {ended}.",
            manifest.made_at,
            data_dir.display()
        ))
    });
    if restored.is_err() {
        clear(data_dir).map_err(|error| about(data_dir, &error))?;
    }
    restored
}

/// Refuses a folder with anything that restoring has not left itself.
fn refuse_filled(data_dir: &Path) -> Result<(), String> {
    let is_interrupted = data_dir.join(STAGING).exists();
    let entries = match fs::read_dir(data_dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(about(data_dir, &error)),
        Ok(entries) => entries,
    };
    for entry in entries {
        let name = entry.map_err(|error| about(data_dir, &error))?.file_name();
        let name = name.to_string_lossy();
        let is_ours = name == STAGING || name == DATABASE_FILE || FOLDERS.contains(&&*name);
        if name != lock::FILE && !(is_interrupted && is_ours) {
            return Err(format!(
                "{} is not empty, and nothing is overwritten. Choose a new folder with --data-dir.",
                data_dir.display()
            ));
        }
    }
    Ok(())
}

/// Removes everything, the staging folder last.
fn clear(data_dir: &Path) -> io::Result<()> {
    let ignore_missing = |removed: io::Result<()>| match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    };
    ignore_missing(fs::remove_file(data_dir.join(DATABASE_FILE)))?;
    for folder in FOLDERS.into_iter().chain([STAGING]) {
        ignore_missing(fs::remove_dir_all(data_dir.join(folder)))?;
    }
    Ok(())
}

/// Copies a backup, of which every hash is checked afterwards. Errors: a sentence.
pub fn fill(backup: &Path, to: &Path) -> Result<Manifest, String> {
    create_folder(to).map_err(|error| about(to, &error))?;
    if backup.is_dir() {
        let manifest = Manifest::read(backup)?;
        for path in manifest.files.keys() {
            let from = backup.join(path);
            let copy = || copy(&mut File::open(&from)?, &to.join(path));
            copy().map_err(|error| about(&from, &error))?;
        }
        return Ok(manifest);
    }
    let unpacked = match backup == Path::new("-") {
        true => unpack(io::stdin().lock(), to),
        false => File::open(backup).and_then(|file| unpack(io::BufReader::new(file), to)),
    };
    unpacked.map_err(|error| about(backup, &error))?;
    Manifest::read(to)
}

fn unpack(archive: impl Read, to: &Path) -> io::Result<()> {
    let mut archive = tar::Archive::new(archive);
    for (count, entry) in archive.entries()?.enumerate() {
        let mut entry = entry?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let path = path.strip_prefix("./").unwrap_or(&path);
        let is_ours = match path.split_once('/') {
            None => path == MANIFEST || path == DATABASE_FILE,
            Some((folder, name)) => {
                FOLDERS.contains(&folder) && !["", ".", ".."].contains(&name) && !name.contains('/')
            }
        };
        if !entry.header().entry_type().is_file() {
            continue;
        }
        if !is_ours || count == MOST_FILES {
            let text = format!("it is no backup: it contains {path:?}");
            return Err(io::Error::other(text));
        }
        copy(&mut entry, &to.join(path))?;
    }
    Ok(())
}

fn copy(from: &mut impl Read, to: &Path) -> io::Result<()> {
    create_folder(to.parent().unwrap_or(to))?;
    let mut copy = create_file(to)?;
    io::copy(from, &mut copy)?;
    copy.sync_all()
}

/// Checks what was copied, and ends whatever let somebody in. Returns the number of what has ended.
fn prepare(staging: &Path, manifest: &Manifest) -> Result<usize, String> {
    manifest.check(staging)?;
    let found = inspect(staging).map_err(|error| match error {
        JournalError::OtherVersion { found, known } if found > *known.end() => format!(
            "the backup is of a newer Handrail: its database has version {found}, and this Handrail knows versions up to {}. Restore it with the newer one.",
            known.end()
        ),
        error => format!("the backup cannot be restored: {}", reasons(&error)),
    })?;
    if let Some(damage) = found.damage.iter().flatten().next() {
        return Err(format!(
            "the database was damaged when the backup was made: {damage}. Restore an earlier backup."
        ));
    }
    end_access(staging, &restored(format!("made at {}", manifest.made_at)))
        .map_err(|error| format!("the backup cannot be restored: {}", reasons(&error)))
}

/// The entry of the audit log.
fn restored(detail: String) -> AuditEntry {
    AuditEntry {
        at: now(),
        name: "command line".to_owned(),
        action: "restore backup".to_owned(),
        detail,
        outcome: "done".to_owned(),
        ..AuditEntry::default()
    }
}

/// Ends whatever lets somebody in, in a database that `pg_restore` has filled; returns a sentence about it. Blocks.
///
/// # Errors
/// A sentence that says what failed and what to do.
pub fn restored_server(server: Arc<Server>) -> Result<String, String> {
    let name = server.name();
    let ended = end_access(Location::Server(server), &restored(String::new()));
    let ended = ended.map_err(|error| format!("{name} is as before: {}", reasons(&error)))?;
    Ok(format!("{name}: {ENDED}: {ended}."))
}

/// Moves everything to its place.
fn publish(staging: &Path, data_dir: &Path) -> io::Result<()> {
    for folder in FOLDERS {
        if staging.join(folder).exists() {
            sync_folder(&staging.join(folder))?;
            fs::rename(staging.join(folder), data_dir.join(folder))?;
        }
    }
    fs::rename(staging.join(DATABASE_FILE), data_dir.join(DATABASE_FILE))?;
    sync_folder(data_dir)?;
    fs::remove_dir_all(staging)?;
    sync_folder(data_dir)
}
