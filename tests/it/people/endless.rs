//! Requests whose bodies do not end, to every route: each is refused in time, and meanwhile nobody waits for them.
//!
//! The dialect of the backend does not matter: no request here reaches it.

use super::house::{House, filled};
use crate::tab::LONG;
use handrail::people::Role;
use handrail::server::every_route;
use reqwest::{Method, StatusCode};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Requests of one person at a time; a person may have a few more.
const EACH: usize = 20;

/// Begins a request, sends a byte of its body, and waits for the response. Returns its status.
async fn never_ends(address: SocketAddr, method: &Method, path: &str, cookie: &str) -> u16 {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nCookie: {cookie}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nx"
    );
    stream.write_all(head.as_bytes()).await.expect("it is open");
    let mut answer = Vec::new();
    // A reset behind the response is an end, too.
    let ended = tokio::time::timeout(LONG, stream.read_to_end(&mut answer)).await;
    assert!(ended.is_ok(), "{method} {path} does not end");
    let status = answer
        .get(9..12)
        .and_then(|word| std::str::from_utf8(word).ok());
    status
        .and_then(|word| word.parse().ok())
        .unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_does_not_end_is_refused_on_every_route_and_holds_up_nobody() {
    let house = House::new().await;
    let address = house.served.process.address;
    let (owner, viewer) = (house.log_in("owner").await, house.log_in("viewer").await);
    let mut routes = every_route();
    routes.push((Method::POST, "/nowhere".to_owned()));
    let mut open = JoinSet::new();
    for (at, some) in routes.chunks(EACH).enumerate() {
        let name = format!("owner{at}");
        house.add(&owner, &name, Role::Owner).await;
        let cookie = house.log_in(&name).await;
        for (method, path) in some {
            let (method, path, cookie) = (method.clone(), filled(path, "none"), cookie.clone());
            open.spawn(async move {
                let status = never_ends(address, &method, &path, &cookie).await;
                (format!("{method} {path}"), status)
            });
        }
    }
    for path in ["/login", "/link", "/set-up", "/api/say"] {
        open.spawn(async move {
            (
                path.to_owned(),
                never_ends(address, &Method::POST, path, "").await,
            )
        });
    }
    let asked = open.len();
    for _ in 0..3 {
        assert_eq!(house.page("/inbox", &viewer).await.status(), StatusCode::OK);
        assert_eq!(
            house.page("/settings", &owner).await.status(),
            StatusCode::OK
        );
        house.log_in("operator").await;
    }
    let mut accepted = BTreeMap::new();
    while let Some(done) = open.join_next().await {
        let (route, status) = done.expect("it does not panic");
        // A page that reads no body may be sent without it.
        let is_page = route.starts_with("GET ") && status == 200;
        if !(is_page || (400..600).contains(&status)) {
            accepted.insert(route, status);
        }
    }
    assert!(asked > 80 && accepted.is_empty(), "{asked}: {accepted:?}");
    // Their permits came back.
    let again = house.log_in("owner0").await;
    assert_eq!(house.page("/inbox", &again).await.status(), StatusCode::OK);
}
