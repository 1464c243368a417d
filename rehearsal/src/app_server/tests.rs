//! Answers of the app server, compared with those recorded from a real one.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::super::{Dialect, Options, Rehearsal};

const KEY: &str = "the key of the app server";

async fn start(rate_limit: bool) -> Rehearsal {
    let options = Options {
        dialect: Dialect::AppServer,
        pace: Duration::ZERO,
        session_api_key: Some(KEY.to_owned()),
        rate_limit,
        ..Options::default()
    };
    Rehearsal::start(options)
        .await
        .expect("loopback has a free port")
}

async fn call(server: &Rehearsal, method: &str, path: &str, body: Value) -> (u16, Value) {
    let url = format!("http://{}{path}", server.addr());
    let (status, text) = ask(&url, method, KEY, &body).await;
    (status, serde_json::from_str(&text).unwrap_or_default())
}

async fn ask(url: &str, method: &str, key: &str, body: &Value) -> (u16, String) {
    let http = reqwest::Client::builder().tls_built_in_root_certs(false);
    let http = http.build().expect("a client without TLS roots");
    let request = http.request(method.parse().expect("a method"), url);
    let request = request.header("X-Session-API-Key", key);
    let response = request.json(body).send().await.expect("an answer");
    (
        response.status().as_u16(),
        response.text().await.expect("a body"),
    )
}

