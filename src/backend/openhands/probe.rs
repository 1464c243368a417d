//! Is it there, and can it be used: the questions behind a new address, once `find` has told what it is.

use super::stored;
use crate::backend::http::{Call, Missing, Rest};
use crate::backend::{BackendError, Probe};
use serde_json::Value;
use std::{sync::Arc, time::Instant};

/// Asks whether it can be used. That it is an OpenHands 0.x was found out before.
pub(super) async fn probe(rest: &Arc<Rest>) -> Result<Probe, BackendError> {
    let asked = Instant::now();
    let call = Call {
        missing: Missing::Thing("the routes of OpenHands"),
        ..Call::get(&["api", "options", "config"])
    };
    rest.json(call).await?;
    let millis = u64::try_from(asked.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Probe {
        product: "OpenHands 0.x".to_owned(),
        version: stored::version(rest).await,
        millis,
        lacking: unset(rest).await?,
    })
}

/// Whether Socket.IO answers. The polling handshake joins nothing and is forgotten by the server.
pub(in crate::backend) async fn has_socket(rest: &Rest) -> Result<bool, BackendError> {
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
    use axum::{Json, Router, routing::get};
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
    async fn a_server_without_a_model_or_its_key_says_so() {
        let config = answers("/api/options/config", json!({ "APP_MODE": "oss" }));
        assert_eq!(
            probed(config.clone()).await.unwrap().lacking.as_deref(),
            Some("No model is set up: open Settings.")
        );
        let keyless = config.merge(answers(
            "/api/settings",
            json!({ "llm_model": "m", "llm_api_key_set": false }),
        ));
        assert_eq!(
            probed(keyless).await.unwrap().lacking.as_deref(),
            Some("No key for the model is stored: open Settings.")
        );
    }
}
