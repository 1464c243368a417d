//! Settings and secrets.

use axum::routing::put;

use super::{Body, Shared, error};
use crate::http::prelude::*;
use crate::sync::lock;
use crate::world::World;

pub fn routes() -> Router<Arc<World>> {
    routes! {
        "/api/settings" => get(settings).post(store_settings);
        "/api/secrets" => get(secrets).post(create_secret);
        "/api/secrets/{name}" => put(update).delete(delete_secret);
    }
}

async fn settings(State(world): Shared) -> Response {
    match lock(&world.settings).shown() {
        Some(shown) => ok(shown),
        None => error(StatusCode::NOT_FOUND, "Settings not found"),
    }
}

async fn store_settings(State(world): Shared, Body(body): Body) -> Response {
    match lock(&world.settings).store(&body) {
        Ok(()) => said("Settings stored"),
        Err(detail) => {
            let body = Json(json!({"detail": detail}));
            (StatusCode::UNPROCESSABLE_ENTITY, body).into_response()
        }
    }
}

async fn secrets(State(world): Shared) -> Json<Value> {
    Json(json!({"custom_secrets": world.secrets_without_values()}))
}

async fn create_secret(State(world): Shared, Body(body): Body) -> Answer {
    for field in ["name", "value"] {
        if !body[field].is_string() {
            return Err(missing(&["body", field], &body));
        }
    }
    let name = body["name"].as_str().unwrap_or_default();
    let mut secrets = lock(&world.secrets);
    if secrets.contains_key(name) {
        let body = Json(json!({"message": format!("Secret {name} already exists")}));
        return Err((StatusCode::BAD_REQUEST, body).into_response());
    }
    let description = body["description"].as_str().unwrap_or_default();
    secrets.insert(name.to_owned(), description.to_owned());
    Ok((StatusCode::CREATED, said("Secret created successfully")).into_response())
}

async fn update(State(world): Shared, Path(name): Path<String>, Body(body): Body) -> Response {
    let mut secrets = lock(&world.secrets);
    let Some(before) = secrets.remove(&name) else {
        return unknown_secret(&name);
    };
    let description = body["description"].as_str().unwrap_or(&before);
    let name = body["name"].as_str().unwrap_or(&name);
    secrets.insert(name.to_owned(), description.to_owned());
    said("Secret updated successfully")
}

async fn delete_secret(State(world): Shared, Path(name): Path<String>) -> Response {
    match lock(&world.secrets).remove(&name) {
        Some(_) => said("Secret deleted successfully"),
        None => unknown_secret(&name),
    }
}

fn unknown_secret(name: &str) -> Response {
    let message = format!("Secret with ID {name} not found");
    error(StatusCode::NOT_FOUND, &message)
}

fn said(message: &str) -> Response {
    ok(json!({"message": message}))
}