/// Starts a conversation, and returns its entry in the list.
async fn create_conversation(server: &Rehearsal, message: &str) -> (Vec<Value>, Value) {
    let first = json!({"role": "user", "content": [{"type": "text", "text": message}]});
    let body = json!({"initial_message": first});
    let mut tasks = vec![
        call(server, "POST", "/api/v1/app-conversations", body)
            .await
            .1,
    ];
    let id = tasks[0]["id"].as_str().expect("an id").to_owned();
    let path = format!("/api/v1/app-conversations/start-tasks?ids={id}");
    while !["READY", "ERROR"].contains(&tasks[tasks.len() - 1]["status"].as_str().unwrap_or("")) {
        tasks.push(call(server, "GET", &path, Value::Null).await.1[0].take());
    }
    loop {
        let path = "/api/v1/app-conversations/search";
        let mut listed = call(server, "GET", path, Value::Null).await.1;
        let listed = listed["items"][0].take();
        if listed["execution_status"] == "finished" {
            return (tasks, listed);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Names of the fields of an object.
fn fields(value: &Value) -> BTreeSet<&str> {
    value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| &**name)
        .collect()
}

/// Recorded objects that have this field.
fn recorded(field: &str) -> Vec<Value> {
    fn find(value: &Value, field: &str, found: &mut Vec<Value>) {
        match value {
            Value::Object(map) if map.contains_key(field) => found.push(value.clone()),
            Value::Object(map) => map.values().for_each(|value| find(value, field, found)),
            Value::Array(list) => list.iter().for_each(|value| find(value, field, found)),
            _ => {}
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/recordings/app");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the recordings are there") {
        let text = std::fs::read_to_string(entry.expect("a file").path()).expect("a text");
        for line in text.lines() {
            find(
                &serde_json::from_str(line).expect("JSON"),
                field,
                &mut found,
            );
        }
    }
    assert!(!found.is_empty(), "{field} was recorded");
    found
}

#[tokio::test]
async fn conversations_and_starts_have_the_recorded_fields() {
    let server = start(false).await;
    let (tasks, listed) = create_conversation(&server, "[[scenario:hello]]").await;
    for known in recorded("sandbox_status") {
        // The answer to a message has this field, too.
        if known.get("id").is_some() {
            assert_eq!(fields(&listed), fields(&known));
        }
    }
    let mut wanted = fields(&recorded("app_conversation_id")[0])
        .into_iter()
        .map(str::to_owned)
        .collect::<BTreeSet<_>>();
    // The recordings are shortened by it.
    wanted.insert("request".to_owned());
    let states: Vec<_> = tasks
        .iter()
        .map(|task| task["status"].as_str().expect("a state"))
        .collect();
    assert_eq!(
        states,
        [
            "WORKING",
            "WAITING_FOR_SANDBOX",
            "STARTING_CONVERSATION",
            "READY"
        ]
    );
    for task in &tasks {
        assert_eq!(fields(task), wanted.iter().map(|name| &**name).collect());
    }
    let known: BTreeSet<String> = recorded("app_conversation_id")
        .iter()
        .filter_map(|task| task["status"].as_str().map(str::to_owned))
        .collect();
    assert!(
        states.iter().all(|state| known.contains(*state)),
        "{known:?}"
    );
}

#[tokio::test]
async fn the_key_of_a_sandbox_is_another_one_and_both_are_wanted() {
    let server = start(false).await;
    let (_, listed) = create_conversation(&server, "[[scenario:hello]]").await;
    let key = listed["session_api_key"].as_str().expect("a key");
    let url = listed["conversation_url"].as_str().expect("an address");
    assert_ne!(key, KEY);
    assert_eq!(ask(url, "GET", key, &Value::Null).await.0, 200);
    assert_eq!(ask(url, "GET", KEY, &Value::Null).await.0, 401);
    let list = format!("http://{}/api/v1/app-conversations/search", server.addr());
    assert_eq!(ask(&list, "GET", key, &Value::Null).await.0, 401);
}

#[tokio::test]
async fn a_paused_sandbox_does_not_answer_and_one_that_is_gone_has_only_its_copy() {
    let server = start(false).await;
    let (_, listed) = create_conversation(&server, "[[scenario:hello]]").await;
    let id = listed["id"].as_str().expect("an id");
    let key = listed["session_api_key"]
        .as_str()
        .expect("a key")
        .to_owned();
    let url = listed["conversation_url"]
        .as_str()
        .expect("an address")
        .to_owned();
    let of = |end: &str| format!("/api/v1/sandboxes/{id}{end}");
    assert_eq!(
        call(&server, "POST", &of("/pause"), Value::Null).await.0,
        200
    );
    let asked = tokio::spawn(async move { ask(&url, "GET", &key, &Value::Null).await.0 });
    let path = format!("/api/v1/app-conversations?ids={id}");
    let paused = call(&server, "GET", &path, Value::Null).await.1;
    assert_eq!(paused[0]["sandbox_status"], "PAUSED");
    assert_eq!(paused[0]["session_api_key"], Value::Null);
    assert!(!asked.is_finished());
    assert_eq!(
        call(&server, "POST", &of("/resume"), Value::Null).await.0,
        200
    );
    assert_eq!(asked.await.expect("an answer"), 200);
    assert_eq!(call(&server, "DELETE", &of(""), Value::Null).await.0, 422);
    let gone = call(
        &server,
        "DELETE",
        &of(&format!("?sandbox_id={id}")),
        Value::Null,
    )
    .await;
    assert_eq!(gone.0, 200);
    let copy = format!("/api/v1/conversation/{id}/events/search?limit=100");
    let copied = call(&server, "GET", &copy, Value::Null).await.1;
    let kinds: Vec<_> = copied["items"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|event| &event["kind"])
        .collect();
    assert!(
        kinds.contains(&&json!("StreamingDeltaEvent")) && kinds.contains(&&json!("MessageEvent"))
    );
}

#[tokio::test]
async fn more_than_twenty_requests_in_a_second_are_refused() {
    let server = start(true).await;
    let ask = || {
        call(
            &server,
            "GET",
            "/api/v1/app-conversations/search",
            Value::Null,
        )
    };
    let answers = futures_util::future::join_all((0..30).map(|_| ask())).await;
    let refused = answers.iter().filter(|(status, _)| *status == 429);
    assert_eq!(refused.count(), 10);
}
