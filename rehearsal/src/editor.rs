//! The editor of OpenHands 0.62 on files in memory.
//!
//! Its commands respond like the real ones: with decorated text. A failed edit is a result that starts with `ERROR:`.

use serde_json::Value;

use crate::diff;
use crate::workspace::{ROOT, Unreadable, Workspace};

impl Workspace {
    /// Runs one editor command; returns the content and the diff of its `edit` observation.
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
            ("create", Err(_)) => {
                let said = format!("File created successfully at: {path}");
                (said, text("file_text").to_owned())
            }
            ("str_replace", Ok(text_before)) => {
                let old = text("old_str");
                let Some(at) = text_before.find(old) else {
                    return Err(format!(
                        "No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
                    ));
                };
                let line = text_before[..at].matches('\n').count();
                let after = text_before.replacen(old, text("new_str"), 1);
                (edited(path, &after, line), after)
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
            (_, Err(_)) => return Err(missing(path)),
            (command, _) => return Err(format!("Unrecognized command {command}.")),
        };
        let diff = diff::unified(path, before.as_deref().unwrap_or_default(), &after);
        match self.write(path, after) {
            true => Ok((said, diff)),
            false => Err("No space left on device".to_owned()),
        }
    }

    fn undo(&mut self, path: &str) -> Result<(String, String), String> {
        let now = self.text(path).map(str::to_owned).unwrap_or_default();
        let before = self.take_back(path);
        let before = before.ok_or_else(|| format!("No edit history found for {path}."))?;
        let content = numbered(path, &before, 1, usize::MAX);
        let said = format!("Last edit to {path} undone successfully. {content}");
        Ok((said, diff::unified(path, &now, &before)))
    }

    /// The editor's view of a file: decorated text with numbered lines, or an error as text.
    pub fn view(&self, path: &str, range: Option<(usize, usize)>) -> String {
        let (from, to) = range.unwrap_or((1, usize::MAX));
        match self.text(path) {
            Ok(text) => numbered(path, text, from, to),
            Err(Unreadable::Missing) => format!("ERROR:\n{}", missing(path)),
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

fn missing(path: &str) -> String {
    format!("Invalid `path` parameter: {path}. The path {path} does not exist.")
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
    let lines = (1..=to).zip(text.split('\n'));
    for (number, line) in lines.skip(from.max(1) - 1) {
        out += &format!("{number:>6}\t{line}\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
}
