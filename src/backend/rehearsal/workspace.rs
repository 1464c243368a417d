//! The files of one rehearsed conversation: a small repository in memory.
//!
//! Editor commands behave like the real ones (a failed edit is a result that starts with `ERROR:`), and what differs
//! from the files as they were "cloned" is what git would report.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{archive, diff};

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
        }
        fits
    }

    /// Removes a file, or a directory with all that is in it.
    pub fn remove(&mut self, path: &str) {
        let path = relative(path).trim_end_matches('/');
        self.files
            .retain(|name, _| name != path && !inside(name, path));
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
        let tracked = |name: &&String| !name.starts_with("build/");
        let written = self
            .files
            .iter()
            .filter(|(name, _)| tracked(name))
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
            .filter(tracked)
            .filter(|name| !self.files.contains_key(*name));
        written
            .chain(removed.map(|name| json!({"status": "D", "path": name})))
            .collect()
    }

    /// What `git/diff` answers: both full texts without their last newline; nothing for a file that is not there.
    pub fn git_diff(&self, path: &str) -> Option<Value> {
        let modified = self.text(path).ok()?;
        let original = self
            .cloned
            .get(relative(path))
            .map(|data| String::from_utf8_lossy(data))
            .unwrap_or_default();
        Some(
            json!({"modified": modified.trim_end_matches('\n'), "original": original.trim_end_matches('\n')}),
        )
    }

    /// All files as a ZIP archive.
    pub fn zip(&self) -> Vec<u8> {
        archive::zip(
            self.files
                .iter()
                .map(|(name, data)| (name.as_str(), data.as_slice())),
        )
    }

    /// Runs one command of the editor; the content and the diff of its `edit` observation.
    pub fn edit(&mut self, args: &Value) -> (String, String) {
        match self.try_edit(args) {
            Ok(done) => done,
            Err(error) => (format!("ERROR:\n{error}"), String::new()),
        }
    }

    fn try_edit(&mut self, args: &Value) -> Result<(String, String), String> {
        let text = |name: &str| args[name].as_str().unwrap_or_default();
        let path = text("path");
        let before = self.text(path).map(str::to_owned);
        let (said, after) = match (text("command"), before.as_deref()) {
            ("create", Ok(_)) => {
                return Err(format!(
                    "Invalid `path` parameter: {path}. File already exists at: {path}. Cannot overwrite files using command `create`."
                ));
            }
            ("create", Err(_)) => (
                format!("File created successfully at: {path}"),
                text("file_text").to_owned(),
            ),
            ("str_replace", Ok(old)) if old.contains(text("old_str")) => {
                let after = old.replacen(text("old_str"), text("new_str"), 1);
                (edited(path, &after, line_of(old, text("old_str"))), after)
            }
            ("str_replace", Ok(_)) => {
                return Err(format!(
                    "No replacement was performed, old_str `{}` did not appear verbatim in {path}.",
                    text("old_str")
                ));
            }
            ("insert", Ok(old)) => {
                let at = args["insert_line"].as_u64().unwrap_or(0) as usize;
                let mut lines: Vec<_> = old.split('\n').collect();
                let at = at.min(lines.len() - 1);
                lines.insert(at, text("new_str"));
                let after = lines.join("\n");
                (edited(path, &after, at), after)
            }
            ("undo_edit", Ok(_)) => return self.undo(path),
            (_, Err(_)) => {
                return Err(format!(
                    "Invalid `path` parameter: {path}. The path {path} does not exist."
                ));
            }
            (command, _) => return Err(format!("Unrecognized command {command}.")),
        };
        let diff = diff::unified(path, before.as_deref().unwrap_or_default(), &after);
        if self.write(path, after) {
            Ok((said, diff))
        } else {
            Err("No space left on device".to_owned())
        }
    }

    fn undo(&mut self, path: &str) -> Result<(String, String), String> {
        let now = self.text(path).map(str::to_owned).unwrap_or_default();
        let last = self
            .undo
            .iter()
            .rposition(|(name, _)| name == relative(path));
        let Some((name, Some(before))) = last.map(|last| self.undo.remove(last)) else {
            return Err(format!("No edit history found for {path}."));
        };
        let before = String::from_utf8_lossy(&before).into_owned();
        self.files.insert(name, before.clone().into_bytes());
        let said = format!(
            "Last edit to {path} undone successfully. {}",
            numbered(path, &before, 1, usize::MAX)
        );
        Ok((said, diff::unified(path, &now, &before)))
    }

    /// What the editor shows of a file: decorated text with numbered lines, or an error as text.
    pub fn view(&self, path: &str, range: Option<(usize, usize)>) -> String {
        let (from, to) = range.unwrap_or((1, usize::MAX));
        match self.text(path) {
            Ok(text) => numbered(path, text, from, to),
            Err(Unreadable::Missing) => {
                format!("ERROR:\nInvalid `path` parameter: {path}. The path {path} does not exist.")
            }
            Err(Unreadable::Binary) => format!("ERROR:\nThe file {path} appears to be binary."),
            Err(Unreadable::Directory) => {
                let names = self.list(path).join(&format!("\n{ROOT}/"));
                format!(
                    "Here's the files and directories up to 2 levels deep in {path}, excluding hidden items:\n{ROOT}/{names}"
                )
            }
        }
    }
}

