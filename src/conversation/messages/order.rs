//! JSON whose fields keep their order, written as Python writes it: 0.x puts the arguments of a call into a text.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::HashMap;
use std::fmt::{self, Write};

/// A JSON value. The fields of an object stand in the order in which they were written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Int(String),
    Float(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// As Python's `str()` writes a value that is neither a list nor an object; these as `json.dumps` does.
    pub(super) fn as_parameter(&self) -> String {
        match self {
            Self::Null => "None".to_owned(),
            Self::Bool(true) => "True".to_owned(),
            Self::Bool(false) => "False".to_owned(),
            Self::Text(text) => text.clone(),
            other => {
                let mut out = String::new();
                other.dump(&mut out);
                out
            }
        }
    }

    /// Writing into a string cannot fail, so the result of `write!` is ignored.
    fn dump(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => {
                let _ = write!(out, "{value}");
            }
            Self::Int(digits) => out.push_str(digits),
            Self::Float(number) => out.push_str(&float(*number)),
            Self::Text(text) => quote(text, out),
            Self::List(parts) => {
                out.push('[');
                for (at, part) in parts.iter().enumerate() {
                    out.push_str(if at > 0 { ", " } else { "" });
                    part.dump(out);
                }
                out.push(']');
            }
            Self::Object(fields) => {
                out.push('{');
                for (at, (name, value)) in fields.iter().enumerate() {
                    out.push_str(if at > 0 { ", " } else { "" });
                    quote(name, out);
                    out.push_str(": ");
                    value.dump(out);
                }
                out.push('}');
            }
        }
    }
}

/// A text in quotation marks with ASCII letters only.
fn quote(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(letter),
            other => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}

/// A number as Python's `repr` writes it: the shortest digits, with an exponent from 1e16 on and below 1e-4.
fn float(number: f64) -> String {
    let size = number.abs();
    if number != 0.0 && !(1e-4..1e16).contains(&size) {
        let text = format!("{number:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ('-', exponent),
            None => ('+', exponent),
        };
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    format!("{number:?}")
}

struct AnyJson;

impl<'de> Visitor<'de> for AnyJson {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Int(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Int(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(part) = parts.next_element()? {
            list.push(part);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut parts: A) -> Result<Json, A::Error> {
        let mut fields: Vec<(String, Json)> = Vec::new();
        let mut places = HashMap::new();
        while let Some((name, value)) = parts.next_entry::<String, Json>()? {
            // A name that is repeated keeps its first place and gets its last value.
            let place = *places.entry(name.clone()).or_insert(fields.len());
            match fields.get_mut(place) {
                Some(field) => field.1 = value,
                None => fields.push((name, value)),
            }
        }
        Ok(Json::Object(fields))
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyJson)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_python_writes_them() {
        for (json, written) in [
            ("null", "None"),
            ("true", "True"),
            ("1.0", "1.0"),
            ("1e16", "1e+16"),
            ("0.00001", "1e-05"),
            ("-1.5e300", "-1.5e+300"),
            ("123456789.125", "123456789.125"),
            (r#""a\nb""#, "a\nb"),
            (
                r#"{"z": [1, true, null], "a": "é😀\u0001\""}"#,
                r#"{"z": [1, true, null], "a": "\u00e9\ud83d\ude00\u0001\""}"#,
            ),
        ] {
            let read: Json = serde_json::from_str(json).unwrap();
            assert_eq!(read.as_parameter(), written, "{json}");
        }
    }
}
