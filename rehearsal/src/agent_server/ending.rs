//! Ends of a run from outside: interrupt, pause, and a crash.

use serde_json::{Value, json};

use crate::agent_server::conversation::Conversation;
use crate::agent_server::plan::Pending;
use crate::sync::lock;

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
pub fn error_of(call: &Pending, said: &str, classification: &Value) -> Value {
    json!({"kind": "AgentErrorEvent", "source": "agent", "tool_name": call.tool, "tool_call_id": call.call_id,
        "error": said, "classification": classification})
}