/// The path below [`ROOT`]. Nothing leaves the map, so there is nothing to escape to.
fn relative(path: &str) -> &str {
    path.strip_prefix(ROOT)
        .unwrap_or(path)
        .trim_start_matches('/')
}

fn inside(name: &str, directory: &str) -> bool {
    name.strip_prefix(directory)
        .is_some_and(|rest| rest.starts_with('/'))
}

fn line_of(text: &str, part: &str) -> usize {
    text.find(part)
        .map_or(0, |at| text[..at].matches('\n').count())
}

fn edited(path: &str, text: &str, line: usize) -> String {
    let snippet = numbered(path, text, line.saturating_sub(2), line + 6);
    let snippet = snippet.replacen(" on ", " on a snippet of ", 1);
    format!(
        "The file {path} has been edited. {snippet}Review the changes and make sure they are as expected. Edit the file again if necessary."
    )
}

fn numbered(path: &str, text: &str, from: usize, to: usize) -> String {
    let mut out = format!("Here's the result of running `cat -n` on {path}:\n");
    for (i, line) in text
        .split('\n')
        .enumerate()
        .skip(from.max(1) - 1)
        .take_while(|(i, _)| *i < to)
    {
        out += &format!("{:>6}\t{line}\n", i + 1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> Workspace {
        Workspace::new(1_000_000)
    }

    #[test]
    fn creating_a_file_twice_fails_the_second_time() {
        let mut workspace = workspace();
        let create = json!({"command": "create", "path": "/workspace/a.txt", "file_text": "one\n"});
        assert_eq!(
            workspace.edit(&create).0,
            "File created successfully at: /workspace/a.txt"
        );
        let (content, diff) = workspace.edit(&create);
        assert!(
            content.starts_with("ERROR:\n") && content.contains("File already exists"),
            "{content}"
        );
        assert_eq!(diff, "");
    }

    #[test]
    fn a_replacement_reports_its_diff_and_can_be_undone() {
        let mut workspace = workspace();
        let path = "/workspace/tally.py";
        let replace =
            json!({"command": "str_replace", "path": path, "old_str": " - 1", "new_str": ""});
        let (_, diff) = workspace.edit(&replace);
        assert!(
            diff.contains(
                "@@ -5 +5 @@\n-    return sum(values) / len(values) - 1\n+    return sum"
            ),
            "{diff}"
        );
        assert_eq!(
            workspace.changes(),
            json!([{"status": "M", "path": "tally.py"}])
        );
        workspace.edit(&json!({"command": "undo_edit", "path": path}));
        assert_eq!(workspace.changes(), json!([]));
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
