//! Detects the protocol of the backend at an address.
//!
//! An agent-server 1.x identifies itself without a key; 0.x is recognized by its configuration and its Socket.IO
//! endpoint, the app server by the configuration for its web client (`docs/protocol/`). Versions that serve 0.x beside
//! the app server's routes count as 0.x. For anything else the error says what to do.

use super::http::{Call, Connection, Rest};
use super::json::text;
use super::openhands::has_socket;
use super::{Answer, BackendError, Protocol};
use serde_json::Value;

const NEITHER: &str = "this is no OpenHands: neither 0.x, nor an app server, nor an agent-server; is the port right? By \
                       default OpenHands listens on 3000 and an agent-server on 8000";
const PAGE: &str = "a web page answers here instead of an OpenHands server. It may be a client whose server has \
                    another address, or the login page of a proxy. Enter the address of the server behind it";
const NO_SOCKET: &str =
    "this OpenHands has no Socket.IO connection; enter the address of its agent-server instead";
const NO_HTTP: &str = "what listens there does not speak HTTP. Is the port right? If it uses TLS, the address must start \
                       with https://";
const CLOUD: &str = "this is OpenHands Cloud or Enterprise, which Handrail does not support";

/// Detects the protocol at `connection`.
///
/// # Errors
/// A sentence if no server responds, or one that is none of the three.
pub async fn find(connection: &Connection) -> Answer<Protocol> {
    let rest = Rest::new(connection.clone())?;
    let mut is_page = false;
    match rest.json(Call::get(&["server_info"])).await {
        Ok(info) if is_agent_server(&info) => return Ok(Protocol::AgentServer),
        Ok(_) => {}
        Err(error) if is_silence(&error) => return Err(explained(error)),
        // Older servers lack this route; the other configurations decide.
        Err(error) => is_page = is_web_page(&error),
    }
    let call = Call::get(&["api", "options", "config"]).missing("its API");
    let is_0x = match rest.json(call).await {
        Ok(config) => config.get("APP_MODE").is_some(),
        Err(error) if is_silence(&error) => return Err(error),
        // Only 0.x asks for a key here.
        Err(error @ BackendError::Unauthorized) => return Err(error),
        Err(_) => false,
    };
    if is_0x && has_socket(&rest).await? {
        return Ok(Protocol::SocketIo);
    }
    let config = rest.json(Call::get(&["api", "v1", "web-client", "config"]));
    match config.await {
        Ok(config) if config["app_mode"] == "saas" => Err(BackendError::unexpected(CLOUD)),
        Ok(config) if config["app_mode"].is_string() => Ok(Protocol::AppServer),
        Err(error) if is_silence(&error) => Err(error),
        _ => Err(BackendError::unexpected(match (is_0x, is_page) {
            (true, _) => NO_SOCKET,
            (false, true) => PAGE,
            (false, false) => NEITHER,
        })),
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

/// Whether a proxy or a client answered with its page, or sent us to its login.
fn is_web_page(error: &BackendError) -> bool {
    let BackendError::Unexpected(why) = error else {
        return false;
    };
    why.starts_with("a web page") || why.starts_with("it redirects")
}

/// Replaces the HTTP library's words for a peer that speaks another protocol.
fn explained(error: BackendError) -> BackendError {
    match error {
        BackendError::Unreachable(why)
            if why.contains("invalid HTTP")
                || why.contains("unexpected message")
                || why.contains("before message completed") =>
        {
            BackendError::Unreachable(NO_HTTP.to_owned())
        }
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::openhands::tests::stub::at;
    use crate::backend::tests::support::{answers, serve};
    use axum::{Json, Router, response::Html, response::Redirect};
    use serde_json::json;
    use tokio::io::AsyncWriteExt;

    /// Runs the detection against a server with these routes.
    async fn found(routes: Router) -> Answer<Protocol> {
        find(&serve(routes).await).await
    }

    async fn why_not(routes: Router) -> String {
        found(routes).await.unwrap_err().to_string()
    }

    /// A page for every unknown path, as servers do that bring a client.
    fn page() -> Router {
        Router::new().fallback(|| async { Html("<html>a client</html>") })
    }

    #[tokio::test]
    async fn each_protocol_is_found_behind_the_same_field() {
        let info = |version: &str| json!({ "title": "OpenHands Agent Server", "version": version });
        for version in ["1.0.0", "1.30.0", "1.58.2"] {
            let routes = answers("/server_info", info(version));
            assert_eq!(found(routes).await.unwrap(), Protocol::AgentServer);
        }
        let config = answers("/api/options/config", json!({ "APP_MODE": "oss" }));
        let socket = config.clone().merge(answers("/socket.io/", json!({})));
        assert_eq!(found(socket.clone()).await.unwrap(), Protocol::SocketIo);
        let error = why_not(config.clone()).await;
        assert!(error.contains("no Socket.IO connection"), "{error}");
        let resources = answers("/server_info", json!({ "uptime": 1.0, "resources": {} }));
        let app = answers("/api/v1/web-client/config", json!({ "app_mode": "oss" }));
        let app = app.merge(resources);
        assert_eq!(found(app.clone()).await.unwrap(), Protocol::AppServer);
        let image = app.clone().merge(page());
        assert_eq!(found(image).await.unwrap(), Protocol::AppServer);
        // 1.0 to 1.6 have both; their Socket.IO connection is complete.
        assert_eq!(found(app.merge(socket)).await.unwrap(), Protocol::SocketIo);
        let cloud = answers("/api/v1/web-client/config", json!({ "app_mode": "saas" }));
        let error = why_not(cloud).await;
        assert!(error.contains("Cloud or Enterprise"), "{error}");
    }

    #[tokio::test]
    async fn a_stranger_is_told_what_was_expected_and_a_closed_port_what_is_wrong() {
        let other = Router::new().fallback(|| async { Json(json!({ "hello": 1 })) });
        let error = why_not(other).await;
        assert!(error.contains("is the port right?"), "{error}");
        let login = Router::new().fallback(|| async { Redirect::to("/login") });
        for stranger in [page(), login] {
            let error = why_not(stranger).await;
            assert!(error.contains("the login page of a proxy"), "{error}");
        }
        let closed = find(&at(1)).await;
        assert!(matches!(closed, Err(BackendError::Unreachable(_))));
    }

    #[tokio::test]
    async fn a_port_that_speaks_something_else_is_told_as_that() {
        for greeting in [
            "SSH-2.0-OpenSSH_9.6\r\n",
            "\u{15}\u{3}\u{3}\0\u{2}\u{2}\u{46}",
        ] {
            let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
                .await
                .unwrap();
            let port = listener.local_addr().unwrap().port();
            tokio::spawn(async move {
                while let Ok((mut peer, _)) = listener.accept().await {
                    let _ = peer.write_all(greeting.as_bytes()).await;
                }
            });
            let error = find(&at(port)).await.unwrap_err().to_string();
            assert!(error.contains("does not speak HTTP"), "{error}");
        }
    }
}
