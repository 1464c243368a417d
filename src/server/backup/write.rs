//! Writing backups.

use super::FOLDERS;
use super::files::{Partial, about, create_file, create_folder, sync_folder};
use super::manifest::{MANIFEST, Manifest, names_in};
use crate::journal::{DATABASE_FILE, copy_database};
use crate::server::reasons;
use jiff::Timestamp;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What the name of a backup begins with; its time follows, so that the order of names is that of times.
const PREFIX: &str = "handrail-";

/// Writes a backup to a new folder in `to`, and returns its path. Given up once `is_over` returns true. Blocks.
///
/// # Errors
/// A sentence that says what failed and what to do.
pub fn write(
    data_dir: &Path,
    to: &Path,
    is_over: impl FnMut() -> bool + Send + 'static,
) -> Result<PathBuf, String> {
    let name = format!("{PREFIX}{}", Timestamp::now().strftime("%Y%m%d-%H%M%S%.3f"));
    let partial = Partial::new(to, &name)?;
    fill(data_dir, partial.path(), is_over)?;
    partial.publish(&name)
}

/// Writes a backup of what is beside a database on a server, and returns its path. Blocks.
///
/// # Errors
/// A sentence that says what failed and what to do.
pub fn write_files(data_dir: &Path, to: &Path) -> Result<PathBuf, String> {
    let name = format!("{PREFIX}{}", Timestamp::now().strftime("%Y%m%d-%H%M%S%.3f"));
    let partial = Partial::new(to, &name)?;
    fill_files(data_dir, partial.path(), Vec::new())?;
    partial.publish(&name)
}

/// Writes a backup as a tar archive. It is collected in the data folder before. Blocks.
///
/// # Errors
/// A sentence that says what failed and what to do.
pub fn write_archive(data_dir: &Path, out: impl Write) -> Result<(), String> {
    let partial = Partial::new(data_dir, "archive")?;
    let manifest = fill(data_dir, partial.path(), || false)?;
    let mut archive = tar::Builder::new(out);
    archive.mode(tar::HeaderMode::Deterministic);
    let append = || {
        let files = manifest.files.keys().map(String::as_str);
        for path in [MANIFEST].into_iter().chain(files) {
            archive.append_path_with_name(partial.path().join(path), path)?;
        }
        archive.into_inner()?.flush()
    };
    append().map_err(|error| format!("the archive cannot be written: {error}."))
}

/// Writes all files of a backup into a folder.
fn fill(
    data_dir: &Path,
    folder: &Path,
    is_over: impl FnMut() -> bool + Send + 'static,
) -> Result<Manifest, String> {
    copy_database(data_dir, &folder.join(DATABASE_FILE), is_over)
        .map_err(|error| format!("no backup was written: {}", reasons(&error)))?;
    fill_files(data_dir, folder, vec![DATABASE_FILE.to_owned()])
}

/// Writes all files but the database, and the manifest of them and of `files`, which are there.
fn fill_files(data_dir: &Path, folder: &Path, mut files: Vec<String>) -> Result<Manifest, String> {
    for name in FOLDERS {
        let from = data_dir.join(name);
        let names = names_in(&from).map_err(|error| about(&from, &error))?;
        if !names.is_empty() {
            copy_files(&from, &folder.join(name), &names).map_err(|error| about(&from, &error))?;
        }
        files.extend(names.iter().map(|file| format!("{name}/{file}")));
    }
    let manifest = Manifest::of(folder, &files)?;
    manifest.write(folder)?;
    Ok(manifest)
}

/// Copies files between folders; on disk when this returns.
fn copy_files(from: &Path, to: &Path, names: &[String]) -> io::Result<()> {
    create_folder(to)?;
    for name in names {
        let mut copy = create_file(&to.join(name))?;
        io::copy(&mut File::open(from.join(name))?, &mut copy)?;
        copy.sync_all()?;
    }
    sync_folder(to)
}

/// The names of the backups in a folder, the oldest first. Errors: the folder cannot be read.
pub fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        // One that a person has renamed is theirs to delete.
        if let Ok(name) = entry.file_name().into_string()
            && let Some(time) = name.strip_prefix(PREFIX)
            && time.starts_with(|first: char| first.is_ascii_digit())
            && entry.path().join(MANIFEST).is_file()
        {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Deletes the oldest backups in a folder beyond `keep`; returns how many.
///
/// # Errors
/// A sentence.
pub fn keep_newest(folder: &Path, keep: usize) -> Result<usize, String> {
    let mut names = names(folder).map_err(|error| about(folder, &error))?;
    names.truncate(names.len().saturating_sub(keep));
    let partial = Partial::new(folder, "deleting")?;
    for name in &names {
        partial
            .delete(name)
            .map_err(|error| about(&folder.join(name), &error))?;
    }
    Ok(names.len())
}
