//! Health checks, and graceful shutdown.

use crate::both::on_both;
use crate::process::{Process, create};
use crate::stage::{Stage, is_at_rest};
use crate::tab::{LONG, Tab, socket};
use futures_util::{SinkExt, StreamExt};
use handrail::backend::rehearsal::{Dialect, Fault, RestFault};
use handrail::live::{FromBrowser, FromServer};
use serde_json::Value;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio_tungstenite::tungstenite::{Message, protocol::frame::coding::CloseCode};

on_both![
    health_checks_pass_and_report_the_backend,
    a_graceful_stop_disconnects_all_clients_in_time,
    a_hanging_backend_does_not_delay_a_stop,
];

/// Time limit of a graceful shutdown.
const STOP: Duration = Duration::from_secs(8);
/// The id of no conversation. A request for its page waits until the backend has been asked for it.
const UNKNOWN: &str = "0123456789abcdef0123456789abcdef";

async fn house(dialect: Dialect) -> (Stage, TempDir, Process) {
    let stage = Stage::new(dialect).await;
    let folder = TempDir::new().expect("a temporary folder");
    let process = Process::start(folder.path(), stage.chaos.address).await;
    (stage, folder, process)
}

async fn health_checks_pass_and_report_the_backend(dialect: Dialect) {
    let (stage, _folder, process) = house(dialect).await;
    let ask = async |path: &str| {
        let answer = reqwest::get(format!("http://{}{path}", process.address)).await;
        let answer = answer.expect("a response");
        (answer.status().as_u16(), answer.text().await.expect("text"))
    };
    assert_eq!(ask("/healthz").await, (200, "ok".to_owned()));
    let (status, text) = ask("/readyz").await;
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        (status, &report["ready"], &report["journal"]),
        (200, &true.into(), &"ok".into())
    );
    let label = report["backends"][0]["label"].as_str().expect("a name");
    assert!(label.contains(&stage.chaos.address.to_string()), "{label}");
    assert_eq!(report["writable"], true);
    // Somebody else, behind a proxy.
    let request = reqwest::Client::new().get(format!("http://{}/readyz", process.address));
    let answer = request.header("x-forwarded-for", "203.0.113.9").send();
    let text = answer
        .await
        .expect("a response")
        .text()
        .await
        .expect("text");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["ready"], true);
    assert_eq!(report["backends"][0]["state"], "ok", "{text}");
    assert!(!text.contains(&stage.chaos.address.to_string()), "{text}");
}

async fn a_graceful_stop_disconnects_all_clients_in_time(dialect: Dialect) {
    let (_stage, folder, process) = house(dialect).await;
    let address = process.address;
    let id = create(address, "[[scenario:hello]]").await;
    let mut tab = Tab::new(&id);
    assert!(tab.connect(address).await);
    tab.session("the work is done", is_at_rest).await;
    let origin = format!("http://{address}");
    let mut connection = socket(address, Some(&origin), None)
        .await
        .expect("the login is accepted");
    let ping = serde_json::to_string(&FromBrowser::Ping).expect("plain data");
    connection
        .send(Message::text(ping))
        .await
        .expect("it is open");
    connection
        .next()
        .await
        .expect("a response")
        .expect("it is open");

    let begun = Instant::now();
    process.terminate();
    let mut messages = Vec::new();
    let hearing = async {
        while let Some(Ok(message)) = connection.next().await {
            messages.push(message);
        }
    };
    tokio::time::timeout(LONG, hearing)
        .await
        .expect("the connection is closed");
    let away = serde_json::to_string(&FromServer::GoingAway).expect("plain data");
    assert_eq!(messages.first(), Some(&Message::text(away)));
    assert!(
        matches!(messages.last(), Some(Message::Close(Some(close))) if close.code == CloseCode::Restart),
        "{messages:?}"
    );
    tab.until("the page was sent away", |tab| tab.sent_away)
        .await;
    // A request now finds the server stopping, or nothing.
    if let Ok(answer) = reqwest::get(format!("http://{address}/readyz")).await {
        assert_eq!(answer.status(), 503);
    }
    assert!(process.ended().await.success());
    assert!(begun.elapsed() < STOP, "{:?}", begun.elapsed());

    // Nothing is left behind: the next process continues where the previous one ended.
    let nowhere = "127.0.0.1:9".parse().expect("an address");
    let process = Process::start(folder.path(), nowhere).await;
    let known = tab.rows.len();
    assert!(tab.connect(process.address).await);
    tab.until("it is let in", |tab| tab.session.is_some()).await;
    assert_eq!(tab.rows.len(), known);
}

async fn a_hanging_backend_does_not_delay_a_stop(dialect: Dialect) {
    let (stage, _folder, process) = house(dialect).await;
    let id = create(process.address, "[[scenario:slow:60000]]").await;
    let mut tab = Tab::new(&id);
    assert!(tab.connect(process.address).await);
    tab.until("it is followed", |tab| tab.session.is_some())
        .await;
    let hang = Fault::Rest {
        kind: RestFault::Hang,
        path: UNKNOWN.to_owned(),
        times: 1,
    };
    stage.rehearsal.faults().inject(&hang);
    stage.chaos.watch_for(UNKNOWN);
    let address = process.address;
    let waiting = tokio::spawn(async move {
        let url = format!("http://{address}/c/{UNKNOWN}");
        reqwest::get(url).await.map(|answer| answer.status())
    });
    stage.chaos.has_passed().await;
    let alive = reqwest::get(format!("http://{address}/healthz")).await;
    assert_eq!(alive.expect("a response").status(), 200);
    assert!(!waiting.is_finished(), "the request hangs");
    let begun = Instant::now();
    process.terminate();
    assert!(process.ended().await.success());
    assert!(begun.elapsed() < STOP, "{:?}", begun.elapsed());
    // The request hung until the end: it never got a response.
    let answer = waiting.await.expect("the task does not panic");
    assert!(answer.is_err(), "{answer:?}");
    // It hung at the backend: the fault was for one request, and the next one with this path gets a response.
    let url = format!(
        "http://{}/api/conversations/{UNKNOWN}",
        stage.rehearsal.addr()
    );
    let next = tokio::time::timeout(LONG, reqwest::get(url)).await;
    let next = next.expect("the fault was used up by Handrail's request");
    drop(next.expect("a response"));
}
