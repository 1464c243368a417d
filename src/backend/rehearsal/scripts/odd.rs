//! Scripts with rare or impossible events.

use serde_json::{Value, json};

use super::super::event::{action, agent_message, browse, finish, observation, run, state};
use super::super::script::{Effect, Script, Step, act, shell};
use super::done;

/// Another agent helps. Its own states come in the same stream while the parent goes on.
pub fn delegate() -> Script {
    let args = json!({"agent": "BrowsingAgent", "inputs": {"task": "Say hello"}, "thought": "I ask the browsing agent."});
    let asked = action(
        "delegate",
        "agent",
        "I'm asking BrowsingAgent for help with this task.",
        args,
    );
    let task = "TASK: Say hello";
    let task_args = json!({
        "content": task, "file_urls": null, "image_urls": null, "wait_for_response": false, "security_risk": -1,
    });
    let said = "hello from the delegate";
    let mut message = browse(&format!("send_msg_to_user(\"{said}\")"), "", 0);
    message["args"]["browsergym_send_msg_to_user"] = said.into();
    let mut end = finish("");
    end["args"]["outputs"] = json!({"content": said});
    let content = format!(
        "Delegated agent finished with result:\n\nBrowsingAgent finishes task with content: {said}"
    );
    let result = observation(
        "delegate",
        "",
        content,
        json!({"outputs": {"content": said}}),
    );
    Script::new([
        act(asked, Effect::Nothing),
        Step::Events(vec![
            action("message", "user", task, task_args),
            state("running", ""),
        ]),
        Step::Events(vec![message, agent_message(said)]),
        Step::Events(vec![
            end,
            state("finished", ""),
            state("stopped", ""),
            result,
        ]),
        shell("echo the parent goes on", "", "the parent goes on", 0),
        done("The browsing agent helped me."),
    ])
}

/// The history gets too long and is summarised.
pub fn condensation() -> Script {
    let request = action(
        "condensation_request",
        "agent",
        "Requesting a condensation of the conversation history.",
        json!({}),
    );
    let summary =
        "USER_CONTEXT: a rehearsal.\nCOMPLETED: three steps.\nPENDING: the rest of the script.";
    let args = json!({
        "forgotten_event_ids": null, "forgotten_events_start_id": 8, "forgotten_events_end_id": 13,
        "summary": summary, "summary_offset": 4,
    });
    let condensed = action("condensation", "agent", format!("Summary: {summary}"), args);
    let step = |n: i32| shell(&format!("echo step {n}"), "", format!("step {n}"), 0);
    Script::new([
        step(1),
        step(2),
        step(3),
        act(request, Effect::Nothing),
        act(condensed, Effect::Nothing),
        step(4),
        done("I remember the important part."),
    ])
}

/// A secret is printed and arrives masked.
pub fn secret() -> Script {
    Script::new([
        shell(
            "echo \"the secret is $MY_SECRET\"",
            "Print a secret: it must be masked.",
            "the secret is <secret_hidden>",
            0,
        ),
        done("I never saw it."),
    ])
}

/// Kinds nobody knows, events without what events have, and frames that are no events.
pub fn unknown() -> Script {
    let teleport = action(
        "teleport",
        "agent",
        "Teleporting to the moon",
        json!({"destination": "moon", "thought": "A new kind of action.", "speed": 12, "via": ["orbit", null]}),
    );
    let arrived = observation(
        "teleported",
        "Arrived",
        "The moon is dusty.",
        json!({"gravity": 1.62}),
    );
    let mut future = run("echo new fields", "", 0);
    future["args"]["added_in_some_later_version"] = json!({"deep": [1, 2, 3]});
    future["hint"] = "unknown top-level field".into();
    let output = Effect::Output {
        content: String::from("new fields"),
        exit_code: 0,
        changes: Vec::new(),
    };
    let malformed: [Value; 9] = [
        json!({"action": "run", "source": "agent", "message": "no arguments at all"}),
        json!({"action": "run", "source": "agent", "message": "arguments of a wrong type", "args": ["ls"]}),
        json!({"observation": "run", "source": "agent", "message": "", "content": 42, "extras": null}),
        json!({"observation": "run", "source": "agent", "content": "no extras", "cause": "not a number"}),
        json!({"observation": "agent_state_changed", "source": "agent", "content": "", "extras": {"agent_state": 7}}),
        json!({"action": "message", "source": "nobody", "args": {"content": null, "image_urls": "not a list"}}),
        json!({"source": "agent", "message": "neither action nor observation"}),
        json!({"action": "edit", "observation": "edit", "source": "agent", "args": {}, "extras": {}, "content": "both"}),
        json!({"observation": "task_tracking", "source": "agent", "content": "", "extras": {"task_list": [null, 3, {"title": 1}]}}),
    ];
    let frames = [
        "42[\"oh_event\",{\"status_update\":true,\"type\":\"weather\",\"id\":\"STATUS$SUNNY\",\"message\":\"new status\"}]",
        "42[\"oh_event\",{\"status_update\":true,\"type\":\"info\",\"message\":null}]",
        "42[\"oh_event\",{\"error\":true,\"message\":\"an error frame in the middle\"}]",
        "42[\"oh_event\",null]",
        "42[\"oh_event\",[1,2,3]]",
        "42[\"oh_event\"]",
        "42[\"some_other_event\",{\"id\":1}]",
        "42[\"oh_event\",{\"id\":\"a string\",\"action\":\"run\",\"args\":{}}]",
        "42[\"oh_event\",{\"id\":-5,\"observation\":\"run\",\"content\":\"\",\"extras\":{}}]",
    ];
    Script::new([
        act(teleport, Effect::Observation(arrived)),
        act(future, output),
        Step::Events(malformed.into()),
        Step::Frames(frames.map(str::to_owned).into()),
        shell("echo still here", "", "still here", 0),
        done("Everything known was shown, and everything unknown, too."),
    ])
}
