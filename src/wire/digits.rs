//! The arguments of calls with the digits of their numbers.
//!
//! A [`Value`] has numbers of 64 bits: it makes `9.87e+22` of 98700000000000000000001 and 1.1 of `1.10`. People approve what they
//! see, so a number in arguments that reading would change is read as a text with its digits and a mark before them, and
//! [`json_text`] writes it as a number again. The mark is a noncharacter, which no text may contain: in a text that has it
//! nevertheless it becomes U+FFFD.

use serde_json::{Number, Value};
use std::borrow::Cow;

/// What stands before the digits of a number.
const MARK: char = '\u{FDD0}';
/// The mark in UTF-8.
const MARK_BYTES: [u8; 3] = [0xef, 0xb7, 0x90];
/// The fields of an event that hold the arguments of a call.
const ARGUMENTS: [&[u8]; 2] = [b"\"args\"", b"\"action\""];

/// Which numbers keep their digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// Those in the arguments of events.
    Events,
    /// All: the text is the arguments of a call.
    Arguments,
}

/// The JSON text with each number that reading would change as a text, as far as it is `within`.
pub(super) fn marked(text: &[u8], within: Within) -> Cow<'_, [u8]> {
    let (mut out, mut kept, mut at) = (Vec::new(), 0, 0);
    let (mut depth, mut inside) = (0_usize, (within == Within::Arguments).then_some(0));
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                let end = string_end(text, at);
                for (from, to) in marks(text, at, end) {
                    out.extend_from_slice(&text[kept..from]);
                    out.extend_from_slice("\u{FFFD}".as_bytes());
                    kept = to;
                }
                let is_field = ARGUMENTS.contains(&&text[at..end]);
                if is_field && inside.is_none() && opens_object(&text[end..]) {
                    inside = Some(depth);
                }
                at = end;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                inside = inside.filter(|outside| *outside < depth || within == Within::Arguments);
            }
            b'-' | b'0'..=b'9' => {
                let is_of_number = |byte: &&u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
                let word = &text[at..];
                let length = word.iter().take_while(is_of_number).count();
                let word = &word[..length];
                if inside.is_some() && changes(word) {
                    out.extend_from_slice(&text[kept..at]);
                    out.push(b'"');
                    out.extend_from_slice(&MARK_BYTES);
                    out.extend_from_slice(word);
                    out.push(b'"');
                    kept = at + length;
                }
                at += length;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    if kept == 0 {
        return text.into();
    }
    out.extend_from_slice(&text[kept..]);
    out.into()
}

/// The JSON of a value that was read, with its numbers as they were written.
pub fn json_text(value: &Value) -> String {
    as_written(value.to_string())
}

/// A JSON text with numbers for texts that are marked digits.
pub fn as_written(text: String) -> String {
    if !text.contains(MARK) {
        return text;
    }
    let mut parts = text.split(MARK);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // In a text within the text, quotation marks are escaped.
        let is_escaped = out.ends_with("\\\"");
        let quote = if is_escaped { "\\\"" } else { "\"" };
        match (out.strip_suffix(quote), part.split_once(quote)) {
            (Some(before), Some((digits, rest))) => {
                out.truncate(before.len());
                out.push_str(digits);
                out.push_str(rest);
            }
            // A part of a JSON text that was cut.
            (Some(before), None) => {
                out.truncate(before.len());
                out.push_str(part);
            }
            (None, _) => out.push_str(part),
        }
    }
    out
}

/// The end of the string that begins at `start`, behind its quotation mark.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// Where marks stand in a string, written or escaped.
fn marks(text: &[u8], mut at: usize, end: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    while at < end {
        let rest = &text[at..end];
        let length = match rest[0] {
            b'\\' if rest.len() >= 6 && rest[1..6].eq_ignore_ascii_case(b"ufdd0") => 6,
            b'\\' => {
                at += 2;
                continue;
            }
            0xef if rest.starts_with(&MARK_BYTES) => MARK_BYTES.len(),
            _ => {
                at += 1;
                continue;
            }
        };
        found.push((at, at + length));
        at += length;
    }
    found
}

