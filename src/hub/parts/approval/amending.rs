//! An action that people can amend: a command or code, with its tool and its other arguments.
//!
//! Two actions are the same if their JSON is: the tool, the text and every other argument, whatever the order of names.

use crate::conversation::{Card, PendingConfirmation, Row, Tool};
use crate::people::amended_text;
use serde_json::{Map, Value, json};

/// Longest text that can be amended, and that can be asked for instead, in bytes: it is sent with each state of the session.
const LONGEST: usize = 4 << 10;

/// A pending action that can be amended. It is alone: one answer decides on nothing else.
#[derive(Debug, Clone, PartialEq)]
pub struct Amendable {
    kind: &'static str,
    /// The name of its tool.
    tool: String,
    /// The command, or the code.
    text: String,
    /// All other arguments.
    more: Map<String, Value>,
}

impl Amendable {
    /// The pending action, if it can be amended: it is alone, is held back, and is a command or code.
    pub fn of(calls: &PendingConfirmation, rows: &[Row]) -> Option<Self> {
        let [pending] = &calls.calls[..] else {
            return None;
        };
        let row = rows.iter().find(|row| row.id == pending.row)?;
        let Card::Call(called) = &row.card else {
            return None;
        };
        let call = &called.call;
        if !call.held || !pending.held || call.fingerprint() != pending.fingerprint {
            return None;
        }
        Self::in_row(row)
    }

    /// The command or code of a row, whatever became of it; `None` if it is neither, or too long.
    pub fn in_row(row: &Row) -> Option<Self> {
        let Card::Call(called) = &row.card else {
            return None;
        };
        let call = &called.call;
        let (kind, text) = match &call.tool {
            Tool::Shell {
                command,
                input: false,
            } => ("shell", command),
            Tool::Cell { code } => ("cell", code),
            _ => return None,
        };
        if text.len() > LONGEST {
            return None;
        }
        Some(Self {
            kind,
            tool: call.tool_name.clone(),
            text: text.clone(),
            more: call.more.clone(),
        })
    }

    /// The command, or the code.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same action with another text.
    ///
    /// Errors: a whole sentence, if nothing can be asked for with it.
    pub fn with(&self, text: &str) -> Result<Self, &'static str> {
        let text = amended_text(text);
        if text.is_empty() {
            return Err("Nothing was sent: write what the agent should run instead.");
        }
        if text.len() > LONGEST {
            return Err("Nothing was sent: this is too long. Send it as a message.");
        }
        if text == self.text.trim() {
            return Err(
                "Nothing was sent: this is what is pending. Change it first, or approve it.",
            );
        }
        Ok(Self {
            text,
            ..self.clone()
        })
    }

    /// The action as JSON, the same for the same action.
    pub fn action(&self) -> String {
        let more = sorted(&Value::Object(self.more.clone()));
        json!([self.kind, self.tool, self.text, more]).to_string()
    }

    /// The command or code of an action that [`Self::action`] has made.
    pub fn text_in(action: &str) -> Option<String> {
        let fields: (String, String, String, Value) = serde_json::from_str(action).ok()?;
        Some(fields.2)
    }

    /// The text that asks the agent for exactly this action.
    pub fn request(&self) -> String {
        let fence = fence(&self.text);
        let what = match self.kind {
            "shell" => "command",
            _ => "code",
        };
        format!(
            "Not this. Run exactly this {what} instead, unchanged and on its own:\n\n{fence}\n{}\n{fence}",
            self.text
        )
    }
}

/// A fence that the text does not contain.
fn fence(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max();
    "`".repeat(longest.unwrap_or_default().max(2) + 1)
}

/// The same value, with the names of its objects as pairs in order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut pairs: Vec<(&String, &Value)> = fields.iter().collect();
            pairs.sort_by_key(|(name, _)| *name);
            let pairs = pairs.into_iter();
            Value::Array(vec![
                json!("object"),
                pairs
                    .map(|(name, value)| json!([name, sorted(value)]))
                    .collect(),
            ])
        }
        Value::Array(all) => Value::Array(vec![json!("array"), all.iter().map(sorted).collect()]),
        plain => plain.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(text: &str, more: Value) -> Amendable {
        let Value::Object(more) = more else {
            panic!("arguments are an object")
        };
        Amendable {
            kind: "shell",
            tool: "run".to_owned(),
            text: text.to_owned(),
            more,
        }
    }

    #[test]
    fn the_same_action_has_the_same_json_and_another_one_has_not() {
        let one = runs("ls", json!({"a": 1, "b": {"x": [1, 2], "y": null}}));
        let same: Value =
            serde_json::from_str(r#"{"b": {"y": null, "x": [1, 2]}, "a": 1}"#).expect("JSON");
        assert_eq!(one.action(), runs("ls", same).action());
        for other in [
            runs("ls ", json!({"a": 1, "b": {"x": [1, 2], "y": null}})),
            runs("ls", json!({"a": "1", "b": {"x": [1, 2], "y": null}})),
            runs("ls", json!({"a": 1, "b": {"x": [2, 1], "y": null}})),
            runs("ls", json!({"a": 1, "b": {"x": [1, 2]}})),
            runs("ls", json!({"a": 1})),
            runs("ls", json!({})),
            Amendable {
                tool: "other".to_owned(),
                ..one.clone()
            },
            Amendable {
                kind: "cell",
                ..one.clone()
            },
        ] {
            assert_ne!(one.action(), other.action());
        }
        let (object, array) = (json!({"a": {"b": 1}}), json!({"a": ["object", [["b", 1]]]}));
        assert_ne!(runs("ls", object).action(), runs("ls", array).action());
    }

    #[test]
    fn what_is_asked_for_is_what_was_typed() {
        let pending = runs("rm -rf build", json!({"timeout": 9}));
        let amended = pending
            .with("  rm build/a\r\necho `x` ```y```\n")
            .expect("it differs");
        assert_eq!(amended.text(), "rm build/a\necho `x` ```y```");
        assert_eq!(amended.more, pending.more);
        assert!(
            amended
                .request()
                .ends_with("\n````\nrm build/a\necho `x` ```y```\n````")
        );
        assert!(pending.with(" ").is_err() && pending.with("rm -rf build\n").is_err());
        assert!(pending.with(&"x".repeat(LONGEST + 1)).is_err());
    }
}
