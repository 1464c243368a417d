//! Reads the file of an import: a list of events, alone or in an object, of either dialect.
//!
//! The whole file is checked before anything of it is stored. Only one event at a time is parsed; of the others only their
//! places in the file are kept. What is not accepted is told with its place.

use serde::de::{Deserializer as _, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Most events of a file.
pub(super) const MOST_EVENTS: usize = 100_000;
/// Largest event, in bytes. The journal reads one as a whole.
const LARGEST_EVENT: usize = 8 << 20;
/// Names under which files have their list of events.
const LISTS: [&str; 4] = ["history", "trajectory", "events", "items"];
const AGAIN: &str =
    "Nothing was imported. Export the conversation again, then import the new file.";

/// The places of the events in the file, in order.
///
/// # Errors
/// A sentence with the place of the fault, and what to do.
pub(super) fn events(file: &[u8]) -> Result<Vec<Range<usize>>, String> {
    // A mark at the beginning of the file, as some editors write it.
    let start = if file.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    };
    let mut reading = Reading {
        file,
        events: Vec::new(),
        is_known: false,
        fault: None,
    };
    let mut json = serde_json::Deserializer::from_slice(&file[start..]);
    let read = json.deserialize_any(&mut reading).and_then(|()| json.end());
    if let Some(fault) = reading.fault {
        return Err(format!("{fault} {AGAIN}"));
    }
    if let Err(error) = read {
        let (line, column) = (error.line(), error.column());
        let words = error.to_string();
        let words = words.split(" at line ").next().unwrap_or_default();
        let what = match error.classify() {
            Category::Eof => "the file ends too early".to_owned(),
            Category::Data => format!("the file is no trajectory ({words})"),
            _ => format!("the file is not valid JSON ({words})"),
        };
        let place = place(line, column, Some(reading.events.len() + 1));
        return Err(format!("{place}: {what}. {AGAIN}"));
    }
    let count = reading.events.len();
    if count == 0 {
        return Err(format!("The file has no events. {AGAIN}"));
    }
    if !reading.is_known {
        return Err(format!(
            "None of the {count} entries is an event of OpenHands: they have no “kind”, “action” or “observation”. Nothing \
             was imported. Choose the trajectory of a conversation."
        ));
    }
    Ok(reading.events)
}

fn place(line: usize, column: usize, event: Option<usize>) -> String {
    match event {
        Some(event) => format!("Line {line}, column {column} (event {event})"),
        None => format!("Line {line}, column {column}"),
    }
}

struct Reading<'f> {
    file: &'f [u8],
    events: Vec<Range<usize>>,
    /// One of them is an event of OpenHands.
    is_known: bool,
    fault: Option<String>,
}

impl<'f> Reading<'f> {
    /// Takes an event, or answers what is wrong with it.
    fn take(&mut self, event: &'f str) -> Result<(), String> {
        if self.events.len() == MOST_EVENTS {
            return Err(format!("the file has more than {MOST_EVENTS} events"));
        }
        if event.len() > LARGEST_EVENT {
            return Err(format!("it is larger than {} MB", LARGEST_EVENT >> 20));
        }
        let value: Value = serde_json::from_str(event).map_err(|error| {
            let words = error.to_string();
            let words = words.split(" at line ").next().unwrap_or_default();
            match words {
                "recursion limit exceeded" => "it is nested too deeply".to_owned(),
                words => format!("it cannot be read ({words})"),
            }
        })?;
        let Value::Object(fields) = value else {
            return Err("it is not an object".to_owned());
        };
        let says = |name| fields.get(name).is_some_and(Value::is_string);
        self.is_known |= says("kind") || says("action") || says("observation");
        let start = self.offset(event);
        self.events.push(start..start + event.len());
        Ok(())
    }

    /// Where a part of the file begins.
    fn offset(&self, part: &str) -> usize {
        part.as_ptr().addr() - self.file.as_ptr().addr()
    }

    fn line_of(&self, at: usize) -> (usize, usize) {
        let before = &self.file[..at];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let start = before
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        (line, at - start + 1)
    }
}

impl<'f> Visitor<'f> for &mut Reading<'f> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'f>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(event) = list.next_element::<&RawValue>()? {
            let event = event.get();
            if let Err(fault) = self.take(event) {
                let (line, column) = self.line_of(self.offset(event));
                let place = place(line, column, Some(self.events.len() + 1));
                self.fault = Some(format!("{place}: {fault}."));
                return Err(A::Error::custom("an event is not accepted"));
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'f>>(self, mut map: A) -> Result<(), A::Error> {
        let mut is_found = false;
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            if LISTS.contains(&&*name) && !is_found {
                is_found = true;
                map.next_value_seed(List(self))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        if !is_found {
            let names = LISTS.map(|name| format!("“{name}”")).join(", ");
            self.fault = Some(format!("The file has no list of events: none of {names}."));
        }
        Ok(())
    }
}

/// The list of events in an object.
struct List<'r, 'f>(&'r mut Reading<'f>);

impl<'f> serde::de::DeserializeSeed<'f> for List<'_, 'f> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'f>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self.0)
    }
}

#[cfg(test)]
mod tests;
