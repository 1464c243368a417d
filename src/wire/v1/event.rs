//! One event: the fields that all events have, and a payload by `kind`.
//!
//! An event of an unknown kind, or with unexpected fields, keeps all of them.

use super::{
    ACPToolCallEvent, ActionEvent, AgentErrorEvent, Condensation, CondensationSummaryEvent,
    ConversationErrorEvent, EventSource, HookExecutionEvent, MessageEvent, ObservationEvent,
    SecurityAnalysisEvent, ServerErrorEvent, StateUpdate, StreamingDeltaEvent, SystemPromptEvent,
    UserRejectObservation, nulls::without_nulls,
};
use crate::wire::lenient::without_named_numbers;
use serde::Deserialize;
use serde_json::Value;

/// Length limit of an id, in bytes: one that is longer counts as missing.
const LONGEST_ID: usize = 256;

/// An event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its id, a UUID.
    pub id: Option<String>,
    /// ISO time in the server's own zone, without a zone suffix (see [`super::say_zone`]).
    pub timestamp: String,
    /// Its source.
    pub source: EventSource,
    /// The previous event on its branch. History is a tree: this is not a cause.
    pub parent_id: Option<String>,
    /// Its tag, for unknown kinds.
    pub kind: String,
    /// Its payload.
    pub payload: Payload,
}

/// The payload of an event.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind")]
pub enum Payload {
    /// The agent's instructions and tools.
    #[serde(rename = "SystemPromptEvent")]
    SystemPrompt(SystemPromptEvent),
    /// A message.
    #[serde(rename = "MessageEvent")]
    Message(Box<MessageEvent>),
    /// A tool call, before it runs or waits for approval.
    #[serde(rename = "ActionEvent")]
    Action(Box<ActionEvent>),
    /// The result of a call.
    #[serde(rename = "ObservationEvent")]
    Observation(Box<ObservationEvent>),
    /// A call was rejected.
    UserRejectObservation(UserRejectObservation),
    /// A call could not be made, or was interrupted. The run continues.
    #[serde(rename = "AgentErrorEvent")]
    AgentError(AgentErrorEvent),
    /// The run has failed.
    #[serde(rename = "ConversationErrorEvent")]
    ConversationError(ConversationErrorEvent),
    /// A socket refused a message.
    #[serde(rename = "ServerErrorEvent")]
    ServerError(ServerErrorEvent),
    /// A part of the conversation's state has changed.
    #[serde(rename = "ConversationStateUpdateEvent")]
    ConversationStateUpdate(Box<StateUpdate>),
    /// Risk ratings of a batch of calls. Each call contains its own rating, too.
    #[serde(rename = "SecurityAnalysisEvent")]
    SecurityAnalysis(SecurityAnalysisEvent),
    /// A person paused the run.
    #[serde(rename = "PauseEvent")]
    Pause {},
    /// A person stopped the run at once.
    #[serde(rename = "InterruptEvent")]
    Interrupt {},
    /// Older events are about to be condensed into a summary.
    CondensationRequest {},
    /// Older events were condensed into a summary, for the model.
    Condensation(Condensation),
    /// The summary as the model sees it.
    #[serde(rename = "CondensationSummaryEvent")]
    CondensationSummary(CondensationSummaryEvent),
    /// A hook ran.
    #[serde(rename = "HookExecutionEvent")]
    HookExecution(HookExecutionEvent),
    /// A call made by an ACP agent itself.
    #[serde(rename = "ACPToolCallEvent")]
    ACPToolCall(Box<ACPToolCallEvent>),
    /// A chunk of the model's output (older socket only, not stored).
    #[serde(rename = "StreamingDeltaEvent")]
    StreamingDelta(StreamingDeltaEvent),
    /// The request to the model, for debugging.
    #[serde(rename = "LLMCompletionLogEvent")]
    LLMCompletionLog {},
    /// Token ids, for training.
    #[serde(rename = "TokenEvent")]
    Token {},
    /// An unknown kind, or unexpected fields: all of them.
    #[serde(untagged)]
    Unknown(Value),
}

impl Event {
    /// Reads an event. Cannot fail: unknown contents stay in [`Payload::Unknown`].
    pub fn read(mut value: Value) -> Self {
        without_nulls(&mut value);
        let text = |name| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let source: Option<String> = text("source");
        Self {
            id: text("id").filter(|id| id.len() <= LONGEST_ID),
            timestamp: match value.get("timestamp") {
                Some(Value::Number(number)) => number.to_string(),
                _ => text("timestamp").unwrap_or_default(),
            },
            source: source.map(EventSource::from).unwrap_or_default(),
            parent_id: text("parent_id"),
            kind: text("kind").unwrap_or_default(),
            payload: match value.get("kind") {
                // Cannot fail: the last variant takes anything.
                Some(Value::String(_)) => {
                    match Payload::deserialize(value).unwrap_or(Payload::Unknown(Value::Null)) {
                        Payload::Unknown(fields) => without_names(fields),
                        payload => payload,
                    }
                }
                // A number would be taken for the index of a variant.
                _ => Payload::Unknown(value),
            },
        }
    }
}

/// An event that is unknown perhaps only because a number in it has no value.
fn without_names(fields: Value) -> Payload {
    let mut plain = fields.clone();
    if !without_named_numbers(&mut plain) {
        return Payload::Unknown(fields);
    }
    without_nulls(&mut plain);
    match Payload::deserialize(plain) {
        Ok(payload) if !matches!(payload, Payload::Unknown(_)) => payload,
        _ => Payload::Unknown(fields),
    }
}
