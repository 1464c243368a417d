//! Authentication, and the end of connections.

use super::super::super::Fault;
use super::*;

fn with_key() -> Options {
    Options {
        session_api_key: Some("k".to_owned()),
        ..options()
    }
}

#[tokio::test]
async fn the_key_comes_in_the_first_frame_or_in_the_query() {
    let server = start_with(with_key()).await;
    let id = create(&server).await;
    let path = format!("/sockets/session/{id}?after_seq=-1");
    let mut socket = Socket::open(&server, &path).await.unwrap();
    socket
        .say(json!({"type": "auth", "session_api_key": "k"}))
        .await;
    assert_eq!(socket.frame().await["type"], "sync");
    let mut socket = Socket::open(&server, &path).await.unwrap();
    socket
        .say(json!({"type": "auth", "session_api_key": "wrong"}))
        .await;
    assert_eq!(socket.frame().await, 4001);
    let query = |key: &str| format!("{path}&session_api_key={key}");
    assert_eq!(
        Socket::open(&server, &query("k"))
            .await
            .unwrap()
            .frame()
            .await["type"],
        "sync"
    );
    let refused = Socket::open(&server, &query("wrong")).await.err().unwrap();
    assert!(matches!(refused, Error::Http(answer) if answer.status() == 403));
}

#[tokio::test]
async fn without_its_key_rest_answers_nothing_but_who_it_is() {
    let server = start_with(with_key()).await;
    let http = reqwest::Client::builder()
        .tls_built_in_root_certs(false)
        .build()
        .unwrap();
    let get = async |path: &str| {
        let url = format!("http://{}{path}", server.addr());
        http.get(url).send().await.unwrap()
    };
    assert_eq!(get("/api/conversations/count").await.status(), 401);
    let info: Value =
        serde_json::from_slice(&get("/server_info").await.bytes().await.unwrap()).unwrap();
    assert_eq!(info["title"], "OpenHands Agent Server");
    assert_eq!(
        get("/socket.io/?EIO=4&transport=polling").await.status(),
        404
    );
}

#[tokio::test]
async fn a_conversation_that_is_not_there_is_said_after_opening() {
    let server = start().await;
    let path = "/sockets/session/00000000-0000-4000-a000-000000000000";
    assert_eq!(
        Socket::open(&server, path).await.unwrap().frame().await,
        4004
    );
    let odd = Socket::open(&server, "/sockets/events/not-a-uuid")
        .await
        .err()
        .unwrap();
    assert!(matches!(odd, Error::Http(answer) if answer.status() == 403));
}

#[tokio::test]
async fn a_cursor_beyond_the_end_is_taken_without_a_word() {
    let server = start().await;
    let (id, mut socket) = create_conversation(&server, "hello").await;
    socket.until_status("finished").await;
    let mut beyond = Socket::session(&server, &id, 999_999).await;
    let sync = beyond.frame().await;
    assert_eq!(sync["from_seq"], 999_999);
    assert!(sync["through_seq"].as_i64().unwrap() < 50);
    assert_eq!(beyond.frame().await["type"], "transient");
}

#[tokio::test]
async fn the_older_socket_repeats_itself_and_streams_without_ids() {
    let server = start().await;
    let (id, mut socket) = create_conversation(&server, "hello").await;
    let finished =
        |frame: &Value| frame["value"] == "finished" || frame["event"]["value"] == "finished";
    socket.until(finished).await;
    let path = format!("/sockets/events/{id}?resend_mode=all");
    let mut older = Socket::open(&server, &path).await.unwrap();
    assert_eq!(older.frame().await["key"], "full_state");
    let overtaken = older.frame().await;
    let rest = older.until(|event| event["id"] == overtaken["id"]).await;
    assert!(rest.len() > 3, "it comes again behind the others");
    post(&server, &id, "events", message("[[scenario:hello]]")).await;
    let told = older.until(finished).await;
    assert!(
        told.iter()
            .any(|event| event["kind"] == "StreamingDeltaEvent")
    );
    older.say(json!({"foo": 1})).await;
    older
        .until(|event| event["kind"] == "ServerErrorEvent")
        .await;
}

#[tokio::test]
async fn sockets_drop_are_refused_and_end_in_order() {
    let server = start().await;
    let (id, mut socket) = create_conversation(&server, "hello").await;
    socket.until_status("finished").await;
    server.faults().inject(&Fault::GarbageFrame { frame: None });
    socket.until(Value::is_string).await;
    server.faults().inject(&Fault::DropSockets);
    while socket.frame().await != "lost" {}
    let body = json!({"code": 1013});
    server.faults().inject(&Fault::Refuse { body, times: 1 });
    assert_eq!(Socket::session(&server, &id, -1).await.frame().await, 1013);
    let mut socket = Socket::session(&server, &id, -1).await;
    socket.frame().await;
    server.shutdown().await;
    socket.until(|frame| *frame == 1012).await;
}

#[tokio::test]
async fn browser_tests_may_ask_what_was_carried_out_and_nobody_else() {
    assert_eq!(
        call(&start().await, "GET", "/rehearsal/stats", None)
            .await
            .0,
        404
    );
    let server = start_with(Options {
        fault_routes: true,
        ..options()
    })
    .await;
    let (id, mut socket) = create_conversation(&server, "[[scenario:long:1]]").await;
    socket.until_status("finished").await;
    let (_, stats) = get(&server, "/rehearsal/stats").await;
    assert_eq!(stats["sockets"][&id], 1);
    assert_eq!(stats["executions"][&id]["run echo step 1"], 1);
}
