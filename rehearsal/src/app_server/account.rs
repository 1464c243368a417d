//! Settings, secrets and profiles of the app server.

use axum::routing::delete;

use super::{Office, Shared, not_found};
use crate::agent_server::{PROFILES, merge, merge_agent, too_small};
use crate::http::prelude::*;
use crate::sync::lock;

pub fn routes() -> Router<Arc<Office>> {
    routes! {
        "/api/v1/settings" => get(settings).post(change);
        "/api/v1/settings/profiles" => get(profiles);
        "/api/v1/secrets/search" => get(secrets);
        "/api/v1/secrets" => post(save_secret);
        "/api/v1/secrets/{name}" => delete(delete_secret);
    }
}

/// Nothing is stored before the first save. Keys are never returned.
async fn settings(State(office): Shared) -> Response {
    let mut shown = lock(&office.stage.settings).clone();
    let key = shown.pointer_mut("/agent_settings/llm/api_key");
    let key = key.map(Value::take).unwrap_or_default();
    let has_key = key.as_str().is_some_and(|key| !key.is_empty());
    if !has_key && !office.stage.world.options.settings_stored {
        let body = Json(json!({"error": "Settings not found"}));
        return (StatusCode::NOT_FOUND, body).into_response();
    }
    shown["llm_api_key_set"] = has_key.into();
    shown["search_api_key_set"] = false.into();
    shown["provider_tokens_set"] = json!({});
    shown["sandbox_grouping_strategy"] = "NO_GROUPING".into();
    ok(shown)
}

async fn change(State(office): Shared, body: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    if let Some((place, least, given)) = too_small(&body) {
        let field = place.last().unwrap_or(&"");
        let error = format!(
            "1 validation error\n{field}\n  Input should be greater than or equal to {least} \
             [type=greater_than_equal, input_value={given}, input_type=int]"
        );
        let body = Json(json!({"error": error}));
        return (StatusCode::BAD_REQUEST, body).into_response();
    }
    let mut settings = lock(&office.stage.settings);
    let mut change = body["agent_settings_diff"].clone();
    if let Some(servers) = change.get_mut("mcp_config") {
        if let Some((name, _)) =
            (servers.as_object()).and_then(|servers| servers.iter().find(|(_, one)| one.is_null()))
        {
            let error = format!(
                "1 validation error\nopenhands.mcp_config.{name}\n  Input should be a valid dictionary"
            );
            return (StatusCode::BAD_REQUEST, Json(json!({"error": error}))).into_response();
        }
        // They are replaced as a whole.
        settings["agent_settings"]["mcp_config"] = servers.take();
    }
    change
        .as_object_mut()
        .map(|change| change.remove("mcp_config"));
    merge_agent(&mut settings["agent_settings"], &change);
    let stored = &mut settings["conversation_settings"];
    merge(stored, &body["conversation_settings_diff"]);
    // What is removed has its default again.
    for (field, default) in [
        ("security_analyzer", json!("llm")),
        ("max_iterations", json!(500)),
    ] {
        if stored[field].is_null() {
            stored[field] = default;
        }
    }
    ok(json!({"message": "Settings stored"}))
}

async fn profiles() -> Response {
    let profile = |(name, model)| json!({"name": name, "model": model, "base_url": null, "api_key_set": true});
    ok(json!({"profiles": PROFILES.map(profile), "active_profile": "default"}))
}

async fn secrets(State(office): Shared) -> Response {
    let items = office.stage.world.secrets_without_values();
    ok(json!({"items": items, "next_page_id": null}))
}

async fn save_secret(State(office): Shared, body: Bytes) -> Response {
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let (Some(name), Some(_)) = (body["name"].as_str(), body["value"].as_str()) else {
        return missing(&["body", "name"], &body);
    };
    let description = body["description"].as_str().unwrap_or_default();
    lock(&office.stage.world.secrets).insert(name.to_owned(), description.to_owned());
    let told = json!({"name": name, "description": description});
    (StatusCode::CREATED, Json(told)).into_response()
}

async fn delete_secret(State(office): Shared, Path(name): Path<String>) -> Response {
    match lock(&office.stage.world.secrets).remove(&name) {
        Some(_) => ok(json!({"success": true})),
        None => not_found(),
    }
}
