//! Reads the file of an import: one or more trajectories of either dialect, in every form that OpenHands writes.
//!
//! The forms are a list of events, an object with such a list (alone, or one on each line, as benchmarks write them), events
//! one after the other, pairs of an action and its observation, the output of the command line, and archives of events. The
//! whole file is checked before anything of it is stored. Only one event at a time is parsed; of the others only their places
//! are kept. What is not accepted is told with its place.
//!
//! Long because one pass finds the trajectories of all forms and the place of what is wrong in them.

mod unpack;

use crate::wire::{read_json, repaired};
use bytes::Bytes;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, SeqAccess, Visitor};
use serde_json::de::StrRead;
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use unpack::Unpacked;

/// Most events of a file.
pub(super) const MOST_EVENTS: usize = 100_000;
/// Most conversations of a file.
const MOST_TRAJECTORIES: usize = 1000;
/// Largest event, in bytes. The journal reads one as a whole.
const LARGEST_EVENT: usize = 8 << 20;
/// Longest name of a trajectory, in bytes; a longer one is no name.
const LONGEST_NAME: usize = 400;
/// Names under which files have their list of events.
const LISTS: [&str; 4] = ["history", "trajectory", "events", "items"];
/// Stands before each event in what `openhands --headless --json` prints.
const MARK: &str = "--JSON Event--";
const AGAIN: &str =
    "Nothing was imported. Export the conversation again, then import the new file.";

/// The events of one conversation.
#[derive(Debug, Default)]
pub(super) struct Trajectory {
    /// Its name within the file: an instance of a benchmark, or a title. Empty if it has none.
    pub name: String,
    /// Its events in order, each as JSON.
    pub events: Vec<Bytes>,
    /// One of them is an event of OpenHands.
    is_known: bool,
}

/// What an event is known by, however it is spaced.
fn print_of(event: &Bytes) -> u64 {
    let mut hasher = DefaultHasher::new();
    match read_json(event) {
        Some(event) => event.to_string().hash(&mut hasher),
        None => event.hash(&mut hasher),
    }
    hasher.finish()
}

/// The trajectories of a file, in order; each has events.
///
/// # Errors
/// A sentence with the place of the fault, and what to do.
pub(super) fn trajectories(file: Bytes) -> Result<Vec<Trajectory>, String> {
    let mut reading = Reading::default();
    match unpack::unpack(file)
        .map_err(|fault| format!("It cannot be imported: {fault}. {AGAIN}"))?
    {
        Unpacked::Text(text) => reading.read(&text)?,
        Unpacked::Archive(files) => reading.read_archive(files)?,
    }
    reading.end()
}

/// What was found so far.
#[derive(Default)]
struct Reading {
    found: Vec<Trajectory>,
    /// Events that stand alone, or in a list without a name.
    loose: Trajectory,
    events: usize,
    /// There was something that may have a list of events.
    has_list: bool,
    /// Why reading stopped, if not for invalid JSON.
    fault: Option<(String, usize)>,
}

impl Reading {
    fn read_archive(&mut self, files: Vec<unpack::File>) -> Result<(), String> {
        let count = files.len();
        let (folders, others) = unpack::folders(files);
        for (name, folder) in folders {
            for file in folder.events {
                self.read(&file.bytes)
                    .map_err(|fault| format!("{}: {fault}", file.name))?;
            }
            self.has_list = true;
            let title = folder.about.and_then(|about| name_of(&as_text(&about)));
            let name = title.unwrap_or(name);
            self.close(name);
        }
        // An archive may have events twice, each in a file and all in one.
        let prints = |one: &Trajectory| one.events.iter().map(print_of).collect();
        let known: Vec<HashSet<u64>> = match others.is_empty() {
            true => Vec::new(),
            false => self.found.iter().map(prints).collect(),
        };
        let is_new = |one: &Trajectory| {
            let ends = [one.events.first(), one.events.last()];
            let ends: Vec<u64> = ends.into_iter().flatten().map(print_of).collect();
            let has = |known: &HashSet<u64>| ends.iter().all(|end| known.contains(end));
            !known.iter().any(has)
        };
        // Whole trajectories, each in a file of its own, perhaps among others.
        let mut first_fault = None;
        for file in others {
            let mut reading = Self {
                events: self.events,
                ..Self::default()
            };
            let read = reading.read(&file.bytes);
            if read.is_err() && reading.events > self.events {
                // A part of a conversation is none.
                return read.map_err(|fault| format!("{}: {fault}", file.name));
            }
            match read.and_then(|()| reading.end()) {
                Ok(found) => {
                    let found: Vec<_> = found.into_iter().filter(is_new).collect();
                    self.events += found.iter().map(|one| one.events.len()).sum::<usize>();
                    self.found.extend(found);
                }
                Err(fault) => drop(first_fault.get_or_insert(format!("{}: {fault}", file.name))),
            }
        }
        match first_fault {
            Some(fault) if self.found.is_empty() => Err(fault),
            None if self.found.is_empty() => Err(format!(
                "The archive has no events: none of its {count} JSON files is a part of a conversation. {AGAIN}"
            )),
            _ => {
                self.has_list = true;
                Ok(())
            }
        }
    }