/// Whether an object follows as the value of a field.
fn opens_object(rest: &[u8]) -> bool {
    let mut signs = rest.iter().filter(|byte| !byte.is_ascii_whitespace());
    (signs.next(), signs.next()) == (Some(&b':'), Some(&b'{'))
}

/// Whether reading changes the digits of this number.
fn changes(word: &[u8]) -> bool {
    // Fits into 64 bits.
    if word.len() < 19
        && word.iter().all(u8::is_ascii_digit)
        && (word[0] != b'0' || word.len() == 1)
    {
        return false;
    }
    let Ok(word) = std::str::from_utf8(word) else {
        return false;
    };
    match word.parse::<Number>() {
        Ok(number) => number.to_string() != word,
        // Out of the range of a number of 64 bits.
        Err(_) => word.parse::<f64>().is_ok_and(f64::is_infinite),
    }
}

#[cfg(test)]
mod tests {
    use crate::wire::{json_text, read_event_json, read_json};
    use proptest::prelude::*;
    use serde_json::json;

    /// Numbers that a `Value` changes.
    const CHANGED: [&str; 8] = [
        "98765432109876543210987",
        "-98765432109876543210987",
        "0.1000000000000000055",
        "-0",
        "1.10",
        "1E5",
        "1e-05",
        "1e999",
    ];

    #[test]
    fn numbers_of_arguments_keep_their_digits() {
        for number in CHANGED {
            for text in [
                format!(r#"{{"action":"run","args":{{"n":[{number},1],"s":"{number}"}}}}"#),
                format!(r#"{{"action":{{"n":{{"n":{number}}}}},"kind":"ActionEvent"}}"#),
            ] {
                let read = read_event_json(text.as_bytes()).expect("it is JSON");
                assert_eq!(json_text(&read), text);
                // Read, stored and read again.
                assert_eq!(read_json(json_text(&read).as_bytes()), Some(read));
            }
        }
    }

    #[test]
    fn numbers_elsewhere_are_numbers() {
        let read = read_json(br#"[{"args":{"a":1},"cost":0.10},{"action":"run","cost":1e-05}]"#);
        let expected = json!([{"args":{"a":1},"cost":0.1},{"action":"run","cost":0.00001}]);
        assert_eq!(read, Some(expected));
    }

    #[test]
    fn a_text_cannot_pretend_to_be_a_number() {
        for text in [
            "{\"args\":{\"a\":\"\u{FDD0}1.10\"}}",
            r#"{"args":{"a":"\uFDD01.10"}}"#,
        ] {
            let read = read_json(text.as_bytes()).expect("it is JSON");
            assert_eq!(json_text(&read), "{\"args\":{\"a\":\"\u{FFFD}1.10\"}}");
        }
        let escaped = r#"{"args":{"a":"\\ufdd01.10"}}"#;
        assert_eq!(
            json_text(&read_json(escaped.as_bytes()).expect("JSON")),
            escaped
        );
    }

    #[test]
    fn a_part_that_stays_text_has_its_digits() {
        let deep = format!("{}1.10{}", "[".repeat(200), "]".repeat(200));
        let text = format!(r#"{{"args":{{"deep":{deep}}}}}"#);
        let read = json_text(&read_json(text.as_bytes()).expect("it is JSON"));
        assert!(
            read.contains("[1.10]") && !read.contains('\u{FDD0}'),
            "{read}"
        );
    }

    proptest! {
        #[test]
        fn any_number_of_arguments_keeps_its_digits(number in "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?") {
            let text = format!(r#"{{"args":{{"n":{number}}}}}"#);
            prop_assert_eq!(json_text(&read_json(text.as_bytes()).expect("JSON")), text);
        }

        #[test]
        fn any_bytes_are_read_as_before(text in "[\\[\\]{}:,\"a-c0-9.\\\\ ]{0,60}") {
            let read = serde_json::from_str::<serde_json::Value>(&text).ok();
            prop_assert_eq!(read_json(text.as_bytes()).filter(|_| read.is_some()), read);
        }
    }
}
