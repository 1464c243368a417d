//! Parses the rejection of a connection (CONNECT_ERROR) from the text that `rust_socketio` puts it into.

use crate::backend::ending::End;
use crate::backend::json::{filled, text};
use crate::wire::read_json;
use serde_json::Value;

/// The rejection in an error of `rust_socketio`; `None` if it is another error.
pub(super) fn refusal(said: &str) -> Option<End> {
    let json = said.strip_prefix("Received an ConnectError frame: ")?;
    let value = read_json(json.as_bytes()).unwrap_or(Value::Null);
    let why = filled(&value["message"]).or_else(|| filled(&value));
    let why = why.unwrap_or_else(|| json.to_owned());
    let why = why.chars().take(500).collect();
    let code = text(&value["data"]["msg_id"]);
    Some(End::Refused { why, code })
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
                refusal(&format!("Received an ConnectError frame: {json}")),
                expected
            );
        }
        assert_eq!(refusal("EngineIO Error"), None);
    }
}
