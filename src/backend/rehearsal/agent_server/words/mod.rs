//! What a script says, in the words of 1.x: calls, results and failures as events without id and time.
//!
//! Scripts name files below [`ROOT`]; a conversation of 1.x has a folder of its own, so every path is moved there.

mod results;

use serde_json::{Value, json};

use super::super::execution;
use super::super::script::{Act, Failure};
use super::super::workspace::ROOT;

pub use results::observe;

/// A call as the model makes it.
pub struct Call {
    /// Name of the tool.
    pub tool: String,
    /// The action, with its `kind`.
    pub action: Value,
}

/// One part of text.
pub fn text(text: &str) -> Value {
    json!([{"cache_prompt": false, "type": "text", "text": text}])
}

/// What an action of a script calls.
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
            return Call {
                tool: word("name").to_owned(),
                action,
            };
        }
        "think" => (
            "think",
            json!({"thought": word("thought"), "kind": "ThinkAction"}),
        ),
        "task_tracking" => (
            "task_tracker",
            json!({"command": word("command"), "task_list": args["task_list"], "kind": "TaskTrackerAction"}),
        ),
        "delegate" => (
            "task",
            json!({"description": "a task", "prompt": args["inputs"]["task"], "subagent_type": word("agent"),
                "kind": "TaskAction"}),
        ),
        other => {
            let mut action = args.clone();
            action["kind"] = format!("ClientAction_{other}").into();
            return Call {
                tool: other.to_owned(),
                action,
            };
        }
    };
    Call {
        tool: tool.to_owned(),
        action,
    }
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
    for field in [
        "file_text",
        "old_str",
        "new_str",
        "insert_line",
        "view_range",
    ] {
        if !args[field].is_null() {
            action[field] = args[field].clone();
        }
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

/// A path of a script in the folder of the conversation.
pub fn moved(text: &str, folder: &str) -> String {
    text.replace(ROOT, folder)
}

/// How dangerous the model says it is. What 0.x never asks about is harmless.
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

/// How a run that fails ends: its status, and the event behind it.
pub fn failure(failure: &Failure) -> (&'static str, Option<Value>) {
    let error = |code: &str, detail: &str, kind: &str, retryable: bool, action: &str| {
        Some(
            json!({"kind": "ConversationErrorEvent", "source": "environment", "code": code, "detail": detail,
            "classification": {"kind": kind, "retryable": retryable, "user_action": action}}),
        )
    };
    match (failure.state, failure.status, failure.reason) {
        ("rate_limited", ..) => {
            let detail =
                "litellm.RateLimitError: RateLimitError: the rehearsal's model has had enough";
            let event = error("LLMRateLimitError", detail, "rate_limit", true, "retry");
            ("error", event)
        }
        (_, Some("STATUS$ERROR_LLM_AUTHENTICATION"), _) => {
            let detail = "Your LLM API key appears to be invalid or has expired.";
            let event = error("LLMAuthenticationError", detail, "auth", false, "settings");
            ("error", event)
        }
        (_, Some("STATUS$ERROR_LLM_INTERNAL_SERVER_ERROR"), _) => {
            let detail = "litellm.InternalServerError: the rehearsal's model broke";
            let event = error(
                "LLMServiceUnavailableError",
                detail,
                "transient",
                true,
                "retry",
            );
            ("error", event)
        }
        (_, _, reason) if reason.contains("stuck") => ("stuck", None),
        (_, _, reason) if reason.contains("maximum iteration") => {
            let detail = "Agent reached maximum iterations limit (4).";
            let event = error(
                "MaxIterationsReached",
                detail,
                "agent_action",
                false,
                "none",
            );
            ("error", event)
        }
        (_, _, reason) => (
            "error",
            error("RuntimeError", reason, "internal", false, "none"),
        ),
    }
}

/// An event that a script wants as it is: a message is one; what goes on inside a sub-agent is not told in 1.x; and the
/// rest is what nobody knows.
pub fn odd(event: Value) -> Option<Value> {
    let said = event["args"]["content"].as_str();
    let by_agent = event["source"] == "agent";
    Some(
        match (
            event["action"].as_str(),
            event["observation"].as_str(),
            said,
        ) {
            (Some("message"), None, Some(said)) if by_agent => {
                json!({"kind": "MessageEvent", "source": "agent",
            "llm_message": {"role": "assistant", "content": text(said), "thinking_blocks": []},
            "activated_skills": [], "extended_content": []})
            }
            (Some("message" | "finish" | "browse_interactive"), None, _)
                if event["source"] != "nobody" =>
            {
                return None;
            }
            (None, Some("delegate"), _) => return None,
            (None, Some("agent_state_changed"), _)
                if event["extras"]["agent_state"].is_string() =>
            {
                return None;
            }
            _ => json!({"kind": "FutureEvent", "source": "agent", "odd": event}),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::event;
    use super::super::super::script::Effect;
    use super::super::super::workspace::Workspace;
    use super::*;

    fn act(event: Value, effect: Effect) -> Act {
        Act {
            event,
            effect,
            lasts: std::time::Duration::ZERO,
        }
    }

    #[test]
    fn actions_of_a_script_become_calls_of_tools() {
        let said = |event: Value| call(&act(event, Effect::Nothing), "/f");
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
        let done = observe(&act(edit.clone(), Effect::Editor), &mut files, "/f").unwrap();
        assert_eq!(
            (&done["path"], &done["is_error"]),
            (&json!("/f/tally.py"), &json!(false))
        );
        assert!(done["old_content"].as_str().unwrap().contains(" - 1"));
        assert!(!done["new_content"].as_str().unwrap().contains(" - 1"));
        let failed = observe(&act(edit, Effect::Editor), &mut files, "/f").unwrap();
        assert_eq!(
            (&failed["is_error"], &failed["new_content"]),
            (&json!(true), &Value::Null)
        );
    }
}
