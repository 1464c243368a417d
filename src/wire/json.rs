//! Reading JSON that may be malicious: the arguments of a call are whatever a model writes.
//!
//! The parser gives up at a nesting depth of 128, and would lose the page or frame around such a part. So a part that is
//! nested too deeply is left as its text, and everything around it is read. Values take up to a hundred times the memory of
//! their text, so there is a budget: of what exceeds it, the heaviest parts are left as text, so that one event of a page does
//! not cost the others.

use super::digits::{Within, as_written, marked};
use super::lenient::repaired;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, value::RawValue};
use std::fmt;

/// Maximum depth at which a part that must stay text is searched for.
const LEVELS: u8 = 8;
/// Memory that the values of one text may take beside their texts, in bytes, about: that of a message or page of a backend.
const MOST_MEMORY: usize = 32 << 20;
/// The same for one stored event, which is read again with every page that shows it.
const MOST_OF_EVENT: usize = 8 << 20;
/// Memory that each object, each list, and each further part of one takes, in bytes: a node of a tree has room for 11
/// fields, and a list for four parts.
const OBJECT: usize = 640;
const LIST: usize = 128;
const PART: usize = 96;
/// Maximum number of parts of one array or object that are examined.
const MOST_PARTS: usize = 10_000;

/// Reads JSON, also as Python writes it; `None` if it is invalid. A part that is nested too deeply, or takes too much memory,
/// becomes its text. Numbers in the arguments of events keep their digits: [`super::json_text`] writes them.
pub fn read_json(text: &[u8]) -> Option<Value> {
    read_within(&marked(text, Within::Events), MOST_MEMORY)
}

/// Reads the JSON of one event, or a part of one, like [`read_json`].
pub fn read_event_json(text: &[u8]) -> Option<Value> {
    read_within(&marked(text, Within::Events), MOST_OF_EVENT)
}

/// Reads the arguments of a call like [`read_json`]; all their numbers keep their digits.
pub fn read_arguments_json(text: &[u8]) -> Option<Value> {
    read_within(&marked(text, Within::Arguments), MOST_OF_EVENT)
}

fn read_within(text: &[u8], most: usize) -> Option<Value> {
    // Each byte opens at most one object.
    let is_light = text.len().saturating_mul(OBJECT) <= most || memory(text) <= most;
    if is_light && let Ok(value) = serde_json::from_slice(text) {
        return Some(value);
    }
    let text = repaired(text);
    // Only the syntax of the whole text is checked here, at any depth.
    let whole: &RawValue = serde_json::from_str(&text).ok()?;
    let mut left = most;
    Some(value(whole.get(), LEVELS, &mut left))
}

/// Memory that the values of a JSON text take beside their texts, in bytes, about.
fn memory(text: &[u8]) -> usize {
    let (mut memory, mut at) = (0, 0);
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            b'{' => memory += OBJECT,
            b'[' => memory += LIST,
            b',' => memory += PART,
            b'"' => {
                while let Some(byte) = text.get(at) {
                    at += 1;
                    match byte {
                        b'"' => break,
                        b'\\' => at += 1,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    memory
}

/// What reading a JSON text costs, in bytes of texts with few values: the measure for limits of what is read at once.
pub fn reading_cost(text: &[u8]) -> usize {
    text.len().max(memory(text) / 8)
}

/// Whether the JSON of one event takes more memory than [`read_event_json`] spends on it.
pub fn is_heavy(text: &[u8]) -> bool {
    text.len().saturating_mul(OBJECT) > MOST_OF_EVENT && memory(text) > MOST_OF_EVENT
}

fn value(text: &str, levels: u8, left: &mut usize) -> Value {
    let memory = memory(text.as_bytes());
    if memory <= *left
        && let Ok(value) = serde_json::from_str(text)
    {
        *left -= memory;
        return value;
    }
    if levels > 0 && text.starts_with('{') {
        if let Ok(Fields(fields)) = serde_json::from_str(text)
            && take(left, OBJECT + fields.len() * PART)
        {
            let (names, parts): (Vec<String>, Vec<&RawValue>) = fields.into_iter().unzip();
            let values = values(&parts, levels - 1, left);
            return Value::Object(names.into_iter().zip(values).collect());
        }
    } else if levels > 0
        && let Ok(Parts(parts)) = serde_json::from_str(text)
        && take(left, LIST + parts.len() * PART)
    {
        return Value::Array(values(&parts, levels - 1, left));
    }
    Value::String(as_written(text.to_owned()))
}

fn take(left: &mut usize, memory: usize) -> bool {
    let rest = left.checked_sub(memory);
    *left = rest.unwrap_or(*left);
    rest.is_some()
}

/// The values of the parts, in order; the lightest are read first, while there is room.
fn values(parts: &[&RawValue], levels: u8, left: &mut usize) -> Vec<Value> {
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_cached_key(|at| memory(parts[*at].get().as_bytes()));
    let mut values = vec![Value::Null; parts.len()];
    for at in order {
        values[at] = value(parts[at].get(), levels, left);
    }
    values
}

/// The fields of an object, each as text.
struct Fields<'a>(Vec<(String, &'a RawValue)>);
/// The parts of an array, each as text.
struct Parts<'a>(Vec<&'a RawValue>);
/// Reads either of them, up to [`MOST_PARTS`].
struct Few;

