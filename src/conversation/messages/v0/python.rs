//! How Python prints the reading of a file, which OpenHands puts into a message if a user has asked for it.

use serde_json::{Map, Value};
use std::fmt::Write;

/// The object as `repr` prints it; `None` where a value has another type than the protocol says.
pub(super) fn file_read(args: &Map<String, Value>) -> Option<String> {
    let text = |name: &str, default: &str| match args.get(name) {
        None => Some(repr(default)),
        Some(Value::String(text)) => Some(repr(text)),
        Some(_) => None,
    };
    let number = |name: &str, default: i64| match args.get(name) {
        None => Some(default),
        Some(value) => value.as_i64(),
    };
    let risk = match number("security_risk", -1)? {
        -1 => "UNKNOWN: -1",
        0 => "LOW: 0",
        1 => "MEDIUM: 1",
        2 => "HIGH: 2",
        _ => return None,
    };
    let source = match args.get("impl_source") {
        None => "<FileReadSource.DEFAULT: 'default'>".to_owned(),
        Some(_) => text("impl_source", "")?,
    };
    let range = match args.get("view_range") {
        None | Some(Value::Null) => "None".to_owned(),
        Some(Value::Array(lines)) => {
            let lines: Option<Vec<String>> = lines
                .iter()
                .map(|line| Some(line.as_i64()?.to_string()))
                .collect();
            format!("[{}]", lines?.join(", "))
        }
        Some(_) => return None,
    };
    Some(format!(
        "FileReadAction(path={}, start={}, end={}, thought={}, action=<ActionType.READ: 'read'>, security_risk=<ActionSecurityRisk.{risk}>, impl_source={source}, view_range={range})",
        text("path", "")?,
        number("start", 0)?,
        number("end", -1)?,
        text("thought", "")?,
    ))
}

/// A text in quotation marks, as Python prints it.
fn repr(text: &str) -> String {
    let mark = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut out = String::from(mark);
    for letter in text.chars() {
        match letter {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter if letter == mark => {
                out.push('\\');
                out.push(letter);
            }
            ' '..='~' => out.push(letter),
            letter if letter.is_alphanumeric() => out.push(letter),
            letter => {
                let _ = match u32::from(letter) {
                    code @ ..=0xff => write!(out, "\\x{code:02x}"),
                    code @ ..=0xffff => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push(mark);
    out
}
