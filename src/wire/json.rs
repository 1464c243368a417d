//! Reading JSON that somebody nests on purpose: the arguments of a call are whatever a model makes of them.
//!
//! The reader gives up on a text that is nested more than 128 deep, and with it on the page or frame that it stands in. So
//! such a part is left as the text that it is, and everything around it is read.

use serde_json::{Value, value::RawValue};
use std::collections::BTreeMap;

/// How far down the part that is nested too deeply is looked for.
const LEVELS: u8 = 8;

/// Reads JSON; `None` if it is none. A part that is nested too deeply becomes its text.
pub fn read_json(text: &[u8]) -> Option<Value> {
    if let Ok(value) = serde_json::from_slice(text) {
        return Some(value);
    }
    // Only the shape of the whole is checked here, however deep it goes.
    let whole: &RawValue = serde_json::from_slice(text).ok()?;
    Some(value(whole.get(), LEVELS))
}

fn value(text: &str, levels: u8) -> Value {
    if let Ok(value) = serde_json::from_str(text) {
        return value;
    }
    if levels > 0 {
        if let Ok(fields) = serde_json::from_str::<BTreeMap<String, &RawValue>>(text) {
            let field = |(name, part): (String, &RawValue)| (name, value(part.get(), levels - 1));
            return Value::Object(fields.into_iter().map(field).collect());
        }
        if let Ok(parts) = serde_json::from_str::<Vec<&RawValue>>(text) {
            return parts
                .iter()
                .map(|part| value(part.get(), levels - 1))
                .collect();
        }
    }
    Value::String(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_nested_too_deeply_is_a_text_and_all_around_it_is_read() {
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
    fn what_is_no_json_is_none() {
        for text in ["", "{\"a\":", "<html>", "{\"n\": NaN}"] {
            assert_eq!(read_json(text.as_bytes()), None, "{text}");
        }
        assert_eq!(read_json(b"{\"a\": [1]}"), Some(json!({"a": [1]})));
    }
}
