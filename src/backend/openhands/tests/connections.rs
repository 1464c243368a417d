//! A live connection: events that arrive, are lost and are found again, and what it never does.

use super::*;
use serde_json::json;

#[tokio::test]
async fn a_connection_brings_history_and_what_follows_once() {
    let stub = Stub::start().await;
    stub.grow(230);
    let mut connection = hold(&stub, None);
    connection.live().await;
    stub.say();
    assert_eq!(
        connection.ids_until(230).await,
        (0..=230).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn a_resumed_connection_asks_for_little() {
    let stub = Stub::start().await;
    stub.grow(230);
    let mut connection = hold(&stub, Some(225));
    connection.live().await;
    assert_eq!(stub.resumes(), [209], "the newest, less the overlap");
    assert_eq!(connection.next_id().await, 206);
}

#[tokio::test]
async fn a_lost_connection_is_resumed_without_hole() {
    let stub = Stub::start().await;
    stub.grow(5);
    let mut connection = hold(&stub, None);
    connection.live().await;
    stub.cut();
    connection
        .until(|state| matches!(state, ConnectionState::Reconnecting { .. }))
        .await;
    stub.grow(9);
    connection.live().await;
    stub.say();
    assert_eq!(connection.ids_until(9).await, (0..10).collect::<Vec<_>>());
}

#[tokio::test]
async fn an_event_that_the_socket_swallowed_is_found() {
    let stub = Stub::start().await;
    stub.grow(3);
    let mut connection = hold(&stub, None);
    connection.live().await;
    stub.grow(4);
    stub.say();
    let mut ids = connection.ids_until(4).await;
    ids.push(connection.next_id().await);
    assert_eq!(ids, [0, 1, 2, 4, 3]);
}

#[tokio::test]
async fn frames_without_an_id_pass_and_repeated_ones_do_not() {
    let stub = Stub::start().await;
    let mut connection = hold(&stub, None);
    connection.live().await;
    stub.frame(
        r#"42["oh_event",{"status_update":true,"type":"info","id":"STATUS$READY","message":""}]"#
            .to_owned(),
    );
    stub.frame(r#"42["other",{"id":77}]"#.to_owned());
    stub.say();
    stub.frame(r#"42["oh_event",{"id":0,"action":"message"}]"#.to_owned());
    stub.say();
    let status = timeout(LONG, connection.events.recv())
        .await
        .unwrap()
        .unwrap();
    assert!(status.item.pos.is_none() && status.raw.contains("STATUS$READY"));
    assert_eq!(connection.ids_until(1).await, [0, 1]);
}

#[tokio::test]
async fn rubbish_in_the_stream_costs_a_connection_and_nothing_else() {
    let survives = async |frame: &str| {
        let stub = Stub::start().await;
        stub.grow(3);
        let mut connection = hold(&stub, None);
        connection.live().await;
        stub.frame(frame.to_owned());
        stub.cut();
        connection
            .until(|state| *state != ConnectionState::Live)
            .await;
        connection.live().await;
        stub.say();
        assert_eq!(connection.ids_until(3).await, [0, 1, 2, 3], "{frame}");
    };
    let binary = r#"451-["x",{"_placeholder":true,"num":0}]"#;
    let frames = ["9what", "", "4", "42{", binary, "2probe", "{}"];
    futures_util::future::join_all(frames.map(survives)).await;
}

#[tokio::test]
async fn an_event_that_kills_every_connection_is_left_out_of_the_replay() {
    let stub = Stub::start().await;
    stub.grow(30);
    // No event of its own ends a connection any more, so what stands for it is no packet at all.
    stub.next(vec![Act::Frame("9what".to_owned()); 100]);
    let mut connection = hold(&stub, None);
    connection.live().await;
    assert_eq!(stub.resumes(), [9, 9, 9, 29]);
    stub.say();
    assert_eq!(connection.ids_until(30).await, (0..=30).collect::<Vec<_>>());
}

/// Python writes `NaN` and lone surrogates; 0.62 answers 500 to a request for such an event.
#[tokio::test]
async fn an_event_that_only_python_reads_is_read_from_the_socket() {
    let stub = Stub::start().await;
    stub.grow(40);
    stub.break_page_of(7);
    stub.break_page_of(39);
    let frame = |id: i64| {
        format!(
            r#"42["oh_event",{{"id":{id},"observation":"run","cause":6,"content":"caf\udce9","extras":{{"score":NaN}}}}]"#
        )
    };
    stub.next([Act::Frame(frame(7))]);
    let mut connection = hold(&stub, None);
    connection.live().await;
    assert_eq!(stub.resumes(), [6], "the replay begins before the event");
    stub.say();
    let mut events = connection.events_until(40).await;
    events.sort_by_key(|event| event.item.pos);
    let ids: Vec<_> = events.iter().filter_map(|event| event.item.pos).collect();
    assert_eq!(ids, (0..=40).collect::<Vec<_>>());
    let raw = &events[7].raw;
    assert!(
        raw.contains("caf\u{fffd}") && raw.contains("\"score\":\"NaN\""),
        "{raw}"
    );
    assert!(!events[39].raw.contains("unreadable"), "{}", events[39].raw);
}

#[tokio::test]
async fn an_event_that_no_route_can_carry_has_a_marker() {
    let stub = Stub::start().await;
    stub.grow(5);
    stub.break_page_of(3);
    stub.set_status("STOPPED");
    let mut connection = hold(&stub, None);
    // It comes last: until then a replay might have brought the event.
    let events = connection.events_until(3).await;
    let marked: Vec<bool> = events
        .iter()
        .map(|event| event.raw.contains("unreadable"))
        .collect();
    assert_eq!(marked, [false, false, false, false, true]);
}

#[tokio::test]
async fn a_frame_that_is_too_large_is_fetched_another_way() {
    let stub = Stub::start().await;
    let mut connection = hold(&stub, None);
    connection.live().await;
    stub.grow(1);
    stub.frame(format!(
        r#"42["oh_event",{{"id":0,"content":"{}"}}]"#,
        "x".repeat(17 << 20)
    ));
    assert_eq!(connection.next_id().await, 0);
}

#[tokio::test]
async fn a_stopped_conversation_is_never_joined() {
    let stub = Stub::start().await;
    stub.grow(2);
    stub.set_status("STOPPED");
    let mut connection = hold(&stub, None);
    assert_eq!(
        connection.ids_until(1).await,
        [0, 1],
        "its history is read all the same"
    );
    let state = connection.state.clone();
    connection.ended().await;
    assert_eq!(*state.borrow(), ConnectionState::Idle);
    assert_eq!(*stub.joined.borrow(), 0);
}

#[tokio::test]
async fn a_conversation_that_stops_while_it_is_watched_is_not_woken() {
    let stub = Stub::start().await;
    let mut connection = hold(&stub, None);
    connection.live().await;
    stub.set_status("STOPPED");
    stub.cut();
    connection.ended().await;
    assert_eq!(*stub.joined.borrow(), 1);
}

#[tokio::test]
async fn cancelling_ends_the_connection_at_once_and_answers_what_waits() {
    let stub = Stub::start().await;
    let mut connection = hold(&stub, None);
    connection.live().await;
    connection.cancel.cancel();
    let state = connection.state.clone();
    connection.ended().await;
    assert_eq!(*state.borrow(), ConnectionState::Idle);
}

#[tokio::test]
async fn no_socket_outlives_its_connection_however_it_stood() {
    let why = json!({ "message": "no" });
    for act in [Act::Serve, Act::Mute, Act::Refuse(why)] {
        let stub = Stub::start().await;
        stub.next([act]);
        let connection = hold(&stub, None);
        let (mut joined, mut open) = (stub.joined.clone(), stub.open.clone());
        timeout(LONG, joined.wait_for(|count| *count > 0))
            .await
            .unwrap()
            .unwrap();
        connection.cancel.cancel();
        connection.ended().await;
        timeout(LONG, open.wait_for(|count| *count == 0))
            .await
            .expect("closed")
            .unwrap();
    }
}

#[tokio::test]
async fn a_conversation_that_is_gone_is_not_made_again() {
    let stub = Stub::start().await;
    let backend = OpenHands::new(stub.connection()).unwrap();
    let mut connection = hold_on(&backend, "ffffffffffffffffffffffffffffffff", None);
    connection
        .until(|state| matches!(state, ConnectionState::Refused { .. }))
        .await;
    assert_eq!(*stub.joined.borrow(), 0);
}

#[tokio::test]
async fn a_crafted_id_goes_nowhere() {
    let stub = Stub::start().await;
    let backend = OpenHands::new(stub.connection()).unwrap();
    assert!(matches!(
        backend.history("../../x", holding(None)).await,
        Err(BackendError::Invalid(_))
    ));
    assert!(matches!(
        backend.list_files(ID, "/etc").await,
        Err(BackendError::Invalid(_))
    ));
}

#[tokio::test]
async fn a_dropped_connection_after_connect_comes_back() {
    let stub = Stub::start().await;
    stub.next([Act::Drop, Act::Drop]);
    let mut connection = hold(&stub, None);
    let mut joined = stub.joined.clone();
    timeout(LONG, joined.wait_for(|count| *count == 3))
        .await
        .unwrap()
        .unwrap();
    connection.live().await;
}
