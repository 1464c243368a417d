//! What is written is read, and nothing else.

use super::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Sample {
    #[serde(rename = "first")]
    id: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    inner: Vec<Kind>,
    place: Option<(i64, u32)>,
    share: f64,
    tags: BTreeMap<String, String>,
    done: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[serde(skip_deserializing)]
    Hidden,
    Nothing,
    Text(String),
    Pair(u8, i8),
    Named {
        only_one: Box<Option<Kind>>,
    },
}

fn sample() -> Sample {
    let text = "quo\"te \\ / \n\t\u{1}\u{7f}\u{2028}äöü 猫 🦀 \\u0041";
    let nested = Kind::Named {
        only_one: Box::new(Some(Kind::Nothing)),
    };
    Sample {
        id: i64::MIN,
        by: Some(text.to_owned()),
        inner: vec![
            Kind::Nothing,
            Kind::Text(text.to_owned()),
            Kind::Pair(255, -128),
            nested,
        ],
        place: Some((-3, u32::MAX)),
        share: -0.125,
        tags: [("a", ""), (text, "b")]
            .map(|(word, value)| (word.to_owned(), value.to_owned()))
            .into(),
        done: true,
    }
}

#[test]
fn what_was_written_is_read() {
    let bare = Sample {
        by: None,
        inner: Vec::new(),
        place: None,
        tags: BTreeMap::new(),
        ..sample()
    };
    for sample in [sample(), bare] {
        for text in [
            serde_json::to_string(&sample).unwrap(),
            serde_json::to_string_pretty(&sample).unwrap(),
        ] {
            assert_eq!(read::<Sample>(&text), Ok(sample.clone()), "{text}");
        }
        let answer: Result<_, String> = Ok(Some(sample));
        let text = serde_json::to_string(&answer).unwrap();
        assert_eq!(read(&text), Ok(answer));
    }
    assert_eq!(read("null"), Ok(()));
    assert_eq!(read(r#""\ud83e\udd80\/\u00e4""#), Ok("🦀/ä".to_owned()));
}

#[test]
fn numbers_are_those_of_other_parsers() {
    for number in [
        0.0,
        1.0,
        -1.5,
        0.1,
        12.345,
        1e21,
        1e-7,
        123_456_789.25,
        1.7e308,
    ] {
        let text = serde_json::to_string(&number).unwrap();
        let found: f64 = read(&text).unwrap();
        assert!(
            (found - number).abs() <= number.abs() * 1e-14,
            "{found} {text}"
        );
    }
    assert_eq!(read("18446744073709551615"), Ok(u64::MAX));
    for text in ["256", "-1", "1.0", "", "x"] {
        assert_eq!(read::<u8>(text), Err(Unreadable), "{text}");
    }
}

#[test]
fn other_versions_of_a_type_are_read_or_refused() {
    let text = serde_json::to_string(&sample()).unwrap();
    let newer = text
        .replace("\"place\":", r#""new":[{"first":"}\"]"},1,null],"place":"#)
        .replace("\"done\":true", r#""done":true,"last":{}"#);
    assert_eq!(read(&newer), Ok(sample()));
    for other in [
        // A field that must be there is missing, stands too late, or twice.
        text.replace("\"done\":true", "\"gone\":true"),
        text.replace("{\"first\":", "{\"done\":false,\"first\":"),
        text.replace("\"done\":true", "\"done\":true,\"done\":true"),
        text.replace(
            "\"nothing\"",
            &serde_json::to_string(&Kind::Hidden).unwrap(),
        ),
        text.replace("\"nothing\"", "\"text\""),
        text.replace("255,", ""),
        text.replace("255,", "255,1,"),
    ] {
        assert_eq!(read::<Sample>(&other), Err(Unreadable), "{other}");
    }
}

#[test]
fn damaged_text_is_refused() {
    let text = serde_json::to_string(&sample()).unwrap();
    let beginnings = (0..text.len()).filter_map(|end| text.get(..end));
    for beginning in beginnings {
        assert_eq!(read::<Sample>(beginning), Err(Unreadable), "{beginning}");
        // Must not panic, whatever it finds.
        let _ = read::<Sample>(&format!("{beginning}\\é\"{text}"));
    }
    for text in [
        "<!DOCTYPE html>",
        "nul",
        "null null",
        "null\0",
        "\"\\ud83e\"",
        "\"\\u12\"",
    ] {
        assert_eq!(read::<String>(text), Err(Unreadable), "{text}");
        assert_eq!(read::<()>(text), Err(Unreadable), "{text}");
    }
}
