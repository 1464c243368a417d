//! Scripts with rare or impossible events.

use serde_json::{Value, json};

use super::step;
use crate::embedded;
use crate::event::{self, action, agent_message, finish, observation, state};
use crate::script::{Act, Effect, Script, Step, done, shell, steps};

/// Delegation to another agent. Its states appear in the same stream while the parent continues.
pub fn delegate() -> Script {
    let args = json!({"agent": "BrowsingAgent", "inputs": {"task": "Say hello"}, "thought": "I ask the browsing agent."});
    let message = "I'm asking BrowsingAgent for help with this task.";
    let asked = action("delegate", "agent", message, args);
    let task = "TASK: Say hello";
    let task_args = json!({
        "content": task, "file_urls": null, "image_urls": null, "wait_for_response": false, "security_risk": -1,
    });
    let asking = action("message", "user", task, task_args);
    let finished = state("finished", "");
    let said = "hello from the delegate";
    let mut message = event::browse(&format!("send_msg_to_user(\"{said}\")"), "", 0);
    message["args"]["browsergym_send_msg_to_user"] = said.into();
    let mut end = finish("");
    end["args"]["outputs"] = json!({"content": said});
    let content = format!(
        "Delegated agent finished with result:\n\nBrowsingAgent finishes task with content: {said}"
    );
    let outputs = json!({"outputs": {"content": said}});
    let result = observation("delegate", "", content, outputs);
    Script::new(steps![
        Act::new(asked, Effect::Nothing),
        Step::Events(vec![asking, state("running", "")]),
        Step::Events(vec![message, agent_message(said)]),
        Step::Events(vec![end, finished, state("stopped", ""), result]),
        shell("echo the parent goes on", "the parent goes on", 0),
        done("The browsing agent helped me."),
    ])
}

/// The history gets too long and is condensed.
pub fn condensation() -> Script {
    let message = "Requesting a condensation of the conversation history.";
    let request = action("condensation_request", "agent", message, json!({}));
    let summary =
        "USER_CONTEXT: a rehearsal.\nCOMPLETED: three steps.\nPENDING: the rest of the script.";
    let args = json!({
        "forgotten_event_ids": null, "forgotten_events_start_id": 8, "forgotten_events_end_id": 13,
        "summary": summary, "summary_offset": 4,
    });
    let condensed = action("condensation", "agent", format!("Summary: {summary}"), args);
    Script::new(steps![
        step(1),
        step(2),
        step(3),
        Act::new(request, Effect::Nothing),
        Act::new(condensed, Effect::Nothing),
        step(4),
        done("I remember the important part."),
    ])
}

/// A secret is printed and arrives masked.
pub fn secret() -> Script {
    let command = "echo \"the secret is $MY_SECRET\"";
    Script::new(steps![
        shell(command, "the secret is <secret_hidden>", 0)
            .because("Print a secret: it must be masked."),
        done("I never saw it."),
    ])
}

/// Unknown kinds, events with missing fields, and frames that are not events.
pub fn unknown() -> Script {
    let args = json!({"destination": "moon", "thought": "A new kind of action.", "speed": 12, "via": ["orbit", null]});
    let teleport = action("teleport", "agent", "Teleporting to the moon", args);
    let gravity = json!({"gravity": 1.62});
    let arrived = observation("teleported", "Arrived", "The moon is dusty.", gravity);
    let mut future = shell("echo new fields", "new fields", 0);
    future.event["args"]["added_in_some_later_version"] = json!({"deep": [1, 2, 3]});
    future.event["hint"] = "unknown top-level field".into();
    let odd: Value = embedded(include_str!("unknown.json"));
    let events = odd["events"].as_array().cloned().unwrap_or_default();
    let frames = odd["frames"].as_array().into_iter().flatten();
    let frames = frames.filter_map(Value::as_str).map(str::to_owned);
    Script::new(steps![
        Act::new(teleport, Effect::Observation(arrived)),
        future,
        Step::Events(events),
        Step::Frames(frames.collect()),
        shell("echo still here", "still here", 0),
        done("Everything known was shown, and everything unknown, too."),
    ])
}
