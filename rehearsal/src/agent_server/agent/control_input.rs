//! The users' control of an agent: messages, approve and reject, pause and stop.

use std::sync::Arc;

use serde_json::{Value, json};

use super::begin;
use crate::agent_server::plan::{Pending, Plan};
use crate::agent_server::{conversation::Conversation, stage::Stage, translate};
use crate::{agent::Answer, embedded, execution, scripts, world::lock};

pub fn take_message(
    stage: &Arc<Stage>,
    conversation: &Arc<Conversation>,
    content: &Value,
    run: bool,
) {
    if conversation.status() == "finished" {
        conversation.set_status("idle");
    }
    if conversation.events().is_empty() {
        conversation.append(embedded(include_str!("system.json")));
    }
    let parts = content.as_array().into_iter().flatten();
    let said: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
    let said = said.join("\n");
    {
        let mut plan = lock(&conversation.plan);
        plan.take_message(&said);
        // The user has not answered the pending actions; they are executed nevertheless.
        note(&mut plan, Answer::Ignored);
    }
    let id = conversation.append(translate::message("user", "user", content.clone()));
    conversation.heard(&id);
    conversation.title_once(&scripts::title(&said));
    if run {
        begin(stage, conversation);
    }
}

/// Approves or rejects all pending actions; does nothing if there are none.
pub fn answer(stage: &Arc<Stage>, conversation: &Arc<Conversation>, accept: bool, reason: &str) {
    if conversation.status() != "waiting_for_confirmation" {
        return;
    }
    if accept {
        note(&mut lock(&conversation.plan), Answer::Approved);
        begin(stage, conversation);
        return;
    }
    let rejected = {
        let mut plan = lock(&conversation.plan);
        note(&mut plan, Answer::Rejected);
        std::mem::take(&mut plan.pending)
    };
    conversation.set_status("idle");
    for call in rejected {
        conversation.append(
            json!({"kind": "UserRejectObservation", "source": "environment", "tool_name": call.tool,
            "tool_call_id": call.call_id, "action_id": call.event_id, "rejection_reason": reason,
            "rejection_source": "user"}),
        );
    }
    conversation.tell_all();
}

/// Stops a run at once; pending actions stay pending.
pub async fn interrupt(conversation: &Conversation) {
    if let Some(run) = conversation.run() {
        run.interrupt.cancel();
        run.over.cancelled().await;
    }
}

/// Ends a run after its current step. The step must be over: the caller holds the conversation's lock.
pub fn pause(conversation: &Conversation) {
    if conversation.status() == "running" {
        conversation.set_status("paused");
        conversation.append(json!({"kind": "PauseEvent", "source": "user"}));
        conversation.tell_all();
    }
}

/// After a crash, ends each call without a result with an error.
pub fn recover(conversation: &Conversation) {
    let pending = std::mem::take(&mut lock(&conversation.plan).pending);
    conversation.end_run();
    if conversation.status() != "running" {
        lock(&conversation.plan).pending = pending;
        return;
    }
    conversation.set_status("error");
    let said = "A restart occurred while this tool was in progress. This may indicate a fatal memory error or system crash. The tool execution was interrupted and did not complete.";
    let classification = json!({"kind": "internal", "retryable": false, "user_action": "none"});
    for call in pending {
        conversation.append(error_of(&call, said, &classification));
    }
}

/// The error event of a call; `classification` says what a client can do about it.
pub(super) fn error_of(call: &Pending, said: &str, classification: &Value) -> Value {
    json!({"kind": "AgentErrorEvent", "source": "agent", "tool_name": call.tool, "tool_call_id": call.call_id,
        "error": said, "classification": classification})
}

/// Records the user's answer to the pending actions.
fn note(plan: &mut Plan, answer: Answer) {
    for call in plan.pending.iter_mut().filter(|call| call.asked) {
        call.asked = false;
        let name = execution::name(&call.act.event);
        plan.answers.push((name, answer));
    }
}
