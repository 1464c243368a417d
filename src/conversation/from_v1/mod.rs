//! Translating agent-server 1.x events into the neutral model.
//!
//! One wire event becomes one item, independent of other events: relations between events are left to [`super::place`],
//! [`super::Session`] and [`super::Row::fold`]. Text that is still being streamed is no event: it becomes a
//! [`super::Piece`].

mod acp;
mod action;
mod calls;
mod message;
mod observation;
mod pieces;
mod state;

pub use calls::model_calls;
pub use pieces::{bare_piece, piece};

use serde_json::Value;

use super::{
    Actor, Answer, Body, Call, HookRun, LogItem, Message, Remedy, Risk, SANDBOX_NOT_STARTED, Stamp,
    SystemPrompt, Task, TaskStatus, Tool, text,
};
use crate::wire::json_text;
use crate::wire::v1::{
    Content, ConversationInfo, ErrorClassification, Event, EventSource, FailureKind,
    HookExecutionEvent, Payload, RejectionSource, SecurityRisk, StateUpdate, SystemPromptEvent,
    TaskItem, UserAction, UserRejectObservation,
};

/// Translates an event. Never fails: an unknown event becomes [`Body::Unknown`].
///
/// `seq` is its position in the log, if known (session socket, pages of history). `ahead` is the offset of the server's
/// clock from UTC in minutes, if known: the server writes times without a zone.
pub fn item(event: &Event, seq: Option<i64>, ahead: Option<i32>) -> LogItem {
    let (body, metrics) = match &event.payload {
        Payload::ConversationStateUpdate(update) => state::body(update),
        payload => (body(event, payload), None),
    };
    // A snapshot is no durable event: it has no position and may arrive repeatedly.
    let is_snapshot = matches!(&event.payload, Payload::ConversationStateUpdate(update)
        if matches!(**update, StateUpdate::FullState(_)));
    LogItem {
        key: event.id.clone().filter(|_| !is_snapshot),
        pos: seq.filter(|_| !is_snapshot),
        at: Stamp::read(&event.timestamp).in_zone(ahead),
        from: actor(event),
        answers: answers(&event.payload),
        metrics,
        body,
    }
}

/// Translates a conversation's data from the REST routes into an item without key or position.
pub fn info(info: &ConversationInfo) -> LogItem {
    let (body, metrics) = state::snapshot(info);
    LogItem {
        key: None,
        pos: None,
        at: Stamp::default(),
        from: Actor::Environment,
        answers: None,
        metrics,
        body,
    }
}

fn body(event: &Event, payload: &Payload) -> Body {
    match payload {
        Payload::SystemPrompt(system) => Body::System(instructions(system)),
        Payload::Message(said) => match message::said(said) {
            // The model's response was empty; the loop reminds it.
            empty if empty == Message::default() => Body::Nothing,
            said => Body::Message(said),
        },
        Payload::Action(action) => Body::Call(action::call(event, action)),
        Payload::Observation(result) => observation::body(result),
        Payload::UserRejectObservation(rejected) => Body::Rejected {
            reason: reason(rejected),
        },
        Payload::AgentError(error) => Body::CallError {
            text: error.error.clone(),
            code: String::new(),
        },
        Payload::ConversationError(error) => Body::RunError {
            code: error.code.clone(),
            text: error.detail.clone(),
            remedy: Some(match error.code.as_str() {
                SANDBOX_NOT_STARTED => Remedy::StartAgain,
                _ => remedy(error.classification.as_ref()),
            }),
        },
        // Concerns the connection, not the run.
        Payload::ServerError(error) => Body::Note(text::server_error(&error.detail)),
        Payload::Pause {} => Body::Stopped { hard: false },
        Payload::Interrupt {} => Body::Stopped { hard: true },
        Payload::CondensationRequest {} => Body::Call(plain_call(event, Tool::Condense)),
        Payload::Condensation(condensation) => Body::Condensed {
            forgotten: u64::try_from(condensation.forgotten_event_ids.len()).ok(),
            summary: condensation.summary.clone().unwrap_or_default(),
        },
        Payload::CondensationSummary(condensed) => Body::Condensed {
            forgotten: None,
            summary: condensed.summary.clone(),
        },
        Payload::HookExecution(hook) => Body::Hook(hook_run(hook)),
        Payload::ACPToolCall(call) => acp::body(event, call),
        // The calls themselves carry these risks; `bare_piece` translates the pieces; logs are for the model.
        Payload::SecurityAnalysis(_)
        | Payload::ConversationStateUpdate(_)
        | Payload::StreamingDelta(_)
        | Payload::LLMCompletionLog {}
        | Payload::Token {} => Body::Nothing,
        Payload::Unknown(fields) => Body::Unknown {
            kind: match event.kind.as_str() {
                "" => "event".to_owned(),
                kind => kind.to_owned(),
            },
            json: json_text(fields),
            result: fields.get("observation").map(unknown_text),
        },
    }
}

fn actor(event: &Event) -> Actor {
    match (&event.payload, &event.source) {
        (Payload::Message(said), EventSource::User) if message::is_of_the_loop(said) => {
            Actor::Environment
        }
        (Payload::HookExecution(_), _) | (_, EventSource::Hook) => Actor::Hook,
        (_, EventSource::Agent) => Actor::Agent,
        (_, EventSource::User) => Actor::Human,
        (_, EventSource::Environment | EventSource::Unknown(_)) => Actor::Environment,
    }
}

