//! Archives with the same bytes for the same files.

use std::{env, fs, path::Path};

use anyhow::{Context as _, Result};
use flate2::{Compression, GzBuilder};
use sha2::{Digest as _, Sha256};
use tar::{EntryType, Header};

use super::output;

/// The time of all files.
#[derive(Clone, Copy)]
pub struct Times {
    /// Seconds since the Unix epoch.
    pub seconds: u64,
}

impl Times {
    /// That of the newest commit, or of `SOURCE_DATE_EPOCH`. Errors: there is neither.
    pub fn of_commit() -> Result<Self> {
        let seconds = match env::var("SOURCE_DATE_EPOCH") {
            Ok(given) => given,
            Err(_) => output("git", &["log", "-1", "--format=%ct"])?,
        };
        let seconds = seconds.trim().parse();
        Ok(Self {
            seconds: seconds.context("SOURCE_DATE_EPOCH is a number of seconds")?,
        })
    }
}

/// A file or folder of an archive.
#[derive(Clone)]
pub struct Entry {
    pub name: String,
    pub bytes: Vec<u8>,
    mode: u32,
    owner: u64,
    kind: EntryType,
}

impl Entry {
    pub fn file(name: &str, bytes: Vec<u8>) -> Self {
        Self {
            name: name.to_owned(),
            bytes,
            mode: 0o644,
            owner: 0,
            kind: EntryType::Regular,
        }
    }

    pub fn program(name: &str, bytes: Vec<u8>) -> Self {
        Self {
            mode: 0o755,
            ..Self::file(name, bytes)
        }
    }

    pub fn folder(name: &str) -> Self {
        Self {
            mode: 0o755,
            kind: EntryType::Directory,
            ..Self::file(name, Vec::new())
        }
    }

    /// A folder that only the user of this number can open.
    pub fn private_folder(name: &str, owner: u64) -> Self {
        Self {
            mode: 0o700,
            owner,
            ..Self::folder(name)
        }
    }

    /// The same below a folder.
    pub fn below(&self, folder: &str) -> Self {
        self.named(&format!("{folder}/{}", self.name))
    }

    /// The same with another name.
    pub fn named(&self, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..self.clone()
        }
    }
}

/// A compressed tar archive. Errors: a name is too long.
pub fn tar_gz(mut entries: Vec<Entry>, times: Times) -> Result<Vec<u8>> {
    entries.sort_by(|one, other| one.name.cmp(&other.name));
    let gzip = GzBuilder::new().write(Vec::new(), Compression::best());
    let mut archive = tar::Builder::new(gzip);
    for entry in entries {
        let mut header = Header::new_ustar();
        header.set_entry_type(entry.kind);
        header.set_size(entry.bytes.len() as u64);
        header.set_mode(entry.mode);
        header.set_uid(entry.owner);
        header.set_gid(entry.owner);
        header.set_mtime(times.seconds);
        archive.append_data(&mut header, &entry.name, entry.bytes.as_slice())?;
    }
    Ok(archive.into_inner()?.finish()?)
}

/// The SHA-256 of all files in a folder, as `sha256sum --check` reads them. Errors: a file cannot be read.
pub fn sums(folder: &Path) -> Result<String> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let hash = Sha256::digest(fs::read(&path)?);
        let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        lines.push(format!("{hash}  {name}\n"));
    }
    lines.sort_by(|one, other| one[64..].cmp(&other[64..]));
    Ok(lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_files_does_not_matter() {
        let times = Times {
            seconds: 1_700_000_000,
        };
        let files = [Entry::file("b", vec![1]), Entry::program("a", vec![2])];
        let mut turned = files.to_vec();
        turned.reverse();
        let packed = tar_gz(files.to_vec(), times).expect("short names");
        assert_eq!(packed, tar_gz(turned, times).expect("short names"));
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(packed.as_slice()));
        let names = archive.entries().expect("an archive").map(|entry| {
            let entry = entry.expect("an entry");
            (
                entry.path().expect("a name").display().to_string(),
                entry.header().mode().ok(),
            )
        });
        assert_eq!(
            names.collect::<Vec<_>>(),
            [("a".to_owned(), Some(0o755)), ("b".to_owned(), Some(0o644))]
        );
    }
}
