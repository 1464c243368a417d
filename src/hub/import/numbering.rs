//! Ids of imported events: those that start again are continued.
//!
//! An id is unique in a conversation, and the journal stores an event once. In a file they may start again: trajectories
//! were joined, or a delegate had ids of its own. From the first repeated id on, all events get new ids, and what refers to
//! an event refers to the newest one that had this id in the file.

use crate::conversation::LogItem;
use crate::journal::Entry;
use crate::wire::{json_text, read_json};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Fields that refer to one event, and fields that refer to several.
const REFERENCES: [&str; 3] = ["cause", "action_id", "parent_id"];
const LISTS: [&str; 1] = ["forgotten_event_ids"];
const RANGE: [&str; 2] = ["forgotten_events_start_id", "forgotten_events_end_id"];

/// The ids of the events so far.
#[derive(Default)]
pub(super) struct Numbering {
    used: HashSet<String>,
    /// Newest position of an event whose id is a number.
    newest: i64,
    /// The new ids of events, by those in the file; not empty once an id was repeated.
    renamed: HashMap<String, Value>,
}

impl Numbering {
    /// The entry of an event, with an id that no event before it has.
    pub(super) fn entry(&mut self, raw: String, read: impl Fn(String) -> Entry) -> Entry {
        let entry = read(raw);
        let is_new = entry
            .item
            .key
            .as_ref()
            .is_none_or(|key| !self.used.contains(key));
        if is_new && self.renamed.is_empty() {
            self.keep(&entry.item);
            return entry;
        }
        let Some(Value::Object(mut event)) = read_json(entry.raw.as_bytes()) else {
            return entry;
        };
        let is_refering = self.refer(&mut event);
        let key = entry.item.key.clone();
        let is_renamed = key.is_some_and(|key| self.rename(&mut event, key));
        let entry = match is_refering || is_renamed {
            true => read(json_text(&Value::Object(event))),
            false => entry,
        };
        self.keep(&entry.item);
        entry
    }

    fn keep(&mut self, item: &LogItem) {
        self.used.extend(item.key.clone());
        self.newest = self.newest.max(item.pos.unwrap_or(self.newest));
    }

    /// Gives the event another id, if it needs one: numbers stay in order, texts stay as they are if they are new.
    fn rename(&mut self, event: &mut Map<String, Value>, key: String) -> bool {
        let is_number =
            !event.get("kind").is_some_and(Value::is_string) && key.parse::<i64>().is_ok();
        // Behind the largest number only texts are left.
        let next = self.newest.checked_add(1).filter(|_| is_number);
        let id = if let Some(next) = next {
            Value::from(next)
        } else if self.used.contains(&key) {
            let numbered = (2..).map(|number: u32| format!("{key}-{number}"));
            let free = numbered.into_iter().find(|id| !self.used.contains(id));
            Value::from(free.expect("there are more numbers than events"))
        } else {
            return false;
        };
        event.insert("id".to_owned(), id.clone());
        self.renamed.insert(key, id);
        true
    }

    /// Follows renamed events in what refers to them.
    fn refer(&self, event: &mut Map<String, Value>) -> bool {
        let mut any = false;
        let mut follow = |value: &mut Value| {
            let key = match value {
                Value::String(text) => text.trim().to_owned(),
                Value::Number(number) => number.to_string(),
                _ => return,
            };
            if let Some(id) = self.renamed.get(&key) {
                *value = id.clone();
                any = true;
            }
        };
        let mut inside = |fields: &mut Map<String, Value>| {
            for (name, value) in fields {
                match (name.as_str(), value) {
                    (name, value) if REFERENCES.contains(&name) || RANGE.contains(&name) => {
                        follow(value)
                    }
                    (name, Value::Array(ids)) if LISTS.contains(&name) => {
                        ids.iter_mut().for_each(&mut follow)
                    }
                    _ => {}
                }
            }
        };
        inside(event);
        if let Some(Value::Object(args)) = event.get_mut("args") {
            inside(args);
        }
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::from_v0;
    use crate::wire::v0::Incoming;
    use serde_json::json;

    fn numbered(events: &[Value]) -> Vec<Value> {
        let mut numbering = Numbering::default();
        let read = |raw: String| {
            let event = serde_json::from_str(&raw).expect("it is JSON");
            Entry {
                item: from_v0(&Incoming::read(event)),
                raw,
            }
        };
        let entry = |event: &Value| numbering.entry(event.to_string(), read).raw;
        let raw = events.iter().map(entry);
        raw.map(|raw| serde_json::from_str(&raw).expect("it is JSON"))
            .collect()
    }

    #[test]
    fn ids_go_on_behind_the_largest_number() {
        let id = i64::MAX;
        let events = vec![json!({"id": id, "action": "run"}); 3];
        let ids: Vec<Value> = numbered(&events)
            .iter()
            .map(|event| event["id"].clone())
            .collect();
        assert_eq!(
            ids,
            [
                json!(id),
                json!(format!("{id}-2")),
                json!(format!("{id}-3"))
            ]
        );
    }

    #[test]
    fn unique_ids_are_not_changed() {
        let events = [
            json!({"id": 5, "action": "run"}),
            json!({"id": 2, "action": "run"}),
            json!({"action": "run"}),
            json!({"id": 9, "observation": "run", "cause": 2}),
        ];
        assert_eq!(numbered(&events), events);
    }

    #[test]
    fn ids_that_start_again_continue_and_results_stay_with_their_actions() {
        let part = [
            json!({"id": 0, "action": "run"}),
            json!({"id": 1, "observation": "run", "cause": 0}),
        ];
        let all = [part.clone(), part.clone(), part].concat();
        let pairs: Vec<(i64, Option<i64>)> = numbered(&all)
            .iter()
            .map(|event| {
                (
                    event["id"].as_i64().expect("a number"),
                    event["cause"].as_i64(),
                )
            })
            .collect();
        assert_eq!(
            pairs,
            [
                (0, None),
                (1, Some(0)),
                (2, None),
                (3, Some(2)),
                (4, None),
                (5, Some(4))
            ]
        );
    }

    #[test]
    fn texts_that_are_repeated_get_numbers_and_others_stay() {
        let events = [
            json!({"id": "a", "action": "run"}),
            json!({"id": "a", "action": "run"}),
            json!({"id": "b", "observation": "run", "cause": "a"}),
            json!({"id": "a", "action": "run"}),
        ];
        let ids: Vec<Value> = numbered(&events)
            .iter()
            .map(|event| event["id"].clone())
            .collect();
        assert_eq!(ids, ["a", "a-2", "b", "a-3"]);
        assert_eq!(numbered(&events)[2]["cause"], "a-2");
    }
}
