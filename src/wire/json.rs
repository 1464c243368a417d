//! Reading JSON that may be nested maliciously: the arguments of a call are whatever a model writes.
//!
//! The parser gives up at a nesting depth of 128, and would lose the page or frame around such a part. So a part that is
//! nested too deeply is left as its text, and everything around it is read. So is a part with too many values: each
//! takes up to thirty times the memory of its text.

use super::python::standard_json;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, value::RawValue};
use std::fmt;

/// Maximum depth at which a part that must stay text is searched for.
const LEVELS: u8 = 8;
/// Approximate maximum number of values that are read from one text.
const MOST_VALUES: usize = 500_000;
/// Maximum number of parts of one array or object that are examined.
const MOST_PARTS: usize = 10_000;

/// Reads JSON as Python writes it; `None` if it is invalid. A part that is nested too deeply, or has too many values,
/// becomes its text.
pub fn read_json(text: &[u8]) -> Option<Value> {
    let text = &*standard_json(text);
    if is_small(text)
        && let Ok(value) = serde_json::from_slice(text)
    {
        return Some(value);
    }
    // Only the syntax of the whole text is checked here, at any depth.
    let whole: &RawValue = serde_json::from_slice(text).ok()?;
    Some(value(whole.get(), LEVELS))
}

/// Whether it has few values, estimated by the characters that precede each.
fn is_small(text: &[u8]) -> bool {
    let begins = |byte: &&u8| matches!(byte, b',' | b'[' | b'{');
    text.len() < MOST_VALUES || text.iter().filter(begins).count() < MOST_VALUES
}

fn value(text: &str, levels: u8) -> Value {
    let is_text = text.starts_with('"');
    if (is_text || is_small(text.as_bytes()))
        && let Ok(value) = serde_json::from_str(text)
    {
        return value;
    }
    if levels > 0 {
        if let Ok(Fields(fields)) = serde_json::from_str(text) {
            let field = |(name, part): (String, &RawValue)| (name, value(part.get(), levels - 1));
            return Value::Object(fields.into_iter().map(field).collect());
        }
        if let Ok(Parts(parts)) = serde_json::from_str(text) {
            return parts
                .iter()
                .map(|part| value(part.get(), levels - 1))
                .collect();
        }
    }
    Value::String(text.to_owned())
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
        let zeros = format!("[{}0]", "0,".repeat(2 * MOST_VALUES));
        let said = ",".repeat(2 * MOST_VALUES);
        let page = format!(
            r#"{{"items": [{{"id": "a", "data": {zeros}, "said": "{said}"}}, {{"id": "b"}}], "next": null}}"#
        );
        let read = read_json(page.as_bytes()).unwrap();
        assert_eq!(read["items"][0]["data"].as_str(), Some(zeros.as_str()));
        assert_eq!(read["items"][0]["said"].as_str(), Some(said.as_str()));
        assert_eq!(read["items"][1], json!({"id": "b"}));
        // An object with as many fields is not examined either.
        let fields = vec!["\"a\":0"; 2 * MOST_VALUES].join(",");
        let read = read_json(format!("{{{fields}}}").as_bytes()).unwrap();
        assert!(read.is_string());
    }

    #[test]
    fn invalid_json_is_none() {
        for text in ["", "{\"a\":", "<html>", "{\"n\": nan}"] {
            assert_eq!(read_json(text.as_bytes()), None, "{text}");
        }
        assert_eq!(read_json(b"{\"a\": [1]}"), Some(json!({"a": [1]})));
    }
}
