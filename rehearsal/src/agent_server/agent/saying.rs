//! Messages of an agent: streamed text, and the final message.

use serde_json::json;
use tokio::time::sleep;

use super::Agent;
use crate::agent_server::{conversation::event_id, translate};
use crate::{clock, script::Step, sync::lock};

/// Number of pieces that are streamed one by one; the rest is sent at once.
const PIECES: usize = 40;

/// The run was interrupted.
pub(super) struct Stopped;

impl Agent {
    /// If the next step is a message, streams it and returns the id of its future event. No lock is held meanwhile.
    pub(super) async fn stream(&self) -> Result<Option<String>, Stopped> {
        let said = match lock(&self.conversation.plan).script.steps.front() {
            Some(Step::Say(text)) => text.clone(),
            _ => return Ok(None),
        };
        let conversation = &self.conversation;
        let id = event_id();
        let anchor = conversation.events().len().saturating_sub(1);
        let started =
            json!({"type": "item_started", "item_id": id, "attempt": 1, "anchor_seq": anchor});
        conversation.tell(Some(&started), None);
        let (mut rest, mut order) = (said.as_str(), 0);
        while !rest.is_empty() {
            let end = match rest.find(' ') {
                Some(at) if order < PIECES => at + 1,
                _ => rest.len(),
            };
            let (piece, more) = rest.split_at(end);
            let delta = json!({"type": "delta", "item_id": id, "attempt": 1, "order": order, "kind": "text",
                "content": piece});
            let event = json!({"kind": "StreamingDeltaEvent", "source": "agent", "content": piece,
                "id": event_id(), "timestamp": clock::naive()});
            conversation.tell(Some(&delta), Some(&event));
            (rest, order) = (more, order + 1);
            tokio::select! {
                biased;
                () = self.interrupt.cancelled() => {
                    let aborted = json!({"type": "item_aborted", "item_id": id, "attempt": 1, "reason": "cancelled"});
                    conversation.tell(Some(&aborted), None);
                    return Err(Stopped);
                }
                // A pace for human readers; tests have none.
                () = sleep(self.stage.world.options.pace / 10) => {}
            }
        }
        Ok(Some(id))
    }

    /// Emits a message, with the id of its streamed pieces.
    pub(super) fn say(&self, text: &str, id: Option<String>) {
        let mut message = translate::message("agent", "assistant", translate::part(text));
        if let Some(id) = id {
            message["id"] = id.into();
        }
        self.conversation.append(message);
    }

    pub(super) fn finish(&self, text: &str, response: u64) -> bool {
        let conversation = &self.conversation;
        let call_id = format!("call_{response:05}_0");
        let arguments = json!({"message": text}).to_string();
        let event_id = conversation.append(json!({
            "kind": "ActionEvent", "source": "agent", "thought": [], "thinking_blocks": [],
            "action": {"message": text, "kind": "FinishAction"}, "tool_name": "finish", "tool_call_id": call_id,
            "tool_call": {"id": call_id, "name": "finish", "arguments": arguments, "origin": "completion"},
            "llm_response_id": format!("chatcmpl-rehearsal-{response:05}"), "security_risk": "UNKNOWN",
        }));
        let observation = translate::plain("FinishObservation", text);
        let result = translate::result("finish", &call_id, &event_id, observation);
        conversation.append(result);
        conversation.set_status("finished");
        false
    }
}
