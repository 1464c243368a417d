//! Size limits for events.
//!
//! An event that is stored, folded and rendered is in memory several times. Ordinary ones have a few MiB at most.

use crate::wire::{is_heavy, json_text, read_event_json};
use serde_json::{Map, Value, json};

/// Size limit of an event that is stored unchanged, in bytes.
pub(super) const MOST_KEPT: usize = 6 << 20;
/// Size limit of a page of stored events, in bytes. A single event may be as large as any response.
pub(super) const MOST_OF_PAGE: usize = 4 << 20;
/// Length limits of texts in an event that is too large, in bytes; tried in this order.
const LEFT: [usize; 3] = [1 << 20, 64 << 10, 1 << 10];

/// The JSON of an event. If it has too many values, the heaviest parts become texts, as the journal would read it; if it is
/// too large, long texts are truncated, then only the identifying fields remain.
pub(super) fn within_bounds(event: &mut Value) -> String {
    let mut raw = json_text(event);
    if is_heavy(raw.as_bytes())
        && let Some(lighter) = read_event_json(raw.as_bytes())
    {
        *event = lighter;
        raw = json_text(event);
    }
    let whole = raw.len();
    for left in LEFT {
        if raw.len() <= MOST_KEPT {
            return raw;
        }
        shorten(event, left);
        raw = json_text(event);
    }
    if raw.len() > MOST_KEPT {
        *event = marker(event, &format!("larger than {} MiB", MOST_KEPT >> 20));
        raw = json_text(event);
    }
    tracing::warn!(bytes = whole, "truncated an event that was too large");
    raw
}

/// Replaces an event that cannot be truncated enough.
fn marker(event: &mut Value, why: &str) -> Value {
    let mut kept = Map::new();
    for name in [
        "id",
        "kind",
        "source",
        "timestamp",
        "action",
        "observation",
        "cause",
        "tool_call_id",
        "action_id",
    ] {
        let field = event.get_mut(name).map(Value::take);
        // Skip values that are unexpectedly long.
        if let Some(field) = field.filter(|field| field.to_string().len() < 200) {
            kept.insert(name.to_owned(), field);
        }
    }
    kept.insert("unreadable".to_owned(), json!(why));
    Value::Object(kept)
}

fn shorten(value: &mut Value, left: usize) {
    match value {
        Value::String(text) if text.len() > left => {
            let missing = text.len() - left;
            text.truncate(text.floor_char_boundary(left));
            text.push_str(&format!(
                "\n[Handrail kept only the beginning and left out {} KB.]",
                missing.div_ceil(1024)
            ));
        }
        Value::Array(parts) => parts.iter_mut().for_each(|part| shorten(part, left)),
        Value::Object(fields) => fields.values_mut().for_each(|part| shorten(part, left)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usual_event_is_kept_as_it_is() {
        let mut event = json!({ "id": 3, "args": { "text": "x".repeat(2 << 20) } });
        let before = event.to_string();
        assert_eq!(within_bounds(&mut event), before);
    }

    #[test]
    fn a_huge_text_is_kept_by_its_beginning_and_says_so() {
        let mut event = json!({ "id": 3, "action": "run", "content": "ä".repeat(25 << 20) });
        let raw = within_bounds(&mut event);
        assert!(raw.len() <= MOST_KEPT, "{}", raw.len());
        assert_eq!(event["id"], 3);
        let text = event["content"].as_str().expect("it is a text");
        assert!(
            text.starts_with('ä') && text.contains("left out 50176 KB"),
            "{}",
            &text[text.len() - 80..]
        );
    }

    #[test]
    fn what_has_too_many_parts_is_kept_as_text_and_read_again_as_it_is() {
        let parts = vec![json!({ "a": 0 }); 100_000];
        let mut event =
            json!({ "id": 3, "action": "run", "args": { "command": "ls", "data": parts } });
        let raw = within_bounds(&mut event);
        assert!(event["args"]["data"].is_string() && event["args"]["command"] == "ls");
        assert_eq!(read_event_json(raw.as_bytes()), Some(event));
    }

    #[test]
    fn what_is_huge_by_the_number_of_its_texts_becomes_a_marker_in_its_place() {
        let args = vec!["x".repeat(900); 8000];
        let mut event = json!({ "id": 3, "action": "run", "args": args });
        let raw = within_bounds(&mut event);
        assert_eq!(
            event,
            json!({ "id": 3, "action": "run", "unreadable": "larger than 6 MiB" })
        );
        assert_eq!(raw, event.to_string());
    }
}
