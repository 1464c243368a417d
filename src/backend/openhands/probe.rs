//! Is it there, what is it, and can it be used: the questions behind a new address.

use super::stored;
use crate::backend::http::{Call, Missing, Rest};
use crate::backend::{BackendError, Probe};
use serde_json::Value;
use std::{sync::Arc, time::Instant};

/// Asks what answers there.
///
/// An agent-server 1.x is recognised by its `/server_info` (`protocol/v1.md` section 3), 0.x by its
/// configuration; anything else is an error that says what was found.
pub(super) async fn probe(rest: &Arc<Rest>) -> Result<Probe, BackendError> {
    let asked = Instant::now();
    let info = match rest.json(Call::get(&["server_info"])).await {
        Ok(info) => info,
        // Older servers do not have the route; the configuration decides.
        Err(BackendError::NotFound(_) | BackendError::Unexpected(_)) => Value::Null,
        Err(error) => return Err(error),
    };
    let millis = u64::try_from(asked.elapsed().as_millis()).unwrap_or(u64::MAX);
    let title = info
        .get("title")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if title.to_lowercase().contains("agent server") {
        return Ok(Probe {
            product: "OpenHands agent-server".to_owned(),
            version: info
                .get("version")
                .and_then(Value::as_str)
                .map(str::to_owned),
            millis,
            lacking: Some(
                "This is an agent-server of OpenHands 1.x; Handrail speaks the protocol of 0.x."
                    .to_owned(),
            ),
        });
    }
    let call = Call {
        missing: Missing::Thing("the routes of OpenHands"),
        ..Call::get(&["api", "options", "config"])
    };
    let config = rest.json(call).await?;
    if config.get("APP_MODE").is_none() {
        return Err(BackendError::Unexpected(
            "not what OpenHands answers; is this its address?".to_owned(),
        ));
    }
    let lacking = if has_socket(rest).await? {
        unset(rest).await?
    } else {
        Some("This OpenHands has no Socket.IO line any more: 1.6 was the last that Handrail can talk to.".to_owned())
    };
    Ok(Probe {
        product: "OpenHands 0.x".to_owned(),
        version: stored::version(rest).await,
        millis,
        lacking,
    })
}

/// Whether Socket.IO answers. The polling handshake joins nothing and is forgotten by the server.
async fn has_socket(rest: &Rest) -> Result<bool, BackendError> {
    let call = Call {
        query: &[("EIO", "4"), ("transport", "polling")],
        missing: Missing::Thing("Socket.IO"),
        ..Call::get(&["socket.io", ""])
    };
    match rest.open(call).await {
        Ok(_) => Ok(true),
        Err(BackendError::NotFound(_)) => Ok(false),
        // A server that allows WebSocket only refuses this transport, so it has the line.
        Err(BackendError::Refused(_) | BackendError::Unexpected(_)) => Ok(true),
        Err(error) => Err(error),
    }
}

/// What is missing in the settings.
async fn unset(rest: &Rest) -> Result<Option<String>, BackendError> {
    let stored = stored::stored_settings(rest).await?.unwrap_or(Value::Null);
    let has = |key: &str| {
        stored
            .get(key)
            .and_then(Value::as_str)
            .is_some_and(|text| !text.is_empty())
    };
    Ok(if !has("llm_model") {
        Some("No model is set up: open Settings.".to_owned())
    } else if stored.get("llm_api_key_set").and_then(Value::as_bool) == Some(false) {
        Some("No key for the model is stored: open Settings.".to_owned())
    } else {
        None
    })
}

#[cfg(test)]
mod tests {
    use super::super::stub::at;
    use super::*;
    use axum::{Json, Router, response::Html, routing::get};
    use serde_json::json;

    /// Probes a server with these routes.
    async fn probed(routes: Router) -> Result<Probe, BackendError> {
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
            .await
            .unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        probe(&Rest::new(at(port)).unwrap()).await
    }

    fn answers(path: &str, json: Value) -> Router {
        Router::new().route(path, get(|| async { Json(json) }))
    }

    #[tokio::test]
    async fn an_agent_server_is_named_as_one() {
        let routes = answers(
            "/server_info",
            json!({ "title": "OpenHands Agent Server", "version": "1.9.0" }),
        );
        let probe = probed(routes).await.unwrap();
        assert_eq!(
            (probe.product.as_str(), probe.version.as_deref()),
            ("OpenHands agent-server", Some("1.9.0"))
        );
        assert!(probe.lacking.is_some());
    }

    #[tokio::test]
    async fn a_server_without_the_line_or_without_a_model_says_so() {
        let config = answers("/api/options/config", json!({ "APP_MODE": "oss" }));
        let lacking = probed(config.clone()).await.unwrap().lacking.unwrap();
        assert!(lacking.contains("no Socket.IO line"), "{lacking}");
        let line = config.merge(answers("/socket.io/", json!({})));
        assert_eq!(
            probed(line.clone()).await.unwrap().lacking.as_deref(),
            Some("No model is set up: open Settings.")
        );
        let keyless = line.merge(answers(
            "/api/settings",
            json!({ "llm_model": "m", "llm_api_key_set": false }),
        ));
        assert_eq!(
            probed(keyless).await.unwrap().lacking.as_deref(),
            Some("No key for the model is stored: open Settings.")
        );
    }

    #[tokio::test]
    async fn a_stranger_is_no_openhands() {
        let page = Router::new().fallback(|| async { Html("<html>router</html>") });
        assert!(matches!(
            probed(page).await,
            Err(BackendError::Unexpected(_))
        ));
        let other = Router::new().fallback(|| async { Json(json!({ "hello": 1 })) });
        assert!(matches!(
            probed(other).await,
            Err(BackendError::Unexpected(_))
        ));
        assert!(matches!(
            probe(&Rest::new(at(1)).unwrap()).await,
            Err(BackendError::Unreachable(_))
        ));
    }
}
