//! Speaking to an agent: messages, runs, answers, rules.
//!
//! What waits for the running step here waits for it in the real server, too; stopping and asking do not.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};

use super::super::agent;
use super::super::snapshot::PROFILES;
use super::super::stage::Stage;
use super::{Shared, detail, not_found, parsed, success, unprocessable, with};

/// Runs at once.
const RUNS: usize = 10;

pub fn routes() -> Router<Arc<Stage>> {
    Router::new()
        .route("/api/conversations/{id}/events", post(message))
        .route(
            "/api/conversations/{id}/events/respond_to_confirmation",
            post(respond),
        )
        .route("/api/conversations/{id}/run", post(run))
        .route("/api/conversations/{id}/pause", post(pause))
        .route("/api/conversations/{id}/interrupt", post(interrupt))
        .route("/api/conversations/{id}/confirmation_policy", post(policy))
        .route("/api/conversations/{id}/security_analyzer", post(analyzer))
        .route("/api/conversations/{id}/switch_profile", post(switch))
        .route("/api/conversations/{id}/secrets", post(secrets))
        .route("/api/conversations/{id}/ask_agent", post(ask))
        .route("/api/conversations/{id}/condense", post(condense))
}

/// A message while something waits is a yes to it.
async fn message(State(stage): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    let body = parsed(&body);
    if !body["content"].is_array() {
        let message = "Input should be a valid list";
        return unprocessable("list_type", &["body", "content"], message, &body["content"]);
    }
    let Some(conversation) = stage.find(&id) else {
        return not_found();
    };
    let _held = conversation.busy.lock().await;
    let wanted = body["run"] == true;
    let room = conversation.run().is_some() || stage.runs() < RUNS;
    agent::hear(&stage, &conversation, &body["content"], wanted && room);
    if wanted && !room {
        return detail(StatusCode::TOO_MANY_REQUESTS, "No run slot is free");
    }
    success()
}

/// Answers all that waits, whatever it is by now; when nothing waits it is as well.
async fn respond(State(stage): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    let body = parsed(&body);
    let Some(accept) = body["accept"].as_bool() else {
        return unprocessable("missing", &["body", "accept"], "Field required", &body);
    };
    let Some(conversation) = stage.find(&id) else {
        return not_found();
    };
    stage.world.tally.answered(&conversation.id, accept);
    let _held = conversation.busy.lock().await;
    let reason = body["reason"].as_str();
    let reason = reason.unwrap_or("User rejected the action.");
    agent::answer(&stage, &conversation, accept, reason);
    success()
}

/// Going on while something waits is a yes to it, too.
async fn run(State(stage): Shared, Path(id): Path<String>) -> Response {
    let Some(conversation) = stage.find(&id) else {
        return not_found();
    };
    let running = || detail(StatusCode::CONFLICT, "Conversation already running.");
    if conversation.status() == "running" {
        return running();
    }
    let _held = conversation.busy.lock().await;
    if stage.runs() >= RUNS {
        return detail(StatusCode::TOO_MANY_REQUESTS, "No run slot is free");
    }
    match agent::begin(&stage, &conversation) {
        true => success(),
        false => running(),
    }
}

/// Comes back when the step is over.
async fn pause(State(stage): Shared, Path(id): Path<String>) -> Response {
    let Some(conversation) = stage.find(&id) else {
        return not_found();
    };
    let _held = conversation.busy.lock().await;
    agent::pause(&conversation);
    success()
}

async fn interrupt(State(stage): Shared, Path(id): Path<String>) -> Response {
    let Some(conversation) = stage.find(&id) else {
        return not_found();
    };
    agent::interrupt(&conversation).await;
    success()
}

async fn policy(State(stage): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    let policy = parsed(&body)["policy"].take();
    let known = ["AlwaysConfirm", "NeverConfirm", "ConfirmRisky"];
    if !policy["kind"]
        .as_str()
        .is_some_and(|kind| known.contains(&kind))
    {
        let message = "Value error, Unknown kind for openhands.sdk.security.confirmation_policy";
        return unprocessable("value_error", &["body", "policy"], message, &policy);
    }
    set(&stage, &id, "confirmation_policy", policy).await
}

async fn analyzer(State(stage): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    let analyzer = parsed(&body)["security_analyzer"].take();
    set(&stage, &id, "security_analyzer", analyzer).await
}

async fn set(stage: &Stage, id: &str, key: &str, value: Value) -> Response {
    let Some(conversation) = stage.find(id) else {
        return not_found();
    };
    let _held = conversation.busy.lock().await;
    conversation.set(key, value);
    success()
}

async fn switch(State(stage): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    let body = parsed(&body);
    let known = PROFILES
        .iter()
        .find(|(name, _)| body["profile_name"] == *name);
    let (Some(conversation), Some((_, model))) = (stage.find(&id), known) else {
        return not_found();
    };
    let _held = conversation.busy.lock().await;
    conversation.set_model(model);
    success()
}

async fn secrets(State(stage): Shared, Path(id): Path<String>) -> Response {
    let Some(conversation) = stage.find(&id) else {
        return not_found();
    };
    let _held = conversation.busy.lock().await;
    success()
}

/// A question beside the work leaves no trace, and waits for nothing.
async fn ask(State(stage): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    let body = parsed(&body);
    with(&stage, &id, |conversation| {
        let asked = body["question"].as_str().unwrap_or_default();
        let events = conversation.events().len();
        let said = format!(
            "You ask: {asked} I am a rehearsal and know only this: {events} events so far."
        );
        Json(json!({"response": said})).into_response()
    })
}

async fn condense(State(stage): Shared, Path(id): Path<String>) -> Response {
    let Some(conversation) = stage.find(&id) else {
        return not_found();
    };
    let _held = conversation.busy.lock().await;
    conversation.append(json!({"kind": "CondensationRequest", "source": "environment"}));
    let events = conversation.events();
    let forgotten: Vec<&Value> = events
        .iter()
        .skip(2)
        .take(8)
        .map(|event| &event["id"])
        .collect();
    conversation.append(
        json!({"kind": "Condensation", "source": "environment", "forgotten_event_ids": forgotten,
        "summary": "USER_CONTEXT: a rehearsal.", "summary_offset": 2}),
    );
    success()
}
