//! Converts scripts to 1.x: calls, results and failures as events without id and time.
//!
//! Scripts use paths below [`ROOT`]; a 1.x conversation has its own folder, so every path is moved there.

mod results;

use serde_json::{Value, json};

use crate::script::{Act, Failure};
use crate::{execution, workspace::ROOT};

pub use results::{observe, plain};

pub struct Call {
    pub tool: String,
    /// The action, with its `kind`.
    pub action: Value,
}

/// A list with one text part.
pub fn part(text: &str) -> Value {
    json!([{"cache_prompt": false, "type": "text", "text": text}])
}

pub fn message(source: &str, role: &str, content: Value) -> Value {
    json!({"kind": "MessageEvent", "source": source, "activated_skills": [], "extended_content": [],
        "llm_message": {"role": role, "content": content, "thinking_blocks": []}})
}

pub fn result(tool: &str, call_id: &str, event_id: &str, observation: Value) -> Value {
    json!({"kind": "ObservationEvent", "source": "environment", "tool_name": tool, "tool_call_id": call_id,
        "action_id": event_id, "observation": observation, "extended_content": []})
}

pub fn call(act: &Act, folder: &str) -> Call {
    let args = &act.event["args"];
    let word = |name: &str| args[name].as_str().unwrap_or_default();
    let kind = act.event["action"].as_str().unwrap_or_default();
    let (tool, action) = match kind {
        "run" => ("terminal", terminal(word("command"), &args["is_input"])),
        "run_ipython" => {
            let command = format!("python3 - <<'EOF'\n{}\nEOF", word("code"));
            ("terminal", terminal(&command, &Value::Null))
        }
        "edit" | "read" => ("file_editor", editor(kind, args, folder)),
        "browse_interactive" => browser(word("browser_actions")),
        "call_tool_mcp" => {
            let action = json!({"data": args["arguments"], "kind": "MCPToolAction"});
            (word("name"), action)
        }
        "think" => {
            let action = json!({"thought": word("thought"), "kind": "ThinkAction"});
            ("think", action)
        }
        "task_tracking" => (
            "task_tracker",
            json!({"command": word("command"), "task_list": task_list(args), "kind": "TaskTrackerAction"}),
        ),
        "delegate" => (
            "task",
            json!({"description": "a task", "prompt": args["inputs"]["task"], "subagent_type": word("agent"),
                "kind": "TaskAction"}),
        ),
        other => {
            let mut action = args.clone();
            action["kind"] = format!("ClientAction_{other}").into();
            (other, action)
        }
    };
    let tool = tool.to_owned();
    Call { tool, action }
}

fn terminal(command: &str, is_input: &Value) -> Value {
    json!({"command": command, "is_input": is_input == true, "reset": false, "kind": "TerminalAction"})
}

fn editor(kind: &str, args: &Value, folder: &str) -> Value {
    let path = args["path"].as_str().unwrap_or_default();
    let command = match kind {
        "read" => "view".into(),
        _ => args["command"].clone(),
    };
    let mut action =
        json!({"command": command, "path": moved(path, folder), "kind": "FileEditorAction"});
    let fields = "file_text old_str new_str insert_line view_range".split(' ');
    for field in fields.filter(|field| !args[field].is_null()) {
        action[field] = args[field].clone();
    }
    action
}

fn browser(code: &str) -> (&'static str, Value) {
    let inside = |name: &str| {
        let rest = code.strip_prefix(name)?.strip_prefix("(\"")?;
        rest.split('"').next()
    };
    if let Some(url) = inside("goto") {
        let action = json!({"url": url, "new_tab": false, "kind": "BrowserNavigateAction"});
        ("browser_navigate", action)
    } else if let Some(element) = inside("click") {
        let index: i64 = element.parse().unwrap_or(0);
        let action = json!({"index": index, "new_tab": false, "kind": "BrowserClickAction"});
        ("browser_click", action)
    } else {
        let action = json!({"include_screenshot": true, "kind": "BrowserGetStateAction"});
        ("browser_get_state", action)
    }
}

/// Replaces the script's root by the conversation's folder in a text.
pub fn moved(text: &str, folder: &str) -> String {
    text.replace(ROOT, folder)
}

/// The model's own risk rating. Actions that 0.x never asks about are low risk.
pub fn risk(act: &Act) -> &'static str {
    if !execution::can_wait(&act.event) {
        return "LOW";
    }
    match act.event["args"]["security_risk"].as_i64() {
        Some(0) => "LOW",
        Some(1) => "MEDIUM",
        Some(2) => "HIGH",
        _ => "UNKNOWN",
    }
}

