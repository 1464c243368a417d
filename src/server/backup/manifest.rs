//! The manifest of a backup: what is in it, with sizes and hashes.

use super::files::{about, create_file};
use crate::journal::DATABASE_FILE;
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Component, Path};

/// Name of its file.
pub const MANIFEST: &str = "manifest.json";
/// Longest manifest that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// What is in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of Handrail that wrote it.
    pub handrail: String,
    /// When it was made, as RFC 3339.
    pub made_at: String,
    /// The files by their paths, with `/` between the names.
    pub files: BTreeMap<String, Entry>,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its size.
    pub bytes: u64,
    /// SHA-256, hexadecimal.
    pub sha256: String,
}

impl Manifest {
    /// Describes the files of these paths in a folder.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn of(folder: &Path, files: &[String]) -> Result<Self, String> {
        let entry = |path: &String| Ok((path.clone(), entry(&folder.join(path))?));
        Ok(Self {
            handrail: env!("CARGO_PKG_VERSION").to_owned(),
            made_at: jiff::Timestamp::now().to_string(),
            files: files.iter().map(entry).collect::<Result<_, String>>()?,
        })
    }

    /// Writes it into a folder; on disk when this returns.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let path = folder.join(MANIFEST);
        let text = serde_json::to_vec_pretty(self).map_err(|error| format!("{error}."))?;
        let write = || {
            let mut file = create_file(&path)?;
            file.write_all(&text)?;
            file.sync_all()
        };
        write().map_err(|error| about(&path, &error))
    }

    /// The manifest in a folder.
    ///
    /// # Errors
    /// A sentence if there is none, or it is not one of ours.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let path = folder.join(MANIFEST);
        let file = File::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                format!("{} is no backup: it has no {MANIFEST}.", folder.display())
            }
            _ => about(&path, &error),
        })?;
        let read: Result<Self, _> = serde_json::from_reader(io::Read::take(file, LONGEST));
        let manifest = read.map_err(|error| format!("{}: {error}.", path.display()))?;
        let is_ours = |path: &String| {
            let parts: Vec<_> = Path::new(path).components().collect();
            parts
                .iter()
                .all(|part| matches!(part, Component::Normal(_)))
                && (path == DATABASE_FILE
                    || matches!(path.split('/').collect::<Vec<_>>()[..],
                    [folder, _] if super::FOLDERS.contains(&folder)))
        };
        match manifest.files.keys().find(|path| !is_ours(path)) {
            Some(other) => Err(format!(
                "{} names {other:?}, which no backup has.",
                path.display()
            )),
            None if !manifest.files.contains_key(DATABASE_FILE) => {
                Err(format!("{} names no database.", path.display()))
            }
            None => Ok(manifest),
        }
    }

    /// Compares the files in a folder with it.
    ///
    /// # Errors
    /// A sentence that names a file that differs.
    pub fn check(&self, folder: &Path) -> Result<(), String> {
        for (path, expected) in &self.files {
            if entry(&folder.join(path))? != *expected {
                return Err(format!(
                    "{path} does not match its hash: it was changed or damaged after the backup was made."
                ));
            }
        }
        Ok(())
    }

    /// The sum of the sizes.
    pub fn bytes(&self) -> u64 {
        self.files.values().map(|file| file.bytes).sum()
    }
}

fn entry(path: &Path) -> Result<Entry, String> {
    let hash = || {
        let mut hash = Hash(Sha256::new());
        let bytes = io::copy(&mut File::open(path)?, &mut hash)?;
        let sha256 = HEXLOWER.encode(&hash.0.finalize());
        Ok(Entry { bytes, sha256 })
    };
    hash().map_err(|error| about(path, &error))
}

struct Hash(Sha256);

impl io::Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The names of the files in a folder of the data folder that are part of a backup. Errors: it cannot be read.
pub fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        if fs::metadata(entry.path())?.is_file()
            && let Ok(name) = entry.file_name().into_string()
        {
            names.push(name);
        }
    }
    Ok(names)
}
