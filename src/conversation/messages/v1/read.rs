//! One event of 1.x, as far as the model gets to see it.
//!
//! Long because it is one case per class of event.

use super::super::{ModelCall, ModelMessage, Part, Sha256, Speaker};
use super::clip;
use serde_json::{Map, Value};
use std::collections::HashSet;

/// What an event is to the model.
#[derive(Debug, Clone)]
pub(super) enum ModelEvent {
    /// Instructions, or something said.
    Message(ModelMessage),
    /// One call of an answer; the first has the thought.
    Call {
        response: String,
        thought: Vec<Part>,
        call: ModelCall,
        extra: Map<String, Value>,
    },
    /// What came of a call.
    Result {
        call: String,
        tool: String,
        parts: Vec<Part>,
    },
    /// Earlier events are forgotten.
    Condensation {
        forgotten: HashSet<String>,
        summary: Option<String>,
        offset: Option<u64>,
    },
    /// Not for the model.
    Beside,
}

impl ModelEvent {
    /// Whether the newest event of this kind is the end of the active branch: reports of the state are beside it.
    pub(super) fn is_on_branch(&self) -> bool {
        !matches!(self, Self::Beside)
    }

    /// Its bytes, about.
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Message(message) => size(&message.parts),
            Self::Call { thought, call, .. } => size(thought) + call.arguments.len(),
            Self::Result { parts, .. } => size(parts),
            Self::Condensation {
                forgotten, summary, ..
            } => forgotten.len() * 100 + summary.as_ref().map_or(0, String::len),
            Self::Beside => 0,
        }
    }
}

fn size(parts: &[Part]) -> usize {
    let sizes = parts.iter().map(|part| match part {
        Part::Text(text) | Part::Image(text) => text.len(),
    });
    sizes.sum()
}

/// The output of a command at most, in characters.
const OUTPUT: usize = 30_000;
/// Stands before the text of a failed call.
const FAILED: &str = "[An error occurred during execution.]\n";

type Fields = Map<String, Value>;

/// What an event is to the model.
pub(super) fn what(kind: &str, event: Fields, sha256: Sha256) -> ModelEvent {
    match kind {
        "SystemPromptEvent" => {
            let texts = ["system_prompt", "dynamic_context"].into_iter();
            let texts = texts.filter_map(|name| event.get(name)?.get("text")?.as_str());
            let parts = texts.map(|text| Part::Text(text.to_owned())).collect();
            ModelEvent::Message(ModelMessage::new(Speaker::System, parts, None))
        }
        "MessageEvent" => message(&event),
        "ActionEvent" => call(&event),
        "ObservationEvent" => {
            let mut parts = match event.get("observation") {
                Some(Value::Object(observation)) => observed(observation, sha256),
                _ => Vec::new(),
            };
            parts.extend(contents(event.get("extended_content")));
            result(&event, parts)
        }
        "UserRejectObservation" => {
            let reason = event.get("rejection_reason").and_then(Value::as_str);
            let reason = reason.unwrap_or("User rejected the action");
            result(
                &event,
                vec![Part::Text(format!("Action rejected: {reason}"))],
            )
        }
        "AgentErrorEvent" => {
            let error = text(&event, "error").to_owned();
            result(&event, vec![Part::Text(error)])
        }
        "Condensation" => {
            let forgotten = event.get("forgotten_event_ids").and_then(Value::as_array);
            let forgotten = forgotten.into_iter().flatten().filter_map(Value::as_str);
            ModelEvent::Condensation {
                forgotten: forgotten.map(str::to_owned).collect(),
                summary: event
                    .get("summary")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
                offset: event.get("summary_offset").and_then(Value::as_u64),
            }
        }
        "CondensationSummaryEvent" => {
            let summary = text(&event, "summary");
            ModelEvent::Message(ModelMessage::text(Speaker::User, summary, None))
        }
        _ => ModelEvent::Beside,
    }
}

fn message(event: &Fields) -> ModelEvent {
    let Some(Value::Object(said)) = event.get("llm_message") else {
        return ModelEvent::Beside;
    };
    let role = match text(said, "role") {
        "user" => Speaker::User,
        "assistant" => Speaker::Assistant,
        "system" => Speaker::System,
        _ => return ModelEvent::Beside,
    };
    let mut parts = contents(said.get("content"));
    parts.extend(contents(event.get("extended_content")));
    let mut message = ModelMessage::new(role, parts, None);
    message.extra = thinking(said);
    ModelEvent::Message(message)
}

fn call(event: &Fields) -> ModelEvent {
    let call = event.get("tool_call").and_then(Value::as_object);
    let of_call = |name: &str| call.map_or("", |call| text(call, name)).to_owned();
    ModelEvent::Call {
        response: text(event, "llm_response_id").to_owned(),
        thought: contents(event.get("thought")),
        call: ModelCall {
            id: of_call("id"),
            name: of_call("name"),
            arguments: of_call("arguments"),
        },
        extra: thinking(event),
    }
}

/// What a model has thought before it spoke, as some models want it back.
fn thinking(event: &Fields) -> Fields {
    let blocks = event.get("thinking_blocks").and_then(Value::as_array);
    let blocks = blocks.filter(|blocks| !blocks.is_empty());
    let fields = blocks.map(|blocks| ("thinking_blocks".to_owned(), blocks.clone().into()));
    fields.into_iter().collect()
}

