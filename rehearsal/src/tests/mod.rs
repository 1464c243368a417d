//! The rehearsal server as its clients see it: over real sockets, at full speed.

mod client;
mod confirming;
mod faults;
mod files;
mod handshake;
mod rest;
mod rest_shapes;
mod rest_shapes_v1;
mod scenarios;
pub mod shapes;
mod states;

use std::time::Duration;

use serde_json::{Value, json};

use super::{Options, Rehearsal};
use client::Client;

/// A server without pace and without a rate limit.
fn options() -> Options {
    Options {
        pace: Duration::ZERO,
        rate_limit: false,
        ..Options::default()
    }
}

async fn start() -> Rehearsal {
    Rehearsal::start(options())
        .await
        .expect("loopback has a free port")
}

/// An HTTP client without root certificates: loading them takes longer than everything else.
fn http() -> reqwest::Client {
    reqwest::Client::builder()
        .tls_built_in_root_certs(false)
        .build()
        .expect("a client without TLS roots")
}

/// A request without a body.
pub async fn get(server: &Rehearsal, path: &str) -> (u16, Value) {
    call(server, "GET", path, None).await
}

/// A request to the server with its key: status and JSON body (null if the body is not JSON).
pub async fn call(
    server: &Rehearsal,
    method: &str,
    path: &str,
    body: Option<Value>,
) -> (u16, Value) {
    let method = method.parse().expect("a method");
    let mut request = http().request(method, format!("http://{}{path}", server.addr()));
    if let Some(key) = &server.faults.world.options.session_api_key {
        request = request.header("X-Session-API-Key", key);
    }
    if let Some(body) = body {
        request = request.json(&body);
    }
    let response = request.send().await.expect("an answer");
    let status = response.status().as_u16();
    let bytes = response.bytes().await.expect("a body");
    (status, serde_json::from_slice(&bytes).unwrap_or_default())
}

/// Creates a conversation and joins it once it waits for a message. A first client joins and leaves before: it takes
/// the events queued for the first client, which repeat the replay.
async fn ready(server: &Rehearsal) -> (String, Client) {
    let (status, body) = call(server, "POST", "/api/conversations", Some(json!({}))).await;
    assert_eq!(status, 200, "{body}");
    let id = body["conversation_id"].as_str().expect("an id").to_owned();
    let mut first = Client::join(server, &id, -1).await;
    let events = first.until_state("awaiting_user_input").await;
    first.send("41").await;
    first.send("40").await;
    while first.text().await != "44\"Unable to connect\"" {}
    let latest = events
        .last()
        .and_then(|event| event["id"].as_i64())
        .expect("an id");
    let mut client = Client::join(server, &id, latest).await;
    assert!(
        client.text().await.starts_with("40{"),
        "nothing is left to replay"
    );
    (id, client)
}

/// The kind and subject of an event, to compare sequences.
fn outline(event: &Value) -> String {
    let kind = event["action"]
        .as_str()
        .or(event["observation"].as_str())
        .unwrap_or("?");
    let about = ["agent_state", "confirmation_state"].map(|field| {
        event["args"][field]
            .as_str()
            .or(event["extras"][field].as_str())
    });
    let about: Vec<_> = about.into_iter().flatten().collect();
    format!("{} {kind} {}", event["id"], about.join(" "))
        .trim_end()
        .to_owned()
}
