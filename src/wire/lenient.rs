//! JSON as Python writes it: `NaN`, `Infinity`, numbers of any length, and halves of surrogate pairs.
//!
//! OpenHands is written in Python, whose `json` module writes all of these and whose texts may hold bytes that are no
//! UTF-8 (as `\udce9`). The repaired text is valid JSON: a number without a value becomes its name as a text, and what is no
//! character becomes U+FFFD.

use serde_json::Value;
use std::borrow::Cow;

/// The names under which Python writes the numbers that JSON lacks.
const NUMBERS: [&str; 3] = ["NaN", "Infinity", "-Infinity"];
/// Shortest number that may exceed the range of a 64-bit float without an exponent, in bytes.
const LONG_NUMBER: usize = 300;

/// The text with everything replaced that Python writes and JSON forbids. Faults of other kinds stay as they are.
pub fn repaired(text: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(text);
    let bytes = text.as_bytes();
    let mut out = Replacing::default();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at = match byte {
            b'"' => string(&text, at, &mut out),
            b'N' | b'I' | b'-' | b'0'..=b'9' => number(&text, at, &mut out),
            _ => at + 1,
        };
    }
    match out.text {
        None => text,
        Some(new) => Cow::Owned(new + &text[out.kept..]),
    }
}

/// Replaces the names of numbers by null, in any depth; returns whether there were any. A field that is a number elsewhere
/// can then be read as one that is missing.
pub fn without_named_numbers(value: &mut Value) -> bool {
    match value {
        Value::String(text) if NUMBERS.contains(&text.as_str()) => {
            *value = Value::Null;
            true
        }
        Value::Array(parts) => parts
            .iter_mut()
            .fold(false, |any, part| without_named_numbers(part) | any),
        Value::Object(fields) => fields
            .values_mut()
            .fold(false, |any, part| without_named_numbers(part) | any),
        _ => false,
    }
}

/// A copy of a text with some of its parts replaced; none is made if there are none.
#[derive(Default)]
struct Replacing {
    text: Option<String>,
    /// End of what was copied.
    kept: usize,
}

impl Replacing {
    fn replace(&mut self, whole: &str, from: usize, to: usize, by: &str) {
        let text = self.text.get_or_insert_default();
        text.push_str(&whole[self.kept..from]);
        text.push_str(by);
        self.kept = to;
    }
}

/// Looks through the string that begins at `start`; returns its end, behind the closing quotation mark.
fn string(text: &str, start: usize, out: &mut Replacing) -> usize {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => match escaped(bytes, at) {
                None => at += 2,
                Some(0xd800..=0xdbff)
                    if matches!(escaped(bytes, at + 6), Some(0xdc00..=0xdfff)) =>
                {
                    at += 12
                }
                Some(0xd800..=0xdfff) => {
                    out.replace(text, at, at + 6, "\\ufffd");
                    at += 6;
                }
                Some(_) => at += 6,
            },
            _ => at += 1,
        }
    }
    at
}

/// The code unit of an escape `\uXXXX` at this place.
fn escaped(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_plain.then(|| u16::from_str_radix(digits, 16).ok())?
}

/// Looks at the word that begins at `start`; returns its end.
fn number(text: &str, start: usize, out: &mut Replacing) -> usize {
    let rest = &text[start..];
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let length = rest.bytes().take_while(|byte| is_of_word(byte)).count();
    let (word, end) = (&rest[..length], start + length);
    let is_out_of_range = || {
        let is_number = word
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        let may_be_huge = word.len() >= LONG_NUMBER || word.contains(['e', 'E']);
        is_number && may_be_huge && word.parse::<f64>().is_ok_and(f64::is_infinite)
    };
    if NUMBERS.contains(&word) || is_out_of_range() {
        out.replace(text, start, end, &format!("\"{word}\""));
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn read(text: &str) -> Value {
        serde_json::from_str(&repaired(text.as_bytes())).expect(text)
    }

    #[test]
    fn numbers_that_json_lacks_become_their_names() {
        let huge = format!("-{}", "9".repeat(400));
        let text = format!(
            r#"{{"a":NaN,"b":[Infinity,-Infinity, 1e999,{huge},-1.5e3,7],"c":"NaN, -Infinity"}}"#
        );
        let expected = json!({"a": "NaN", "b": ["Infinity", "-Infinity", "1e999", huge, -1500.0, 7],
            "c": "NaN, -Infinity"});
        assert_eq!(read(&text), expected);
    }

    #[test]
    fn halves_of_surrogate_pairs_become_replacement_characters_and_pairs_stay() {
        for (text, expected) in [
            (r#""caf\udce9.txt""#, "caf\u{fffd}.txt"),
            (r#""\ud83d""#, "\u{fffd}"),
            (r#""\ud83d\ude00""#, "\u{1f600}"),
            (r#""\ud83d\ud83d\ude00\udc00""#, "\u{fffd}\u{1f600}\u{fffd}"),
            (r#""\\ud83d\"\ud800""#, "\\ud83d\"\u{fffd}"),
            (r#""\ud83dA""#, "\u{fffd}A"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_become_replacement_characters() {
        assert_eq!(repaired(b"[\"a\xffb\"]"), "[\"a\u{fffd}b\"]");
    }

    #[test]
    fn valid_json_is_not_copied() {
        let text = r#"{"a":[1,-2.5e3,"NaN \ud83d\ude00"],"é":null}"#;
        assert!(matches!(repaired(text.as_bytes()), Cow::Borrowed(same) if same == text));
    }

    #[test]
    fn named_numbers_become_null() {
        let mut value = json!({"a": ["NaN", 1], "b": {"c": "-Infinity"}, "d": "Infinity and more"});
        assert!(without_named_numbers(&mut value));
        assert_eq!(
            value,
            json!({"a": [null, 1], "b": {"c": null}, "d": "Infinity and more"})
        );
        assert!(!without_named_numbers(&mut value));
    }

    proptest! {
        #[test]
        fn what_can_be_read_is_not_changed(text in "[\\[\\]{}:,\"a-e0-9+. NI\\\\u-]{0,60}") {
            if serde_json::from_str::<Value>(&text).is_ok() {
                prop_assert_eq!(&repaired(text.as_bytes()), &text);
            }
        }

        #[test]
        fn any_bytes_become_a_text_and_twice_repaired_is_once(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let once = repaired(&bytes).into_owned();
            prop_assert_eq!(&repaired(once.as_bytes()), &once);
        }

        #[test]
        fn any_string_of_escapes_can_be_read(units in proptest::collection::vec(any::<u16>(), 0..20)) {
            let text: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let read: String = serde_json::from_str(&repaired(format!("\"{text}\"").as_bytes())).expect("it is a string");
            prop_assert_eq!(read, String::from_utf16_lossy(&units));
        }
    }
}
