//! The third dialect of the rehearsal: an app server 1.11 with its sandboxes.
//!
//! The directory of conversations is here; the conversations themselves are those of the second dialect, on a port of
//! their own with a key of their own, as an agent-server 1.34. All sandboxes share this port: what belongs to a paused
//! one gets no answer.

mod account;
mod conversations;
mod copy;
mod sandboxes;
mod starts;

#[cfg(test)]
mod tests;

use std::borrow::Borrow;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::{Next, from_fn_with_state};
use tokio::sync::watch;

use crate::agent_server::{self, Stage};
use crate::faults::Memory;
use crate::http::prelude::*;
use crate::http::{constants, ordered_failure};
use crate::rest::{broken, throttled, too_many};
use crate::{Server, embedded, stats::Stats};
use sandboxes::Sandbox;
use starts::Start;

/// All state of an app server: the rest is that of its agents.
pub struct Office {
    pub stage: Arc<Stage>,
    /// The key that its own routes require; the agents have another one.
    key: Option<String>,
    /// Where the agents are.
    agents: SocketAddr,
    /// By conversation.
    sandboxes: Mutex<HashMap<String, Sandbox>>,
    /// The oldest first; they stay for ever.
    starts: Mutex<Vec<Start>>,
    /// A change of its value wakes the requests that wait for a paused sandbox.
    thaws: watch::Sender<()>,
}

type Shared = State<Arc<Office>>;

impl Office {
    pub fn new(stage: Arc<Stage>, key: Option<String>, agents: SocketAddr) -> Self {
        Self {
            stage,
            key,
            agents,
            sandboxes: Mutex::default(),
            starts: Mutex::default(),
            thaws: watch::Sender::default(),
        }
    }
}

/// The routes of the app server.
pub fn router(office: Arc<Office>) -> Router {
    constants(&embedded(include_str!("constants.json")))
        .route("/server_info", get(server_info))
        .merge(account::routes())
        .merge(conversations::routes())
        .merge(copy::routes())
        .merge(sandboxes::routes())
        .merge(starts::routes())
        .fallback(|| async { not_found() })
        .layer(DefaultBodyLimit::max(
            office.stage.world.options.storage_limit,
        ))
        .layer(from_fn_with_state(office.clone(), guard))
        .with_state(office)
}

/// The routes of the agents, silent while their sandbox is paused.
pub fn agents(office: Arc<Office>) -> Router {
    let frozen = from_fn_with_state(office.clone(), sandboxes::freeze);
    agent_server::router(office.stage.clone()).layer(frozen)
}

/// Faults, the rate limit, and the key.
async fn guard(State(office): Shared, request: Request, next: Next) -> Response {
    let (world, path) = (&office.stage.world, request.uri().path());
    if let Some(failure) = ordered_failure(world, path, too_many, broken).await {
        return failure;
    }
    if let Some(refused) = throttled(world).await {
        return refused;
    }
    let is_public = !path.starts_with("/api/v1") || path == "/api/v1/web-client/config";
    let given = request.headers().get("X-Session-API-Key");
    let is_given = |key: &String| given.is_some_and(|given| given.as_bytes() == key.as_bytes());
    if !is_public && !office.key.as_ref().is_none_or(is_given) {
        return detail(StatusCode::UNAUTHORIZED, "Unauthorized");
    }
    next.run(request).await
}

async fn server_info(State(office): Shared) -> Response {
    let uptime = office.stage.world.started.elapsed().as_secs_f64();
    ok(json!({
        "uptime": uptime, "idle_time": 0.0,
        "resources": {"cpu_percent": 1.0, "memory": {"rss": 1, "vms": 1, "percent": 1.0},
            "disk": {"total": 1, "used": 1, "free": 1, "percent": 1.0}, "io": {"read_bytes": 0, "write_bytes": 0}},
    }))
}

fn not_found() -> Response {
    detail(StatusCode::NOT_FOUND, "Not Found")
}

/// An id as this server writes it.
fn plain(id: &str) -> String {
    id.replace('-', "")
}

/// One page of a list; its token is the number of entries before it.
fn page<T: Borrow<Value>>(all: Vec<T>, params: &HashMap<String, String>) -> Response {
    let limit = params.get("limit").and_then(|limit| limit.parse().ok());
    let limit: usize = limit.unwrap_or(100);
    if limit > 100 {
        let message = "Input should be less than or equal to 100";
        return unprocessable(
            "less_than_equal",
            &["query", "limit"],
            message,
            &json!(limit),
        );
    }
    let from = params.get("page_id").and_then(|page| page.parse().ok());
    let from: usize = from.unwrap_or(0);
    let next = (from + limit < all.len()).then(|| (from + limit).to_string());
    let items: Vec<&Value> = all.iter().skip(from).take(limit).map(T::borrow).collect();
    ok(json!({"items": items, "next_page_id": next}))
}

impl Server for Office {
    fn stats(&self) -> Stats {
        self.stage.stats()
    }

    fn restart(&self, memory: Memory) {
        self.stage.restart(memory);
    }

    fn send_garbage(&self, frame: Option<&str>) {
        self.stage.send_garbage(frame);
    }

    fn append_huge_event(&self, bytes: usize) {
        self.stage.append_huge_event(bytes);
    }
}
