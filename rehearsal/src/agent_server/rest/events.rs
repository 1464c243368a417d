//! Stored events, page by page, and queries on them.

use std::collections::HashMap;

use super::{Named, not_found, page};
use crate::agent_server::stage::Stage;
use crate::http::prelude::*;

pub fn routes() -> Router<Arc<Stage>> {
    routes! {
        "/api/conversations/{id}/events/search" => get(search);
        "/api/conversations/{id}/events/count" => get(count);
        "/api/conversations/{id}/events/{event}" => get(one);
    }
}

/// Whether an event was requested.
fn is_wanted(event: &Value, params: &HashMap<String, String>) -> bool {
    let is = |field: &str| params.get(field).is_none_or(|word| event[field] == **word);
    let at = event["timestamp"].as_str().unwrap_or_default();
    let from = params.get("timestamp__gte");
    let until = params.get("timestamp__lt");
    let says = |words: &String| {
        let message = event["llm_message"].to_string().to_lowercase();
        message.contains(&words.to_lowercase())
    };
    is("kind")
        && is("source")
        && from.is_none_or(|from| at >= from.as_str())
        && until.is_none_or(|until| at < until.as_str())
        && params.get("body").is_none_or(says)
}

async fn search(Named(conversation): Named, Query(params): Params) -> Response {
    let mut all = conversation.events();
    all.retain(|event| is_wanted(event, &params));
    let order = params.get("sort_order").map(String::as_str);
    if order == Some("TIMESTAMP_DESC") {
        all.reverse();
    }
    page(all, &params)
}

async fn count(Named(conversation): Named, Query(params): Params) -> Response {
    let mut all = conversation.events();
    all.retain(|event| is_wanted(event, &params));
    ok(all.len())
}

async fn one(Named(conversation): Named, Path((_, event)): Path<(String, String)>) -> Answer {
    let mut events = conversation.events().into_iter();
    let found = events.find(|one| one["id"] == *event);
    found.map(|event| ok(&*event)).ok_or_else(not_found)
}
