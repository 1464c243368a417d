//! The files of one rehearsed conversation: a small repository in memory.
//!
//! The difference from the "cloned" files is what git reports as changes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::embedded;

/// The agent's working directory.
pub const ROOT: &str = "/workspace";

/// A repository with a bug to fix: its files by their paths.
const CLONED: &str = include_str!("cloned.json");

/// Number of writes that can be undone: a long script must not keep every version of its files.
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
    /// A fresh clone with a capacity of `limit` bytes.
    pub fn new(limit: usize) -> Self {
        let texts: BTreeMap<String, String> = embedded(CLONED);
        let files = texts.into_iter();
        let files = files.map(|(path, text)| (path, text.into_bytes()));
        let cloned: BTreeMap<_, _> = files.collect();
        Self {
            files: cloned.clone(),
            cloned,
            undo: Vec::new(),
            limit,
        }
    }

    /// Writes a file; returns `false` if it does not fit.
    pub fn write(&mut self, path: &str, data: impl Into<Vec<u8>>) -> bool {
        let (path, data) = (relative(path).to_owned(), data.into());
        let before = self.files.get(&path).map_or(0, Vec::len);
        let total: usize = self.files.values().map(Vec::len).sum();
        let fits = total - before + data.len() <= self.limit;
        if fits {
            let before = self.files.insert(path.clone(), data);
            self.undo.push((path, before));
            if self.undo.len() > UNDO {
                self.undo.remove(0);
            }
        }
        fits
    }

    /// Undoes the last write to a file; returns its restored text, `None` if there is no recent overwrite to undo.
    pub fn take_back(&mut self, path: &str) -> Option<String> {
        let mut undo = self.undo.iter();
        let last = undo.rposition(|(name, old)| name == relative(path) && old.is_some())?;
        let (name, before) = self.undo.remove(last);
        let text = String::from_utf8_lossy(before.as_ref()?).into_owned();
        self.files.insert(name, before?);
        Some(text)
    }

    /// Removes a file, or a directory with its contents.
    pub fn remove(&mut self, path: &str) {
        let path = relative(path).trim_end_matches('/');
        let files = &mut self.files;
        files.retain(|name, _| name != path && !inside(name, path));
    }

    pub fn bytes(&self, path: &str) -> Option<&[u8]> {
        self.files.get(relative(path)).map(Vec::as_slice)
    }

    /// The text of a file. Errors: why it cannot be shown.
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

    /// The response of `list-files`: one directory, directories first and with a slash, ignored files left out.
    pub fn list(&self, directory: &str) -> Vec<String> {
        let directory = relative(directory).trim_end_matches('/');
        let prefix = match directory {
            "" => String::new(),
            directory => format!("{directory}/"),
        };
        let entry = |name: &String| {
            let rest = name.strip_prefix(&prefix)?;
            let end = rest.find('/').map_or(rest.len(), |slash| slash + 1);
            Some(format!("{prefix}{}", &rest[..end]))
        };
        let tracked = self.files.keys().filter(is_tracked);
        let mut names: Vec<_> = tracked.filter_map(entry).collect();
        names.sort_by_key(|name| (!name.ends_with('/'), name.clone()));
        names.dedup();
        names
    }

    /// The response of `git/changes`.
    pub fn changes(&self) -> Value {
        let change = |name: &String| {
            let status = match (self.cloned.get(name), self.files.get(name)) {
                (None, _) => "A",
                (_, None) => "D",
                (before, now) if before != now => "M",
                _ => return None,
            };
            Some(json!({"status": status, "path": name}))
        };
        let removed = self.cloned().filter(|name| !self.files.contains_key(*name));
        let existing = self.files.keys().filter(is_tracked);
        existing.chain(removed).filter_map(change).collect()
    }

    /// The files of the initial clone.
    pub fn cloned(&self) -> impl Iterator<Item = &String> {
        self.cloned.keys().filter(is_tracked)
    }

    /// The initial text of such a file, without its last newline; empty for any other file.
    pub fn cloned_text(&self, path: &str) -> String {
        let data = self.cloned.get(relative(path));
        let text = data.map(|data| String::from_utf8_lossy(data));
        text.unwrap_or_default().trim_end_matches('\n').to_owned()
    }

    /// The response of `git/diff`: both full texts without their last newline; `None` for a missing file.
    pub fn git_diff(&self, path: &str) -> Option<Value> {
        let modified = self.text(path).ok()?;
        let modified = modified.trim_end_matches('\n');
        Some(json!({"modified": modified, "original": self.cloned_text(path)}))
    }

    pub fn entries(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let entry = |(name, data)| (String::as_str(name), Vec::as_slice(data));
        self.files.iter().map(entry)
    }
}

/// The path below [`ROOT`]. Files exist only in this map, so path traversal is impossible.
fn relative(path: &str) -> &str {
    let rest = path.strip_prefix(ROOT).unwrap_or(path);
    rest.trim_start_matches('/')
}

/// Whether git tracks the file: the repository's `.gitignore` excludes this folder.
fn is_tracked(name: &&String) -> bool {
    !name.starts_with("build/")
}

fn inside(name: &str, directory: &str) -> bool {
    let rest = name.strip_prefix(directory);
    rest.is_some_and(|rest| rest.starts_with('/'))
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
