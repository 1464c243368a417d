//! Carrying out actions without doing anything: from an action to its observation.

use serde_json::{Value, json};
use tokio::time::Instant;

use super::event::{action, observation, run_output};
use super::picture;
use super::script::{Act, Change, Effect};
use super::workspace::{ROOT, Workspace};

/// What a command of the user gets to read instead of output.
const NOTHING_RUNS: &str = "This is a rehearsal: the command was not executed.";

/// An action whose observation is due at some time.
pub struct Execution {
    pub due: Instant,
    pub cause: i64,
    pub act: Act,
}

/// How statistics and summaries call an action: its kind and what it is about.
pub fn name(event: &Value) -> String {
    let args = &event["args"];
    let about =
        ["command", "code", "browser_actions", "name", "path"].map(|field| args[field].as_str());
    let kind = event["action"].as_str().unwrap_or_default();
    let about = match (kind, about) {
        ("edit", [command, .., path]) => [command, path].map(Option::unwrap_or_default).join(" "),
        (_, about) => about
            .into_iter()
            .flatten()
            .next()
            .unwrap_or_default()
            .to_owned(),
    };
    format!("{kind} {about}").trim_end().to_owned()
}

/// Whether confirmation mode knows this kind.
pub fn can_wait(event: &Value) -> bool {
    let kind = event["action"].as_str().unwrap_or_default();
    ["run", "run_ipython", "browse_interactive", "edit", "read"].contains(&kind)
}

/// The observation of an action, carried out on the files of its conversation.
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
            for change in changes {
                match change {
                    Change::Write(path, text) => drop(files.write(path, *text)),
                    Change::Remove(path) => files.remove(path),
                }
            }
            run_output(text("command"), content, *exit_code)
        }
        Effect::Editor if event["action"] == "edit" => {
            let (content, diff) = files.edit(args);
            let extras = json!({
                "path": path, "prev_exist": false, "old_content": args["old_str"], "new_content": args["new_str"],
                "impl_source": "oh_aci", "diff": diff, "_diff_cache": null,
            });
            observation(
                "edit",
                format!("I edited the file {path}."),
                content,
                extras,
            )
        }
        Effect::Editor => {
            let range = args["view_range"]
                .as_array()
                .map(|range| (line(&range[0]), line(&range[1])));
            let extras = json!({"path": path, "impl_source": "oh_aci"});
            observation(
                "read",
                format!("I read the file {path}."),
                files.view(path, range),
                extras,
            )
        }
        Effect::Cell { content, images } => {
            let content = format!(
                "{content}\n[Jupyter current working directory: {ROOT}]\n[Jupyter Python interpreter: /usr/bin/python3]"
            );
            let images = (!images.is_empty()).then_some(images);
            let extras = json!({"code": args["code"], "image_urls": images});
            let mut event = observation(
                "run_ipython",
                "Code executed in IPython cell.",
                content,
                extras,
            );
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
        Effect::Noted if event["action"] == "task_tracking" => {
            let count = args["task_list"].as_array().map_or(0, Vec::len);
            let said = format!(
                "Task list has been updated with {count} items. Stored in session directory: sessions/{conversation}/TASKS.md"
            );
            let extras = json!({"command": args["command"], "task_list": args["task_list"]});
            observation("task_tracking", said.clone(), said, extras)
        }
        Effect::Noted => observation(
            "think",
            "Your thought has been logged.",
            "Your thought has been logged.",
            json!({}),
        ),
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

fn line(value: &Value) -> usize {
    value
        .as_i64()
        .and_then(|line| usize::try_from(line).ok())
        .unwrap_or(usize::MAX)
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

/// An action the user sends: commands and reads are "carried out", the rest is only stored.
pub fn of_the_user(kind: &str, args: &Value) -> Act {
    let text = |name: &str| args[name].as_str().unwrap_or_default();
    let (mut event, effect) = match kind {
        "run" => {
            let output = Effect::Output {
                content: NOTHING_RUNS.to_owned(),
                exit_code: 0,
                changes: Vec::new(),
            };
            (super::event::run(text("command"), "", -1), output)
        }
        "read" => (
            super::event::read(text("path"), None, "", -1),
            Effect::Editor,
        ),
        _ => (action(kind, "user", "", args.clone()), Effect::Nothing),
    };
    event["source"] = "user".into();
    Act {
        event,
        effect,
        lasts: std::time::Duration::ZERO,
    }
}

/// What memory is asked after a message: the workspace the first time, knowledge later.
pub fn recall(query: &str, first: bool) -> Value {
    let kind = if first {
        "workspace_context"
    } else {
        "knowledge"
    };
    let beginning: String = query.chars().take(50).collect();
    let args = json!({"recall_type": kind, "query": query, "thought": ""});
    action(
        "recall",
        "user",
        format!("Retrieving content for: {beginning}"),
        args,
    )
}

/// What memory answers the first time.
pub fn recalled(cause: i64) -> Value {
    let extras = json!({
        "recall_type": "workspace_context", "repo_name": "", "repo_directory": "", "repo_branch": "",
        "repo_instructions": "", "runtime_hosts": {}, "additional_agent_instructions": "",
        "date": super::clock::naive()[..10], "custom_secrets_descriptions": {}, "conversation_instructions": "",
        "working_dir": ROOT, "microagent_knowledge": [],
    });
    let mut event = observation(
        "recall",
        "Added workspace context",
        "Added workspace context",
        extras,
    );
    event["source"] = "environment".into();
    event["cause"] = cause.into();
    event
}

/// The user said no.
pub fn rejected(cause: i64) -> Value {
    let said = "Action has been rejected by the user! Waiting for further user input.";
    let mut event = observation("user_rejected", said, said, json!({}));
    event["cause"] = cause.into();
    event
}

/// The user pressed stop.
pub fn not_executed(cause: i64) -> Value {
    let said = "Stop button pressed. The action has not been executed.";
    let extras = json!({"error_id": "AGENT_ERROR$ERROR_ACTION_NOT_EXECUTED_STOPPED"});
    let mut event = observation("error", said, said, extras);
    event["cause"] = cause.into();
    event
}
