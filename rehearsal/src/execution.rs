//! Simulated execution: from an action to its observation.

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::clock;
use crate::event::{self, action, observation, run_output};
use crate::picture;
use crate::script::{Act, Change, Effect};
use crate::workspace::{ROOT, Workspace};

/// The output of a command sent by the user.
const NOTHING_RUNS: &str = "This is a rehearsal: the command was not executed.";

/// An action whose observation is due at some time.
pub struct Execution {
    pub due: Instant,
    pub cause: i64,
    pub act: Act,
}

/// The name of an action in statistics and summaries: its kind and its subject.
pub fn name(event: &Value) -> String {
    let args = &event["args"];
    let fields = ["command", "code", "browser_actions", "name", "path"];
    let mut subjects = fields.iter().filter_map(|field| args[*field].as_str());
    let subject = subjects.next().unwrap_or_default();
    let kind = event["action"].as_str().unwrap_or_default();
    let name = match (kind, args["path"].as_str()) {
        ("edit", Some(path)) => format!("{kind} {subject} {path}"),
        _ => format!("{kind} {subject}"),
    };
    name.trim_end().to_owned()
}

/// Whether confirmation mode applies to this kind.
pub fn can_wait(event: &Value) -> bool {
    let kind = event["action"].as_str().unwrap_or_default();
    ["run", "run_ipython", "browse_interactive", "edit", "read"].contains(&kind)
}

/// Applies what a command changes in the files.
pub fn apply(changes: &[Change], files: &mut Workspace) {
    for change in changes {
        match change {
            Change::Write(path, text) => drop(files.write(path, *text)),
            Change::Remove(path) => files.remove(path),
        }
    }
}

pub fn observe(execution: &Execution, files: &mut Workspace, conversation: &str) -> Value {
    let event = &execution.act.event;
    let args = &event["args"];
    let text = |name: &str| args[name].as_str().unwrap_or_default();
    let path = text("path");
    let mut observed = match &execution.act.effect {
        Effect::Output {
            content,
            exit_code,
            changes,
        } => {
            apply(changes, files);
            run_output(text("command"), content, *exit_code)
        }
        Effect::Editor if event["action"] == "edit" => {
            let (content, diff) = files.edit(args);
            let extras = json!({
                "path": path, "prev_exist": false, "old_content": args["old_str"], "new_content": args["new_str"],
                "impl_source": "oh_aci", "diff": diff, "_diff_cache": null,
            });
            let message = format!("I edited the file {path}.");
            observation("edit", message, content, extras)
        }
        Effect::Editor => {
            let extras = json!({"path": path, "impl_source": "oh_aci"});
            let message = format!("I read the file {path}.");
            observation("read", message, files.view(path, view_range(args)), extras)
        }
        Effect::Cell { content, images } => {
            let content = format!(
                "{content}\n[Jupyter current working directory: {ROOT}]\n[Jupyter Python interpreter: /usr/bin/python3]"
            );
            let images = (!images.is_empty()).then_some(images);
            let extras = json!({"code": args["code"], "image_urls": images});
            let message = "Code executed in IPython cell.";
            let mut event = observation("run_ipython", message, content, extras);
            event["success"] = true.into();
            event
        }
        Effect::Page { url, text, error } => page(args, url, text, error),
        Effect::Tool { text, is_error } => {
            let content =
                json!([{"type": "text", "text": text, "annotations": null, "meta": null}]);
            let structured = (!is_error).then(|| json!({"result": text}));
            let result = json!({"meta": null, "content": content, "structuredContent": structured, "isError": is_error});
            let extras = json!({"name": args["name"], "arguments": args["arguments"]});
            observation("mcp", result.to_string(), result.to_string(), extras)
        }
        Effect::Acknowledged if event["action"] == "task_tracking" => {
            let count = args["task_list"].as_array().map_or(0, Vec::len);
            let said = format!(
                "Task list has been updated with {count} items. Stored in session directory: sessions/{conversation}/TASKS.md"
            );
            let extras = json!({"command": args["command"], "task_list": args["task_list"]});
            observation("task_tracking", said.clone(), said, extras)
        }
        Effect::Acknowledged => {
            let said = "Your thought has been logged.";
            observation("think", said, said, json!({}))
        }
        Effect::Observation(event) => event.clone(),
        Effect::Nothing => observation("null", "No observation", "", json!({})),
    };
    if event["source"] == "user" {
        observed["source"] = "user".into();
    }
    observed["cause"] = execution.cause.into();
    if let Some(call) = event.get("tool_call_metadata") {
        observed["tool_call_metadata"] = call.clone();
    }
    observed
}

