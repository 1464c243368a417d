//! The app server's copy of the events: late by up to a group of five, with streamed text and snapshots.

use super::{Office, Shared, page};
use crate::clock;
use crate::http::prelude::*;

/// Events that an agent reports at once.
const GROUP: usize = 5;

pub fn routes() -> Router<Arc<Office>> {
    routes! {
        "/api/v1/conversation/{id}/events/search" => get(search);
        "/api/v1/conversation/{id}/events/count" => get(count);
    }
}

impl Office {
    /// What the copy has, oldest first. It stays when the sandbox is gone.
    fn copied(&self, id: &str) -> Vec<Arc<Value>> {
        let Some(conversation) = self.stage.find(id) else {
            return Vec::new();
        };
        let mut events = conversation.events();
        if conversation.run().is_some() {
            events.truncate(events.len() / GROUP * GROUP);
        }
        let mut copied = Vec::new();
        for event in events {
            if event["kind"] == "MessageEvent" && event["source"] == "agent" {
                copied.push(Arc::new(json!({
                    "id": uuid::Uuid::new_v4().to_string(), "kind": "StreamingDeltaEvent", "source": "agent",
                    "timestamp": event["timestamp"], "content": "…", "reasoning_content": null,
                })));
            }
            copied.push(event);
        }
        let began = copied
            .first()
            .map_or_else(|| clock::naive().into(), |event| event["timestamp"].clone());
        let mut snapshot = conversation.snapshot();
        snapshot["timestamp"] = began;
        copied.insert(0, Arc::new(snapshot));
        copied
    }
}

async fn search(State(office): Shared, Path(id): Path<String>, Query(params): Params) -> Response {
    let mut copied = office.copied(&id);
    if let Some(from) = params.get("timestamp__gte") {
        copied.retain(|event| event["timestamp"].as_str() >= Some(from));
    }
    if params
        .get("sort_order")
        .is_some_and(|order| order == "TIMESTAMP_DESC")
    {
        copied.reverse();
    }
    page(copied, &params)
}

async fn count(State(office): Shared, Path(id): Path<String>) -> Response {
    ok(office.copied(&id).len())
}
