//! Making the messages, event by event.

use super::super::context::{Knowledge, knowledge};
use super::super::{ModelMessage, Part, Remark, Shape, Speaker};
use super::Event;
use super::cut::cut;
use super::read::{Answer, ModelEvent, Observed, Recall, Said};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The messages so far, and those that wait for the results of their calls.
#[derive(Default)]
pub(super) struct Making {
    pub(super) messages: Vec<ModelMessage>,
    /// Answers of the model in order, each with the id of the response, until all of its calls have results.
    pending: Vec<Option<(String, ModelMessage)>>,
    /// Where the answer of a response is.
    places: HashMap<String, usize>,
    /// Where the answers with a call are, by the id of the call.
    waiting: HashMap<String, BTreeSet<usize>>,
    /// Microagents that a recall has told of.
    known: HashSet<String>,
    /// Results by the id of their call.
    results: HashMap<String, ModelMessage>,
    pub(super) left_out: Vec<(i64, Remark)>,
    pub(super) refused: bool,
}

impl Making {
    pub(super) fn add(&mut self, event: &Event, shape: Shape) {
        let seq = event.seq;
        let said = |role, text: &str| ModelMessage::text(role, text, seq);
        match &event.what {
            ModelEvent::System(text) => {
                let mut message = said(Speaker::System, text);
                message.remark = seq.is_none().then_some(Remark::StandardPrompt);
                self.messages.push(message);
            }
            ModelEvent::Message(message) => {
                let mut made = spoken(message, seq, shape);
                made.remark = (event.id == -1).then_some(Remark::Repeated);
                self.messages.push(made);
            }
            ModelEvent::Call(answer) => self.call(answer, seq),
            ModelEvent::Finish { is_user, thought } => {
                let role = speaker(*is_user);
                self.messages.push(said(role, thought));
            }
            ModelEvent::UserAction(text, remark) => {
                let mut message = said(Speaker::User, text);
                message.remark = *remark;
                self.messages.push(message);
            }
            ModelEvent::NoCall => self.refuse(seq, Remark::NoCall),
            ModelEvent::NoMessage => self.refuse(seq, Remark::NoMessage),
            ModelEvent::Observed(observed) => {
                let message = observation(observed, seq, shape);
                self.told(message, observed.call.as_ref());
            }
            ModelEvent::Recall(recall) => self.recall(recall, seq),
            ModelEvent::Condensation(_)
            | ModelEvent::Silent
            | ModelEvent::Hidden
            | ModelEvent::NotReadBack => {}
        }
    }

    fn refuse(&mut self, seq: Option<i64>, why: Remark) {
        self.left_out.extend(seq.map(|seq| (seq, why)));
        self.refused = true;
    }

    /// An answer waits for the results of its calls. It comes with each of them, the newest counts.
    fn call(&mut self, answer: &Answer, seq: Option<i64>) {
        let Some(calls) = &answer.calls else {
            return self.refuse(seq, Remark::NoCall);
        };
        let mut message = ModelMessage::new(Speaker::Assistant, Vec::new(), seq);
        if !answer.content.trim().is_empty() {
            message.parts.push(Part::Text(answer.content.clone()));
        }
        message.calls = Some(calls.clone());
        message.remark = answer.remark;
        let response = answer.response.clone();
        let place = *self
            .places
            .entry(response.clone())
            .or_insert(self.pending.len());
        if place == self.pending.len() {
            self.pending.push(None);
        }
        for call in calls {
            self.waiting
                .entry(call.id.clone())
                .or_default()
                .insert(place);
        }
        self.pending[place] = Some((response, message));
        self.complete(vec![place]);
    }

    fn told(&mut self, mut message: ModelMessage, call: Option<&(String, String)>) {
        match call {
            Some((id, name)) => {
                message.role = Speaker::Tool;
                message.answers = Some((id.clone(), name.clone()));
                self.results.insert(id.clone(), message);
                let waiting = self.waiting.get(id).into_iter().flatten();
                self.complete(waiting.copied().collect());
            }
            None => self.messages.push(message),
        }
    }

