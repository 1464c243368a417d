//! JSON as Python writes it, in standard form.
//!
//! Python's `json.dumps` writes `NaN`, `Infinity`, halves of surrogate pairs and numbers of any length, none of which
//! another parser takes. One such value must not cost the event around it: it becomes a text, or U+FFFD in a text.

use serde_json::Value;
use std::borrow::Cow;

/// The values that Python writes without quotes, as the texts that they become.
const WORDS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];
/// The escape of U+FFFD.
const REPLACEMENT: &[u8] = b"\\ufffd";

/// The same JSON in standard form; unchanged if it is in standard form already, or no JSON at all.
pub fn standard_json(text: &[u8]) -> Cow<'_, [u8]> {
    let text = match String::from_utf8_lossy(text) {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    };
    match rewritten(&text) {
        Some(rewritten) => Cow::Owned(rewritten),
        None => text,
    }
}

/// `None` if nothing is to be changed.
fn rewritten(text: &[u8]) -> Option<Vec<u8>> {
    let (mut out, mut copied) = (Vec::new(), 0);
    let mut replace = |from: usize, to: usize, with: &[&[u8]]| {
        out.extend_from_slice(&text[copied..from]);
        with.iter().for_each(|part| out.extend_from_slice(part));
        copied = to;
    };
    let (mut at, mut in_text) = (0, false);
    while at < text.len() {
        match text[at] {
            b'"' => {
                in_text = !in_text;
                at += 1;
            }
            b'\\' if in_text => {
                let end = at + escape(&text[at..]);
                if is_half(&text[at..end]) {
                    replace(at, end, &[REPLACEMENT]);
                }
                at = end;
            }
            _ if in_text => at += until(&text[at..], |byte| matches!(byte, b'"' | b'\\')),
            b'-' | b'0'..=b'9' | b'N' | b'I' => {
                let end = at + until(&text[at..], |byte| !is_of_word(byte));
                if is_of_python(&text[at..end]) {
                    replace(at, end, &[b"\"", &text[at..end], b"\""]);
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return None;
    }
    out.extend_from_slice(&text[copied..]);
    Some(out)
}

fn until(text: &[u8], is_end: impl Fn(u8) -> bool) -> usize {
    let end = text.iter().position(|byte| is_end(*byte));
    end.unwrap_or(text.len())
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

/// Whether a value without quotes is one that only Python reads, or that would lose digits.
fn is_of_python(word: &[u8]) -> bool {
    let Ok(word) = str::from_utf8(word) else {
        return false;
    };
    let digits = word.strip_prefix('-').unwrap_or(word);
    if digits.is_empty() || !digits.starts_with(|digit: char| digit.is_ascii_digit()) {
        return WORDS.contains(&word);
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return digits.len() > 18 && word.parse::<i64>().is_err() && word.parse::<u64>().is_err();
    }
    word.len() > 3 && word.parse::<f64>().is_ok_and(f64::is_infinite)
}

/// Length of the escape at the beginning: a whole pair of surrogates is one.
fn escape(text: &[u8]) -> usize {
    let first = unit(text);
    match first {
        None => 2.min(text.len()),
        Some(0xd800..=0xdbff) => match unit(&text[6..]) {
            Some(0xdc00..=0xdfff) => 12,
            _ => 6,
        },
        Some(_) => 6,
    }
}

fn is_half(escape: &[u8]) -> bool {
    escape.len() == 6 && matches!(unit(escape), Some(0xd800..=0xdfff))
}

/// The number of a `\uXXXX` at the beginning.
fn unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    let digits = str::from_utf8(digits).ok()?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u32::from_str_radix(digits, 16).ok())?
}

/// The value without the fields that are one of Python's words; `None` if it has none.
///
/// For fields that are numbers: a missing one is understood, a text is not.
pub(super) fn without_words(value: &Value) -> Option<Value> {
    let mut changed = value.clone();
    remove_words(&mut changed).then_some(changed)
}

fn remove_words(value: &mut Value) -> bool {
    let is_word = |value: &Value| value.as_str().is_some_and(|text| WORDS.contains(&text));
    match value {
        Value::Array(parts) => parts
            .iter_mut()
            .fold(false, |found, part| remove_words(part) | found),
        Value::Object(fields) => {
            let before = fields.len();
            fields.retain(|_, part| !is_word(part));
            let found = fields.len() < before;
            fields
                .values_mut()
                .fold(found, |found, part| remove_words(part) | found)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::read_json;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn what_only_python_reads_is_read() {
        let read = |text: &str| read_json(text.as_bytes()).unwrap();
        assert_eq!(
            read(r#"{"a": NaN, "b":[-Infinity,Infinity], "NaN": "NaN, Infinity"}"#),
            json!({"a": "NaN", "b": ["-Infinity", "Infinity"], "NaN": "NaN, Infinity"})
        );
        assert_eq!(
            read(r#""caf\udce9.txt \ud83d and \ud83d\ude00, \ude00\ud83d""#),
            json!("caf\u{fffd}.txt \u{fffd} and \u{1f600}, \u{fffd}\u{fffd}")
        );
        // An escaped backslash before a "u" is none, and a quote after one ends no text.
        assert_eq!(
            read(r#"["\\udce9", "\"NaN", 1e400, -2.5e3]"#),
            json!(["\\udce9", "\"NaN", "1e400", -2500.0])
        );
        let long = "123456789012345678901234567890";
        assert_eq!(
            read(&format!("[{long}, {}, {}, 0.1]", u64::MAX, i64::MIN)),
            json!([long, u64::MAX, i64::MIN, 0.1])
        );
    }

    #[test]
    fn bytes_that_are_no_utf_8_are_replaced() {
        assert_eq!(
            read_json(b"{\"a\": \"caf\xe9\", \"b\": \"\xed\xb3\xa9\"}").unwrap()["a"],
            "caf\u{fffd}"
        );
    }

    #[test]
    fn what_is_no_json_stays_none() {
        for text in ["NaNa", "[Infinit]", "{\"a\": nan}", "\"\\ud8", "\\", "-"] {
            assert_eq!(read_json(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn standard_json_is_left_alone(texts in proptest::collection::vec(".*", 0..5), number: i64, real: f64) {
            let real = Some(real).filter(|real| real.is_finite());
            let text = json!({ "texts": texts, "n": number, "r": real }).to_string();
            prop_assert!(matches!(standard_json(text.as_bytes()), Cow::Borrowed(_)));
        }

        #[test]
        fn no_bytes_make_it_fail(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = standard_json(&bytes);
        }
    }
}
