//! The messages that an agent-server 1.x sends: the events of the active branch without what is forgotten, each as the
//! message that it is, calls of one answer together, messages of the user in a row together.
//!
//! Long because it follows one function of OpenHands step by step, and is compared with it.

mod read;

use super::plain::in_plain_text;
use super::{Form, ModelMessage, ModelRequest, Part, Remark, Sha256, Shape, Speaker};
use read::{ModelEvent, what};
use serde_json::{Map, Value, value::RawValue, value::to_raw_value};
use std::collections::{HashMap, HashSet};

/// The parent of an event that begins a history of its own.
const ROOT: &str = "__root__";

/// The events of a log.
#[derive(Debug, Default)]
pub(super) struct Log {
    events: Vec<Event>,
    tools: Option<Box<RawValue>>,
    model: Option<(i64, String)>,
    usage: Option<(i64, u64)>,
}

#[derive(Debug, Clone)]
struct Event {
    id: String,
    parent: Option<String>,
    seq: i64,
    pos: i64,
    what: ModelEvent,
}

impl Log {
    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Adds an event; answers how many bytes it takes, about.
    pub(super) fn push(
        &mut self,
        seq: i64,
        pos: i64,
        event: Map<String, Value>,
        sha256: Sha256,
    ) -> usize {
        let text = |name: &str| event.get(name).and_then(Value::as_str).map(str::to_owned);
        let Some(id) = text("id") else { return 0 };
        let kind = text("kind").unwrap_or_default();
        if kind == "SystemPromptEvent"
            && let Some(tools) = event.get("tools")
        {
            self.tools = to_raw_value(tools).ok();
        }
        if kind == "ConversationStateUpdateEvent" {
            self.note_state(pos, &event);
        }
        let parent = text("parent_id");
        let what = what(&kind, event, sha256);
        let weight = 200 + what.weight();
        self.events.push(Event {
            id,
            parent,
            seq,
            pos,
            what,
        });
        weight
    }

    /// What the server said of the model.
    fn note_state(&mut self, pos: i64, event: &Map<String, Value>) {
        let (Some(key), Some(value)) = (event.get("key"), event.get("value")) else {
            return;
        };
        let agent = match key.as_str() {
            Some("agent") => Some(value),
            Some("full_state") => value.get("agent"),
            _ => None,
        };
        let model = agent.and_then(|agent| agent.get("llm")?.get("model")?.as_str());
        if let Some(model) = model
            && self.model.as_ref().is_none_or(|(known, _)| *known <= pos)
        {
            self.model = Some((pos, model.to_owned()));
        }
    }

    /// The request that the model would receive next.
    pub(super) fn request(mut self, shape: Shape) -> ModelRequest {
        self.events.sort_by_key(|event| (event.pos, event.seq));
        let mut seen = HashSet::new();
        self.events.retain(|event| seen.insert(event.id.clone()));
        let branch = branch(self.events);
        let view = enforced(view(&branch), &branch);
        let mut messages = together(view);
        let mut refused = false;
        for message in &mut messages {
            finish(message, shape);
        }
        if shape.plain {
            refused = in_plain_text(&mut messages);
        }
        ModelRequest {
            messages,
            tools: self.tools,
            left_out: Vec::new(),
            refused,
            agent_server: true,
            tokens: self.usage.map(|(_, tokens)| tokens),
            model: self.model.map(|(_, model)| model),
        }
    }
}

/// The events from the newest one back to the root: history is a tree. An event without a parent follows the one
/// before it.
fn branch(events: Vec<Event>) -> Vec<Event> {
    let places: HashMap<&str, usize> = events
        .iter()
        .enumerate()
        .map(|(at, event)| (event.id.as_str(), at))
        .collect();
    let mut next = events.iter().rposition(|event| event.what.is_on_branch());
    let mut is_kept = vec![false; events.len()];
    while let Some(at) = next
        && !is_kept[at]
    {
        is_kept[at] = true;
        next = match events[at].parent.as_deref() {
            Some(ROOT) => None,
            // A parent that is not in the log: its children follow what is.
            Some(parent) => places.get(parent).copied().or(at.checked_sub(1)),
            None => at.checked_sub(1),
        };
    }
    let mut kept = is_kept.into_iter();
    let mut events = events;
    events.retain(|_| kept.next() == Some(true));
    events
}

/// An event of the view, or a summary.
#[derive(Debug, Clone)]
struct Shown {
    id: String,
    seq: Option<i64>,
    what: ModelEvent,
}

/// The events that the model sees: a condensation takes away what it forgets, and puts its summary into its place.
fn view(branch: &[Event]) -> Vec<Shown> {
    let mut view: Vec<Shown> = Vec::new();
    for event in branch {
        match &event.what {
            ModelEvent::Condensation {
                forgotten,
                summary,
                offset,
            } => {
                view.retain(|shown| !forgotten.contains(&shown.id));
                if let Some((text, offset)) = summary.as_ref().zip(*offset) {
                    let place = usize::try_from(offset)
                        .unwrap_or(view.len())
                        .min(view.len());
                    let mut message = ModelMessage::text(Speaker::User, text.as_str(), None);
                    message.remark = Some(Remark::Summary);
                    let id = format!("{}-summary", event.id);
                    let what = ModelEvent::Message(message);
                    view.insert(
                        place,
                        Shown {
                            id,
                            seq: None,
                            what,
                        },
                    );
                }
            }
            ModelEvent::Beside => {}
            what => view.push(Shown {
                id: event.id.clone(),
                seq: Some(event.seq),
                what: what.clone(),
            }),
        }
    }
    view
}

