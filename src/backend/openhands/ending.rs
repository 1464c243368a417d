//! Why a connection ended, in a form that decides and in words for people.

use serde_json::Value;
use std::fmt;

/// Why a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// Nobody there, or no Socket.IO.
    Unreachable(String),
    /// It could not be asked how the conversation is.
    Unasked(String),
    /// The handshake went well and then nothing came: 0.62 does so when the key is missing.
    NoAnswer,
    /// The server does not want us.
    Refused { why: String, code: String },
    /// The server ended it.
    Disconnected,
    /// It broke.
    Broken(String),
    /// Nothing came for a while, and the server does not answer questions either.
    Silent,
    /// A write did not get through.
    WriteStalled,
    /// We ourselves did not keep up.
    ConsumerStalled,
    /// An acknowledgement did not come; what was sent is looked for in the replay.
    AckMissing,
    /// It was not up yet when a person asked for a new attempt.
    GivenUp,
}

/// For people.
impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(why) => write!(f, "The backend cannot be reached ({why})."),
            Self::Unasked(why) => write!(f, "The conversation cannot be looked up: {why}."),
            Self::NoAnswer => write!(f, "The backend does not answer; its key may be missing."),
            Self::Refused { why, .. } => write!(f, "The backend refuses: {why}"),
            Self::Disconnected => write!(f, "The backend ended the connection."),
            Self::Broken(why) => write!(f, "The connection broke ({why})."),
            Self::Silent => write!(f, "The backend does not answer any more."),
            Self::WriteStalled => write!(f, "The backend takes nothing any more."),
            Self::ConsumerStalled => write!(f, "Handrail could not keep up."),
            Self::AckMissing => write!(f, "The backend did not confirm what was sent."),
            Self::GivenUp => write!(f, "The backend did not answer in time."),
        }
    }
}

impl End {
    /// Reads a CONNECT_ERROR out of the text in which the socket's crate hides it.
    pub(super) fn refusal(said: &str) -> Option<Self> {
        let json = said.strip_prefix("Received an ConnectError frame: ")?;
        let value = serde_json::from_str::<Value>(json).unwrap_or(Value::Null);
        let field = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let why = field(value.get("message"))
            .or_else(|| field(Some(&value)))
            .unwrap_or_else(|| json.to_owned());
        let code = field(value.pointer("/data/msg_id")).unwrap_or_default();
        Some(Self::Refused {
            why: why.chars().take(500).collect(),
            code,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_read_in_every_shape() {
        let refused = |why: &str, code: &str| {
            Some(End::Refused {
                why: why.to_owned(),
                code: code.to_owned(),
            })
        };
        for (json, expected) in [
            (
                r#"{"message":"Settings not found","data":{"msg_id":"CONFIGURATION$SETTINGS_NOT_FOUND"}}"#,
                refused("Settings not found", "CONFIGURATION$SETTINGS_NOT_FOUND"),
            ),
            (
                r#"{"message":"invalid_session_api_key"}"#,
                refused("invalid_session_api_key", ""),
            ),
            (r#""Unable to connect""#, refused("Unable to connect", "")),
            ("{broken", refused("{broken", "")),
            ("[1]", refused("[1]", "")),
        ] {
            assert_eq!(
                End::refusal(&format!("Received an ConnectError frame: {json}")),
                expected
            );
        }
        assert_eq!(End::refusal("EngineIO Error"), None);
    }
}
