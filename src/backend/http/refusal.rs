//! Interprets error responses.
//!
//! 0.62 has no uniform shape for errors: `{"detail"}`, `{"error"}`, `{"message"}`, `{"status", "msg_id"}`, a bare JSON
//! string or plain text; a proxy in front of it responds with HTML (`docs/protocol/v0.md` section 8).

use crate::backend::BackendError;
use crate::backend::json::entries;
use crate::wire::read_json;
use serde_json::Value;

/// What a 404 means for a route.
#[derive(Debug, Clone, Copy)]
pub(in crate::backend) enum Missing {
    /// The object does not exist.
    Thing(&'static str),
    /// The sandbox is not running.
    Runtime,
}

/// The error of Git routes for a workspace that is not a repository.
pub(in crate::backend) const NO_REPOSITORY: &str = "Not a git repository";

/// Interprets a response with an error status.
pub(in crate::backend) fn refusal(status: u16, body: &[u8], missing: Missing) -> BackendError {
    let json = read_json(body);
    let said = json.as_ref().and_then(error_text);
    match status {
        // Git routes answer 401 if a Git provider's token is missing; this says nothing about our key.
        401 | 403 => match said {
            Some(said) if said != "Unauthorized" && said != "Invalid token" => {
                BackendError::Refused(said)
            }
            _ => BackendError::Unauthorized,
        },
        404 => match missing {
            Missing::Thing(what) => BackendError::NotFound(what.to_owned()),
            // This is the only 404 of a sandbox that is running.
            Missing::Runtime => match said {
                Some(said) if said == NO_REPOSITORY => BackendError::Refused(said),
                _ => BackendError::NotRunning,
            },
        },
        429 => BackendError::RateLimited(1),
        300..=399 => BackendError::unexpected("it redirects to another address; enter that one"),
        502..=504 => BackendError::Unreachable(format!("its proxy answered {status}")),
        _ => match (set_up(json.as_ref()), said) {
            (Some(lacking), _) => BackendError::NotSetUp(lacking.to_owned()),
            (None, Some(said)) => BackendError::Refused(said),
            (None, None) => BackendError::Unexpected(strange(status, body)),
        },
    }
}

/// Interprets a response that should be JSON and is not.
pub(in crate::backend) fn not_json(body: &[u8]) -> BackendError {
    BackendError::Unexpected(strange(200, body))
}

/// The message of an error in any of its shapes, as one line of at most 500 characters.
pub(in crate::backend) fn error_text(json: &Value) -> Option<String> {
    let text = match json {
        Value::String(text) => text.clone(),
        Value::Object(map) => {
            let mut fields = ["detail", "error", "message", "msg_id"].iter();
            let said = fields.find_map(|key| map.get(*key).filter(|value| !value.is_null()))?;
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

/// One entry of FastAPI's list: the field and its error.
fn complaint(entry: &Value) -> String {
    let said = entry["msg"].as_str().unwrap_or("invalid");
    let field = entries(&entry["loc"]).next_back().and_then(Value::as_str);
    match field {
        Some(field) if field != "body" => format!("{field}: {said}"),
        _ => said.to_owned(),
    }
}

/// What is missing before a conversation can start, by the backend's error code.
fn set_up(json: Option<&Value>) -> Option<&'static str> {
    match json?.get("msg_id")?.as_str()? {
        "CONFIGURATION$SETTINGS_NOT_FOUND" => Some("choose a model in Settings"),
        "STATUS$ERROR_LLM_AUTHENTICATION" => Some("enter the API key of the model in Settings"),
        _ => None,
    }
}

fn strange(status: u16, body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(2000)]);
    let text = text.trim();
    if text.starts_with('<') {
        return format!("a web page ({status}); this may not be the address of OpenHands");
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
                "OpenHands rejected the API key",
            ),
            (
                401,
                r#""No providers set.""#,
                "OpenHands refused: No providers set.",
            ),
            (
                404,
                r#"{"detail":"Conversation x not found"}"#,
                "OpenHands could not find this conversation",
            ),
            (
                400,
                r#"{"message":"Secret A already exists"}"#,
                "OpenHands refused: Secret A already exists",
            ),
            (
                500,
                r#"{"error":"Error opening file:\n gone"}"#,
                "OpenHands refused: Error opening file: gone",
            ),
            (
                500,
                "Internal Server Error",
                "unexpected response: an internal error (500)",
            ),
            (500, "", "unexpected response: nothing (500)"),
            (
                502,
                "<html>",
                "OpenHands cannot be reached: its proxy answered 502",
            ),
            (
                302,
                "",
                "unexpected response: it redirects to another address; enter that one",
            ),
            (
                418,
                "<!doctype html><p>hi",
                "unexpected response: a web page (418); this may not be the address of OpenHands",
            ),
            (
                400,
                r#"{"status":"error","message":"x","msg_id":"CONFIGURATION$SETTINGS_NOT_FOUND"}"#,
                "OpenHands is not set up: choose a model in Settings",
            ),
            (
                400,
                r#"{"status":"error","msg_id":"SOME$CODE"}"#,
                "OpenHands refused: SOME$CODE",
            ),
            (
                422,
                r#"{"detail":[{"loc":["body","max_iterations"],"msg":"Input should be a valid integer"},{"loc":["body"],"msg":"Field required"}]}"#,
                "OpenHands refused: max_iterations: Input should be a valid integer; Field required",
            ),
            (
                500,
                r#"{"detail":{"deep":[1]}}"#,
                r#"OpenHands refused: {"deep":[1]}"#,
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
