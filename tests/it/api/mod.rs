//! The API for programs, over HTTP: by its tokens, with the rights of pages.
//!
//! Long because what the tests of its folder share is here, too.

mod cli;
mod evidence;
mod python;
mod rights;

use crate::people::house::House;
use crate::stage::soon;
use futures_util::StreamExt as _;
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use std::time::Duration;

/// A token of a user with these scopes.
pub async fn token(house: &House, cookie: &str, scopes: &str) -> String {
    let mut fields = vec![("name", "script"), ("role", "viewer"), ("days", "1")];
    fields.extend(scopes.split_whitespace().map(|scope| (scope, "true")));
    let made = house.call("make_token", cookie, &fields).await;
    assert_eq!(made.status(), 200, "{scopes}");
    made.json().await.expect("a token")
}

/// A request to the API with a token.
pub fn request(house: &House, method: Method, path: &str, token: &str) -> RequestBuilder {
    let address = house.served.process.address;
    let url = format!("http://{address}/api/v1/{path}");
    house.client.request(method, url).bearer_auth(token)
}

pub async fn get(house: &House, path: &str, token: &str) -> Response {
    let request = request(house, Method::GET, path, token);
    request.send().await.expect("a response")
}

pub async fn post(house: &House, path: &str, token: &str, body: &Value) -> Response {
    let request = request(house, Method::POST, path, token);
    request.json(body).send().await.expect("a response")
}

/// The JSON of a response with this status. That of an error is a problem.
pub async fn said(response: Response, status: u16) -> Value {
    let given = response.status();
    let media = response.headers()["content-type"].clone();
    let text = response.text().await.expect("text");
    assert_eq!(given.as_u16(), status, "{text}");
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("JSON: {text}"));
    if status >= 400 {
        assert_eq!(media, "application/problem+json", "{text}");
        assert_eq!(value["status"], status, "{text}");
    }
    value
}

/// Waits for an approval, and returns it.
pub async fn pending(house: &House, token: &str, id: &str) -> Value {
    let path = format!("conversations/{id}/approval");
    soon("an action waits", async || {
        let value = said(get(house, &path, token).await, 200).await;
        Some(value["approval"].clone()).filter(|approval| !approval.is_null())
    })
    .await
}

