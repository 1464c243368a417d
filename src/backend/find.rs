//! Detects the protocol of the backend at an address.
//!
//! An agent-server 1.x identifies itself without a key; 0.x is recognized by its configuration and its Socket.IO
//! endpoint (`docs/protocol/v1.md` section 3). For anything else the error says what to do.

use super::http::{Call, Connection, Rest};
use super::json::text;
use super::openhands::has_socket;
use super::{Answer, BackendError, Protocol};
use serde_json::Value;

const NEITHER: &str = "this is neither OpenHands 0.x nor an agent-server 1.x; is the port right? By default OpenHands 0.x \
                       listens on 3000 and an agent-server on 8000";
const NO_LINE: &str =
    "this OpenHands has no Socket.IO connection; enter the address of its agent-server instead";

/// Detects the protocol at `connection`.
///
/// # Errors
/// A sentence if no server responds, or one that is neither 0.x nor 1.x.
pub async fn find(connection: &Connection) -> Answer<Protocol> {
    let rest = Rest::new(connection.clone())?;
    match rest.json(Call::get(&["server_info"])).await {
        Ok(info) if is_agent_server(&info) => return Ok(Protocol::AgentServer),
        Err(error) if is_silence(&error) => return Err(error),
        // Older servers lack this route; the 0.x configuration decides.
        _ => {}
    }
    let call = Call::get(&["api", "options", "config"]).missing("its API");
    match rest.json(call).await {
        Ok(config) if config.get("APP_MODE").is_some() => {}
        Err(error) if is_silence(&error) || matches!(error, BackendError::Unauthorized) => {
            return Err(error);
        }
        _ => return Err(BackendError::unexpected(NEITHER)),
    }
    match has_socket(&rest).await? {
        true => Ok(Protocol::SocketIo),
        false => Err(BackendError::unexpected(NO_LINE)),
    }
}

fn is_agent_server(info: &Value) -> bool {
    let title = text(&info["title"]);
    title.to_lowercase().contains("agent server")
}

fn is_silence(error: &BackendError) -> bool {
    use BackendError::{RateLimited, Timeout, Unreachable};
    matches!(error, Unreachable(_) | Timeout(_) | RateLimited(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::openhands::stub::at;
    use crate::backend::test_support::{answers, serve};
    use axum::{Json, Router, response::Html};
    use serde_json::json;

    /// Runs the detection against a server with these routes.
    async fn found(routes: Router) -> Answer<Protocol> {
        find(&serve(routes).await).await
    }

    #[tokio::test]
    async fn each_protocol_is_found_behind_the_same_field() {
        let info = json!({ "title": "OpenHands Agent Server", "version": "1.58.2" });
        assert_eq!(
            found(answers("/server_info", info)).await.unwrap(),
            Protocol::AgentServer
        );
        let config = answers("/api/options/config", json!({ "APP_MODE": "oss" }));
        let line = config.clone().merge(answers("/socket.io/", json!({})));
        assert_eq!(found(line).await.unwrap(), Protocol::SocketIo);
        let error = found(config).await.unwrap_err().to_string();
        assert!(error.contains("no Socket.IO connection"), "{error}");
    }

    #[tokio::test]
    async fn a_stranger_is_told_what_was_expected_and_a_closed_port_what_is_wrong() {
        for stranger in [
            Router::new().fallback(|| async { Html("<html>router</html>") }),
            Router::new().fallback(|| async { Json(json!({ "hello": 1 })) }),
        ] {
            let error = found(stranger).await.unwrap_err().to_string();
            assert!(error.contains("is the port right?"), "{error}");
        }
        let closed = find(&at(1)).await;
        assert!(matches!(closed, Err(BackendError::Unreachable(_))));
    }
}
