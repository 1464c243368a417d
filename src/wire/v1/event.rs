//! One event: what all events have in common, and its payload by `kind`.
//!
//! An event of an unknown kind, or with fields that are not what they should be, keeps all of them.

use super::{
    ACPToolCallEvent, ActionEvent, AgentErrorEvent, Condensation, CondensationSummaryEvent,
    ConversationErrorEvent, EventSource, HookExecutionEvent, MessageEvent, ObservationEvent,
    SecurityAnalysisEvent, ServerErrorEvent, StateUpdate, StreamingDeltaEvent, SystemPromptEvent,
    UserRejectObservation,
};
use serde::Deserialize;
use serde_json::Value;

/// An event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its id, a UUID.
    pub id: Option<String>,
    /// ISO time of the server's own zone, without that zone (see [`super::say_zone`]).
    pub timestamp: String,
    /// Who it comes from.
    pub source: EventSource,
    /// The event before it on its branch. History is a tree: this is no cause.
    pub parent_id: Option<String>,
    /// Its tag, for what is not known.
    pub kind: String,
    /// What it says.
    pub payload: Payload,
}

/// What an event says.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind")]
pub enum Payload {
    /// The agent's instructions and tools.
    #[serde(rename = "SystemPromptEvent")]
    SystemPrompt(SystemPromptEvent),
    /// Something is said.
    #[serde(rename = "MessageEvent")]
    Message(Box<MessageEvent>),
    /// A call of a tool, before it runs or waits.
    #[serde(rename = "ActionEvent")]
    Action(Box<ActionEvent>),
    /// What came of a call.
    #[serde(rename = "ObservationEvent")]
    Observation(Box<ObservationEvent>),
    /// A call was turned down.
    UserRejectObservation(UserRejectObservation),
    /// A call could not be made, or was cut off. The run goes on.
    #[serde(rename = "AgentErrorEvent")]
    AgentError(AgentErrorEvent),
    /// The run has failed.
    #[serde(rename = "ConversationErrorEvent")]
    ConversationError(ConversationErrorEvent),
    /// A socket refused what it was sent.
    #[serde(rename = "ServerErrorEvent")]
    ServerError(ServerErrorEvent),
    /// Something about the conversation is otherwise now.
    #[serde(rename = "ConversationStateUpdateEvent")]
    ConversationStateUpdate(Box<StateUpdate>),
    /// A batch of calls was judged. Each call carries the same judgement itself.
    #[serde(rename = "SecurityAnalysisEvent")]
    SecurityAnalysis(SecurityAnalysisEvent),
    /// A person paused the run.
    #[serde(rename = "PauseEvent")]
    Pause {},
    /// A person stopped the run at once.
    #[serde(rename = "InterruptEvent")]
    Interrupt {},
    /// Older events are to be folded into a summary.
    CondensationRequest {},
    /// Older events were folded into a summary, for the model.
    Condensation(Condensation),
    /// The summary as the model sees it.
    #[serde(rename = "CondensationSummaryEvent")]
    CondensationSummary(CondensationSummaryEvent),
    /// A hook ran.
    #[serde(rename = "HookExecutionEvent")]
    HookExecution(HookExecutionEvent),
    /// A call that an ACP agent made by itself.
    #[serde(rename = "ACPToolCallEvent")]
    ACPToolCall(Box<ACPToolCallEvent>),
    /// A piece of what the model writes (older socket only, not stored).
    #[serde(rename = "StreamingDeltaEvent")]
    StreamingDelta(StreamingDeltaEvent),
    /// What went to the model, for debugging.
    #[serde(rename = "LLMCompletionLogEvent")]
    LLMCompletionLog {},
    /// Token ids, for training.
    #[serde(rename = "TokenEvent")]
    Token {},
    /// A kind that we do not know, or fields that are not what they should be: all of them.
    #[serde(untagged)]
    Unknown(Value),
}

impl Event {
    /// Reads an event. Cannot fail: what is not understood stays in [`Payload::Unknown`].
    pub fn read(mut value: Value) -> Self {
        without_nulls(&mut value);
        let text = |name| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let source: Option<String> = text("source");
        Self {
            id: text("id"),
            timestamp: text("timestamp").unwrap_or_default(),
            source: source.map(EventSource::from).unwrap_or_default(),
            parent_id: text("parent_id"),
            kind: text("kind").unwrap_or_default(),
            payload: match value.get("kind") {
                // Cannot fail: the last variant takes anything.
                Some(Value::String(_)) => {
                    Payload::deserialize(value).unwrap_or(Payload::Unknown(Value::Null))
                }
                // A number would be taken for the place of a variant.
                _ => Payload::Unknown(value),
            },
        }
    }
}

/// Takes the fields out that are null, at any depth: to 1.x they are as good as not there.
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
