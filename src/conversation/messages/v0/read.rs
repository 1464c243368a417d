//! One event of 0.x, as far as the model gets to see it.
//!
//! Long because it is one case per class of event, each a few lines.

use super::super::context::{self, Knowledge};
use super::super::{ModelCall, Remark};
use super::classes::{reads_action, reads_observation};
use super::cut::cut;
use crate::wire::json_text;
use serde_json::{Map, Value};

/// What an event is to the model.
#[derive(Debug, Clone)]
pub(super) enum ModelEvent {
    /// The instructions.
    System(String),
    /// A message.
    Message(Said),
    /// An answer of the model that calls tools.
    Call(Answer),
    /// The agent is done.
    Finish { is_user: bool, thought: String },
    /// An action of a user, as text.
    UserAction(String, Option<Remark>),
    /// An action of the agent that no call belongs to.
    NoCall,
    /// What came of something.
    Observed(Observed),
    /// What microagents know, or what the workspace is like.
    Recall(Recall),
    /// Earlier events are forgotten.
    Condensation(Condensation),
    /// An observation that no message exists for.
    NoMessage,
    /// In the history, but not for the model.
    Silent,
    /// Not even in the history.
    Hidden,
    /// Left out, because OpenHands cannot read it back.
    NotReadBack,
}

/// A message with the URLs of its images.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub(super) is_user: bool,
    pub(super) text: String,
    pub(super) images: Vec<String>,
}

/// The model's answer.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) response: String,
    pub(super) content: String,
    pub(super) calls: Option<Vec<ModelCall>>,
    pub(super) remark: Option<Remark>,
}

/// An observation before it is cut to the length that a model can take.
#[derive(Debug, Clone, Default)]
pub(super) struct Observed {
    pub(super) before: &'static str,
    pub(super) text: String,
    pub(super) after: &'static str,
    /// Whether `max_chars` applies.
    pub(super) is_cut: bool,
    pub(super) images: Vec<String>,
    /// Added to the text if the model sees images.
    pub(super) with_vision: String,
    /// The call that it answers, and the tool.
    pub(super) call: Option<(String, String)>,
    pub(super) remark: Option<Remark>,
}

/// A recall: of the workspace if it has a text, of knowledge otherwise.
#[derive(Debug, Clone)]
pub(super) struct Recall {
    pub(super) workspace: Option<String>,
    pub(super) known: Vec<Knowledge>,
    pub(super) call: Option<(String, String)>,
}

/// The events from each first to its last id are forgotten; the summary has an index in the history.
#[derive(Debug, Clone)]
pub(super) struct Condensation {
    pub(super) forgotten: Vec<(i64, i64)>,
    pub(super) summary: Option<(String, i64)>,
}

/// Longest output of a command in characters, whatever the model takes.
const COMMAND: i64 = 30_000;

type Fields = Map<String, Value>;

/// What an event is to the model.
pub(super) fn what(event: &mut Fields) -> ModelEvent {
    let source = text(event, "source").to_owned();
    let knows_source = ["agent", "user", "environment"].contains(&source.as_str());
    if !knows_source && event.contains_key("source") {
        return ModelEvent::NotReadBack;
    }
    if let Some(Value::String(name)) = event.get("action").cloned() {
        let args = taken(event, "args");
        return match reads_action(&name, &args) {
            true => action(&name, &source, args, event),
            false => ModelEvent::NotReadBack,
        };
    }
    let Some(Value::String(name)) = event.get("observation").cloned() else {
        return ModelEvent::NotReadBack;
    };
    let extras = taken(event, "extras");
    match reads_observation(&name, &extras) {
        true => observation(&name, &extras, event),
        false => ModelEvent::NotReadBack,
    }
}

