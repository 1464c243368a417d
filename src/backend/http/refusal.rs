//! What an answer means that is not a yes.
//!
//! 0.62 has no one shape for errors: `{"detail"}`, `{"error"}`, `{"message"}`, `{"status", "msg_id"}`, a bare
//! JSON string, plain text, and a proxy before it answers in HTML (`protocol/v0.md` section 8).

use crate::backend::BackendError;
use serde_json::Value;

/// What a 404 means on a route.
#[derive(Debug, Clone, Copy)]
pub(in crate::backend) enum Missing {
    /// There is no such thing.
    Thing(&'static str),
    /// The route needs a runtime, and it is not up.
    Runtime,
}

/// What git routes say of a workspace that is no repository.
pub(in crate::backend) const NO_REPOSITORY: &str = "Not a git repository";

/// Reads an answer with a status that is no success.
pub(in crate::backend) fn refusal(status: u16, body: &[u8], missing: Missing) -> BackendError {
    let json = serde_json::from_slice::<Value>(body).ok();
    let said = json.as_ref().and_then(words);
    match status {
        // Git routes answer 401 for a token of a git provider, which is not our key.
        401 | 403 => match said {
            Some(said) if said != "Unauthorized" && said != "Invalid token" => {
                BackendError::Refused(said)
            }
            _ => BackendError::Unauthorized,
        },
        404 => match missing {
            Missing::Thing(what) => BackendError::NotFound(what.to_owned()),
            // The one thing that can be missing in a runtime that is up.
            Missing::Runtime => match said {
                Some(said) if said == NO_REPOSITORY => BackendError::Refused(said),
                _ => BackendError::NotRunning,
            },
        },
        429 => BackendError::RateLimited(1),
        300..=399 => {
            BackendError::Unexpected("it points to another address; set that one".to_owned())
        }
        502..=504 => BackendError::Unreachable(format!("the proxy before it says {status}")),
        _ => match (set_up(json.as_ref()), said) {
            (Some(lacking), _) => BackendError::NotSetUp(lacking.to_owned()),
            (None, Some(said)) => BackendError::Refused(said),
            (None, None) => BackendError::Unexpected(strange(status, body)),
        },
    }
}

/// Reads an answer that should have been JSON and is not.
pub(in crate::backend) fn not_json(body: &[u8]) -> BackendError {
    BackendError::Unexpected(strange(200, body))
}

/// The words of an error in any of its shapes, one line, cut to what a person reads.
pub(in crate::backend) fn words(json: &Value) -> Option<String> {
    let text = match json {
        Value::String(text) => text.clone(),
        Value::Object(map) => {
            let said = ["detail", "error", "message", "msg_id"]
                .iter()
                .find_map(|key| map.get(*key).filter(|value| !value.is_null()))?;
            match said {
                Value::String(text) => text.clone(),
                // FastAPI lists what is wrong with a body: one entry per field.
                Value::Array(entries) => {
                    entries.iter().map(complaint).collect::<Vec<_>>().join("; ")
                }
                other => other.to_string(),
            }
        }
        _ => return None,
    };
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then(|| line.chars().take(500).collect())
}

/// One entry of FastAPI's list: the field, and what it should be.
fn complaint(entry: &Value) -> String {
    let said = entry
        .get("msg")
        .and_then(Value::as_str)
        .unwrap_or("invalid");
    let field = entry
        .get("loc")
        .and_then(Value::as_array)
        .and_then(|path| path.last())
        .and_then(Value::as_str);
    match field {
        Some(field) if field != "body" => format!("{field}: {said}"),
        _ => said.to_owned(),
    }
}

/// What is missing before a conversation can begin, by upstream's code.
fn set_up(json: Option<&Value>) -> Option<&'static str> {
    match json?.get("msg_id")?.as_str()? {
        "CONFIGURATION$SETTINGS_NOT_FOUND" => Some("no model is set up: open Settings"),
        "STATUS$ERROR_LLM_AUTHENTICATION" => Some("it has no key for its model: open Settings"),
        _ => None,
    }
}

fn strange(status: u16, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(2000)]);
    let text = text.trim();
    if text.starts_with('<') {
        return format!("a web page ({status}), so this may not be the address of an OpenHands");
    }
    match text {
        "" => format!("nothing ({status})"),
        "Internal Server Error" => "an internal error (500)".to_owned(),
        text => format!(
            "\"{}\" ({status})",
            text.chars().take(120).collect::<String>()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(status: u16, body: &str) -> String {
        refusal(status, body.as_bytes(), Missing::Thing("this conversation")).to_string()
    }

    #[test]
    fn every_shape_of_an_error_becomes_a_sentence() {
        for (status, body, expected) in [
            (
                401,
                r#"{"detail":"Unauthorized"}"#,
                "the backend does not accept our key",
            ),
            (
                401,
                r#""No providers set.""#,
                "the backend refuses: No providers set.",
            ),
            (
                404,
                r#"{"detail":"Conversation x not found"}"#,
                "the backend does not know this conversation",
            ),
            (
                400,
                r#"{"message":"Secret A already exists"}"#,
                "the backend refuses: Secret A already exists",
            ),
            (
                500,
                r#"{"error":"Error opening file:\n gone"}"#,
                "the backend refuses: Error opening file: gone",
            ),
            (
                500,
                "Internal Server Error",
                "the backend answered something unexpected: an internal error (500)",
            ),
            (
                500,
                "",
                "the backend answered something unexpected: nothing (500)",
            ),
            (
                502,
                "<html>",
                "the backend cannot be reached: the proxy before it says 502",
            ),
            (
                302,
                "",
                "the backend answered something unexpected: it points to another address; set that one",
            ),
            (
                418,
                "<!doctype html><p>hi",
                "the backend answered something unexpected: a web page (418), so this may not be the address of an OpenHands",
            ),
            (
                400,
                r#"{"status":"error","message":"x","msg_id":"CONFIGURATION$SETTINGS_NOT_FOUND"}"#,
                "the backend is not set up: no model is set up: open Settings",
            ),
            (
                400,
                r#"{"status":"error","msg_id":"SOME$CODE"}"#,
                "the backend refuses: SOME$CODE",
            ),
            (
                422,
                r#"{"detail":[{"loc":["body","max_iterations"],"msg":"Input should be a valid integer"},{"loc":["body"],"msg":"Field required"}]}"#,
                "the backend refuses: max_iterations: Input should be a valid integer; Field required",
            ),
            (
                500,
                r#"{"detail":{"deep":[1]}}"#,
                r#"the backend refuses: {"deep":[1]}"#,
            ),
        ] {
            assert_eq!(says(status, body), expected);
        }
    }

    #[test]
    fn a_missing_runtime_is_not_a_missing_conversation() {
        let says = |body: &str| refusal(404, body.as_bytes(), Missing::Runtime);
        assert!(matches!(says("{}"), BackendError::NotRunning));
        assert!(matches!(
            says(r#"{"error":"Not a git repository"}"#),
            BackendError::Refused(_)
        ));
    }

    #[test]
    fn an_endless_message_is_cut() {
        assert!(says(400, &format!(r#"{{"error":"{}"}}"#, "x ".repeat(9999))).len() < 600);
    }
}