fn result(event: &Fields, parts: Vec<Part>) -> ModelEvent {
    ModelEvent::Result {
        call: text(event, "tool_call_id").to_owned(),
        tool: text(event, "tool_name").to_owned(),
        parts,
    }
}

/// Where a server keeps what is too long for the model.
struct Saved<'a> {
    folder: &'a str,
    tool: &'static str,
    sha256: Sha256,
}

impl Saved<'_> {
    fn file(&self, content: &str, ending: &str) -> Option<String> {
        let digest = (self.sha256)(content);
        let digest = digest.get(..8).filter(|_| !self.folder.is_empty())?;
        let folder = self.folder.trim_end_matches('/');
        Some(format!("{folder}/{}_{digest}.{ending}", self.tool))
    }

    /// A text without its middle, which is in a file.
    fn clip(&self, text: &str, most: usize) -> String {
        clip(text, most, |line| {
            let file = self.file(text, "txt")?;
            Some(format!(
                "<response clipped><NOTE>Due to the max output limit, only part of the full response has been shown to you. The complete output has been saved to {file} - you can use other tools to view the full content (truncated part starts around line {line}).</NOTE>"
            ))
        })
    }
}

/// What a tool tells the model. Most tools tell their content, with a line before it if they failed.
fn observed(observation: &Fields, sha256: Sha256) -> Vec<Part> {
    let saved = |tool| Saved {
        folder: text(observation, "full_output_save_dir"),
        tool,
        sha256,
    };
    let content = contents(observation.get("content"));
    let is_error = observation.get("is_error").and_then(Value::as_bool) == Some(true);
    let mut parts = Vec::new();
    let failed = is_error.then(|| Part::Text(FAILED.to_owned()));
    match text(observation, "kind") {
        "TerminalObservation" => {
            parts.extend(failed);
            let output = output(observation, &content);
            parts.push(Part::Text(saved("terminal_output").clip(&output, OUTPUT)));
        }
        "BrowserObservation" => {
            parts.extend(failed);
            let told = texts(&content);
            if !told.is_empty() {
                let told = saved("browser_output").clip(&told, super::RESULT);
                parts.push(Part::Text(told));
            }
            if let Some((format, picture)) = screenshot(observation) {
                let ending = if format == "jpeg" { "jpg" } else { format };
                let data = text(observation, "screenshot_data");
                let file = saved("browser_screenshot").file(data, ending);
                parts.extend(file.map(|file| Part::Text(format!("Screenshot saved to: {file}"))));
                parts.push(picture);
            }
        }
        "TaskObservation" => {
            parts.push(Part::Text(task(observation)));
            parts.extend(failed);
            parts.extend(content);
        }
        _ => {
            parts.extend(failed);
            parts.extend(content);
        }
    }
    parts
}

fn output(observation: &Fields, content: &[Part]) -> String {
    let none = Fields::new();
    let told = observation.get("metadata").and_then(Value::as_object);
    let told = told.unwrap_or(&none);
    let mut out = format!(
        "{}{}{}",
        text(told, "prefix"),
        texts(content),
        text(told, "suffix")
    );
    for (name, label) in [
        ("working_dir", "Current working directory"),
        ("py_interpreter_path", "Python interpreter"),
    ] {
        let place = text(told, name);
        if !place.is_empty() {
            out.push_str(&format!("\n[{label}: {place}]"));
        }
    }
    let code = told.get("exit_code").and_then(Value::as_i64).unwrap_or(-1);
    if code != -1 {
        out.push_str(&format!("\n[Command finished with exit code {code}]"));
    }
    out
}

/// The picture of a page: the log has its bytes in base64, whose first letters tell the format.
fn screenshot(observation: &Fields) -> Option<(&'static str, Part)> {
    let data = text(observation, "screenshot_data");
    let format = match data {
        "" => return None,
        data if data.starts_with("/9j/") => "jpeg",
        data if data.starts_with("R0lGOD") => "gif",
        data if data.starts_with("UklGR") => "webp",
        _ => "png",
    };
    let address = format!("data:image/{format};base64,{data}");
    Some((format, Part::Image(address)))
}

fn task(observation: &Fields) -> String {
    format!(
        "Task ID: {}\nSubagent: {}\nStatus: {}",
        text(observation, "task_id"),
        text(observation, "subagent"),
        text(observation, "status")
    )
}

/// A list of texts and images.
fn contents(list: Option<&Value>) -> Vec<Part> {
    if let Some(Value::String(text)) = list {
        return vec![Part::Text(text.clone())];
    }
    let list = list.and_then(Value::as_array);
    let mut parts = Vec::new();
    for one in list.into_iter().flatten() {
        if let Some(text) = one.get("text").and_then(Value::as_str) {
            parts.push(Part::Text(text.to_owned()));
        }
        let images = one.get("image_urls").and_then(Value::as_array);
        let images = images.into_iter().flatten().filter_map(Value::as_str);
        parts.extend(images.map(|url| Part::Image(url.to_owned())));
    }
    parts
}

fn texts(parts: &[Part]) -> String {
    let texts = parts.iter().map(|part| match part {
        Part::Text(text) => text.as_str(),
        Part::Image(_) => "",
    });
    texts.collect()
}

fn text<'a>(fields: &'a Fields, name: &str) -> &'a str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}