    /// Reads a text: values of JSON, one after the other.
    fn read(&mut self, file: &Bytes) -> Result<(), String> {
        let file = as_text(file);
        let text = std::str::from_utf8(&file).expect("it was repaired");
        for part in parts(text) {
            let is_marked = part.starts_with(MARK);
            let mut rest = behind_blanks(part.strip_prefix(MARK).unwrap_or(part));
            if rest.is_empty() {
                let error = serde_json::from_str::<IgnoredAny>("").expect_err("it is empty");
                return Err(self.invalid(&error, text, text.len() - rest.len()));
            }
            while !rest.is_empty() {
                let place = Place { file: &file, text };
                let start = rest.as_ptr().addr() - text.as_ptr().addr();
                let mut json = serde_json::Deserializer::from_str(rest);
                let read = self.value(rest.as_bytes()[0], &mut json, place);
                if let Some((fault, at)) = self.fault.take() {
                    let place = self.place(line_of(text, at));
                    return Err(format!("{place}: {fault}. {AGAIN}"));
                }
                if let Err(error) = read {
                    return Err(self.invalid(&error, text, start));
                }
                let end = json.into_iter::<IgnoredAny>().byte_offset();
                rest = if is_marked {
                    ""
                } else {
                    behind_blanks(&rest[end..])
                };
            }
        }
        Ok(())
    }

