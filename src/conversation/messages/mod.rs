//! What the model received: the events of a log as the messages of a chat completion.
//!
//! OpenHands never stores its requests to the model: it makes each one of the events so far. This module makes it again,
//! with the rules of 0.62 (`ConversationMemory`) or of the agent-server 1.58, for any step and any kind of model.
//! What a log does not say (temperature, texts that only OpenHands has) is left out and named by a [`Remark`].

mod context;
mod order;
mod plain;
mod v0;
mod v1;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json, value::RawValue};

/// For which kind of model the messages are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Shape {
    /// Tool calls are written as text, for models without function calling.
    pub plain: bool,
    /// Contents are one string each instead of a list of parts.
    pub string: bool,
    /// The model sees images.
    pub vision: bool,
    /// Characters of an observation at most (0.x: `max_message_chars`).
    pub max_chars: Option<i64>,
}

/// `max_message_chars` of OpenHands 0.x, if its settings do not change it.
const MAX_CHARS: i64 = 30_000;

impl Shape {
    /// The effective limit in characters: default if `None`, unlimited if 0.
    pub fn limit(wished: Option<i64>) -> Option<i64> {
        Some(wished.unwrap_or(MAX_CHARS)).filter(|most| *most > 0)
    }
}

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// The instructions.
    System,
    /// The user, and what OpenHands tells in the user's name.
    User,
    /// The model itself.
    Assistant,
    /// A tool.
    Tool,
}

/// A part of a message's content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Part {
    /// A text.
    Text(String),
    /// The address of an image, mostly a `data:` URL.
    Image(String),
}

/// How the content of a message is written: 1.x makes exceptions from what the model's kind asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Form {
    /// As the model's kind asks for it.
    #[default]
    AsAsked,
    /// Not at all: there is only a call.
    Omitted,
    /// As a string, because a list would be empty.
    Text,
    /// As a list, because a string has no images.
    List,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelCall {
    /// The model's id of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// JSON as the model wrote it, or whatever it wrote instead.
    pub arguments: String,
}

/// What has to be said beside a message or a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Remark {
    /// OpenHands' standard prompt stands here; its text is not in the log.
    StandardPrompt,
    /// OpenHands repeats the first message here.
    Repeated,
    /// The summary of forgotten events.
    Summary,
    /// The journal does not have the model's own words; they are put together from the action.
    Approximate,
    /// The model received the screenshot with marks on it, which are not stored.
    Unmarked,
    /// OpenHands writes a text here that cannot be made again.
    OtherText,
    /// OpenHands cannot read the event back and leaves it out.
    NotReadBack,
    /// OpenHands has no message for this kind of observation and refuses the request.
    NoMessage,
    /// The action of an agent has no call; OpenHands refuses the request.
    NoCall,
    /// Two or more calls in one answer, which plain mode does not have: OpenHands refuses the request.
    TwoCalls,
    /// The arguments of a call are no JSON object: OpenHands refuses the request in plain mode.
    NotJson,
}

impl Remark {
    /// Whether OpenHands has left an event out because it cannot read it back.
    pub fn is_not_read_back(self) -> bool {
        self == Self::NotReadBack
    }
}

/// One message of the request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelMessage {
    /// Who speaks.
    pub role: Speaker,
    /// The content, in order.
    pub parts: Vec<Part>,
    /// Calls that an assistant makes.
    pub calls: Option<Vec<ModelCall>>,
    /// The call that a tool answers, and the name of the tool.
    pub answers: Option<(String, String)>,
    /// Further fields, as 1.x sends them (`thinking_blocks`).
    pub extra: Map<String, Value>,
    /// How the content is written.
    pub form: Form,
    /// The `seq` of the event that it was made of.
    pub seq: Option<i64>,
    /// What has to be said beside it.
    pub remark: Option<Remark>,
}

impl ModelMessage {
    fn new(role: Speaker, parts: Vec<Part>, seq: Option<i64>) -> Self {
        Self {
            role,
            parts,
            calls: None,
            answers: None,
            extra: Map::new(),
            form: Form::default(),
            seq,
            remark: None,
        }
    }

