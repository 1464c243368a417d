//! Events in the JSON of OpenHands 0.62, before they have an id and a time.
//!
//! A field which is always there in the real stream is always here: `security_risk`, `confirmation_state`, the nulls of
//! `edit`. What a call of the model adds is in `model`.

use serde_json::{Value, json};

/// An action by `source`.
pub fn action(kind: &str, source: &str, message: impl Into<String>, args: Value) -> Value {
    json!({"action": kind, "source": source, "message": message.into(), "args": args})
}

/// An observation; `message` is what the real server says besides the content.
pub fn observation(
    kind: &str,
    message: impl Into<String>,
    content: impl Into<String>,
    extras: Value,
) -> Value {
    let (message, content) = (message.into(), content.into());
    json!({"observation": kind, "source": "agent", "message": message, "content": content, "extras": extras})
}

/// `agent_state_changed`, as it is stored.
pub fn state(agent_state: &str, reason: &str) -> Value {
    let mut event = observation(
        "agent_state_changed",
        "",
        "",
        json!({"agent_state": agent_state, "reason": reason}),
    );
    event["source"] = "environment".into();
    event
}

/// The wish for another state, by the user or by the environment.
pub fn change_state(agent_state: &str, source: &str) -> Value {
    let message = format!("Agent state changed to {agent_state}");
    action(
        "change_agent_state",
        source,
        message,
        json!({"agent_state": agent_state, "thought": ""}),
    )
}

/// A message of the user.
pub fn user_message(content: &str, images: Value, files: Value) -> Value {
    let args = json!({
        "content": content, "image_urls": images, "file_urls": files, "wait_for_response": false, "security_risk": -1,
    });
    action("message", "user", content, args)
}

/// A message of the agent, after which it waits.
pub fn agent_message(content: &str) -> Value {
    let args = json!({
        "content": content, "image_urls": null, "file_urls": null, "wait_for_response": true, "security_risk": -1,
    });
    action("message", "agent", content, args)
}

/// The end of a task.
pub fn finish(final_thought: &str) -> Value {
    let args = json!({"final_thought": final_thought, "outputs": {}, "thought": ""});
    action(
        "finish",
        "agent",
        "All done! What's next on the agenda?",
        args,
    )
}

/// A command of the shell.
pub fn run(command: &str, thought: &str, risk: i8) -> Value {
    let args = json!({
        "command": command, "is_input": false, "thought": thought, "blocking": false, "is_static": false, "cwd": null,
        "hidden": false, "confirmation_state": "confirmed", "security_risk": risk,
    });
    action("run", "agent", format!("Running command: {command}"), args)
}

/// A cell of the notebook.
pub fn run_ipython(code: &str, thought: &str, risk: i8) -> Value {
    let args = json!({
        "code": code, "thought": thought, "include_extra": true, "confirmation_state": "confirmed",
        "security_risk": risk, "kernel_init_code": "",
    });
    action(
        "run_ipython",
        "agent",
        format!("Running Python code interactively: {code}"),
        args,
    )
}

/// A command of the editor; `fields` holds what the command needs.
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

/// A look at a file.
pub fn read(path: &str, range: Option<(usize, usize)>, thought: &str, risk: i8) -> Value {
    let range = range.map(|(from, to)| [from, to]);
    let args = json!({
        "path": path, "start": 0, "end": -1, "thought": thought, "security_risk": risk, "impl_source": "oh_aci",
        "view_range": range,
    });
    action("read", "agent", format!("Reading file: {path}"), args)
}

/// A step in the browser.
pub fn browse(actions: &str, thought: &str, risk: i8) -> Value {
    let args = json!({
        "browser_actions": actions, "thought": thought, "browsergym_send_msg_to_user": "", "security_risk": risk,
        "return_axtree": false,
    });
    action(
        "browse_interactive",
        "agent",
        format!("I am interacting with the browser:\n```\n{actions}\n```"),
        args,
    )
}

/// A call of an MCP tool.
pub fn call_mcp(name: &str, arguments: Value, thought: &str) -> Value {
    let message = format!(
        "I am interacting with the MCP server with name:\n```\n{name}\n```\nand arguments:\n```\n{arguments}\n```"
    );
    let args =
        json!({"name": name, "arguments": arguments, "thought": thought, "security_risk": -1});
    action("call_tool_mcp", "agent", message, args)
}

/// A thought which is logged.
pub fn think(thought: &str) -> Value {
    action(
        "think",
        "agent",
        format!("I am thinking...: {thought}"),
        json!({"thought": thought}),
    )
}

/// The list of tasks as it stands: `(title, status, notes)`.
pub fn plan(tasks: &[(&str, &str, &str)]) -> Value {
    let list: Value = tasks
        .iter()
        .enumerate()
        .map(|(i, (title, status, notes))| {
            json!({"id": (i + 1).to_string(), "title": title, "status": status, "notes": notes})
        })
        .collect();
    let args = json!({"command": "plan", "task_list": list, "thought": ""});
    action(
        "task_tracking",
        "agent",
        format!("Managing {} task items.", tasks.len()),
        args,
    )
}

/// What the shell answered. Exit code -1 means that it is still running.
pub fn run_output(command: &str, content: &str, exit_code: i64) -> Value {
    let running = exit_code == -1;
    let suffix = if running {
        "\n[The command has no new output after 10 seconds. You may wait longer to see additional output by sending empty command ''.]".to_owned()
    } else {
        format!("\n[The command completed with exit code {exit_code}.]")
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

/// Output as OpenHands cuts it: 30,000 characters, the middle left out.
fn shortened(content: &str) -> String {
    const LIMIT: usize = 30_000;
    const MARKER: &str = "[... Observation truncated due to length ...]";
    if content.chars().count() <= LIMIT {
        return content.to_owned();
    }
    let characters: Vec<char> = content.chars().collect();
    let (head, tail) = (
        &characters[..LIMIT / 2],
        &characters[characters.len() - LIMIT / 2..],
    );
    format!(
        "{}\n{MARKER}\n{}",
        String::from_iter(head),
        String::from_iter(tail)
    )
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
