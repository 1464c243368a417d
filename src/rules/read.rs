//! Reading an action: what it does, or why no rule can judge it.

use super::{Reading, ReadingOf, Reason, Understood, command::command_line, path};
use crate::conversation::{Call, FileOp, Tool};
use crate::render::reveal_hidden;
use serde_json::Value;

/// Longest action, in bytes of all its texts: all of it is on the card.
const MOST_BYTES: usize = 32 << 10;
/// The class names by which a card marks what cannot be seen.
const MARKS: [&str; 2] = ["hidden-char", "blank-char"];

/// Reads an action.
pub fn read(call: &Call) -> ReadingOf {
    ReadingOf {
        risk: call.risk,
        what: what(call),
    }
}

impl Reading {
    /// What is left of it, given all that is `shown` of the actions, and whether the card `is_whole`.
    pub fn as_shown(mut self, shown: &str, is_whole: bool) -> Self {
        let reason = match MARKS.iter().any(|mark| shown.contains(mark)) {
            _ if !is_whole => Reason::TooLong,
            true => Reason::Hidden,
            false => return self,
        };
        for action in &mut self.actions {
            action.what = action.what.clone().and(Err(reason));
        }
        self
    }
}

fn what(call: &Call) -> Result<Understood, Reason> {
    let what = match &call.tool {
        Tool::Shell { input: true, .. } => return Err(Reason::Input),
        // It is run as it is, with its blanks.
        Tool::Shell { command, .. } => command_line(command).map(Understood::Commands),
        Tool::File(op) => file(op),
        Tool::Mcp { name, arguments } => mcp(name, arguments),
        _ => Err(Reason::Kind),
    }?;
    // 0.62 has done it by now: an approval repeats it.
    if !call.held {
        return Err(Reason::NotHeld);
    }
    // The time limit of a command changes nothing of what it does.
    let is_limit = |(name, value): (&String, &Value)| {
        name == "timeout" && value.is_number() && matches!(what, Understood::Commands(_))
    };
    match call.more.iter().all(is_limit) {
        true => Ok(what),
        false => Err(Reason::Argument),
    }
}

fn file(op: &FileOp) -> Result<Understood, Reason> {
    let path = op.path();
    if path::steps(path).is_none() {
        return Err(Reason::Path);
    }
    let texts: &[&str] = match op {
        FileOp::View { .. } => return Ok(Understood::View(path.to_owned())),
        FileOp::Create { text, .. } | FileOp::Insert { text, .. } => &[text],
        FileOp::Replace { old, new, .. } => &[old, new],
        // What comes back, or what a model makes of it, is not shown.
        FileOp::Undo { .. } | FileOp::Rewrite { .. } => return Err(Reason::Kind),
    };
    if texts.iter().map(|text| text.len()).sum::<usize>() > MOST_BYTES {
        return Err(Reason::TooLong);
    }
    let is_unseen = matches!(texts, [old, new] if is_same_to_the_eye(old, new));
    match is_unseen || texts.iter().any(|text| hides(text)) {
        true => Err(Reason::Hidden),
        false => Ok(Understood::Edit(path.to_owned())),
    }
}

/// Whether two texts differ in blanks and ends of lines alone.
fn is_same_to_the_eye(old: &str, new: &str) -> bool {
    let seen =
        |text: &'_ str| -> String { text.chars().filter(|one| !one.is_whitespace()).collect() };
    seen(old) == seen(new)
}

/// Whether a text has characters that are not seen: also a carriage return, and blanks at the end of a line.
fn hides(text: &str) -> bool {
    let ends_blank = |line: &str| line.ends_with([' ', '\t']);
    text.contains('\r') || text.split('\n').any(ends_blank) || reveal_hidden(text).is_some()
}

fn mcp(name: &str, arguments: &Value) -> Result<Understood, Reason> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:".contains(letter);
    if name.is_empty() || !name.chars().all(plain) {
        return Err(Reason::Kind);
    }
    let written = arguments.to_string();
    if written.len() > MOST_BYTES {
        return Err(Reason::TooLong);
    }
    // Escaped in the JSON: each text is looked at as it is.
    match hides_within(arguments, 0) {
        true => Err(Reason::Hidden),
        false => Ok(Understood::Tool(name.to_owned())),
    }
}

fn hides_within(value: &Value, depth: usize) -> bool {
    match value {
        _ if depth > 16 => true,
        Value::String(text) => hides(text),
        Value::Array(list) => list.iter().any(|one| hides_within(one, depth + 1)),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, one)| hides(name) || hides_within(one, depth + 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
