//! Server-wide state: settings, secrets, models, profiles, MCP servers.

use axum::http::HeaderMap;
use axum::routing::delete;

use super::{Shared, not_found, parsed};
use crate::agent_server::{snapshot::PROFILES, stage::Stage};
use crate::embedded;
use crate::http::prelude::*;
use crate::sync::lock;

pub fn routes() -> Router<Arc<Stage>> {
    routes! {
        "/api/settings" => get(settings).patch(change);
        "/api/settings/secrets" => get(secrets).put(save_secret);
        "/api/settings/secrets/{name}" => delete(delete_secret);
        "/api/profiles" => get(profiles);
        "/api/mcp/test" => post(test_mcp);
    }
}

async fn profiles() -> Response {
    let profile = |(name, model)| json!({"name": name, "model": model, "base_url": null, "api_key_set": true});
    ok(json!({"profiles": PROFILES.map(profile), "active_profile": "default"}))
}

/// Keys are returned as asterisks, or encrypted so that only the server can read them.
async fn settings(State(stage): Shared, headers: HeaderMap) -> Json<Value> {
    let mut shown = lock(&stage.settings).clone();
    let key = shown.pointer_mut("/agent_settings/llm/api_key");
    let key = key.filter(|key| key.as_str().is_some_and(|key| !key.is_empty()));
    let has_key = key.is_some();
    if let Some(key) = key {
        let how = headers.get("X-Expose-Secrets");
        *key = match how.is_some_and(|how| how == "encrypted") {
            true => "gAAAAA-rehearsal".into(),
            false => "**********".into(),
        };
    }
    shown["llm_api_key_is_set"] = has_key.into();
    Json(shown)
}

/// Merges a diff into the stored settings; `null` removes an entry.
async fn change(State(stage): Shared, headers: HeaderMap, body: Bytes) -> Answer {
    let body = parsed(&body);
    if let Some((place, least, given)) = too_small(&body) {
        let location = [&["body"][..], place].concat();
        let message = format!("Input should be greater than or equal to {least}");
        return Err(unprocessable(
            "greater_than_equal",
            &location,
            &message,
            given,
        ));
    }
    {
        let mut settings = lock(&stage.settings);
        let change = &body["agent_settings_diff"];
        let is_acp = is_acp(&settings["agent_settings"], change);
        if is_acp && !change["llm"].is_null() {
            let message = "Settings validation failed";
            return Err(detail(StatusCode::UNPROCESSABLE_ENTITY, message));
        }
        merge_agent(&mut settings["agent_settings"], change);
        // A field that is null stays null here, unlike an entry in it.
        let change = body["conversation_settings_diff"].as_object();
        for (field, new) in change.into_iter().flatten() {
            settings["conversation_settings"][field] = new.clone();
        }
    }
    Ok(settings(State(stage), headers).await.into_response())
}

/// Whether settings are those of an ACP agent after a change.
fn is_acp(stored: &Value, change: &Value) -> bool {
    let kind = [&change["agent_kind"], &stored["agent_kind"]];
    kind.into_iter().find(|kind| !kind.is_null()) == Some(&json!("acp"))
}

/// Changes the settings of the agent. Those of another kind of agent begin anew.
pub fn merge_agent(stored: &mut Value, change: &Value) {
    let kind = &change["agent_kind"];
    if !kind.is_null() && *kind != stored["agent_kind"] {
        *stored = match kind == "acp" {
            true => {
                json!({"agent_kind": "acp", "acp_server": "claude-code", "acp_command": [], "acp_model": null,
                "mcp_config": {}, "agent_context": null})
            }
            false => embedded::<Value>(include_str!("../settings.json"))["agent_settings"].take(),
        };
    }
    merge(stored, change);
    let condenser = &mut stored["condenser"];
    // What is removed has its default again.
    if condenser.is_object() && condenser["max_size"].is_null() {
        condenser["max_size"] = 240.into();
    }
}

/// The first number in a change that is below its minimum: its place, the minimum, and the number.
pub fn too_small(body: &Value) -> Option<(&'static [&'static str], u64, &Value)> {
    let numbers: [(&'static [&'static str], u64); 2] = [
        (&["conversation_settings_diff", "max_iterations"], 1),
        (&["agent_settings_diff", "condenser", "max_size"], 20),
    ];
    numbers.into_iter().find_map(|(place, least)| {
        let given = place.iter().fold(body, |within, field| &within[*field]);
        let is_wrong = !given.is_null() && given.as_u64().is_none_or(|number| number < least);
        is_wrong.then_some((place, least, given))
    })
}

pub fn merge(stored: &mut Value, change: &Value) {
    for (field, new) in change.as_object().into_iter().flatten() {
        match (new, stored.get_mut(field)) {
            (Value::Object(_), Some(old)) if old.is_object() => merge(old, new),
            (Value::Null, _) if !["api_key", "base_url", "acp_model"].contains(&&**field) => {
                stored.as_object_mut().map(|fields| fields.remove(field));
            }
            _ => stored[field] = new.clone(),
        }
    }
}

async fn secrets(State(stage): Shared) -> Json<Value> {
    Json(json!({"secrets": stage.world.secrets_without_values()}))
}

async fn save_secret(State(stage): Shared, body: Bytes) -> Response {
    let body = parsed(&body);
    let (Some(name), Some(_)) = (body["name"].as_str(), body["value"].as_str()) else {
        return missing(&["body", "name"], &body);
    };
    let description = body["description"].as_str().unwrap_or_default();
    lock(&stage.world.secrets).insert(name.to_owned(), description.to_owned());
    ok(json!({"name": name, "description": description}))
}

async fn delete_secret(State(stage): Shared, Path(name): Path<String>) -> Response {
    match lock(&stage.world.secrets).remove(&name) {
        Some(_) => ok(json!({"deleted": true})),
        None => not_found(),
    }
}

/// No connection is made: servers on loopback "work", all others are unreachable.
async fn test_mcp(body: Bytes) -> Response {
    let body = parsed(&body);
    let server = &body["server"];
    let Some(place) = server["url"].as_str().or(server["command"].as_str()) else {
        let message = "A server has a URL or a command";
        return detail(StatusCode::UNPROCESSABLE_ENTITY, message);
    };
    ok(match place.contains("127.0.0.1") {
        true => json!({"ok": true, "tools": ["tracker_comment", "tracker_close"]}),
        false => {
            json!({"ok": false, "error": "Client failed to connect: this is a rehearsal", "error_kind": "connection"})
        }
    })
}