fn action(name: &str, source: &str, args: Fields, event: &Fields) -> ModelEvent {
    let is_user = source == "user";
    let metadata = event.get("tool_call_metadata").and_then(Value::as_object);
    match name {
        "null" | "change_agent_state" | "condensation_request" => ModelEvent::Hidden,
        "system" => ModelEvent::System(text(&args, "content").to_owned()),
        "message" => ModelEvent::Message(Said {
            is_user,
            text: text(&args, "content").to_owned(),
            images: match args.contains_key("images_urls") {
                true => texts(&args, "images_urls"),
                false => texts(&args, "image_urls"),
            },
        }),
        "run" if is_user => {
            let command = text(&args, "command");
            ModelEvent::UserAction(format!("User executed the command:\n{command}"), None)
        }
        "run" if source != "agent" => ModelEvent::Silent,
        "finish" => ModelEvent::Finish {
            is_user,
            thought: thought_of_end(text(&args, "thought"), metadata),
        },
        "condensation" => condensation(&args),
        "write" | "reject" | "recall" | "loop_recovery" => ModelEvent::Silent,
        _ => match metadata {
            Some(metadata) => ModelEvent::Call(answer(metadata, &args)),
            None if is_user => user_action(name, &args),
            None => ModelEvent::NoCall,
        },
    }
}

/// The last words: the agent's thought, and what the model said beside the call.
fn thought_of_end(thought: &str, metadata: Option<&Fields>) -> String {
    let Some(metadata) = metadata else {
        return thought.to_owned();
    };
    let said = match message_of(metadata) {
        Some(message) => text(message, "content"),
        // The journal has not kept the model's own words, which are the thought.
        None => thought,
    };
    match thought {
        "" => said.to_owned(),
        thought if thought == said => thought.to_owned(),
        thought => format!("{thought}\n{said}"),
    }
}

fn message_of(metadata: &Fields) -> Option<&Fields> {
    let response = metadata.get("model_response")?;
    response.get("choices")?.get(0)?.get("message")?.as_object()
}

fn answer(metadata: &Fields, args: &Fields) -> Answer {
    let Some(message) = message_of(metadata) else {
        let mut arguments = args.clone();
        let of_handling = ["thought", "confirmation_state", "blocking", "hidden"];
        arguments.retain(|name, value| !of_handling.contains(&name.as_str()) && !value.is_null());
        let id = text(metadata, "tool_call_id").to_owned();
        return Answer {
            response: id.clone(),
            content: text(args, "thought").to_owned(),
            calls: Some(vec![ModelCall {
                id,
                name: text(metadata, "function_name").to_owned(),
                arguments: json_text(&Value::Object(arguments)),
            }]),
            remark: Some(Remark::Approximate),
        };
    };
    let response = metadata.get("model_response").and_then(Value::as_object);
    let calls = message.get("tool_calls").and_then(Value::as_array);
    Answer {
        response: response
            .map_or("", |response| text(response, "id"))
            .to_owned(),
        content: text(message, "content").to_owned(),
        calls: calls
            .filter(|calls| !calls.is_empty())
            .map(|calls| calls.iter().map(call).collect()),
        remark: None,
    }
}

fn call(call: &Value) -> ModelCall {
    let function = &call["function"];
    ModelCall {
        id: call["id"].as_str().unwrap_or_default().to_owned(),
        name: function["name"].as_str().unwrap_or_default().to_owned(),
        arguments: match &function["arguments"] {
            Value::String(arguments) => arguments.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        },
    }
}

/// OpenHands names whatever a user does here the reading of a file, and prints it as Python prints the object.
fn user_action(name: &str, args: &Fields) -> ModelEvent {
    let head = "User requested to read file: ";
    let known = match name {
        "browse" => Some(format!(
            "**BrowseURLAction**\n{}URL: {}",
            thought(args),
            text(args, "url")
        )),
        "run_ipython" => Some(format!(
            "**IPythonRunCellAction**\n{}CODE:\n{}",
            thought(args),
            text(args, "code")
        )),
        "browse_interactive" => Some(format!(
            "**BrowseInteractiveAction**\n{}BROWSER_ACTIONS: {}",
            thought(args),
            text(args, "browser_actions")
        )),
        "read" => super::python::file_read(args),
        _ => None,
    };
    match known {
        Some(known) => ModelEvent::UserAction(format!("{head}{known}"), None),
        None => ModelEvent::UserAction(
            format!("{head}{}", Value::Object(args.clone())),
            Some(Remark::OtherText),
        ),
    }
}

