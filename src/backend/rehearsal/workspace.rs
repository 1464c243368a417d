//! The files of one rehearsed conversation: a small repository in memory.
//!
//! What differs from the files as they were "cloned" is what git would report.

use std::collections::BTreeMap;
use std::io;

use serde_json::{Value, json};

use super::archive;

/// Where the agent believes to work.
pub const ROOT: &str = "/workspace";

/// A repository with a bug worth fixing.
const CLONED: [(&str, &str); 4] = [
    (".gitignore", "build/\n__pycache__/\n"),
    (
        "README.md",
        "# Tally\n\nCounts things.\n\n    python tally.py\n",
    ),
    ("build/tally.log", "built by nobody\n"),
    (
        "tally.py",
        "\"\"\"Counts things.\"\"\"\n\n\ndef mean(values):\n    return sum(values) / len(values) - 1\n\n\nif __name__ == \"__main__\":\n    print(mean([1, 2, 3]))\n",
    ),
];

/// How many writes can be taken back: a long script must not keep every version of its files.
const UNDO: usize = 16;

/// Files by their path relative to [`ROOT`].
pub struct Workspace {
    files: BTreeMap<String, Vec<u8>>,
    cloned: BTreeMap<String, Vec<u8>>,
    undo: Vec<(String, Option<Vec<u8>>)>,
    limit: usize,
}

/// Why a file cannot be shown.
pub enum Unreadable {
    Missing,
    Directory,
    Binary,
}

impl Workspace {
    /// A fresh clone which holds at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        let cloned: BTreeMap<_, _> = CLONED
            .map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()))
            .into();
        Self {
            files: cloned.clone(),
            cloned,
            undo: Vec::new(),
            limit,
        }
    }

    /// Writes a file; false when it does not fit.
    pub fn write(&mut self, path: &str, data: impl Into<Vec<u8>>) -> bool {
        let (path, data) = (relative(path).to_owned(), data.into());
        let others: usize = self
            .files
            .iter()
            .filter(|(name, _)| **name != path)
            .map(|(_, data)| data.len())
            .sum();
        let fits = others + data.len() <= self.limit;
        if fits {
            let before = self.files.insert(path.clone(), data);
            self.undo.push((path, before));
            if self.undo.len() > UNDO {
                self.undo.remove(0);
            }
        }
        fits
    }

    /// Takes the last write to a file back; the text it has again, none if nothing was overwritten lately.
    pub fn take_back(&mut self, path: &str) -> Option<String> {
        let last = self
            .undo
            .iter()
            .rposition(|(name, before)| name == relative(path) && before.is_some())?;
        let (name, before) = self.undo.remove(last);
        let text = String::from_utf8_lossy(before.as_ref()?).into_owned();
        self.files.insert(name, before?);
        Some(text)
    }

    /// Removes a file, or a directory with all that is in it.
    pub fn remove(&mut self, path: &str) {
        let path = relative(path).trim_end_matches('/');
        self.files
            .retain(|name, _| name != path && !inside(name, path));
    }

    /// The content of a file.
    pub fn bytes(&self, path: &str) -> Option<&[u8]> {
        self.files.get(relative(path)).map(Vec::as_slice)
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> Result<&str, Unreadable> {
        let path = relative(path);
        match self.files.get(path) {
            Some(data) => std::str::from_utf8(data)
                .ok()
                .filter(|text| !text.contains(['\0', char::REPLACEMENT_CHARACTER]))
                .ok_or(Unreadable::Binary),
            None if path.is_empty() || self.files.keys().any(|name| inside(name, path)) => {
                Err(Unreadable::Directory)
            }
            None => Err(Unreadable::Missing),
        }
    }

    /// What `list-files` answers: one directory, directories first and with a slash, ignored files left out.
    pub fn list(&self, directory: &str) -> Vec<String> {
        let directory = relative(directory).trim_end_matches('/');
        let prefix = if directory.is_empty() {
            String::new()
        } else {
            format!("{directory}/")
        };
        let mut names: Vec<_> = self
            .files
            .keys()
            .filter(|name| !name.starts_with("build/"))
            .filter_map(|name| name.strip_prefix(&prefix))
            .map(|rest| {
                rest.split_once('/')
                    .map_or(format!("{prefix}{rest}"), |(dir, _)| {
                        format!("{prefix}{dir}/")
                    })
            })
            .collect();
        names.sort_by_key(|name| (!name.ends_with('/'), name.clone()));
        names.dedup();
        names
    }

    /// What `git/changes` answers.
    pub fn changes(&self) -> Value {
        let written = self
            .files
            .iter()
            .filter(|(name, _)| is_tracked(name))
            .filter_map(|(name, data)| {
                let status = match self.cloned.get(name) {
                    None => "A",
                    Some(before) if before != data => "M",
                    Some(_) => return None,
                };
                Some(json!({"status": status, "path": name}))
            });
        let removed = self
            .cloned
            .keys()
            .filter(is_tracked)
            .filter(|name| !self.files.contains_key(*name));
        written
            .chain(removed.map(|name| json!({"status": "D", "path": name})))
            .collect()
    }

    /// The files that the repository was cloned with.
    pub fn cloned(&self) -> impl Iterator<Item = &String> {
        self.cloned.keys().filter(is_tracked)
    }

    /// Text of one of them as it was then, without its last newline; empty for any other.
    pub fn cloned_text(&self, path: &str) -> String {
        let data = self.cloned.get(relative(path));
        let text = data.map(|data| String::from_utf8_lossy(data));
        text.unwrap_or_default().trim_end_matches('\n').to_owned()
    }

    /// What `git/diff` answers: both full texts without their last newline; nothing for a file that is not there.
    pub fn git_diff(&self, path: &str) -> Option<Value> {
        let modified = self.text(path).ok()?;
        Some(
            json!({"modified": modified.trim_end_matches('\n'), "original": self.cloned_text(path)}),
        )
    }

    /// All files, packed by tar and gzip.
    pub fn tar_gz(&self) -> io::Result<Vec<u8>> {
        let files = self.files.iter();
        archive::tar_gz(files.map(|(name, data)| (name.as_str(), data.as_slice())))
    }

    /// All files as a ZIP archive.
    pub fn zip(&self) -> Vec<u8> {
        archive::zip(
            self.files
                .iter()
                .map(|(name, data)| (name.as_str(), data.as_slice())),
        )
    }
}

/// The path below [`ROOT`]. Nothing leaves the map, so there is nothing to escape to.
fn relative(path: &str) -> &str {
    path.strip_prefix(ROOT)
        .unwrap_or(path)
        .trim_start_matches('/')
}

/// Its `.gitignore` leaves this folder out.
fn is_tracked(name: &&String) -> bool {
    !name.starts_with("build/")
}

fn inside(name: &str, directory: &str) -> bool {
    name.strip_prefix(directory)
        .is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> Workspace {
        Workspace::new(1_000_000)
    }

    #[test]
    fn listing_shows_directories_first_and_leaves_out_what_git_ignores() {
        let mut workspace = workspace();
        workspace.write("docs/a.md", "a");
        assert_eq!(
            workspace.list(""),
            ["docs/", ".gitignore", "README.md", "tally.py"]
        );
        assert_eq!(workspace.list("docs"), ["docs/a.md"]);
        assert!(workspace.list("nowhere").is_empty());
    }

    #[test]
    fn a_file_beyond_the_limit_is_not_written() {
        let mut workspace = Workspace::new(400);
        assert!(!workspace.write("large", vec![b'x'; 400]));
        assert!(matches!(workspace.text("large"), Err(Unreadable::Missing)));
    }
}
