//! What answers at an address: one field for all backends.
//!
//! An agent-server 1.x says its name without a key; 0.x is known by its configuration and its Socket.IO line
//! (`protocol/v1.md` section 3). Whatever else is there is told, with what to do.

use super::http::{Call, Connection, Missing, Rest};
use super::openhands::has_socket;
use super::{BackendError, Protocol};
use serde_json::Value;

const NEITHER: &str = "neither an agent-server of OpenHands 1.x nor an OpenHands 0.x; is the port right? An agent-server \
                       listens on 8000 and OpenHands 0.x on 3000, if nobody has told them otherwise";
const NO_LINE: &str =
    "this OpenHands has no Socket.IO line any more; give the address of its agent-server instead";

/// Asks what answers there.
///
/// # Errors
/// A sentence when nobody does, or something that we cannot talk to.
pub async fn find(connection: &Connection) -> Result<Protocol, BackendError> {
    let rest = Rest::new(connection.clone())?;
    match rest.json(Call::get(&["server_info"])).await {
        Ok(info) if is_agent_server(&info) => return Ok(Protocol::AgentServer),
        Err(error) if is_silence(&error) => return Err(error),
        // Older servers do not have the route; the configuration decides.
        _ => {}
    }
    let missing = Missing::Thing("the routes of OpenHands");
    let call = Call {
        missing,
        ..Call::get(&["api", "options", "config"])
    };
    match rest.json(call).await {
        Ok(config) if config.get("APP_MODE").is_some() => {}
        Err(error) if is_silence(&error) || matches!(error, BackendError::Unauthorized) => {
            return Err(error);
        }
        _ => return Err(BackendError::Unexpected(NEITHER.to_owned())),
    }
    if has_socket(&rest).await? {
        Ok(Protocol::SocketIo)
    } else {
        Err(BackendError::Unexpected(NO_LINE.to_owned()))
    }
}

fn is_agent_server(info: &Value) -> bool {
    let title = info
        .get("title")
        .and_then(Value::as_str)
        .unwrap_or_default();
    title.to_lowercase().contains("agent server")
}

fn is_silence(error: &BackendError) -> bool {
    matches!(
        error,
        BackendError::Unreachable(_) | BackendError::Timeout(_) | BackendError::RateLimited(_)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::openhands::stub::at;
    use axum::{Json, Router, response::Html, routing::get};
    use serde_json::json;

    /// Looks at a server with these routes.
    async fn found(routes: Router) -> Result<Protocol, BackendError> {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
            .await
            .unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        find(&at(port)).await
    }

    fn answers(path: &str, json: Value) -> Router {
        Router::new().route(path, get(|| async { Json(json) }))
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
        assert!(error.contains("no Socket.IO line"), "{error}");
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
        assert!(matches!(
            find(&at(1)).await,
            Err(BackendError::Unreachable(_))
        ));
    }
}
