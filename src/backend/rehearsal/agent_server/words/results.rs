//! What comes of a call, as the observations of 1.x.

use serde_json::{Value, json};

use super::super::super::picture;
use super::super::super::script::{Act, Change, Effect};
use super::super::super::workspace::Workspace;
use super::{moved, text};

/// What comes of a call, carried out on the files; `None` if nothing does.
pub fn observe(act: &Act, files: &mut Workspace, folder: &str) -> Option<Value> {
    let args = &act.event["args"];
    Some(match &act.effect {
        Effect::Output {
            content,
            exit_code,
            changes,
        } => {
            for change in changes {
                match change {
                    Change::Write(path, text) => drop(files.write(path, *text)),
                    Change::Remove(path) => files.remove(path),
                }
            }
            printed(&args["command"], content, *exit_code, folder)
        }
        Effect::Cell { content, images } => {
            let mut observation = printed(&args["code"], content, 0, folder);
            if !images.is_empty() {
                let part = json!({"cache_prompt": false, "type": "image", "image_urls": images});
                observation["content"]
                    .as_array_mut()
                    .into_iter()
                    .for_each(|parts| parts.push(part.clone()));
            }
            observation
        }
        Effect::Editor => edited(act, files, folder),
        Effect::Page {
            url,
            text: page,
            error,
        } if error.is_empty() => {
            let screenshot = picture::screenshot();
            let data = screenshot.split_once(',').map_or("", |(_, data)| data);
            json!({"content": text(&format!("Navigated to: {url}\n{page}")), "is_error": false,
                "screenshot_data": data, "kind": "BrowserObservation"})
        }
        Effect::Page { error, .. } => {
            json!({"content": text(error), "is_error": true, "kind": "BrowserObservation"})
        }
        Effect::Tool {
            text: said,
            is_error,
        } => {
            let name = args["name"].as_str().unwrap_or_default();
            let headline = format!("[Tool '{name}' executed.]");
            let content = json!([{"cache_prompt": false, "type": "text", "text": headline},
                {"cache_prompt": false, "type": "text", "text": said}]);
            json!({"content": content, "is_error": is_error, "tool_name": name, "kind": "MCPToolObservation"})
        }
        Effect::Noted if act.event["action"] == "task_tracking" => {
            let count = args["task_list"].as_array().map_or(0, Vec::len);
            let said = format!("Task list has been updated with {count} item(s).");
            json!({"content": text(&said), "is_error": false, "command": "plan", "task_list": args["task_list"],
                "kind": "TaskTrackerObservation"})
        }
        Effect::Noted => {
            json!({"content": text("Your thought has been logged."), "is_error": false, "kind": "ThinkObservation"})
        }
        Effect::Observation(event) => {
            let said = event["content"].as_str().unwrap_or_default();
            match event["observation"].as_str() {
                Some("run") => printed(&args["command"], said, 0, folder),
                other => json!({"content": text(said), "is_error": false,
                    "kind": format!("{}Observation", other.unwrap_or("Other"))}),
            }
        }
        Effect::Nothing if act.event["action"] == "delegate" => {
            json!({"content": text("hello from the delegate"), "is_error": false, "task_id": "task_00000001",
                "subagent": args["agent"], "status": "completed", "kind": "TaskObservation"})
        }
        Effect::Nothing => return None,
    })
}

fn printed(command: &Value, content: &str, exit_code: i64, folder: &str) -> Value {
    let suffix = if exit_code == -1 {
        "\n[The command timed out after 10.0 seconds. You may wait longer to see additional output by sending empty command ''.]".to_owned()
    } else {
        format!("\n[The command completed with exit code {exit_code}.]")
    };
    // 30,000 characters at most: the earlier lines are dropped, and a note says so.
    const LIMIT: usize = 30_000;
    let start = content.len().saturating_sub(LIMIT);
    let kept = &content[content.ceil_char_boundary(start)..];
    let prefix = if kept.len() < content.len() {
        "[Previous lines were dropped: the output was too long.]\n"
    } else {
        ""
    };
    json!({
        "content": text(&moved(kept, folder)), "is_error": false, "command": command, "exit_code": exit_code,
        "timeout": exit_code == -1, "kind": "TerminalObservation",
        "metadata": {"exit_code": exit_code, "pid": -1, "username": "rehearsal", "hostname": "stage",
            "working_dir": folder, "py_interpreter_path": "/usr/bin/python3", "prefix": prefix, "suffix": suffix},
    })
}

/// The editor answers with whole texts instead of a diff, and says in a field when it failed.
fn edited(act: &Act, files: &mut Workspace, folder: &str) -> Value {
    let args = &act.event["args"];
    let path = args["path"].as_str().unwrap_or_default();
    let now = |files: &Workspace| files.text(path).ok().map(str::to_owned);
    let is_view = act.event["action"] == "read";
    let before = now(files);
    let said = if is_view {
        let line = |value: &Value| value.as_i64().and_then(|line| usize::try_from(line).ok());
        let range = args["view_range"].as_array();
        let range = range.map(|range| {
            (
                line(&range[0]).unwrap_or(1),
                line(&range[1]).unwrap_or(usize::MAX),
            )
        });
        files.view(path, range)
    } else {
        files.edit(args).0
    };
    let command = if is_view {
        "view".into()
    } else {
        args["command"].clone()
    };
    match said.strip_prefix("ERROR:\n") {
        Some(problem) => {
            json!({"content": text(&moved(problem, folder)), "is_error": true, "command": command,
            "prev_exist": before.is_some(), "kind": "FileEditorObservation"})
        }
        None => {
            let mut observation = json!({"content": text(&moved(&said, folder)), "is_error": false, "command": command,
                "path": moved(path, folder), "prev_exist": before.is_some(), "kind": "FileEditorObservation"});
            if !is_view {
                observation["new_content"] = now(files).unwrap_or_default().into();
                if let Some(before) = before {
                    observation["old_content"] = before.into();
                }
            }
            observation
        }
    }
}