fn thought(args: &Fields) -> String {
    match text(args, "thought") {
        "" => String::new(),
        thought => format!("THOUGHT: {thought}\n"),
    }
}

fn condensation(args: &Fields) -> ModelEvent {
    let number = |name: &str| args.get(name).and_then(Value::as_i64);
    let ids = args.get("forgotten_event_ids").and_then(Value::as_array);
    let range = number("forgotten_events_start_id").zip(number("forgotten_events_end_id"));
    let forgotten = match (ids, range) {
        (Some(ids), None) => {
            let ids = ids.iter().filter_map(Value::as_i64);
            ids.map(|id| (id, id)).collect()
        }
        (None, Some(range)) => vec![range],
        _ => return ModelEvent::NotReadBack,
    };
    let summary = args.get("summary").and_then(Value::as_str);
    let offset = number("summary_offset");
    if summary.is_some() != offset.is_some() {
        return ModelEvent::NotReadBack;
    }
    ModelEvent::Condensation(Condensation {
        forgotten,
        summary: summary.map(str::to_owned).zip(offset),
    })
}

fn observation(name: &str, extras: &Fields, event: &Fields) -> ModelEvent {
    let content = text(event, "content").to_owned();
    let call = event.get("tool_call_metadata").and_then(Value::as_object);
    let call = call.map(|call| {
        let (id, name) = (text(call, "tool_call_id"), text(call, "function_name"));
        (id.to_owned(), name.to_owned())
    });
    let simple = |text: String| Observed {
        text,
        is_cut: true,
        call: call.clone(),
        ..Observed::default()
    };
    ModelEvent::Observed(match name {
        "null" | "agent_state_changed" => return ModelEvent::Hidden,
        "loop_detection" => return ModelEvent::Silent,
        "success" | "write" => return ModelEvent::NoMessage,
        "recall" => return recall(extras, call),
        "run" => {
            let mut output = command_output(content, extras);
            if call.is_none() {
                output = format!("\nObserved result of command executed by user:\n{output}");
            }
            simple(output)
        }
        "run_ipython" => cell(simple(content), extras),
        "read" => Observed {
            is_cut: false,
            ..simple(content)
        },
        "browse" => page(
            Observed {
                is_cut: false,
                ..simple(content)
            },
            extras,
        ),
        "edit" => {
            let (text, remark) = edited(content, extras);
            Observed {
                remark,
                ..simple(text)
            }
        }
        "delegate" => match extras
            .get("outputs")
            .and_then(|outputs| outputs.get("content"))
        {
            Some(Value::String(told)) => simple(told.clone()),
            _ => simple(content),
        },
        "error" => Observed {
            after: "\n[Error occurred in processing last action]",
            ..simple(content)
        },
        "user_rejected" => Observed {
            before: "OBSERVATION:\n",
            after: "\n[Last action has been rejected by the user]",
            ..simple(content)
        },
        _ => simple(content),
    })
}

fn command_output(content: String, extras: &Fields) -> String {
    let is_hidden = extras.get("hidden").and_then(Value::as_bool) == Some(true);
    let none = Fields::new();
    let told = extras.get("metadata").and_then(Value::as_object);
    let told = told.unwrap_or(&none);
    let content = if is_hidden {
        content
    } else {
        cut(content, Some(COMMAND))
    };
    let mut out = format!("{}{content}{}", text(told, "prefix"), text(told, "suffix"));
    for (name, label) in [
        ("working_dir", "Current working directory"),
        ("py_interpreter_path", "Python interpreter"),
    ] {
        let place = text(told, name);
        if !place.is_empty() {
            out.push_str(&format!("\n[{label}: {place}]"));
        }
    }
    let code = extras.get("exit_code").or_else(|| told.get("exit_code"));
    let code = code.and_then(Value::as_i64).unwrap_or(-1);
    if code != -1 {
        out.push_str(&format!("\n[Command finished with exit code {code}]"));
    }
    out
}

