//! Settings, secrets, options, and the routes which need a git provider's token nobody has.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::super::world::{World, lock};
use super::{Shared, no_body, parsed, unprocessable};

pub fn routes() -> Router<Arc<World>> {
    Router::new()
        .route(
            "/api/options/models",
            get(|| async { Json(["rehearsal/script", "openai/gpt-4o"]) }),
        )
        .route("/api/options/agents", get(|| async { Json(AGENTS) }))
        .route(
            "/api/options/security-analyzers",
            get(|| async { Json(["grayswan", "invariant", "llm"]) }),
        )
        .route("/api/options/config", get(config))
        .route("/api/settings", get(settings).post(store_settings))
        .route("/api/reset-settings", post(reset_settings))
        .route("/api/secrets", get(secrets).post(create_secret))
        .route(
            "/api/secrets/{name}",
            axum::routing::put(update_secret).delete(delete_secret),
        )
        .route(
            "/api/unset-provider-tokens",
            post(|| async { said("Unset Git provider tokens") }),
        )
        .route("/api/add-git-providers", post(no_token))
        .route(
            "/api/user/suggested-tasks",
            get(|| async { (StatusCode::UNAUTHORIZED, Json("No providers set.")) }),
        )
        .route("/api/user/{*rest}", any(no_token))
        .route(
            "/api/microagent-management/conversations",
            get(|| async { Json(json!({"results": [], "next_page_id": null})) }),
        )
}

const AGENTS: [&str; 6] = [
    "BrowsingAgent",
    "CodeActAgent",
    "DummyAgent",
    "LocAgent",
    "ReadOnlyAgent",
    "VisualBrowsingAgent",
];

async fn config() -> Json<Value> {
    let flags = json!({"ENABLE_BILLING": false, "HIDE_LLM_SETTINGS": false});
    Json(
        json!({"APP_MODE": "oss", "GITHUB_CLIENT_ID": "", "POSTHOG_CLIENT_KEY": "", "FEATURE_FLAGS": flags}),
    )
}

async fn settings(State(world): Shared) -> Response {
    match lock(&world.settings).shown() {
        Some(shown) => Json(shown).into_response(),
        None => error(StatusCode::NOT_FOUND, "Settings not found"),
    }
}

async fn store_settings(State(world): Shared, body: Bytes) -> Response {
    let Some(body) = parsed(&body) else {
        return no_body();
    };
    match lock(&world.settings).store(&body) {
        Ok(()) => said("Settings stored"),
        Err(detail) => (
            StatusCode::UNPROCESSABLE_ENTITY,
            Json(json!({"detail": detail})),
        )
            .into_response(),
    }
}

async fn reset_settings() -> Response {
    error(
        StatusCode::GONE,
        "Reset settings functionality has been removed.",
    )
}

async fn secrets(State(world): Shared) -> Json<Value> {
    let list: Value = lock(&world.secrets)
        .iter()
        .map(|(name, description)| json!({"name": name, "description": description}))
        .collect();
    Json(json!({"custom_secrets": list}))
}

async fn create_secret(State(world): Shared, body: Bytes) -> Response {
    let Some(body) = parsed(&body) else {
        return no_body();
    };
    let (Some(name), Some(_)) = (body["name"].as_str(), body["value"].as_str()) else {
        let missing = if body["name"].is_string() {
            "value"
        } else {
            "name"
        };
        return unprocessable(
            "missing",
            &["body", missing],
            "Field required",
            body.clone(),
        );
    };
    let mut secrets = lock(&world.secrets);
    if secrets.contains_key(name) {
        let message = format!("Secret {name} already exists");
        return (StatusCode::BAD_REQUEST, Json(json!({"message": message}))).into_response();
    }
    let description = body["description"].as_str().unwrap_or_default().to_owned();
    secrets.insert(name.to_owned(), description);
    (StatusCode::CREATED, said("Secret created successfully")).into_response()
}

async fn update_secret(State(world): Shared, Path(name): Path<String>, body: Bytes) -> Response {
    let Some(body) = parsed(&body) else {
        return no_body();
    };
    let mut secrets = lock(&world.secrets);
    let Some(before) = secrets.remove(&name) else {
        return unknown_secret(&name);
    };
    let description = body["description"].as_str().map_or(before, str::to_owned);
    secrets.insert(
        body["name"].as_str().unwrap_or(&name).to_owned(),
        description,
    );
    said("Secret updated successfully")
}

async fn delete_secret(State(world): Shared, Path(name): Path<String>) -> Response {
    match lock(&world.secrets).remove(&name) {
        Some(_) => said("Secret deleted successfully"),
        None => unknown_secret(&name),
    }
}

fn unknown_secret(name: &str) -> Response {
    error(
        StatusCode::NOT_FOUND,
        &format!("Secret with ID {name} not found"),
    )
}

async fn no_token() -> Response {
    (
        StatusCode::UNAUTHORIZED,
        Json("Git provider token required. (such as GitHub)."),
    )
        .into_response()
}

fn said(message: &str) -> Response {
    Json(json!({"message": message})).into_response()
}

fn error(status: StatusCode, error: &str) -> Response {
    (status, Json(json!({"error": error}))).into_response()
}
