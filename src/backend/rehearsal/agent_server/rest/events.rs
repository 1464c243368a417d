//! Stored events, page by page; and what can be asked about them.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use super::super::super::archive;
use super::super::stage::Stage;
use super::{Shared, limit, not_found, not_so_many, with};

pub fn routes() -> Router<Arc<Stage>> {
    Router::new()
        .route("/api/conversations/{id}/events/search", get(search))
        .route("/api/conversations/{id}/events/count", get(count))
        .route("/api/conversations/{id}/events/{event}", get(one))
        .route(
            "/api/conversations/{id}/agent_final_response",
            get(last_words),
        )
        .route("/api/file/download-trajectory/{id}", get(trajectory))
}

type Params = HashMap<String, String>;

/// The events that are asked for, oldest first.
fn wanted(events: Vec<Value>, params: &Params) -> Vec<Value> {
    let is =
        |event: &Value, field: &str| params.get(field).is_none_or(|word| event[field] == **word);
    let at = |event: &Value| event["timestamp"].as_str().unwrap_or_default().to_owned();
    let from = params.get("timestamp__gte");
    let until = params.get("timestamp__lt");
    let says = |event: &Value| {
        let words = params.get("body").map(|words| words.to_lowercase());
        words.is_none_or(|words| {
            event["llm_message"]
                .to_string()
                .to_lowercase()
                .contains(&words)
        })
    };
    let fits = |event: &Value| {
        is(event, "kind")
            && is(event, "source")
            && from.is_none_or(|from| at(event) >= *from)
            && until.is_none_or(|until| at(event) < *until)
            && says(event)
    };
    events.into_iter().filter(fits).collect()
}

async fn search(
    State(stage): Shared,
    Path(id): Path<String>,
    Query(params): Query<Params>,
) -> Response {
    let limit = match limit(&params) {
        Ok(limit) => limit,
        Err(limit) => return not_so_many(limit),
    };
    with(&stage, &id, |conversation| {
        let mut all = wanted(conversation.events(), &params);
        if params
            .get("sort_order")
            .is_some_and(|order| order == "TIMESTAMP_DESC")
        {
            all.reverse();
        }
        // A page that is not known silently starts from the beginning, as the real one.
        let page = params.get("page_id");
        let from = page.and_then(|page| all.iter().position(|event| event["id"] == **page));
        let from = from.unwrap_or(0);
        let next = all.get(from + limit).map(|event| event["id"].clone());
        let items: Vec<Value> = all.into_iter().skip(from).take(limit).collect();
        Json(json!({"items": items, "next_page_id": next})).into_response()
    })
}

async fn count(
    State(stage): Shared,
    Path(id): Path<String>,
    Query(params): Query<Params>,
) -> Response {
    with(&stage, &id, |conversation| {
        Json(wanted(conversation.events(), &params).len()).into_response()
    })
}

async fn one(State(stage): Shared, Path((id, event)): Path<(String, String)>) -> Response {
    with(&stage, &id, |conversation| {
        let events = conversation.events();
        let found = events.into_iter().find(|one| one["id"] == *event);
        found.map_or_else(not_found, |event| Json(event).into_response())
    })
}

async fn last_words(State(stage): Shared, Path(id): Path<String>) -> Response {
    with(&stage, &id, |conversation| {
        let events = conversation.events();
        let said = events.iter().rev().find_map(|event| {
            let message = &event["llm_message"]["content"][0]["text"];
            match event["source"].as_str() {
                Some("agent") => event["action"]["message"].as_str().or(message.as_str()),
                _ => None,
            }
        });
        Json(json!({"response": said.unwrap_or_default()})).into_response()
    })
}

/// One file for each event.
async fn trajectory(State(stage): Shared, Path(id): Path<String>) -> Response {
    with(&stage, &id, |conversation| {
        let events = conversation.events();
        let files: Vec<(String, Vec<u8>)> = (0..)
            .zip(&events)
            .map(|(number, event)| {
                let name = format!(
                    "event-{number:05}-{}.json",
                    event["id"].as_str().unwrap_or_default()
                );
                (name, event.to_string().into_bytes())
            })
            .collect();
        let entries = files
            .iter()
            .map(|(name, data)| (name.as_str(), data.as_slice()));
        let headers = [(axum::http::header::CONTENT_TYPE, "application/zip")];
        (headers, archive::zip(entries)).into_response()
    })
}