    fn recall(&mut self, recall: &Recall, seq: Option<i64>) {
        let mut message = ModelMessage::new(Speaker::User, Vec::new(), seq);
        match &recall.workspace {
            Some(workspace) => {
                let known = match recall.known.is_empty() {
                    true => String::new(),
                    false => knowledge(recall.known.iter()),
                };
                let texts = [workspace.clone(), known].into_iter();
                message.parts = texts
                    .filter(|text| !text.is_empty())
                    .map(Part::Text)
                    .collect();
                if !message.parts.is_empty() {
                    self.told(message, recall.call.as_ref());
                }
            }
            None => {
                let is_new = |known: &&Knowledge| !self.known.contains(&known.name);
                let mut new = recall.known.iter().filter(is_new).peekable();
                if new.peek().is_some() {
                    message.parts.push(Part::Text(knowledge(new)));
                    self.messages.push(message);
                }
            }
        }
        let names = recall.known.iter().map(|known| known.name.clone());
        self.known.extend(names);
    }

    /// Moves answers whose calls all have results to the messages, with the results behind them. Only those are looked
    /// at that have just changed.
    fn complete(&mut self, changed: Vec<usize>) {
        for place in changed {
            let Some(Some((response, message))) = self.pending.get(place) else {
                continue;
            };
            let mut calls = message.calls.iter().flatten();
            if !calls.all(|call| self.results.contains_key(&call.id)) {
                continue;
            }
            self.places.remove(response);
            let Some((_, message)) = self.pending[place].take() else {
                continue;
            };
            let calls = message.calls.clone().unwrap_or_default();
            self.messages.push(message);
            let results = calls
                .iter()
                .filter_map(|call| self.results.remove(&call.id));
            self.messages.extend(results);
        }
    }
}

fn speaker(is_user: bool) -> Speaker {
    match is_user {
        true => Speaker::User,
        false => Speaker::Assistant,
    }
}

fn spoken(said: &Said, seq: Option<i64>, shape: Shape) -> ModelMessage {
    let mut message = ModelMessage::text(speaker(said.is_user), said.text.as_str(), seq);
    for (at, url) in said.images.iter().enumerate() {
        if shape.vision && said.is_user {
            message.parts.push(Part::Text(format!("Image {}:", at + 1)));
        }
        message.parts.push(Part::Image(url.clone()));
    }
    message
}

fn observation(observed: &Observed, seq: Option<i64>, shape: Shape) -> ModelMessage {
    let most = shape.max_chars.filter(|_| observed.is_cut);
    let text = cut(observed.text.clone(), most);
    let with_vision = match shape.vision {
        true => observed.with_vision.as_str(),
        false => "",
    };
    let text = format!("{}{text}{}{with_vision}", observed.before, observed.after);
    let mut message = ModelMessage::text(Speaker::User, text, seq);
    let images = observed.images.iter().cloned();
    message.parts.extend(images.map(Part::Image));
    message.remark = observed.remark;
    message
}

/// Leaves out calls without results, and results without calls.
pub(super) fn without_unmatched(messages: Vec<ModelMessage>) -> Vec<ModelMessage> {
    let mut called = HashSet::new();
    let mut answered = HashSet::new();
    for message in &messages {
        let calls = message.calls.iter().flatten();
        called.extend(
            calls
                .map(|call| call.id.clone())
                .filter(|id| !id.is_empty()),
        );
        answered.extend(message.answers.iter().map(|(id, _)| id.clone()));
    }
    let keep = |mut message: ModelMessage| {
        if let Some((id, _)) = &message.answers
            && !id.is_empty()
            && !called.contains(id)
        {
            return None;
        }
        if let Some(calls) = message.calls.as_mut().filter(|calls| !calls.is_empty()) {
            calls.retain(|call| answered.contains(&call.id));
            if calls.is_empty() {
                return None;
            }
        }
        Some(message)
    };
    messages.into_iter().filter_map(keep).collect()
}

/// Two messages of the user in a row are parted by an empty line.
pub(super) fn part_users(messages: &mut [ModelMessage]) {
    let mut last = None;
    for message in messages {
        if message.role == Speaker::User && last == Some(Speaker::User) {
            let first = message.parts.iter_mut().find_map(|part| match part {
                Part::Text(text) => Some(text),
                Part::Image(_) => None,
            });
            if let Some(text) = first {
                text.insert_str(0, "\n\n");
            }
        }
        last = Some(message.role);
    }
}
