//! Checks whether an OpenHands 0.x is reachable and ready, after `find` has detected its protocol.

use super::stored;
use crate::backend::dto;
use crate::backend::http::{Call, Rest};
use crate::backend::json::text;
use crate::backend::{Answer, BackendError, Probe};
use serde_json::Value;
use std::{sync::Arc, time::Instant};

/// Checks whether the server can be used. Its protocol is known already.
pub(super) async fn probe(rest: &Arc<Rest>) -> Answer<Probe> {
    let asked = Instant::now();
    let call = Call::get(&["api", "options", "config"]).missing("its API");
    rest.json(call).await?;
    let elapsed = asked.elapsed();
    let version = rest.version().await;
    let stored = stored::stored_settings(rest).await?.unwrap_or(Value::Null);
    let has_model = !text(&stored["llm_model"]).is_empty();
    // Without this field there may be a key.
    let has_key = stored["llm_api_key_set"] != false;
    let lacking = match (has_model, has_key) {
        (false, _) => Some(dto::NO_MODEL),
        (true, false) => Some("The model has no API key. Enter it in Settings."),
        (true, true) => None,
    };
    Ok(dto::probe("OpenHands", version, elapsed, lacking))
}

/// Whether the server has a Socket.IO endpoint. The polling handshake joins no conversation, and the server drops it.
pub(in crate::backend) async fn has_socket(rest: &Rest) -> Answer<bool> {
    let call = Call::get(&["socket.io", ""]).missing("Socket.IO");
    let call = call.query("EIO", "4").query("transport", "polling");
    match rest.open(call).await {
        Ok(_) => Ok(true),
        Err(BackendError::NotFound(_)) => Ok(false),
        // A server that only allows WebSockets rejects the polling transport, so it has the endpoint.
        Err(BackendError::Refused(_) | BackendError::Unexpected(_)) => Ok(true),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::tests::support::{answers, serve};
    use axum::Router;
    use serde_json::json;

    /// Probes a server with these routes.
    async fn probed(routes: Router) -> Answer<Probe> {
        probe(&Rest::new(serve(routes).await).unwrap()).await
    }

    #[tokio::test]
    async fn a_server_without_a_model_or_its_key_says_so() {
        let config = answers("/api/options/config", json!({ "APP_MODE": "oss" }));
        assert_eq!(
            probed(config.clone()).await.unwrap().lacking.as_deref(),
            Some("No model is set up. Choose one in Settings.")
        );
        let keyless = config.merge(answers(
            "/api/settings",
            json!({ "llm_model": "m", "llm_api_key_set": false }),
        ));
        assert_eq!(
            probed(keyless).await.unwrap().lacking.as_deref(),
            Some("The model has no API key. Enter it in Settings.")
        );
    }
}
