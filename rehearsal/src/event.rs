//! Events in the JSON of OpenHands 0.62, before they have an id and a timestamp.
//!
//! Fields that are always present in the real stream are always present here: `security_risk`, `confirmation_state`,
//! the nulls of `edit`. `model` adds the fields of a model call.

use serde_json::{Value, json};

pub fn action(kind: &str, source: &str, message: impl Into<String>, args: Value) -> Value {
    json!({"action": kind, "source": source, "message": message.into(), "args": args})
}

/// An observation; `message` is the summary that the real server adds to the content.
pub fn observation(
    kind: &str,
    message: impl Into<String>,
    content: impl Into<String>,
    extras: Value,
) -> Value {
    let (message, content) = (message.into(), content.into());
    json!({"observation": kind, "source": "agent", "message": message, "content": content, "extras": extras})
}

/// `agent_state_changed`, as stored.
pub fn state(agent_state: &str, reason: &str) -> Value {
    let extras = json!({"agent_state": agent_state, "reason": reason});
    let mut event = observation("agent_state_changed", "", "", extras);
    event["source"] = "environment".into();
    event
}

/// A state change requested by the user or by the environment.
pub fn change_state(agent_state: &str, source: &str) -> Value {
    let message = format!("Agent state changed to {agent_state}");
    let args = json!({"agent_state": agent_state, "thought": ""});
    action("change_agent_state", source, message, args)
}

/// A status frame, which is not stored.
pub fn status(kind: &str, id: &str, message: &str) -> Value {
    json!({"status_update": true, "type": kind, "id": id, "message": message})
}

pub fn user_message(content: &str, images: Value, files: Value) -> Value {
    let args = json!({
        "content": content, "image_urls": images, "file_urls": files, "wait_for_response": false, "security_risk": -1,
    });
    action("message", "user", content, args)
}

/// An agent message, after which the agent waits.
pub fn agent_message(content: &str) -> Value {
    let args = json!({
        "content": content, "image_urls": null, "file_urls": null, "wait_for_response": true, "security_risk": -1,
    });
    action("message", "agent", content, args)
}

pub fn finish(final_thought: &str) -> Value {
    let args = json!({"final_thought": final_thought, "outputs": {}, "thought": ""});
    let message = "All done! What's next on the agenda?";
    action("finish", "agent", message, args)
}

pub fn run(command: &str, thought: &str, risk: i8) -> Value {
    let args = json!({
        "command": command, "is_input": false, "thought": thought, "blocking": false, "is_static": false, "cwd": null,
        "hidden": false, "confirmation_state": "confirmed", "security_risk": risk,
    });
    action("run", "agent", format!("Running command: {command}"), args)
}

pub fn run_ipython(code: &str, thought: &str, risk: i8) -> Value {
    let args = json!({
        "code": code, "thought": thought, "include_extra": true, "confirmation_state": "confirmed",
        "security_risk": risk, "kernel_init_code": "",
    });
    let message = format!("Running Python code interactively: {code}");
    action("run_ipython", "agent", message, args)
}

/// An editor command; `fields` are the arguments specific to it.
pub fn edit(command: &str, path: &str, fields: Value, thought: &str, risk: i8) -> Value {
    let mut args = json!({
        "path": path, "command": command, "file_text": null, "old_str": null, "new_str": null, "insert_line": null,
        "content": "", "start": 1, "end": -1, "thought": thought, "security_risk": risk, "impl_source": "oh_aci",
    });
    for (name, value) in fields.as_object().into_iter().flatten() {
        args[name] = value.clone();
    }
    action("edit", "agent", "", args)
}

pub fn read(path: &str, range: Option<(usize, usize)>, thought: &str, risk: i8) -> Value {
    let range = range.map(|(from, to)| [from, to]);
    let args = json!({
        "path": path, "start": 0, "end": -1, "thought": thought, "security_risk": risk, "impl_source": "oh_aci",
        "view_range": range,
    });
    action("read", "agent", format!("Reading file: {path}"), args)
}

pub fn browse(actions: &str, thought: &str, risk: i8) -> Value {
    let args = json!({
        "browser_actions": actions, "thought": thought, "browsergym_send_msg_to_user": "", "security_risk": risk,
        "return_axtree": false,
    });
    let message = format!("I am interacting with the browser:\n```\n{actions}\n```");
    action("browse_interactive", "agent", message, args)
}

pub fn call_mcp(name: &str, arguments: Value, thought: &str) -> Value {
    let message = format!(
        "I am interacting with the MCP server with name:\n```\n{name}\n```\nand arguments:\n```\n{arguments}\n```"
    );
    let args =
        json!({"name": name, "arguments": arguments, "thought": thought, "security_risk": -1});
    action("call_tool_mcp", "agent", message, args)
}

pub fn think(thought: &str) -> Value {
    let message = format!("I am thinking...: {thought}");
    action("think", "agent", message, json!({"thought": thought}))
}

/// The current task list: `(title, status, notes)`.
pub fn plan(tasks: &[(&str, &str, &str)]) -> Value {
    let task = |(id, (title, status, notes)): (i32, &(&str, &str, &str))| json!({"id": id.to_string(), "title": title, "status": status, "notes": notes});
    let list: Value = (1..).zip(tasks).map(task).collect();
    let args = json!({"command": "plan", "task_list": list, "thought": ""});
    let message = format!("Managing {} task items.", tasks.len());
    action("task_tracking", "agent", message, args)
}

/// The output of a shell command. Exit code -1 means that it is still running.
pub fn run_output(command: &str, content: &str, exit_code: i64) -> Value {
    let running = exit_code == -1;
    let suffix = match running {
        true => "\n[The command has no new output after 10 seconds. You may wait longer to see additional output by sending empty command ''.]".to_owned(),
        false => format!("\n[The command completed with exit code {exit_code}.]"),
    };
    let known = |text: &'static str| (!running).then_some(text);
    let extras = json!({
        "command": command, "hidden": false,
        "metadata": {
            "exit_code": exit_code, "pid": -1, "username": known("rehearsal"), "hostname": known("stage"),
            "working_dir": known(super::workspace::ROOT), "py_interpreter_path": known("/usr/bin/python3"),
            "prefix": "", "suffix": suffix,
        },
    });
    let message = format!("Command `{command}` executed with exit code {exit_code}.");
    let mut event = observation("run", message, shortened(content), extras);
    event["success"] = (exit_code == 0).into();
    event
}

/// Output truncated as OpenHands does it: 30,000 characters, the middle left out.
fn shortened(content: &str) -> String {
    const LIMIT: usize = 30_000;
    const MARKER: &str = "[... Observation truncated due to length ...]";
    if content.chars().count() <= LIMIT {
        return content.to_owned();
    }
    let characters: Vec<char> = content.chars().collect();
    let head = String::from_iter(&characters[..LIMIT / 2]);
    let tail = String::from_iter(&characters[characters.len() - LIMIT / 2..]);
    format!("{head}\n{MARKER}\n{tail}")
}

/// Removes null fields at any depth, as 1.x stores its events.
pub fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(without_nulls);
        }
        Value::Array(list) => list.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_output_loses_its_middle_and_short_output_nothing() {
        let long = "x".repeat(40_000);
        let content = run_output("yes", &long, 0)["content"]
            .as_str()
            .unwrap()
            .to_owned();
        assert_eq!(
            content.len(),
            30_047,
            "the length recorded from the real server"
        );
        assert_eq!(run_output("true", "ok", 0)["content"], "ok");
    }
}