/// Leaves out what a model would refuse: a second result of a call, answers of which a call is forgotten, calls without
/// results and results without calls.
fn enforced(mut view: Vec<Shown>, branch: &[Event]) -> Vec<Shown> {
    let mut sizes: HashMap<&str, usize> = HashMap::new();
    for event in branch {
        if let ModelEvent::Call { response, .. } = &event.what {
            *sizes.entry(response).or_default() += 1;
        }
    }
    let mut results = HashSet::new();
    view.retain(|shown| match &shown.what {
        ModelEvent::Result { call, .. } => results.insert(call.clone()),
        _ => true,
    });
    loop {
        let before = view.len();
        let mut batches: HashMap<String, usize> = HashMap::new();
        let (mut called, mut answered) = (HashSet::new(), HashSet::new());
        for shown in &view {
            match &shown.what {
                ModelEvent::Call { response, call, .. } => {
                    *batches.entry(response.clone()).or_default() += 1;
                    called.insert(call.id.clone());
                }
                ModelEvent::Result { call, .. } => {
                    answered.insert(call.clone());
                }
                _ => {}
            }
        }
        view.retain(|shown| match &shown.what {
            ModelEvent::Call { response, .. } => {
                sizes.get(response.as_str()) == batches.get(response.as_str())
            }
            _ => true,
        });
        if view.len() == before {
            view.retain(|shown| match &shown.what {
                ModelEvent::Call { call, .. } => answered.contains(&call.id),
                ModelEvent::Result { call, .. } => called.contains(call),
                _ => true,
            });
        }
        if view.len() == before {
            return view;
        }
    }
}

/// Puts the calls of one answer into one message, and messages of the user in a row.
fn together(view: Vec<Shown>) -> Vec<ModelMessage> {
    let mut messages: Vec<ModelMessage> = Vec::new();
    let mut last_response: Option<String> = None;
    for shown in view {
        let seq = shown.seq;
        let response = match &shown.what {
            ModelEvent::Call { response, .. } => Some(response.clone()),
            _ => None,
        };
        let continues = response.is_some() && response == last_response;
        last_response = response;
        match shown.what {
            ModelEvent::Call {
                thought,
                call,
                extra,
                ..
            } => match messages.last_mut().filter(|_| continues) {
                Some(message) => message.calls.get_or_insert_default().push(call),
                None => {
                    let mut message = ModelMessage::new(Speaker::Assistant, thought, seq);
                    message.calls = Some(vec![call]);
                    message.extra = extra;
                    messages.push(message);
                }
            },
            ModelEvent::Result { call, tool, parts } => {
                let mut message = ModelMessage::new(Speaker::Tool, parts, seq);
                message.answers = Some((call, tool));
                messages.push(message);
            }
            ModelEvent::Message(message) => {
                let message = ModelMessage { seq, ..message };
                let is_user = message.role == Speaker::User;
                match messages
                    .last_mut()
                    .filter(|last| is_user && last.role == Speaker::User)
                {
                    Some(last) => {
                        last.parts.extend(message.parts);
                        last.remark = last.remark.or(message.remark);
                    }
                    None => messages.push(message),
                }
            }
            ModelEvent::Condensation { .. } | ModelEvent::Beside => {}
        }
    }
    messages
}

/// Texts of a result at most, in characters, and what stands in the place of the rest.
const RESULT: usize = 50_000;
const CLIPPED: &str = "<response clipped><NOTE>Due to the max output limit, only part of the full response has been shown to you.</NOTE>";

/// The last rules before a message is sent.
fn finish(message: &mut ModelMessage, shape: Shape) {
    let has_images = message
        .parts
        .iter()
        .any(|part| matches!(part, Part::Image(_)));
    let is_string = shape.string && !(shape.vision && has_images);
    if shape.string && !is_string {
        message.form = Form::List;
    }
    if message.role == Speaker::Tool {
        if is_string {
            let whole: Vec<&str> = message.texts().collect();
            message.parts = vec![Part::Text(whole.join("\n"))];
        }
        for part in &mut message.parts {
            if let Part::Text(text) = part {
                *text = clip(text, RESULT, |_| None);
            }
        }
    }
    let has_calls = message.calls.is_some();
    if has_calls && (!is_string || message.texts().all(|text| text.trim().is_empty())) {
        let is_said = |part: &Part| !matches!(part, Part::Text(text) if text.trim().is_empty());
        message.parts.retain(is_said);
    }
    let sent = message
        .parts
        .iter()
        .filter(|part| shape.vision || matches!(part, Part::Text(_)));
    if sent.count() == 0 {
        message.form = match (has_calls, message.role) {
            (true, _) => Form::Omitted,
            (false, Speaker::Assistant) => Form::Text,
            (false, _) if shape.plain => Form::Text,
            (false, _) => message.form,
        };
    }
}

/// Leaves the middle of a long text out. `saved` is the name of the file with the whole text and the number of the line
/// from which on something is missing.
fn clip(text: &str, most: usize, saved: impl FnOnce(usize) -> Option<String>) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let at = |index: usize| {
        text.char_indices()
            .nth(index)
            .map_or(text.len(), |(at, _)| at)
    };
    let half = (most - CLIPPED.len()).div_ceil(2);
    let lines = text[..at(half)].lines().count();
    let notice = saved(lines + 1).unwrap_or_else(|| CLIPPED.to_owned());
    let left = most.saturating_sub(notice.chars().count());
    let head = half.min(left);
    format!(
        "{}{notice}{}",
        &text[..at(head)],
        &text[at(length - (left - head))..]
    )
}