/// The reference to the call's event; errors and the calls of ACP agents have only the tool call id.
fn answers(payload: &Payload) -> Option<Answer> {
    let by = |key: Option<&String>, call: &str| {
        let call = Some(call).filter(|call| !call.is_empty());
        key.cloned()
            .map(Answer::Key)
            .or_else(|| call.map(|call| Answer::Call(call.to_owned())))
    };
    match payload {
        Payload::Observation(result) => by(result.action_id.as_ref(), &result.tool_call_id),
        Payload::UserRejectObservation(rejected) => {
            by(rejected.action_id.as_ref(), &rejected.tool_call_id)
        }
        Payload::AgentError(error) => by(None, &error.tool_call_id),
        Payload::HookExecution(hook) => by(hook.action_id.as_ref(), ""),
        Payload::ACPToolCall(call) if acp::is_more(call) => by(None, &call.tool_call_id),
        // A result with unexpected fields still belongs to its call.
        Payload::Unknown(fields) => {
            let text = |name| fields.get(name).and_then(Value::as_str);
            let key = text("action_id").map(str::to_owned);
            by(key.as_ref(), text("tool_call_id").unwrap_or_default())
        }
        _ => None,
    }
}

/// The text of an observation that was not understood.
fn unknown_text(observation: &Value) -> String {
    let content = match observation.get("content") {
        None => return String::new(),
        Some(Value::String(text)) => return text.clone(),
        Some(parts) => parts.as_array().map_or(&[][..], Vec::as_slice),
    };
    let texts = content.iter().filter_map(|part| part.get("text")?.as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// A call by the server itself, which needs no approval.
fn plain_call(event: &Event, tool: Tool) -> Call {
    Call {
        group: event.id.clone(),
        ..Call::of(tool)
    }
}

fn instructions(system: &SystemPromptEvent) -> SystemPrompt {
    let parts: Vec<Content> = [&system.system_prompt, &system.dynamic_context]
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let tools = system.tools.iter();
    SystemPrompt {
        prompt: crate::wire::v1::text_of(&parts),
        tools: tools
            .map(|tool| {
                let name = if tool.title.is_empty() {
                    &tool.kind
                } else {
                    &tool.title
                };
                (name.clone(), tool.description.clone())
            })
            .collect(),
        about: Vec::new(),
    }
}

fn hook_run(hook: &HookExecutionEvent) -> HookRun {
    let said = [
        Some(&hook.stdout),
        Some(&hook.stderr),
        hook.reason.as_ref(),
        hook.error.as_ref(),
    ];
    let mut output = String::new();
    for text in said.into_iter().flatten().map(|text| text.trim()) {
        if !text.is_empty() && !output.contains(text) {
            output.push_str(text);
            output.push('\n');
        }
    }
    HookRun {
        event: hook.hook_event_type.clone(),
        command: hook.hook_command.clone(),
        blocked: hook.blocked,
        exit_code: hook.exit_code,
        output,
    }
}

fn reason(rejected: &UserRejectObservation) -> String {
    /// The server's texts for a rejection without a reason.
    const NO_REASON: [&str; 2] = ["User rejected the action", "User rejected the action."];
    let said = rejected.rejection_reason.trim();
    match rejected.rejection_source {
        RejectionSource::Hook => text::blocked_by_hook(said),
        _ if NO_REASON.contains(&said) => String::new(),
        _ => said.to_owned(),
    }
}

/// The remedy by kind of failure; for unknown kinds, the one that the server suggests.
fn remedy(class: Option<&ErrorClassification>) -> Remedy {
    let Some(class) = class else {
        return Remedy::Nothing;
    };
    match (&class.kind, &class.user_action) {
        (FailureKind::Auth | FailureKind::Quota | FailureKind::Config, _) => Remedy::Settings,
        (FailureKind::RateLimit | FailureKind::Transient, _) => Remedy::Retry,
        (FailureKind::AgentAction, _) => Remedy::Nothing,
        (_, UserAction::Settings) => Remedy::Settings,
        (_, UserAction::Retry) => Remedy::Retry,
        _ if class.retryable => Remedy::Retry,
        _ => Remedy::Nothing,
    }
}

fn risk(risk: &SecurityRisk) -> Risk {
    match risk {
        SecurityRisk::Low => Risk::Low,
        SecurityRisk::Medium => Risk::Medium,
        SecurityRisk::High => Risk::High,
        SecurityRisk::Unjudged | SecurityRisk::Unknown(_) => Risk::Unknown,
    }
}

fn tasks(list: &[TaskItem]) -> Vec<Task> {
    let task = |item: &TaskItem| Task {
        title: item.title.clone(),
        status: match item.status.as_str() {
            "in_progress" => TaskStatus::InProgress,
            "done" => TaskStatus::Done,
            _ => TaskStatus::Todo,
        },
        notes: item.notes.clone(),
    };
    list.iter().map(task).collect()
}

/// The images among the content parts.
fn images(parts: &[Content]) -> Vec<String> {
    let urls = parts.iter().filter_map(|part| match part {
        Content::Image { image_urls } => Some(image_urls),
        _ => None,
    });
    let is_image = |url: &&String| {
        ["data:image/", "http://", "https://"]
            .iter()
            .any(|start| url.starts_with(start))
    };
    urls.flatten().filter(is_image).cloned().collect()
}

#[cfg(test)]
mod tests;