    /// Takes a value that stands alone: a list, an event, or an object with a list.
    fn value<'f>(
        &mut self,
        first: u8,
        json: &mut serde_json::Deserializer<StrRead<'f>>,
        place: Place<'f>,
    ) -> Result<(), serde_json::Error> {
        if first == b'[' {
            self.has_list = true;
            self.close(String::new());
            let elements = Elements {
                reading: self,
                place,
                is_pair: false,
            };
            elements.deserialize(json)?;
            self.close(String::new());
            return Ok(());
        }
        let value = <&RawValue>::deserialize(json)?;
        if first == b'{' {
            self.object(value, place);
        } else {
            self.fault = Some(("the file is no trajectory".to_owned(), place.of(value)));
        }
        Ok(())
    }

    /// Takes an object: an event, or a record with a list of events. What is wrong with it becomes the fault.
    fn object(&mut self, object: &RawValue, place: Place<'_>) {
        let fields: Fields<'_> = match serde_json::from_str(object.get()) {
            Ok(fields) => fields,
            Err(error) => {
                let words = error.to_string();
                let words = words.split(" at line ").next().unwrap_or_default();
                self.fault = Some((format!("it cannot be read ({words})"), place.of(object)));
                return;
            }
        };
        match fields.list() {
            Some(list) if !fields.is_event() => {
                self.has_list = true;
                // Events before it belong to another trajectory.
                self.close(String::new());
                let mut json = serde_json::Deserializer::from_str(list.get());
                let elements = Elements {
                    reading: &mut *self,
                    place,
                    is_pair: false,
                };
                // Its syntax is right, so nothing else can be wrong than what is the fault already.
                let _ = elements.deserialize(&mut json);
                self.close(fields.name().unwrap_or_default());
            }
            _ => {
                self.loose.is_known |= fields.is_event();
                self.event(object, place);
            }
        }
    }

    /// Takes an event, or keeps what is wrong with it.
    fn event(&mut self, event: &RawValue, place: Place<'_>) {
        let fault = if self.events == MOST_EVENTS {
            format!("the file has more than {MOST_EVENTS} events")
        } else if event.get().len() > LARGEST_EVENT {
            format!("it is larger than {} MB", LARGEST_EVENT >> 20)
        } else {
            self.events += 1;
            self.loose.events.push(place.slice(event));
            return;
        };
        self.fault = Some((fault, place.of(event)));
    }

    /// Ends a trajectory: what follows belongs to another.
    fn close(&mut self, name: String) {
        let trajectory = std::mem::take(&mut self.loose);
        if !trajectory.events.is_empty() {
            self.found.push(Trajectory { name, ..trajectory });
        }
    }

    fn end(mut self) -> Result<Vec<Trajectory>, String> {
        // Events one after the other are a list, too; a single object without any sign of an event is none.
        self.has_list |= self.loose.is_known || self.loose.events.len() > 1;
        self.close(String::new());
        if !self.has_list {
            let names = LISTS.map(|name| format!("“{name}”")).join(", ");
            return Err(format!(
                "The file has no list of events: none of {names}. {AGAIN}"
            ));
        }
        if self.found.is_empty() {
            return Err(format!("The file has no events. {AGAIN}"));
        }
        // An instance of a benchmark that failed has a record without events.
        let is_any_known = self.found.iter().any(|trajectory| trajectory.is_known);
        self.found
            .retain(|trajectory| trajectory.is_known || !is_any_known);
        if !is_any_known {
            return Err(format!(
                "None of the {} entries is an event of OpenHands: they have no “kind”, “action” or “observation”. Nothing \
                 was imported. Choose the trajectory of a conversation.",
                self.events
            ));
        }
        match self.found.len() {
            0..=MOST_TRAJECTORIES => Ok(self.found),
            many => Err(format!(
                "The file has {many} conversations, more than {MOST_TRAJECTORIES}. Nothing was imported. Import it in parts."
            )),
        }
    }

    fn place(&self, (line, column): (usize, usize)) -> String {
        format!("Line {line}, column {column} (event {})", self.events + 1)
    }

    fn invalid(&self, error: &serde_json::Error, text: &str, start: usize) -> String {
        let words = error.to_string();
        let words = words.split(" at line ").next().unwrap_or_default();
        let what = match error.classify() {
            Category::Eof => "the file ends too early".to_owned(),
            Category::Data => format!("the file is no trajectory ({words})"),
            _ => format!("the file is not valid JSON ({words})"),
        };
        let (line, column) = line_of(text, start);
        let column = if error.line() == 1 { column - 1 } else { 0 } + error.column();
        let place = self.place((line + error.line() - 1, column));
        format!("{place}: {what}. {AGAIN}")
    }
}

/// A file as valid UTF-8 in which Python's own kind of JSON is repaired. Nothing is copied if nothing is wrong.
fn as_text(file: &Bytes) -> Bytes {
    let units = |of: fn([u8; 2]) -> u16| {
        let (pairs, _) = file[2..].as_chunks::<2>();
        let units: Vec<u16> = pairs.iter().map(|pair| of(*pair)).collect();
        Bytes::from(String::from_utf16_lossy(&units))
    };
    // Shells of Windows write what a command prints as UTF-16; some editors begin a file with a mark.
    let file = match file.get(..2) {
        Some(b"\xff\xfe") => units(u16::from_le_bytes),
        Some(b"\xfe\xff") => units(u16::from_be_bytes),
        _ if file.starts_with(b"\xef\xbb\xbf") => file.slice(3..),
        _ => file.clone(),
    };
    match repaired(&file) {
        Cow::Borrowed(text) if text.len() == file.len() && !text.contains(ESCAPE) => file.clone(),
        text => Bytes::from(without_colours(&text)),
    }
}

/// Begins a colour of a terminal. JSON has no such character in it.
const ESCAPE: &str = "\u{1b}[";

/// A text without the colours in which a command has printed it.
fn without_colours(text: &str) -> String {
    let mut parts = text.split(ESCAPE);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| !letter.is_ascii_digit() && letter != ';');
        plain.push_str(end.and_then(|end| part.get(end + 1..)).unwrap_or(part));
    }
    plain
}

