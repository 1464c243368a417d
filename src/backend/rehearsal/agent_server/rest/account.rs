//! Settings, secrets, models, profiles, MCP servers: what belongs to the server and to no conversation.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::super::super::world::lock;
use super::super::snapshot::{MODEL, PROFILES};
use super::super::stage::Stage;
use super::{Shared, detail, not_found, parsed, unprocessable};

pub fn routes() -> Router<Arc<Stage>> {
    Router::new()
        .route("/api/settings", get(settings).patch(change))
        .route("/api/settings/secrets", get(secrets).put(save_secret))
        .route(
            "/api/settings/secrets/{name}",
            axum::routing::delete(delete_secret),
        )
        .route(
            "/api/llm/models/verified",
            get(|| async {
                Json(json!({"models": {"rehearsal": ["script"], "openai": ["gpt-5"]}}))
            }),
        )
        .route(
            "/api/llm/models",
            get(|| async { Json(json!({"models": [MODEL]})) }),
        )
        .route(
            "/api/llm/providers",
            get(|| async { Json(json!({"providers": ["openai", "rehearsal"]})) }),
        )
        .route("/api/profiles", get(profiles))
        .route("/api/mcp/test", post(test_mcp))
        .route(
            "/api/skills",
            post(|| async { Json(json!({"skills": [], "sources": {}})) }),
        )
        .route(
            "/api/workspaces",
            get(|| async { Json(json!({"workspaces": [], "workspaceParents": []})) }),
        )
}

async fn profiles() -> Json<Value> {
    let profile = |(name, model)| json!({"name": name, "model": model, "base_url": null, "api_key_set": true});
    Json(json!({"profiles": PROFILES.map(profile), "active_profile": "default"}))
}

fn is_set(key: &Value) -> bool {
    key.as_str().is_some_and(|key| !key.is_empty())
}

/// Keys come back as asterisks, or as what the server alone can read again.
async fn settings(State(stage): Shared, headers: HeaderMap) -> Json<Value> {
    let mut shown = lock(&stage.settings).clone();
    let key = &mut shown["agent_settings"]["llm"]["api_key"];
    let has_key = is_set(key);
    let encrypted = headers
        .get("X-Expose-Secrets")
        .is_some_and(|how| how == "encrypted");
    if has_key {
        *key = if encrypted {
            "gAAAAA-rehearsal"
        } else {
            "**********"
        }
        .into();
    }
    shown["llm_api_key_is_set"] = has_key.into();
    Json(shown)
}

/// A difference is laid over what is stored; `null` takes out.
async fn change(State(stage): Shared, headers: HeaderMap, body: Bytes) -> Response {
    let body = parsed(&body);
    // Each with the least that it may be.
    let numbers: [(&[&str], u64); 2] = [
        (&["conversation_settings_diff", "max_iterations"], 1),
        (&["agent_settings_diff", "condenser", "max_size"], 20),
    ];
    for (place, least) in numbers {
        let given = place.iter().fold(&body, |within, field| &within[*field]);
        if !given.is_null() && given.as_u64().is_none_or(|number| number < least) {
            let location = [&["body"][..], place].concat();
            let message = format!("Input should be greater than or equal to {least}");
            return unprocessable("greater_than_equal", &location, &message, given);
        }
    }
    {
        let mut settings = lock(&stage.settings);
        for part in ["agent_settings", "conversation_settings"] {
            merge(&mut settings[part], &body[format!("{part}_diff")]);
        }
    }
    settings(State(stage), headers).await.into_response()
}

fn merge(stored: &mut Value, change: &Value) {
    let Value::Object(changes) = change else {
        return;
    };
    for (field, new) in changes {
        match (new, stored.get_mut(field)) {
            (Value::Object(_), Some(old)) if old.is_object() => merge(old, new),
            (Value::Null, _) if field != "api_key" && field != "base_url" => {
                stored.as_object_mut().map(|fields| fields.remove(field));
            }
            _ => stored[field] = new.clone(),
        }
    }
}

async fn secrets(State(stage): Shared) -> Json<Value> {
    let list: Vec<Value> = lock(&stage.secrets)
        .iter()
        .map(|(name, description)| json!({"name": name, "description": description}))
        .collect();
    Json(json!({"secrets": list}))
}

async fn save_secret(State(stage): Shared, body: Bytes) -> Response {
    let body = parsed(&body);
    let (Some(name), Some(_)) = (body["name"].as_str(), body["value"].as_str()) else {
        return unprocessable("missing", &["body", "name"], "Field required", &body);
    };
    let description = body["description"].as_str().unwrap_or_default();
    lock(&stage.secrets).insert(name.to_owned(), description.to_owned());
    Json(json!({"name": name, "description": description})).into_response()
}

async fn delete_secret(State(stage): Shared, Path(name): Path<String>) -> Response {
    match lock(&stage.secrets).remove(&name) {
        Some(_) => Json(json!({"deleted": true})).into_response(),
        None => not_found(),
    }
}

/// Nothing is connected to: what is on loopback "works", the rest cannot be reached.
async fn test_mcp(body: Bytes) -> Response {
    let body = parsed(&body);
    let server = &body["server"];
    let Some(place) = server["url"].as_str().or(server["command"].as_str()) else {
        return detail(
            StatusCode::UNPROCESSABLE_ENTITY,
            "A server has a URL or a command",
        );
    };
    let answer = if place.contains("127.0.0.1") {
        json!({"ok": true, "tools": ["tracker_comment", "tracker_close"]})
    } else {
        json!({"ok": false, "error": "Client failed to connect: this is a rehearsal", "error_kind": "connection"})
    };
    Json(answer).into_response()
}
