//! Sandboxes: running, paused, gone, or starting for good.

use axum::extract::Request;
use axum::middleware::Next;
use axum::routing::delete as delete_method;

use super::{Office, Shared, not_found, plain};
use crate::agent_server::Conversation;
use crate::http::prelude::*;
use crate::sync::lock;

/// The state of a sandbox.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sandbox {
    Running,
    Paused,
    /// Its process has died, which the server takes for a start.
    Starting,
    /// Deleted.
    Missing,
}

impl Sandbox {
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Paused => "PAUSED",
            Self::Starting => "STARTING",
            Self::Missing => "MISSING",
        }
    }
}

pub fn routes() -> Router<Arc<Office>> {
    routes! {
        "/api/v1/sandboxes/{id}/pause" => post(pause);
        "/api/v1/sandboxes/{id}/resume" => post(resume);
        "/api/v1/sandboxes/{id}" => delete_method(delete);
    }
}

impl Office {
    pub fn sandbox(&self, conversation: &Conversation) -> Sandbox {
        let all = lock(&self.sandboxes);
        all.get(&conversation.id)
            .copied()
            .unwrap_or(Sandbox::Running)
    }

    /// Changes the state of a sandbox, which has the id of its conversation.
    fn set(&self, id: &str, state: Sandbox) -> Response {
        let Some(conversation) = self.stage.find(id) else {
            return not_found();
        };
        if self.sandbox(&conversation) == Sandbox::Missing {
            return not_found();
        }
        lock(&self.sandboxes).insert(conversation.id.clone(), state);
        self.thaws.send_replace(());
        ok(json!({"success": true}))
    }
}

async fn pause(State(office): Shared, Path(id): Path<String>) -> Response {
    office.set(&id, Sandbox::Paused)
}

async fn resume(State(office): Shared, Path(id): Path<String>) -> Response {
    let state = match office.stage.world.armed.no_runtime() {
        true => Sandbox::Starting,
        false => Sandbox::Running,
    };
    office.set(&id, state)
}

/// The id is wanted twice.
async fn delete(State(office): Shared, Path(id): Path<String>, Query(params): Params) -> Response {
    match params.get("sandbox_id") {
        Some(_) => office.set(&id, Sandbox::Missing),
        None => missing(&["query", "sandbox_id"], &Value::Null),
    }
}

/// Lets requests about a paused conversation wait, as its kernel does, and refuses those about one that is gone.
pub async fn freeze(State(office): Shared, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let mut parts = path.split('/').map(plain);
    let id =
        parts.find(|part| part.len() == 32 && part.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if let Some(conversation) = id.and_then(|id| office.stage.find(&id)) {
        let mut thaws = office.thaws.subscribe();
        loop {
            match office.sandbox(&conversation) {
                Sandbox::Running => break,
                Sandbox::Missing | Sandbox::Starting => {
                    return StatusCode::BAD_GATEWAY.into_response();
                }
                Sandbox::Paused => tokio::select! {
                    _ = thaws.changed() => {}
                    () = office.stage.world.ended.cancelled() => return not_found(),
                },
            }
        }
    }
    next.run(request).await
}