pub fn error(code: &str, detail: &str, kind: &str, retryable: bool, action: &str) -> Value {
    json!({"kind": "ConversationErrorEvent", "source": "environment", "code": code, "detail": detail,
        "classification": {"kind": kind, "retryable": retryable, "user_action": action}})
}

/// The end of a failed run: its status, and the event that follows it.
pub fn failure(failure: &Failure) -> (&'static str, Option<Value>) {
    let event = match (failure.state, failure.status, failure.reason) {
        ("rate_limited", ..) => {
            let detail =
                "litellm.RateLimitError: RateLimitError: the rehearsal's model has had enough";
            error("LLMRateLimitError", detail, "rate_limit", true, "retry")
        }
        (_, Some("STATUS$ERROR_LLM_AUTHENTICATION"), _) => {
            let detail = "Your LLM API key appears to be invalid or has expired.";
            error("LLMAuthenticationError", detail, "auth", false, "settings")
        }
        (_, Some("STATUS$ERROR_LLM_INTERNAL_SERVER_ERROR"), _) => {
            let detail = "litellm.InternalServerError: the rehearsal's model broke";
            let code = "LLMServiceUnavailableError";
            error(code, detail, "transient", true, "retry")
        }
        (_, _, reason) if reason.contains("stuck") => return ("stuck", None),
        (_, _, reason) if reason.contains("maximum iteration") => {
            let detail = "Agent reached maximum iterations limit (4).";
            let code = "MaxIterationsReached";
            error(code, detail, "agent_action", false, "none")
        }
        (_, _, reason) => error("RuntimeError", reason, "internal", false, "none"),
    };
    ("error", Some(event))
}

/// An event that a script emits unchanged: a message, or an unknown kind. 1.x does not report those of a sub-agent.
pub fn odd(event: Value) -> Option<Value> {
    let said = event["args"]["content"].as_str();
    let source = event["source"].as_str();
    match (event["action"].as_str(), event["observation"].as_str()) {
        (Some("message"), None) if source == Some("agent") && said.is_some() => {
            said.map(|said| message("agent", "assistant", part(said)))
        }
        (Some("message" | "finish" | "browse_interactive"), None) if source != Some("nobody") => {
            None
        }
        (None, Some("delegate")) => None,
        (None, Some("agent_state_changed")) if event["extras"]["agent_state"].is_string() => None,
        _ => Some(json!({"kind": "FutureEvent", "source": "agent", "odd": event})),
    }
}

/// The tasks of a call; 1.x gives them no ids.
fn task_list(args: &Value) -> Value {
    let mut tasks = args["task_list"].clone();
    let list = tasks.as_array_mut().into_iter().flatten();
    for task in list.filter_map(Value::as_object_mut) {
        task.remove("id");
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::super::super::event;
    use super::super::super::script::Effect;
    use super::super::super::workspace::Workspace;
    use super::*;

    #[test]
    fn actions_of_a_script_become_calls_of_tools() {
        let said = |event: Value| call(&Act::new(event, Effect::Nothing), "/f");
        let run = said(event::run("ls", "", 0));
        assert_eq!(
            (run.tool.as_str(), &run.action["command"]),
            ("terminal", &json!("ls"))
        );
        let read = said(event::read("/workspace/a", Some((1, 2)), "", 0));
        assert_eq!(
            read.action,
            json!({"command": "view", "path": "/f/a", "view_range": [1, 2], "kind": "FileEditorAction"})
        );
        let page = said(event::browse("goto(\"http://x/\")", "", 0));
        assert_eq!(page.action["url"], "http://x/");
        let tool = said(event::call_mcp("add", json!({"a": 1}), ""));
        assert_eq!(
            (tool.tool.as_str(), &tool.action["data"]["a"]),
            ("add", &json!(1))
        );
    }

    #[test]
    fn an_edit_brings_both_texts_and_moves_its_path() {
        let mut files = Workspace::new(10_000);
        let fields = json!({"old_str": " - 1", "new_str": ""});
        let edit = event::edit("str_replace", "/workspace/tally.py", fields, "", 0);
        let done = observe(&Act::new(edit.clone(), Effect::Editor), &mut files, "/f").unwrap();
        assert_eq!(
            (&done["path"], &done["is_error"]),
            (&json!("/f/tally.py"), &json!(false))
        );
        assert!(done["old_content"].as_str().unwrap().contains(" - 1"));
        assert!(!done["new_content"].as_str().unwrap().contains(" - 1"));
        let failed = observe(&Act::new(edit, Effect::Editor), &mut files, "/f").unwrap();
        assert_eq!(
            (&failed["is_error"], &failed["new_content"]),
            (&json!(true), &Value::Null)
        );
    }
}
