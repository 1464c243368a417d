//! A revoked right ends at once, on open connections too.
//!
//! The dialect of the backend does not matter: logins and their connections are Handrail's own.

use super::house::{House, PASSWORD, path_of};
use crate::stage::{soon, unlike_others};
use crate::tab::socket_as;
use futures_util::StreamExt;
use reqwest::header;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use url::form_urlencoded::Serializer;

/// How long it takes until the connection of this session is closed after `end`.
async fn until_closed(house: &House, cookie: &str, end: impl AsyncFnOnce()) -> Duration {
    let mut socket = socket_as(house.served.process.address, cookie)
        .await
        .expect("the login is accepted");
    let pong = Message::text("\"ping\"");
    futures_util::SinkExt::send(&mut socket, pong)
        .await
        .expect("it is open");
    assert!(matches!(socket.next().await, Some(Ok(Message::Text(_)))));
    end().await;
    let since = Instant::now();
    loop {
        let next = tokio::time::timeout(Duration::from_secs(10), socket.next()).await;
        let message = next.expect("it is closed").expect("it gives a reason");
        match message.expect("it is not an error") {
            Message::Close(Some(frame)) => {
                assert_eq!(u16::from(frame.code), 4401, "{frame:?}");
                return since.elapsed();
            }
            _ => continue,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_is_closed_within_a_second_when_its_login_ends() {
    let house = House::new().await;
    let owner = house.log_in("owner").await;
    let mut took = Vec::new();
    for (name, fields) in [
        (
            "change_role",
            vec![("name", "operator"), ("role", "approver")],
        ),
        (
            "reset_password",
            vec![("name", "operator"), ("password", PASSWORD)],
        ),
        (
            "disable_person",
            vec![("name", "operator"), ("disabled", "true")],
        ),
    ] {
        let cookie = house.log_in("operator").await;
        let end = async || {
            let ended = house.post(&path_of(name), Some(&owner), &fields).await;
            assert_eq!(ended.status(), 200, "{name}");
        };
        took.push((name, until_closed(&house, &cookie, end).await));
        assert_eq!(house.get("/", Some(&cookie)).await.status(), 401, "{name}");
    }
    let cookie = house.log_in("viewer").await;
    let end = async || {
        assert_eq!(
            house.post("/logout", Some(&cookie), &[]).await.status(),
            303
        )
    };
    took.push(("logout", until_closed(&house, &cookie, end).await));
    let (here, there) = (
        house.log_in("approver").await,
        house.log_in("approver").await,
    );
    let end = async || {
        let fields = [("old", PASSWORD), ("new", "battery staple")];
        let changed = house
            .post(&path_of("change_password"), Some(&here), &fields)
            .await;
        assert_eq!(changed.status(), 200);
        assert!(
            changed.headers().contains_key(header::SET_COOKIE),
            "it gets another secret"
        );
    };
    took.push(("change_password", until_closed(&house, &there, end).await));
    let cookie = house.log_in("viewer").await;
    let end = async || house.served.run(&["user", "disable", "viewer"]).await;
    took.push(("the command line", until_closed(&house, &cookie, end).await));
    eprintln!("{took:?}");
    for (what, took) in took {
        assert!(took < Duration::from_secs(1), "{what}: {took:?}");
    }
}

#[tokio::test]
async fn a_request_that_arrives_slowly_is_refused_when_its_rights_end_meanwhile() {
    let house = House::new().await;
    let owner = house.log_in("owner").await;
    let cookie = house.log_in("operator").await;
    let id = house
        .create_conversation(&owner, &unlike_others("[[scenario:hello]]"))
        .await;
    for is_ended in [false, true] {
        let text = format!("arrives slowly {is_ended}");
        let form = [("id", id.as_str()), ("text", text.as_str())];
        let body = Serializer::new(String::new()).extend_pairs(form).finish();
        let (address, path) = (house.served.process.address, path_of("send_message"));
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nCookie: {cookie}\r\nConnection: close\r\n\
             Accept: application/json\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let (first, rest) = body.split_at(5);
        let mut stream = TcpStream::connect(address).await.expect("it listens");
        let begun = stream.write_all(format!("{head}{first}").as_bytes()).await;
        begun.expect("it is open");
        tokio::time::sleep(Duration::from_millis(600)).await;
        if is_ended {
            house.served.run(&["user", "disable", "operator"]).await;
        }
        let sent = stream.write_all(rest.as_bytes()).await;
        sent.expect("it is open");
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer).await;
        read.expect("it answers");
        let status = if is_ended { "401" } else { "200" };
        assert_eq!(answer.split(' ').nth(1), Some(status), "{answer}");
        // What was taken before is seen after it.
        let seen = async || {
            let page = house.page(&format!("/c/{id}"), &owner).await.text().await;
            page.expect("a page")
        };
        soon("the first message is there", async || {
            seen().await.contains("arrives slowly false").then_some(())
        })
        .await;
        assert_eq!(seen().await.contains(&text), !is_ended);
    }
}
