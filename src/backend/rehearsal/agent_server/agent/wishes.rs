//! What people make of an agent: words, yes and no, pause and stop.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::super::agent::Answer;
use super::super::super::execution;
use super::super::super::scripts;
use super::super::super::world::lock;
use super::super::conversation::Conversation;
use super::super::plan::{Pending, Plan};
use super::super::stage::Stage;
use super::begin;

/// Somebody says something.
pub fn hear(stage: &Arc<Stage>, conversation: &Arc<Conversation>, content: &Value, run: bool) {
    if conversation.status() == "finished" {
        conversation.set_status("idle");
    }
    if conversation.events().is_empty() {
        conversation.append(system());
    }
    let parts = content.as_array().into_iter().flatten();
    let said: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
    let said = said.join("\n");
    {
        let mut plan = lock(&conversation.plan);
        if let Some(script) = scripts::named(&said) {
            plan.script = script;
        } else if plan.messages == 0 {
            plan.script = scripts::fitting(&said);
        }
        plan.messages += 1;
        // Nobody has answered what waits; it is carried out all the same.
        note(&mut plan, Answer::Ignored);
    }
    let message = json!({"kind": "MessageEvent", "source": "user",
        "llm_message": {"role": "user", "content": content, "thinking_blocks": []},
        "activated_skills": [], "extended_content": []});
    let id = conversation.append(message);
    conversation.heard(&id);
    conversation.title_once(&scripts::title(&said));
    if run {
        begin(stage, conversation);
    }
}

/// Yes or no to all that waits; nothing waits: nothing happens.
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

/// Stops a run at once; whatever waits goes on waiting.
pub async fn interrupt(conversation: &Conversation) {
    if let Some(run) = conversation.run() {
        run.interrupt.cancel();
        run.over.cancelled().await;
    }
}

/// Ends a run after its step, which must be over: the caller holds the conversation.
pub fn pause(conversation: &Conversation) {
    if conversation.status() == "running" {
        conversation.set_status("paused");
        conversation.append(json!({"kind": "PauseEvent", "source": "user"}));
        conversation.tell_all();
    }
}

/// What has no result after a crash says so.
pub fn recover(conversation: &Conversation) {
    let pending = std::mem::take(&mut lock(&conversation.plan).pending);
    conversation.end_run();
    if conversation.status() != "running" {
        lock(&conversation.plan).pending = pending;
        return;
    }
    conversation.set_status("error");
    let said = "A restart occurred while this tool was in progress. This may indicate a fatal memory error or system crash. The tool execution was interrupted and did not complete.";
    for call in pending {
        conversation.append(error_of(&call, said, "internal", false, "none"));
    }
}

pub(super) fn error_of(
    call: &Pending,
    said: &str,
    kind: &str,
    retryable: bool,
    action: &str,
) -> Value {
    json!({"kind": "AgentErrorEvent", "source": "agent", "tool_name": call.tool, "tool_call_id": call.call_id, "error": said,
        "classification": {"kind": kind, "retryable": retryable, "user_action": action}})
}

/// Notes how the user answered what was held back.
fn note(plan: &mut Plan, answer: Answer) {
    let asked = plan.pending.iter_mut().filter(|call| call.asked);
    let names: Vec<_> = asked
        .map(|call| {
            call.asked = false;
            execution::name(&call.act.event)
        })
        .collect();
    plan.answers
        .extend(names.into_iter().map(|name| (name, answer)));
}

fn system() -> Value {
    let tool = |kind: &str, title: &str| json!({"kind": kind, "title": title, "description": "Acts as if."});
    json!({
        "kind": "SystemPromptEvent", "source": "agent",
        "system_prompt": {"cache_prompt": false, "type": "text",
            "text": "You are a rehearsal agent. You follow a script and execute nothing."},
        "tools": [tool("TerminalTool", "terminal"), tool("FileEditorTool", "file_editor"),
            tool("TaskTrackerTool", "task_tracker"), tool("FinishTool", "finish"), tool("ThinkTool", "think")],
    })
}
