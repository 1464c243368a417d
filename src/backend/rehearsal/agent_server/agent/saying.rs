//! How an agent speaks: piece by piece, and at the end of its work.

use serde_json::json;
use tokio::time::sleep;

use super::super::super::clock;
use super::super::super::script::Step;
use super::super::super::world::lock;
use super::super::words;
use super::Agent;

/// Pieces of an answer that come one by one; the rest comes at once.
const PIECES: usize = 40;

/// Somebody stopped it.
pub(super) struct Stopped;

impl Agent {
    /// If the next step is something said, tells it piece by piece and answers the id of the event that it will be. Nothing
    /// is locked meanwhile.
    pub(super) async fn stream(&self) -> Result<Option<String>, Stopped> {
        let said = match lock(&self.conversation.plan).script.steps.front() {
            Some(Step::Say(text)) => text.clone(),
            _ => return Ok(None),
        };
        let conversation = &self.conversation;
        let id = conversation.event_id();
        let anchor = conversation.events().len().saturating_sub(1);
        conversation.tell_session(
            &json!({"type": "item_started", "item_id": id, "attempt": 1, "anchor_seq": anchor}),
        );
        let (mut rest, mut order) = (said.as_str(), 0);
        while !rest.is_empty() {
            let end = match rest.find(' ') {
                Some(at) if order < PIECES => at + 1,
                _ => rest.len(),
            };
            let (piece, more) = rest.split_at(end);
            conversation.tell_session(
                &json!({"type": "delta", "item_id": id, "attempt": 1, "order": order,
                "kind": "text", "content": piece}),
            );
            conversation.tell_events(
                &json!({"kind": "StreamingDeltaEvent", "source": "agent", "content": piece,
                "id": conversation.event_id(), "timestamp": clock::naive()}),
            );
            (rest, order) = (more, order + 1);
            tokio::select! {
                biased;
                () = self.interrupt.cancelled() => {
                    conversation.tell_session(&json!({"type": "item_aborted", "item_id": id, "attempt": 1,
                        "reason": "cancelled"}));
                    return Err(Stopped);
                }
                // People read along; tests do not.
                () = sleep(self.stage.world.options.pace / 10) => {}
            }
        }
        Ok(Some(id))
    }

    /// Says something, under the id that its pieces had.
    pub(super) fn say(&self, text: &str, id: Option<String>) {
        let mut message = json!({"kind": "MessageEvent", "source": "agent",
            "llm_message": {"role": "assistant", "content": words::text(text), "thinking_blocks": []},
            "activated_skills": [], "extended_content": []});
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
        conversation.append(json!({"kind": "ObservationEvent", "source": "environment", "tool_name": "finish",
            "tool_call_id": call_id, "action_id": event_id, "extended_content": [],
            "observation": {"content": words::text(text), "is_error": false, "kind": "FinishObservation"}}));
        conversation.set_status("finished");
        false
    }
}
