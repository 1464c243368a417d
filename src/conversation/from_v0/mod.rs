//! Translating OpenHands 0.x events into the neutral model.
//!
//! One wire event becomes one item, independent of other events: relations between events are left to [`super::place`],
//! [`super::Session`] and [`super::Row::fold`]. Live and replayed copies of an event differ (`docs/protocol/v0.md`
//! section 5); their differences are removed here.

mod action;
mod call;
mod files;
mod observation;
mod recall;

use super::{
    Actor, Answer, Body, Confirmation, LogItem, Metrics, PositionOffset, Remedy, Risk, Stamp,
    Status, Task, TaskStatus,
};
use crate::wire::json_text;
use crate::wire::v0::{
    ActionConfirmationStatus, ActionSecurityRisk, AgentState, ErrorFrame, Event, EventSource,
    Incoming, LlmMetrics, Observation, Payload, StatusUpdate, TaskItem,
};
use serde_json::{Map, Value};

/// Translates an incoming payload. Never fails: an unknown payload becomes [`Body::Unknown`].
pub fn from_v0(incoming: &Incoming) -> LogItem {
    match incoming {
        Incoming::Event(event) => from_event(event),
        Incoming::StatusUpdate(update) => frame(from_status_update(update)),
        Incoming::ErrorFrame(ErrorFrame { message }) => frame(error_frame(message.as_deref())),
        Incoming::Unknown(value) => frame(Body::Unknown {
            kind: "event".to_owned(),
            json: json_text(value),
            result: None,
        }),
    }
}

/// A fatal error. A session without a sandbox reports forever that it is starting (`docs/protocol/v0.md` section 5).
fn error_frame(message: Option<&str>) -> Body {
    let text = message.unwrap_or_default().to_owned();
    let remedy = text
        .starts_with("Failed to create agent session")
        .then_some(Remedy::StartAgain);
    Body::RunError {
        code: String::new(),
        text,
        remedy,
    }
}

fn from_event(event: &Event) -> LogItem {
    let body = match &event.payload {
        Payload::Action { kind, action } => action::body(event, kind.as_str(), action),
        Payload::Observation {
            kind,
            content,
            observation,
        } => observation::body(event, kind.as_str(), content, observation),
        Payload::Unknown(fields) => match PositionOffset::of_notice(fields) {
            Some(by) => Body::Lost { by },
            None => unknown(event, fields),
        },
    };
    LogItem {
        key: event.id.as_ref().map(ToString::to_string),
        pos: event.id.as_ref().and_then(|id| id.number()),
        at: Stamp::read(&event.timestamp),
        from: actor(event),
        answers: answer(event),
        metrics: event.llm_metrics.as_ref().map(metrics),
        body,
    }
}

fn unknown(event: &Event, fields: &Map<String, Value>) -> Body {
    // The tag of a 1.x event: better than no name.
    let kind = fields.get("kind").and_then(Value::as_str);
    Body::Unknown {
        kind: kind.unwrap_or("event").to_owned(),
        json: json_of(event, fields.clone().into()),
        result: None,
    }
}

/// The JSON of what was not understood, with the server's sentence about it.
fn json_of(event: &Event, mut value: Value) -> String {
    if let Some(fields) = value.as_object_mut()
        && !event.message.is_empty()
    {
        fields.insert("message".to_owned(), event.message.clone().into());
    }
    json_text(&value)
}

/// An item for a frame, which has neither id nor time.
fn frame(body: Body) -> LogItem {
    LogItem {
        key: None,
        pos: None,
        at: Stamp::default(),
        from: Actor::Environment,
        answers: None,
        metrics: None,
        body,
    }
}

fn from_status_update(update: &StatusUpdate) -> Body {
    let code = update.id.clone().unwrap_or_default();
    // The text often only repeats the code.
    let text = update
        .message
        .clone()
        .filter(|text| *text != code)
        .unwrap_or_default();
    match &update.conversation_title {
        Some(title) => Body::Title(title.clone()),
        None if update.kind.eq_ignore_ascii_case("error") => Body::RunError {
            code,
            text,
            remedy: None,
        },
        None => Body::Progress { code, text },
    }
}

/// In live events 0.62 gives the source of environment events as `agent`; in replays it does not.
fn actor(event: &Event) -> Actor {
    if let Payload::Observation { observation, .. } = &event.payload
        && matches!(
            observation,
            Observation::AgentStateChanged(_) | Observation::Recall(_)
        )
    {
        return Actor::Environment;
    }
    match event.source {
        EventSource::Agent => Actor::Agent,
        EventSource::User => Actor::Human,
        EventSource::Environment | EventSource::Unknown(_) => Actor::Environment,
    }
}

