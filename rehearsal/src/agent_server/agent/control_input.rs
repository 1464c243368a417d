//! The users' control of an agent: messages, approve and reject.

use std::sync::Arc;

use serde_json::{Value, json};

use super::begin;
use crate::agent_server::plan::Plan;
use crate::agent_server::{conversation::Conversation, stage::Stage, translate};
use crate::{agent::Answer, embedded, execution, scripts, sync::lock};

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
    conversation.on_message(&id);
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

/// Records the user's answer to the pending actions.
fn note(plan: &mut Plan, answer: Answer) {
    for call in plan.pending.iter_mut().filter(|call| call.asked) {
        call.asked = false;
        let name = execution::name(&call.act.event);
        plan.answers.push((name, answer));
    }
}