/// The lines that are to be read, if not all.
pub fn view_range(args: &Value) -> Option<(usize, usize)> {
    let line = |value: &Value| value.as_u64().map_or(usize::MAX, |line| line as usize);
    let range = args["view_range"].as_array()?;
    Some((line(&range[0]), line(&range[1])))
}

fn page(args: &Value, url: &str, text: &str, error: &str) -> Value {
    let failed = !error.is_empty();
    let content = if failed {
        format!("[Current URL: {url}]\n[Action executed with error]\n{error}")
    } else {
        format!(
            "[Current URL: {url}]\n[Focused element bid: 3]\n\n[Action executed successfully.]\n{text}"
        )
    };
    let extras = json!({
        "url": url, "trigger_by_action": "browse_interactive", "screenshot": picture::screenshot(),
        "screenshot_path": format!("{ROOT}/.browser_screenshots/screenshot.png"),
        "set_of_marks": picture::set_of_marks(), "error": failed, "goal_image_urls": [], "open_pages_urls": [url],
        "active_page_index": 0, "dom_object": {}, "axtree_object": {}, "extra_element_properties": {},
        "last_browser_action": args["browser_actions"], "last_browser_action_error": error,
        "focused_element_bid": "3", "filter_visible_only": false,
    });
    observation("browse", format!("Visited {url}"), content, extras)
}

/// An action sent by the user: commands and reads are "executed", all others are only stored.
pub fn of_the_user(kind: &str, args: &Value) -> Act {
    let text = |name: &str| args[name].as_str().unwrap_or_default();
    let (mut event, effect) = match kind {
        "run" => {
            let output = Effect::prints(NOTHING_RUNS, 0);
            (event::run(text("command"), "", -1), output)
        }
        "read" => (event::read(text("path"), None, "", -1), Effect::Editor),
        _ => (action(kind, "user", "", args.clone()), Effect::Nothing),
    };
    event["source"] = "user".into();
    Act::new(event, effect)
}

/// The recall action after a message: for the workspace the first time, for knowledge later.
pub fn recall(query: &str, first: bool) -> Value {
    let kind = match first {
        true => "workspace_context",
        false => "knowledge",
    };
    let beginning: String = query.chars().take(50).collect();
    let args = json!({"recall_type": kind, "query": query, "thought": ""});
    let message = format!("Retrieving content for: {beginning}");
    action("recall", "user", message, args)
}

/// The response to the first recall.
pub fn recalled(cause: i64) -> Value {
    let extras = json!({
        "recall_type": "workspace_context", "repo_name": "", "repo_directory": "", "repo_branch": "",
        "repo_instructions": "", "runtime_hosts": {}, "additional_agent_instructions": "",
        "date": clock::naive()[..10], "custom_secrets_descriptions": {}, "conversation_instructions": "",
        "working_dir": ROOT, "microagent_knowledge": [],
    });
    let said = "Added workspace context";
    let mut event = caused_by(cause, observation("recall", said, said, extras));
    event["source"] = "environment".into();
    event
}

fn caused_by(cause: i64, mut event: Value) -> Value {
    event["cause"] = cause.into();
    event
}

pub fn rejected(cause: i64) -> Value {
    let said = "Action has been rejected by the user! Waiting for further user input.";
    caused_by(cause, observation("user_rejected", said, said, json!({})))
}

/// The observation of an action dropped by Stop.
pub fn not_executed(cause: i64) -> Value {
    let said = "Stop button pressed. The action has not been executed.";
    let extras = json!({"error_id": "AGENT_ERROR$ERROR_ACTION_NOT_EXECUTED_STOPPED"});
    caused_by(cause, observation("error", said, said, extras))
}