/// Observations refer to `cause`; those without one (of delegates) to the tool call id.
fn answer(event: &Event) -> Option<Answer> {
    if let Some(cause) = &event.cause {
        return Some(Answer::Key(cause.to_string()));
    }
    let is_observation = matches!(event.payload, Payload::Observation { .. });
    let call = event
        .tool_call_metadata
        .as_ref()
        .map(|call| &call.tool_call_id);
    call.filter(|id| is_observation && !id.is_empty())
        .map(|id| Answer::Call(id.clone()))
        .or_else(|| before(event))
}

/// Events without ids do not say what they answer.
fn before(event: &Event) -> Option<Answer> {
    let Payload::Observation { kind, .. } = &event.payload else {
        return None;
    };
    let action = match kind.as_str() {
        "mcp" => "call_tool_mcp",
        kind => kind,
    };
    let has_none = event.id.is_none();
    has_none.then(|| Answer::Before(action.to_owned()))
}

fn metrics(from: &LlmMetrics) -> Metrics {
    let tokens = from.accumulated_token_usage.clone().unwrap_or_default();
    Metrics {
        cost: from.accumulated_cost,
        budget: from.max_budget_per_task,
        prompt_tokens: tokens.prompt_tokens,
        completion_tokens: tokens.completion_tokens,
        cache_read_tokens: tokens.cache_read_tokens,
        cache_write_tokens: tokens.cache_write_tokens,
        context_window: tokens.context_window,
        per_turn_token: tokens.per_turn_token,
        usages: Vec::new(),
    }
}

fn status(state: &AgentState) -> Status {
    match state {
        AgentState::Loading => Status::Loading,
        AgentState::Init => Status::Idle,
        AgentState::Running => Status::Running,
        AgentState::AwaitingUserInput => Status::AwaitingInput,
        AgentState::Paused => Status::Paused,
        AgentState::Stopped => Status::Stopped,
        AgentState::Finished => Status::Finished,
        AgentState::Rejected => Status::Declined,
        AgentState::Error => Status::Error,
        AgentState::RateLimited => Status::RateLimited,
        AgentState::AwaitingUserConfirmation => Status::AwaitingConfirmation,
        AgentState::UserConfirmed => Status::Confirmed,
        AgentState::UserRejected => Status::UserRejected,
        AgentState::Unknown(word) => Status::Other(word.clone()),
    }
}

fn risk(risk: &ActionSecurityRisk) -> Risk {
    match risk {
        ActionSecurityRisk::Low => Risk::Low,
        ActionSecurityRisk::Medium => Risk::Medium,
        ActionSecurityRisk::High => Risk::High,
        ActionSecurityRisk::Unknown | ActionSecurityRisk::Other(_) => Risk::Unknown,
    }
}

fn confirmation(state: &ActionConfirmationStatus) -> Confirmation {
    match state {
        ActionConfirmationStatus::AwaitingConfirmation => Confirmation::Awaiting,
        ActionConfirmationStatus::Confirmed => Confirmation::Confirmed,
        ActionConfirmationStatus::Rejected => Confirmation::Rejected,
        ActionConfirmationStatus::Unknown(_) => Confirmation::NotAsked,
    }
}

fn tasks(list: &[TaskItem]) -> Vec<Task> {
    let task = |item: &TaskItem| Task {
        title: item.title.clone().unwrap_or_default(),
        status: match item
            .status
            .as_deref()
            .unwrap_or_default()
            .to_ascii_lowercase()
            .as_str()
        {
            "in_progress" => TaskStatus::InProgress,
            "done" | "completed" => TaskStatus::Done,
            _ => TaskStatus::Todo,
        },
        notes: item.notes.clone().unwrap_or_default(),
    };
    list.iter().map(task).collect()
}

/// URLs that may be shown as images.
fn images(urls: &[String]) -> Vec<String> {
    let is_image = |url: &&String| {
        ["data:image/", "http://", "https://"]
            .iter()
            .any(|start| url.starts_with(start))
    };
    urls.iter().filter(is_image).cloned().collect()
}

/// The text of a value: a string itself, anything else as JSON.
fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| json_text(value), str::to_owned)
}

#[cfg(test)]
mod tests;
