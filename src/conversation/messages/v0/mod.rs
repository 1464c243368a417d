//! The messages that an OpenHands 0.x sends: its history without what is forgotten, then each event in turn.

mod classes;
mod cut;
mod making;
mod python;
mod read;
mod view;

use super::plain::in_plain_text;
use super::{ModelRequest, Remark, Shape};
use making::{Making, part_users, without_unmatched};
use read::{ModelEvent, Observed, Said, what};
use serde_json::{Map, Value, value::RawValue, value::to_raw_value};
use std::collections::HashSet;
use view::view;

/// The events of a log.
#[derive(Debug, Default)]
pub(super) struct Log {
    events: Vec<Event>,
    tools: Option<Box<RawValue>>,
    usage: Option<(i64, u64)>,
    model: Option<(i64, String)>,
}

#[derive(Debug, Clone)]
struct Event {
    id: i64,
    /// `None` for what OpenHands itself inserts.
    seq: Option<i64>,
    pos: i64,
    what: ModelEvent,
}

impl Log {
    /// Adds an event; answers how many bytes it takes, about.
    pub(super) fn push(&mut self, seq: i64, pos: i64, mut event: Map<String, Value>) -> usize {
        let is_event = event.contains_key("action") || event.contains_key("observation");
        let Some(id) = event.get("id").and_then(Value::as_i64).filter(|_| is_event) else {
            return 0;
        };
        self.note_facts(pos, &event);
        let what = what(&mut event);
        let weight = weight(&what);
        let seq = Some(seq);
        self.events.push(Event { id, seq, pos, what });
        weight
    }

    /// What the log says of the model: its tools, its name, and the size of its newest prompt.
    fn note_facts(&mut self, pos: i64, event: &Map<String, Value>) {
        let tools = event.get("args").and_then(|args| args.get("tools"));
        if let Some(tools @ Value::Array(_)) = tools {
            self.tools = to_raw_value(tools).ok();
        }
        let response = event.get("tool_call_metadata");
        let response = response.and_then(|call| call.get("model_response"));
        let Some(response) = response else { return };
        let tokens = response
            .get("usage")
            .and_then(|usage| usage.get("prompt_tokens"));
        if let Some(tokens) = tokens.and_then(Value::as_u64)
            && self.usage.is_none_or(|(known, _)| known <= pos)
        {
            self.usage = Some((pos, tokens));
        }
        if let Some(model) = response.get("model").and_then(Value::as_str)
            && self.model.as_ref().is_none_or(|(known, _)| *known <= pos)
        {
            self.model = Some((pos, model.to_owned()));
        }
    }

    /// The request that the model would receive next.
    pub(super) fn request(mut self, shape: Shape) -> ModelRequest {
        self.events.sort_by_key(|event| (event.pos, event.seq));
        let mut seen = HashSet::new();
        self.events.retain(|event| seen.insert(event.id));
        let mut making = Making::default();
        let unread = |event: &Event| matches!(event.what, ModelEvent::NotReadBack);
        let seqs = self.events.iter().filter(|event| unread(event));
        making.left_out = seqs
            .filter_map(|event| Some((event.seq?, Remark::NotReadBack)))
            .collect();
        self.events
            .retain(|event| !matches!(event.what, ModelEvent::NotReadBack | ModelEvent::Hidden));
        let view = view(self.events);
        for event in &view {
            making.add(event, shape);
        }
        let mut messages = without_unmatched(making.messages);
        part_users(&mut messages);
        let mut refused = making.refused;
        if shape.plain {
            refused |= in_plain_text(&mut messages);
        }
        ModelRequest {
            messages,
            tools: self.tools,
            left_out: making.left_out,
            refused,
            agent_server: false,
            tokens: self.usage.map(|(_, tokens)| tokens),
            model: self.model.map(|(_, model)| model),
        }
    }
}

fn weight(what: &ModelEvent) -> usize {
    let size = |texts: &[String]| texts.iter().map(String::len).sum::<usize>();
    100 + match what {
        ModelEvent::System(text)
        | ModelEvent::UserAction(text, _)
        | ModelEvent::Finish { thought: text, .. } => text.len(),
        ModelEvent::Message(Said { text, images, .. })
        | ModelEvent::Observed(Observed { text, images, .. }) => text.len() + size(images),
        ModelEvent::Call(answer) => {
            let calls = answer.calls.iter().flatten();
            answer.content.len() + calls.map(|call| call.arguments.len()).sum::<usize>()
        }
        ModelEvent::Recall(recall) => {
            let known = recall.known.iter().map(|known| known.content.len());
            recall.workspace.as_ref().map_or(0, String::len) + known.sum::<usize>()
        }
        ModelEvent::Condensation(condensation) => condensation
            .summary
            .as_ref()
            .map_or(0, |(text, _)| text.len()),
        ModelEvent::NoCall
        | ModelEvent::NoMessage
        | ModelEvent::Silent
        | ModelEvent::Hidden
        | ModelEvent::NotReadBack => 0,
    }
}
