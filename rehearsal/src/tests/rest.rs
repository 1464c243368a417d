//! REST responses as recorded.

use serde_json::{Value, json};

use super::super::{Options, Rehearsal};
use super::{call, get, http, options, ready, start};

const MISSING: &str = "00000000000000000000000000000000";

#[tokio::test]
async fn errors_come_in_the_shapes_and_codes_of_the_real_server() {
    let server = start().await;
    let not_found = json!({"detail": format!("Conversation {MISSING} not found")});
    for (method, path, body, status, answer) in [
        (
            "GET",
            "/".to_owned(),
            None,
            404,
            json!({"detail": "Not Found"}),
        ),
        (
            "DELETE",
            "/api/settings".to_owned(),
            None,
            405,
            json!({"detail": "Method Not Allowed"}),
        ),
        (
            "GET",
            format!("/api/conversations/{MISSING}"),
            None,
            200,
            Value::Null,
        ),
        (
            "DELETE",
            format!("/api/conversations/{MISSING}"),
            None,
            200,
            json!(false),
        ),
        (
            "GET",
            format!("/api/conversations/{MISSING}/events"),
            None,
            404,
            not_found.clone(),
        ),
        (
            "GET",
            format!("/api/conversations/{MISSING}/list-files"),
            None,
            404,
            not_found,
        ),
        (
            "POST",
            "/api/conversations".to_owned(),
            Some(json!({"no_such_field": 1})),
            422,
            json!({"detail": [{"type": "extra_forbidden", "loc": ["body", "no_such_field"], "msg": "Extra inputs are not permitted", "input": 1}]}),
        ),
        (
            "POST",
            "/api/conversations".to_owned(),
            None,
            422,
            json!({"detail": [{"type": "missing", "loc": ["body"], "msg": "Field required", "input": null}]}),
        ),
    ] {
        assert_eq!(
            call(&server, method, &path, body).await,
            (status, answer),
            "{method} {path}"
        );
    }
}

#[tokio::test]
async fn events_are_paged_unfiltered_and_also_when_stopped() {
    let server = start().await;
    let (id, mut client) = ready(&server).await;
    client.say("[[scenario:long:20]]").await;
    client.until_state("finished").await;
    call(
        &server,
        "POST",
        &format!("/api/conversations/{id}/stop"),
        None,
    )
    .await;
    let mut ids = Vec::new();
    loop {
        let path = format!(
            "/api/conversations/{id}/events?start_id={}&limit=10",
            ids.len()
        );
        let (status, page) = get(&server, &path).await;
        assert_eq!(status, 200);
        ids.extend(
            page["events"]
                .as_array()
                .unwrap()
                .iter()
                .map(|event| event["id"].as_i64().unwrap()),
        );
        if page["has_more"] == false {
            break;
        }
    }
    assert_eq!(
        ids,
        Vec::from_iter(0..ids.len() as i64),
        "no gaps: the hidden ones are here"
    );
    assert!(ids.len() > 45, "{}", ids.len());
    let (_, last) = get(
        &server,
        &format!("/api/conversations/{id}/events?reverse=true&limit=1"),
    )
    .await;
    assert_eq!(last["events"][0]["extras"]["agent_state"], "stopped");
    let (status, _) = get(
        &server,
        &format!("/api/conversations/{id}/events?limit=101"),
    )
    .await;
    assert_eq!(status, 400);
}

#[tokio::test]
async fn the_key_guards_the_api_and_nothing_else() {
    let server = Rehearsal::start(Options {
        session_api_key: Some("key".to_owned()),
        ..options()
    })
    .await
    .unwrap();
    for (path, status, answer) in [
        ("/api/settings", 401, json!({"detail": "Unauthorized"})),
        ("/alive", 200, json!({"status": "ok"})),
    ] {
        let url = format!("http://{}{path}", server.addr());
        let without_key = http().get(url).send().await.unwrap();
        assert_eq!(without_key.status(), status, "{path}");
        assert_eq!(without_key.json::<Value>().await.unwrap(), answer);
    }
    assert_eq!(get(&server, "/api/settings").await.0, 200);
}

#[tokio::test]
async fn too_many_requests_are_refused_with_a_time_to_wait() {
    let server = Rehearsal::start(Options {
        rate_limit: true,
        ..options()
    })
    .await
    .unwrap();
    let url = format!("http://{}/alive", server.addr());
    let client = http();
    let mut answers = tokio::task::JoinSet::new();
    for _ in 0..40 {
        answers.spawn(client.get(&url).send());
    }
    let answers: Vec<_> = answers
        .join_all()
        .await
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let refused: Vec<_> = answers
        .iter()
        .filter(|answer| answer.status() == 429)
        .collect();
    assert!((1..=20).contains(&refused.len()), "{}", refused.len());
    assert_eq!(refused[0].headers()["retry-after"], "1");
}

#[tokio::test]
async fn a_running_conversation_is_deleted_at_the_second_attempt() {
    let server = start().await;
    let (id, _client) = ready(&server).await;
    let path = format!("/api/conversations/{id}");
    assert_eq!(call(&server, "DELETE", &path, None).await.0, 500);
    assert_eq!(
        call(&server, "DELETE", &path, None).await,
        (200, json!(true))
    );
    assert_eq!(get(&server, &path).await, (200, Value::Null));
}

#[tokio::test]
async fn secrets_are_named_but_never_shown() {
    let server = start().await;
    let secret = json!({"name": "TOKEN", "value": "hunter2", "description": "demo"});
    assert_eq!(
        call(&server, "POST", "/api/secrets", Some(secret.clone()))
            .await
            .0,
        201
    );
    let twice = json!({"message": "Secret TOKEN already exists"});
    assert_eq!(
        call(&server, "POST", "/api/secrets", Some(secret)).await,
        (400, twice)
    );
    let (_, list) = get(&server, "/api/secrets").await;
    assert_eq!(
        list,
        json!({"custom_secrets": [{"name": "TOKEN", "description": "demo"}]})
    );
    assert_eq!(
        call(&server, "DELETE", "/api/secrets/TOKEN", None).await.0,
        200
    );
    assert_eq!(
        call(&server, "DELETE", "/api/secrets/TOKEN", None).await.0,
        404
    );
}

#[tokio::test]
async fn conversations_are_listed_page_by_page_the_newest_first() {
    let server = start().await;
    let (older, _a) = ready(&server).await;
    let (newer, _b) = ready(&server).await;
    let (_, first) = get(&server, "/api/conversations?limit=1").await;
    assert_eq!(first["results"][0]["conversation_id"], newer.as_str());
    assert_eq!(
        first["results"][0]["num_connections"], 0,
        "always, in the list"
    );
    let page = first["next_page_id"]
        .as_str()
        .unwrap()
        .replace('=', "%3D")
        .replace('+', "%2B");
    let (_, second) = get(
        &server,
        &format!("/api/conversations?limit=1&page_id={page}"),
    )
    .await;
    assert_eq!(second["results"][0]["conversation_id"], older.as_str());
    assert_eq!(second["next_page_id"], Value::Null);
}
