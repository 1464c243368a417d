//! Results of calls, as 1.x observations.

use serde_json::{Value, json};

use super::{moved, part};
use crate::execution::{apply, view_range};
use crate::script::{Act, Effect};
use crate::{picture, workspace::Workspace};

/// Executes a call on the files and returns its observation; `None` if it has none.
pub fn observe(act: &Act, files: &mut Workspace, folder: &str) -> Option<Value> {
    let args = &act.event["args"];
    Some(match &act.effect {
        Effect::Output {
            content,
            exit_code,
            changes,
        } => {
            apply(changes, files);
            printed(&args["command"], content, *exit_code, folder)
        }
        Effect::Cell { content, images } => {
            let mut observation = printed(&args["code"], content, 0, folder);
            if !images.is_empty() {
                let part = json!({"cache_prompt": false, "type": "image", "image_urls": images});
                let parts = observation["content"].as_array_mut();
                parts.into_iter().for_each(|parts| parts.push(part.clone()));
            }
            observation
        }
        Effect::Editor => edited(act, files, folder),
        Effect::Page { url, text, error } if error.is_empty() => {
            let screenshot = picture::screenshot();
            let data = screenshot.split_once(',').map_or("", |(_, data)| data);
            json!({"content": part(&format!("Navigated to: {url}\n{text}")), "is_error": false,
                "screenshot_data": data, "full_output_save_dir": "", "kind": "BrowserObservation"})
        }
        Effect::Page { error, .. } => {
            json!({"content": part(error), "is_error": true, "full_output_save_dir": "",
                "kind": "BrowserObservation"})
        }
        Effect::Tool { text, is_error } => {
            let name = args["name"].as_str().unwrap_or_default();
            let headline = format!("[Tool '{name}' executed.]");
            let content = json!([{"cache_prompt": false, "type": "text", "text": headline},
                {"cache_prompt": false, "type": "text", "text": text}]);
            json!({"content": content, "is_error": is_error, "tool_name": name, "kind": "MCPToolObservation"})
        }
        Effect::Acknowledged if act.event["action"] == "task_tracking" => {
            let count = args["task_list"].as_array().map_or(0, Vec::len);
            let said = format!("Task list has been updated with {count} item(s).");
            json!({"content": part(&said), "is_error": false, "command": "plan", "task_list": super::task_list(args),
                "kind": "TaskTrackerObservation"})
        }
        Effect::Acknowledged => plain("ThinkObservation", "Your thought has been logged."),
        Effect::Observation(event) => {
            let said = event["content"].as_str().unwrap_or_default();
            match event["observation"].as_str() {
                Some("run") => printed(&args["command"], said, 0, folder),
                other => plain(&format!("{}Observation", other.unwrap_or("Other")), said),
            }
        }
        Effect::Nothing if act.event["action"] == "delegate" => {
            json!({"content": part("hello from the delegate"), "is_error": false, "task_id": "task_00000001",
                "subagent": args["agent"], "status": "completed", "kind": "TaskObservation"})
        }
        Effect::Nothing => return None,
    })
}

pub fn plain(kind: &str, said: &str) -> Value {
    json!({"content": part(said), "is_error": false, "kind": kind})
}

fn printed(command: &Value, content: &str, exit_code: i64, folder: &str) -> Value {
    let suffix = match exit_code {
        -1 => "\n[The command timed out after 10.0 seconds. You may wait longer to see additional output by sending empty command ''.]".to_owned(),
        code => format!("\n[The command completed with exit code {code}.]"),
    };
    // 30,000 characters at most: earlier lines are dropped, and a note says so.
    const LIMIT: usize = 30_000;
    let start = content.len().saturating_sub(LIMIT);
    let kept = &content[content.ceil_char_boundary(start)..];
    let prefix = match kept.len() < content.len() {
        true => "[Previous lines were dropped: the output was too long.]\n",
        false => "",
    };
    json!({
        "content": part(&moved(kept, folder)), "is_error": false, "command": command, "exit_code": exit_code,
        "timeout": exit_code == -1, "kind": "TerminalObservation",
        "metadata": {"exit_code": exit_code, "pid": -1, "username": "rehearsal", "hostname": "stage",
            "working_dir": folder, "py_interpreter_path": "/usr/bin/python3", "prefix": prefix, "suffix": suffix},
    })
}

/// The editor returns the full old and new texts instead of a diff, and has a field for errors.
fn edited(act: &Act, files: &mut Workspace, folder: &str) -> Value {
    let args = &act.event["args"];
    let path = args["path"].as_str().unwrap_or_default();
    let now = |files: &Workspace| files.text(path).ok().map(str::to_owned);
    let is_view = act.event["action"] == "read";
    let before = now(files);
    let (said, command) = match is_view {
        true => (files.view(path, view_range(args)), "view".into()),
        false => (files.edit(args).0, args["command"].clone()),
    };
    let problem = said.strip_prefix("ERROR:\n");
    let content = part(&moved(problem.unwrap_or(&said), folder));
    let mut observation = json!({"content": content, "is_error": problem.is_some(), "command": command,
        "prev_exist": before.is_some(), "kind": "FileEditorObservation"});
    if problem.is_none() {
        observation["path"] = moved(path, folder).into();
        if !is_view {
            observation["new_content"] = now(files).unwrap_or_default().into();
            if let Some(before) = before {
                observation["old_content"] = before.into();
            }
        }
    }
    observation
}