fn cell(observed: Observed, extras: &Fields) -> Observed {
    let line = |line: &'_ str| match line.contains("![image](data:image/png;base64,") {
        true => "![image](data:image/png;base64, ...) already displayed to user".to_owned(),
        false => line.to_owned(),
    };
    let lines: Vec<String> = observed.text.split('\n').map(line).collect();
    let all = extras.get("image_urls").and_then(Value::as_array);
    let all = all.map_or(0, Vec::len);
    let mut images = texts(extras, "image_urls");
    images.retain(|url| !url.trim().is_empty());
    let invalid = all - images.len();
    let with_vision = match (images.is_empty(), invalid) {
        (_, 0) => String::new(),
        (true, _) => format!(
            "\n\nNote: All {all} image(s) in this output were invalid or empty and have been filtered. The agent should use alternative methods to access visual information."
        ),
        (false, _) => format!(
            "\n\nNote: {invalid} invalid or empty image(s) were filtered from this output. The agent may need to use alternative methods to access visual information."
        ),
    };
    Observed {
        text: lines.join("\n"),
        images,
        with_vision,
        ..observed
    }
}

/// A page in the browser. The journal keeps of the marked picture only that there was one.
fn page(observed: Observed, extras: &Fields) -> Observed {
    if text(extras, "trigger_by_action") != "browse_interactive" {
        return observed;
    }
    let head = "Image: Current webpage screenshot (Note that only visible portion of webpage is present in the screenshot. However, the Accessibility tree contains information from the entire webpage.)\n";
    let marks = extras.get("set_of_marks");
    let is_unmarked = marks.and_then(Value::as_bool) == Some(true);
    let (kind, url) = match text(extras, "set_of_marks") {
        "" => ("screenshot", text(extras, "screenshot")),
        marks => ("set of marks", marks),
    };
    let note = match url {
        "" => "\n\nNote: No visual information (screenshot or set of marks) is available for this webpage. The agent should rely on the text content above.".to_owned(),
        url if url.trim().is_empty() => format!(
            "\n\nNote: The {kind} for this webpage was invalid or empty and has been filtered. The agent should use alternative methods to access visual information about the webpage."
        ),
        _ => String::new(),
    };
    Observed {
        images: Some(url.to_owned())
            .filter(|url| !url.trim().is_empty())
            .into_iter()
            .collect(),
        with_vision: format!("{head}{note}"),
        remark: is_unmarked.then_some(Remark::Unmarked),
        ..observed
    }
}

/// The text of an edit. One that a model has made of a draft is told as a diff of OpenHands' own.
fn edited(content: String, extras: &Fields) -> (String, Option<Remark>) {
    let path = text(extras, "path");
    if text(extras, "impl_source") == "oh_aci" {
        (content, None)
    } else if extras.get("prev_exist").and_then(Value::as_bool) != Some(true) {
        let told = format!("[New file {path} is created with the provided content.]\n");
        (told, None)
    } else if extras.get("old_content") == extras.get("new_content") {
        let told = "(no changes detected. Please make sure your edits change the content of the existing file.)\n";
        (told.to_owned(), None)
    } else {
        (content, Some(Remark::OtherText))
    }
}

fn recall(extras: &Fields, call: Option<(String, String)>) -> ModelEvent {
    let known = extras.get("microagent_knowledge").and_then(Value::as_array);
    let mut knowledge = Vec::new();
    for one in known.into_iter().flatten() {
        let Some(one) = one.as_object() else {
            return ModelEvent::NotReadBack;
        };
        knowledge.push(Knowledge {
            name: text(one, "name").to_owned(),
            trigger: text(one, "trigger").to_owned(),
            content: text(one, "content").to_owned(),
        });
    }
    let workspace = match text(extras, "recall_type") {
        "workspace_context" => Some(context::workspace(extras)),
        "knowledge" => None,
        _ => return ModelEvent::NotReadBack,
    };
    ModelEvent::Recall(Recall {
        workspace,
        known: knowledge,
        call,
    })
}

fn text<'a>(fields: &'a Fields, name: &str) -> &'a str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn texts(fields: &Fields, name: &str) -> Vec<String> {
    let list = fields.get(name).and_then(Value::as_array);
    let texts = list.into_iter().flatten().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

fn taken(event: &mut Fields, name: &str) -> Fields {
    match event.remove(name) {
        Some(Value::Object(fields)) => fields,
        _ => Fields::new(),
    }
}