/// Answers as soon as what waits was shown for long enough.
pub async fn answer(house: &House, token: &str, id: &str, word: &str, body: &Value) -> Response {
    let path = format!("conversations/{id}/{word}");
    loop {
        let response = post(house, &path, token, body).await;
        if response.status() != StatusCode::CONFLICT {
            return response;
        }
        let problem = said(response, 409).await;
        assert_eq!(problem["code"], "too_soon", "{problem}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_program_does_with_its_token_what_a_person_does_on_pages() {
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let all = token(&house, &operator, "read send approve").await;
    let me = said(get(&house, "me", &all).await, 200).await;
    assert_eq!(me["role"], "operator");
    assert_eq!(me["scopes"], json!(["read", "send", "approve"]));

    let new = json!({ "message": "[[scenario:confirm]] by a program" });
    let id = said(post(&house, "conversations", &all, &new).await, 201).await["id"].clone();
    let id = id.as_str().expect("an id").to_owned();
    let approval = pending(&house, &all, &id).await;
    let shown = approval["shown"].as_str().expect("a text");
    let subject = approval["actions"][0]["subject"].as_str().expect("a text");
    assert!(shown.contains(subject), "{approval}");
    let inbox = said(get(&house, "inbox", &all).await, 200).await;
    assert_eq!(
        inbox["waiting"][0]["conversation"]["id"],
        json!(id),
        "{inbox}"
    );
    assert_eq!(inbox["waiting"][0]["answerable"], true);

    // An answer to something else is refused, and says so.
    let other = json!({ "token": "0".repeat(64) });
    let path = format!("conversations/{id}/approve");
    let first = said(post(&house, &path, &all, &other).await, 409).await;
    assert_eq!(first["code"], "changed", "{first}");
    let body = json!({ "token": approval["token"] });
    assert_eq!(
        said(answer(&house, &all, &id, "approve", &body).await, 200).await,
        json!({ "done": true })
    );
    // The same answer again is harmless, another one is refused.
    let again = answer(&house, &all, &id, "approve", &body).await;
    assert_eq!(again.status(), 200);
    let path = format!("conversations/{id}/reject");
    let late = said(post(&house, &path, &all, &body).await, 409).await;
    assert!(
        ["answered", "changed"].contains(&late["code"].as_str().expect("a word")),
        "{late}"
    );

    // All events, page by page.
    let mut seqs = Vec::new();
    let mut after = 0;
    loop {
        let path = format!("conversations/{id}/events?after={after}&limit=3");
        let page = said(get(&house, &path, &all).await, 200).await;
        let events = page["events"].as_array().expect("a list").clone();
        assert!(events.len() <= 3);
        seqs.extend(
            events
                .iter()
                .map(|event| event["seq"].as_i64().expect("a number")),
        );
        after = page["next"].as_i64().expect("a number");
        if page["more"] == false {
            break;
        }
    }
    let wanted: Vec<i64> = (1..=seqs.len() as i64).collect();
    assert_eq!(seqs, wanted);

    let message = json!({ "text": "thank you, program" });
    let path = format!("conversations/{id}/messages");
    soon("the agent takes messages", async || {
        let sent = post(&house, &path, &all, &message).await;
        sent.status().is_success().then_some(())
    })
    .await;
    soon("it is found", async || {
        let found = said(get(&house, "search?q=thank", &all).await, 200).await;
        (found["hits"][0]["conversation"] == json!(id)).then_some(())
    })
    .await;
    let one = said(get(&house, &format!("conversations/{id}"), &all).await, 200).await;
    let title = one["title"].as_str().expect("a text").to_lowercase();
    let word = title.split_whitespace().next().expect("a word");
    let list = said(
        get(&house, &format!("conversations?q={word}"), &all).await,
        200,
    )
    .await;
    assert_eq!(list["conversations"][0]["id"], json!(id), "{list}");
    let none = said(get(&house, "conversations?q=zebra", &all).await, 200).await;
    assert_eq!(none["conversations"], json!([]));
    assert_eq!(
        (&one["role"], &one["creator"]),
        (&json!("operator"), &json!("operator"))
    );
    let usage = said(get(&house, "usage?days=7", &all).await, 200).await;
    assert_eq!(
        (&usage["days"], &usage["everybody"]),
        (&json!(7), &json!(false))
    );
    let rules = said(get(&house, "rules", &all).await, 200).await;
    assert_eq!(rules["rules"], json!([]));
    let stopped = post(
        &house,
        &format!("conversations/{id}/stop"),
        &all,
        &json!({}),
    )
    .await;
    // It may have ended by itself.
    assert!(
        [200, 409].contains(&stopped.status().as_u16()),
        "{stopped:?}"
    );
    let export = get(
        &house,
        &format!("conversations/{id}/export?format=md"),
        &all,
    )
    .await;
    assert!(
        export
            .text()
            .await
            .expect("text")
            .contains("thank you, program")
    );

    // Errors are problems, whichever layer refuses.
    for (path, status, code) in [
        ("nowhere", 404, "not_found"),
        ("conversations/none", 404, "not_found"),
        ("people", 403, "scope"),
        ("conversations/none/export?format=md", 404, "not_found"),
        (
            &*format!("conversations/{id}/export?format=pdf"),
            400,
            "invalid",
        ),
    ] {
        let problem = said(get(&house, path, &all).await, status).await;
        assert_eq!(problem["code"], code, "{path}: {problem}");
    }
    let missing = said(get(&house, "me", "handrail_wrong").await, 401).await;
    assert_eq!(missing["code"], "signed_out");
    let in_a_browser = request(&house, Method::GET, "me", "handrail_wrong");
    let in_a_browser = in_a_browser.header("accept", "text/html").send().await;
    let in_a_browser = said(in_a_browser.expect("a response"), 401).await;
    assert_eq!(in_a_browser["code"], "signed_out");
    let bad = request(&house, Method::POST, "conversations", &all).body("{");
    let bad = bad.header("content-type", "application/json");
    said(bad.send().await.expect("a response"), 400).await;
    let large = json!({ "message": "x".repeat(2 << 20) });
    let large = said(post(&house, "conversations", &all, &large).await, 413).await;
    assert_eq!(large["code"], "too_large");
    let description = house.get("/api/v1/openapi.json", None).await;
    let description: Value = description.json().await.expect("JSON");
    assert!(description["paths"]["/conversations/{id}/approve"]["post"].is_object());

    // Who made it is in the audit log like a click.
    let owner = house.log_in("owner").await;
    let audit = house.get("/audit.jsonl?action=approve", Some(&owner)).await;
    let audit = audit.text().await.expect("text");
    let token = approval["token"].as_str().expect("a text");
    assert!(
        audit.contains(token) && audit.contains("\"operator\""),
        "{audit}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_token_may_not_answer_it_neither_rejects_nor_counts_as_shown() {
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let (sending, all) = (
        token(&house, &operator, "read send").await,
        token(&house, &operator, "read send approve").await,
    );
    let id = house
        .create_conversation(&operator, "[[scenario:confirm]]")
        .await;
    let path = format!("conversations/{id}");
    let waits = async || said(get(&house, &path, &sending).await, 200).await["waiting"] == true;
    soon("an action waits", async || waits().await.then_some(())).await;
    let message = json!({ "text": "do something else" });
    let messages = format!("{path}/messages");
    said(post(&house, &messages, &sending, &message).await, 409).await;
    assert!(waits().await, "the message did not reject it");
    // Neither the state nor the inbox nor a stream hands the action out.
    let stream = until(stream(&house, &all, &id, None).await, "\"waiting\":true").await;
    assert!(stream.contains("event: state"), "{stream}");
    let inbox = said(get(&house, "inbox", &all).await, 200).await;
    assert_eq!(inbox["waiting"][0]["answerable"], true, "{inbox}");
    tokio::time::sleep(Duration::from_millis(800)).await;
    // Somebody else reads it: however slow this is, it is not before the operator.
    let owner = house.log_in("owner").await;
    let others = token(&house, &owner, "read send approve").await;
    let body = json!({ "token": pending(&house, &others, &id).await["token"] });
    let unseen = said(
        post(&house, &format!("{path}/approve"), &all, &body).await,
        409,
    )
    .await;
    assert_eq!(unseen["code"], "too_soon", "{unseen}");
    assert_eq!(
        answer(&house, &all, &id, "approve", &body).await.status(),
        200
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repeated_key_has_no_effect_and_gets_the_first_answer() {
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let (one, other) = (
        token(&house, &operator, "read send").await,
        token(&house, &operator, "read send").await,
    );
    let make = async |token: &str, key: &str, message: &str| {
        let request = request(&house, Method::POST, "conversations", token);
        let request = request.header("idempotency-key", key);
        let body = json!({ "message": format!("[[scenario:hello]] {message}") });
        request.json(&body).send().await.expect("a response")
    };
    // Two at a time are one, too.
    let (first, second) = tokio::join!(make(&one, "k", "a"), make(&one, "k", "a"));
    let is_replayed = |answer: &Response| answer.headers().contains_key("idempotency-replayed");
    assert!(is_replayed(&first) != is_replayed(&second));
    let id = said(first, 201).await;
    assert_eq!(said(second, 201).await, id);
    let reused = said(make(&one, "k", "b").await, 422).await;
    assert_eq!(reused["code"], "key_reused");
    assert_ne!(
        said(make(&other, "k", "b").await, 201).await,
        id,
        "another token"
    );
    let long = make(&one, &"k".repeat(300), "c").await;
    assert_eq!(said(long, 400).await["code"], "invalid");
    // What failed without effect is tried again.
    let path = format!(
        "conversations/{}/messages",
        id["id"].as_str().expect("an id")
    );
    let send = async |text: &str| {
        let request = request(&house, Method::POST, &path, &one);
        let request = request
            .header("idempotency-key", "m")
            .json(&json!({ "text": text }));
        request.send().await.expect("a response")
    };
    said(send(" ").await, 400).await;
    soon("it is sent", async || {
        send("now").await.status().is_success().then_some(())
    })
    .await;
    assert!(is_replayed(&send("now").await));
    let list = said(get(&house, "conversations", &one).await, 200).await;
    assert_eq!(
        list["conversations"].as_array().expect("a list").len(),
        2,
        "{list}"
    );
}

/// The stream of a conversation from an event on.
async fn stream(house: &House, token: &str, id: &str, last: Option<i64>) -> Response {
    let path = format!("conversations/{id}/events?after=0");
    let request = request(house, Method::GET, &path, token);
    let request = request.header("accept", "text/event-stream");
    let request = match last {
        Some(last) => request.header("last-event-id", last.to_string()),
        None => request,
    };
    request.send().await.expect("a response")
}

/// Reads a stream until its text holds `wanted`, or to its end.
async fn until(stream: Response, wanted: &str) -> String {
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    let (mut text, mut pieces) = (String::new(), stream.bytes_stream());
    let reading = async {
        while let Some(Ok(piece)) = pieces.next().await {
            text.push_str(&String::from_utf8_lossy(&piece));
            if !wanted.is_empty() && text.contains(wanted) {
                break;
            }
        }
    };
    let read = tokio::time::timeout(crate::tab::LONG, reading).await;
    assert!(read.is_ok(), "{wanted:?} does not come");
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_continues_where_it_ended_and_ends_with_its_token() {
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let all = token(&house, &operator, "read send approve").await;
    let id = house
        .create_conversation(&operator, "[[scenario:confirm]]")
        .await;
    let text = until(stream(&house, &all, &id, None).await, "id: 2\n").await;
    assert!(
        text.contains("event: event") && text.contains("id: 1\n"),
        "{text}"
    );
    assert!(text.starts_with("event: state\n"), "{text}");
    pending(&house, &all, &id).await;
    let text = until(stream(&house, &all, &id, Some(2)).await, "id: 3\n").await;
    assert!(!text.contains("id: 2\n"), "{text}");

    let open = std::sync::Mutex::new(Vec::new());
    // Those that were left end when the server notices.
    soon("four are open", async || {
        let stream = stream(&house, &all, &id, Some(1_000)).await;
        let is_open = stream.status() == StatusCode::OK;
        let mut open = open.lock().expect("it is not poisoned");
        if is_open {
            open.push(stream);
        }
        (open.len() == 4).then_some(())
    })
    .await;
    let mut open = open.into_inner().expect("it is not poisoned");
    let refused = stream(&house, &all, &id, None).await;
    assert!(refused.headers().contains_key("retry-after"));
    assert_eq!(said(refused, 429).await["code"], "too_many");
    open.truncate(1);

    let account: Value = house
        .call("read_account", &operator, &[])
        .await
        .json()
        .await
        .expect("JSON");
    let number = account["tokens"][0]["number"].to_string();
    let ended = house
        .call("end_token", &operator, &[("number", &number)])
        .await;
    assert_eq!(ended.status(), 200);
    let text = until(open.pop().expect("one is left"), "").await;
    assert!(text.contains("event: end"), "{text}");
    assert_eq!(get(&house, "me", &all).await.status(), 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_that_asks_too_often_is_told_to_wait() {
    let house = House::new().await;
    let viewer = house.log_in("viewer").await;
    let (busy, other) = (
        token(&house, &viewer, "read").await,
        token(&house, &viewer, "read").await,
    );
    // Many at a time, so that a slow machine asks too often as well.
    let asked = futures_util::stream::iter(0..2_000).map(|_| get(&house, "me", &busy));
    let refused = asked
        .buffer_unordered(16)
        .filter(|answer| std::future::ready(answer.status() != StatusCode::OK));
    let refused = std::pin::pin!(refused)
        .next()
        .await
        .expect("there is a limit");
    assert!(refused.headers().contains_key("retry-after"));
    let problem = said(refused, 429).await;
    assert_eq!(problem["code"], "too_many");
    let detail = problem["detail"].as_str().expect("a text");
    assert!(detail.starts_with("This token"), "{problem}");
    assert_eq!(
        get(&house, "me", &other).await.status(),
        200,
        "another token"
    );
}
