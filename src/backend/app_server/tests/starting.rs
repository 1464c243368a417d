//! The moment in which a start ends.

use super::super::AppServer;
use crate::backend::tests::support::{answers, serve};
use crate::backend::{ConversationApi, Runtime};
use axum::{Json, routing::get};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const ID: &str = "a2f1c9de-8a53-4e0c-9b3e-5d1f8f6f0c11";

/// The list has the conversation only after this number of requests; its start has ended.
async fn listing_after(requests: usize) -> AppServer {
    let asked = Arc::new(AtomicUsize::new(0));
    let list = get(move || async move {
        let listed = json!([{ "id": ID, "sandbox_status": "PAUSED" }]);
        let count = asked.fetch_add(1, Ordering::SeqCst);
        Json::<Value>(if count < requests {
            json!([null])
        } else {
            listed
        })
    });
    let tasks = json!({ "items": [{ "id": "t", "status": "READY" }] });
    let routes = answers("/api/v1/app-conversations/start-tasks/search", tasks);
    let routes = routes.route("/api/v1/app-conversations", list);
    AppServer::new(serve(routes).await).unwrap()
}

#[tokio::test]
async fn a_conversation_whose_start_ends_between_two_requests_is_not_gone() {
    let backend = listing_after(1).await;
    let info = backend.conversation(ID).await.unwrap();
    assert_eq!(info.expect("it is there").runtime, Runtime::Paused);
}

#[tokio::test]
async fn a_start_is_found_by_its_request_before_it_has_the_conversation() {
    let task = |request: &str| {
        json!({
            "id": "t", "status": "WAITING_FOR_SANDBOX", "app_conversation_id": null,
            "request": { "conversation_id": request },
        })
    };
    let other = task("0d8a6f4e6d0f4a5e9c6b7a8f9e0d1c2b");
    let tasks = json!({ "items": [other, task(&ID.replace('-', ""))] });
    let routes = answers("/api/v1/app-conversations/start-tasks/search", tasks);
    let list = get(|| async { Json(json!([null])) });
    let routes = routes.route("/api/v1/app-conversations", list);
    let backend = AppServer::new(serve(routes).await).unwrap();
    let info = backend.conversation(ID).await.unwrap();
    assert_eq!(info.expect("it starts").runtime, Runtime::Starting);
}

#[tokio::test]
async fn a_deleted_conversation_is_gone_although_its_start_stays() {
    let backend = listing_after(usize::MAX).await;
    assert_eq!(backend.conversation(ID).await.unwrap(), None);
}