impl<'de> Visitor<'de> for Few {
    type Value = (Vec<(String, &'de RawValue)>, Vec<&'de RawValue>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at most {MOST_PARTS} parts")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
            if fields.len() > MOST_PARTS {
                return Err(M::Error::invalid_length(fields.len(), &Few));
            }
        }
        Ok((fields, Vec::new()))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Self::Value, S::Error> {
        let mut parts = Vec::new();
        while let Some(part) = seq.next_element()? {
            parts.push(part);
            if parts.len() > MOST_PARTS {
                return Err(S::Error::invalid_length(parts.len(), &Few));
            }
        }
        Ok((Vec::new(), parts))
    }
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Few).map(|read| Self(read.0))
    }
}

impl<'de> Deserialize<'de> for Parts<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Few).map(|read| Self(read.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_part_nested_too_deeply_becomes_text_and_the_rest_is_read() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let page = format!(
            r#"{{"items": [{{"id": "a", "action": {{"data": {deep}}}}}, {{"id": "b"}}], "next": null}}"#
        );
        let read = read_json(page.as_bytes()).unwrap();
        assert_eq!(read["items"][1], json!({"id": "b"}));
        assert_eq!(read["items"][0]["id"], "a");
        let text = read["items"][0]["action"]["data"].to_string();
        assert!(text.contains("[[[["), "{}", text.len());
        assert_eq!(read["next"], Value::Null);
    }

    #[test]
    fn a_part_with_too_many_values_becomes_text_and_the_rest_is_read() {
        let zeros = format!("[{}0]", "0,".repeat(MOST_MEMORY / PART));
        let said = ",{[".repeat(MOST_MEMORY / OBJECT);
        let page = format!(
            r#"{{"items": [{{"id": "a", "data": {zeros}, "said": "{said}"}}, {{"id": "b"}}], "next": null}}"#
        );
        let read = read_json(page.as_bytes()).unwrap();
        assert_eq!(read["items"][0]["data"].as_str(), Some(zeros.as_str()));
        assert_eq!(read["items"][0]["said"].as_str(), Some(said.as_str()));
        assert_eq!(read["items"][1], json!({"id": "b"}));
        // An object with as many fields is not examined either.
        let fields = vec!["\"a\":0"; MOST_MEMORY / PART + 1].join(",");
        let read = read_json(format!("{{{fields}}}").as_bytes()).unwrap();
        assert!(read.is_string());
    }

    #[test]
    fn many_small_objects_take_no_more_than_the_budget_and_cost_no_other_event() {
        let bomb = format!("[{}{{}}]", "{\"a\":0},".repeat(MOST_OF_EVENT / OBJECT));
        let event = format!(r#"{{"id":7,"kind":"X","args":{bomb}}}"#);
        let read = read_event_json(event.as_bytes()).unwrap();
        assert_eq!((&read["id"], &read["args"]), (&json!(7), &json!(bomb)));
        // A page of such events, in which each has its share: the light ones are whole.
        let bombs = vec![event; 8].join(",");
        let page = format!(r#"{{"items":[{bombs},{{"id":8,"args":[{{"a":1}}]}}]}}"#);
        let read = read_json(page.as_bytes()).unwrap();
        let items = read["items"].as_array().unwrap();
        assert_eq!(items[8], json!({"id": 8, "args": [{"a": 1}]}));
        assert!(items.iter().take(8).all(|item| item["id"] == 7));
        let read = items.iter().filter(|item| item["args"].is_array()).count();
        assert!((1..8).contains(&read), "{read}");
    }

    proptest! {
        #[test]
        fn what_is_read_within_a_budget_is_estimated_to_fit(text in "[\\[\\]{}:,\"a-c0-9 \\\\]{0,80}", most in 0..2000_usize) {
            if let Some(read) = read_within(text.as_bytes(), most) {
                let said = read.to_string();
                prop_assert!(memory(said.as_bytes()) <= most);
            }
        }

        #[test]
        fn any_value_within_the_budget_is_read_as_it_is(text in "[\\[\\]{}:,\"a-c0-9 ]{0,60}") {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                prop_assert_eq!(read_json(text.as_bytes()), Some(value));
            }
        }
    }

    #[test]
    fn any_bytes_take_little_memory_for_their_length() {
        let corpus = [
            r#"{"items":[{"id":1,"args":{"command":"ls","deep":[[[{"a":{"b":null}}]]]}},{"id":2}],"next":"x"}"#,
            r#"[{"a":0},{"a":"\ud83d\ude00"},-1.5e3,true,"text",NaN]"#,
        ];
        let corpus = corpus.map(|text| text.as_bytes().to_vec());
        handrail_sim_os::fuzz(
            "json",
            &corpus,
            |length| (16 << 10) + 256 * length,
            |input| {
                read_json(input);
            },
        );
        let most = |length: usize| (16 << 10) + (256 * length).min(2 * MOST_OF_EVENT + 8 * length);
        handrail_sim_os::fuzz("event-json", &corpus, most, |input| {
            read_event_json(input);
        });
    }

    #[test]
    fn invalid_json_is_none() {
        for text in ["", "{\"a\":", "<html>", "{\"n\": nan}"] {
            assert_eq!(read_json(text.as_bytes()), None, "{text}");
        }
        assert_eq!(read_json(b"{\"a\": [1]}"), Some(json!({"a": [1]})));
    }

    #[test]
    fn what_python_writes_is_read() {
        let read = read_json(br#"{"n": NaN, "said": "caf\udce9", "deep": [[-Infinity]]}"#);
        let expected = json!({"n": "NaN", "said": "caf\u{fffd}", "deep": [["-Infinity"]]});
        assert_eq!(read, Some(expected));
    }
}