/// What follows blanks, and the marks at the beginnings of files that were joined.
fn behind_blanks(text: &str) -> &str {
    text.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}')
}

/// The parts of a text that have JSON: all of it, or, of what a command has printed, what follows each mark.
fn parts(text: &str) -> Vec<&str> {
    // No line within JSON begins so: its texts have no line ends.
    let is_line = |at: &usize| {
        let before = text[..*at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with('\n')
    };
    let marks = text.match_indices(MARK).map(|(at, _)| at);
    let marks: Vec<usize> = marks.filter(is_line).collect();
    if marks.is_empty() {
        return vec![text];
    }
    let ends = marks.iter().skip(1).copied().chain([text.len()]);
    marks
        .iter()
        .zip(ends)
        .map(|(start, end)| &text[*start..end])
        .collect()
}

fn line_of(text: &str, at: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..at];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    (line, at - start + 1)
}

/// The file that a value stands in.
#[derive(Clone, Copy)]
struct Place<'f> {
    file: &'f Bytes,
    text: &'f str,
}

impl Place<'_> {
    fn of(self, value: &RawValue) -> usize {
        value.get().as_ptr().addr() - self.text.as_ptr().addr()
    }

    fn slice(self, value: &RawValue) -> Bytes {
        let start = self.of(value);
        self.file.slice(start..start + value.get().len())
    }
}

/// What an object says about itself. Of a name that it has twice the last value counts, as for Python.
#[derive(Deserialize)]
#[serde(transparent)]
struct Fields<'a>(#[serde(borrow)] HashMap<String, &'a RawValue>);

impl<'a> Fields<'a> {
    fn values(&self, names: &[&str]) -> impl Iterator<Item = &'a RawValue> {
        names.iter().filter_map(|name| self.0.get(*name).copied())
    }

    fn is_event(&self) -> bool {
        self.values(&["kind", "action", "observation"])
            .any(|value| value.get().starts_with('"'))
    }

    /// Its list of events: the first one that has some.
    fn list(&self) -> Option<&'a RawValue> {
        let is_list = |value: &&RawValue| value.get().starts_with('[');
        let is_empty = |value: &&RawValue| value.get()[1..].trim_start().starts_with(']');
        let mut lists = self.values(&LISTS).filter(is_list);
        let first = lists.next()?;
        let filled = [first]
            .into_iter()
            .chain(lists)
            .find(|list| !is_empty(list));
        filled.or(Some(first))
    }

    /// The name of a record.
    fn name(&self) -> Option<String> {
        let names = self.values(&["instance_id", "title"]);
        names.map(|value| value.get()).find_map(|value| {
            let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
            match serde_json::from_str::<String>(value) {
                Ok(name) => Some(name),
                Err(_) => is_number.then(|| value.to_owned()),
            }
            .filter(|name| !name.trim().is_empty() && name.len() <= LONGEST_NAME)
        })
    }
}

/// The title in the file that describes a conversation.
fn name_of(about: &[u8]) -> Option<String> {
    let about = read_json(about)?;
    let title = about.get("title")?.as_str()?;
    (!title.trim().is_empty() && title.len() <= LONGEST_NAME).then(|| title.to_owned())
}

/// The elements of a list: events, pairs of them, or objects with lists of their own.
struct Elements<'r, 'f> {
    reading: &'r mut Reading,
    place: Place<'f>,
    is_pair: bool,
}

impl<'de> DeserializeSeed<'de> for Elements<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Self {
            reading,
            place,
            is_pair,
        } = self;
        while let Some(element) = list.next_element::<&RawValue>()? {
            let text = element.get();
            match text.as_bytes()[0] {
                b'{' => reading.object(element, place),
                // Benchmarks write an action and its observation as a pair.
                b'[' if !is_pair => {
                    let mut json = serde_json::Deserializer::from_str(text);
                    let pair = Elements {
                        reading: &mut *reading,
                        place,
                        is_pair: true,
                    };
                    let _ = pair.deserialize(&mut json);
                }
                // A pair lacks one of its events.
                b'n' if is_pair => {}
                _ => reading.fault = Some(("it is not an object".to_owned(), place.of(element))),
            }
            if reading.fault.is_some() {
                return Err(A::Error::custom("an event is not accepted"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