    fn text(role: Speaker, text: impl Into<String>, seq: Option<i64>) -> Self {
        Self::new(role, vec![Part::Text(text.into())], seq)
    }

    /// The message as it is sent.
    pub fn to_json(&self, shape: Shape) -> Value {
        let mut sent = self.extra.clone();
        sent.insert("role".to_owned(), json!(self.role));
        if self.form != Form::Omitted {
            sent.insert("content".to_owned(), self.content(shape));
        }
        if let Some(calls) = &self.calls {
            let calls = calls.iter().map(|call| {
                json!({"id": call.id, "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments}})
            });
            sent.insert("tool_calls".to_owned(), calls.collect());
        }
        if let Some((id, name)) = &self.answers {
            sent.insert("tool_call_id".to_owned(), json!(id));
            sent.insert("name".to_owned(), json!(name));
        }
        Value::Object(sent)
    }

    fn content(&self, shape: Shape) -> Value {
        let is_string = match self.form {
            Form::AsAsked | Form::Omitted => shape.string,
            Form::Text => true,
            Form::List => false,
        };
        if is_string {
            let texts: Vec<&str> = self.texts().collect();
            return json!(texts.join("\n"));
        }
        let parts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(json!({"type": "text", "text": text})),
            Part::Image(url) if shape.vision => {
                Some(json!({"type": "image_url", "image_url": {"url": url}}))
            }
            Part::Image(_) => None,
        });
        parts.collect()
    }

    /// Its texts.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Image(_) => None,
        })
    }
}

/// What the model received.
#[derive(Debug, Clone, Default)]
pub struct ModelRequest {
    /// The messages.
    pub messages: Vec<ModelMessage>,
    /// The definitions of the tools, as the log has them.
    pub tools: Option<Box<RawValue>>,
    /// Events that are not in the request although they would be messages, each with the reason.
    pub left_out: Vec<(i64, Remark)>,
    /// Whether OpenHands itself refuses to make this request. The messages are then those that can be shown.
    pub refused: bool,
    /// Whether this is a log of an agent-server 1.x.
    pub agent_server: bool,
    /// Size of the prompt of the newest call of the model, in tokens, if the backend said it.
    pub tokens: Option<u64>,
    /// The model, where an event names it.
    pub model: Option<String>,
}

impl ModelRequest {
    /// The messages as they are sent.
    pub fn to_json(&self, shape: Shape) -> Vec<Value> {
        let sent = self.messages.iter().map(|message| message.to_json(shape));
        sent.collect()
    }
}

/// The SHA-256 of a text in hexadecimal digits. An agent-server names files after it.
pub type Sha256 = fn(&str) -> String;

/// The events of a log, up to some step, as far as the model gets to see them.
#[derive(Debug)]
pub struct ModelLog {
    sha256: Sha256,
    v0: v0::Log,
    v1: v1::Log,
    /// Bytes of the events that are held.
    weight: usize,
}

impl ModelLog {
    /// An empty log.
    pub fn new(sha256: Sha256) -> Self {
        Self {
            sha256,
            v0: v0::Log::default(),
            v1: v1::Log::default(),
            weight: 0,
        }
    }

    /// Adds an event by its stored JSON; `pos` orders the events. Cannot fail: what is no event is left out.
    pub fn push(&mut self, seq: i64, pos: i64, raw: &str) {
        let Some(Value::Object(event)) = crate::wire::read_event_json(raw.as_bytes()) else {
            return;
        };
        if event.get("kind").is_some_and(Value::is_string) {
            self.weight += self.v1.push(seq, pos, event, self.sha256);
        } else {
            self.weight += self.v0.push(seq, pos, event);
        }
    }

    /// Bytes of the events that are held, about.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// The request that the model would receive next.
    pub fn request(self, shape: Shape) -> ModelRequest {
        if self.v1.is_empty() {
            self.v0.request(shape)
        } else {
            self.v1.request(shape)
        }
    }
}

#[cfg(test)]
mod tests;
