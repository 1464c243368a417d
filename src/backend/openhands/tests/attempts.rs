//! A server that rejects, hangs or falls silent: when an attempt ends, and when the next one begins.

use super::*;
use serde_json::json;

#[tokio::test]
async fn three_refusals_end_the_trying_until_somebody_asks() {
    let stub = Stub::start().await;
    let why = json!({"message": "Settings not found", "data": {"msg_id": "CONFIGURATION$SETTINGS_NOT_FOUND"}});
    stub.next(vec![Act::Refuse(why); 3]);
    let mut connection = hold(&stub, None);
    let state = connection
        .until(|state| matches!(state, ConnectionState::Refused { .. }))
        .await;
    let expected = ConnectionState::Refused {
        why: "Settings not found".to_owned(),
        code: "CONFIGURATION$SETTINGS_NOT_FOUND".to_owned(),
    };
    assert_eq!(state, expected);
    assert_eq!(*stub.joined.borrow(), 3);
    assert!(matches!(
        connection.order(say("x")).await,
        Delivery::NotYet(_)
    ));
    connection.retry.notify_one();
    connection.live().await;
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up_and_tried_again() {
    for act in [Act::Mute, Act::Hang] {
        let stub = Stub::start().await;
        stub.next([act]);
        let mut connection = hold(&stub, None);
        connection
            .until(|state| matches!(state, ConnectionState::Reconnecting { .. }))
            .await;
        connection.live().await;
    }
}

#[tokio::test]
async fn whoever_asks_again_does_not_wait_for_an_attempt_that_hangs() {
    let mut stub = Stub::start().await;
    stub.next([Act::Mute]);
    // A connection may take up to a minute; the retry ends it early.
    let mut connection = hold_with(&stub, None, Timing::polling_every(LONG));
    stub.joined.wait_for(|count| *count == 1).await.unwrap();
    connection.retry.notify_one();
    connection.live().await;
}

#[tokio::test]
async fn a_server_that_falls_silent_is_noticed() {
    let stub = Stub::start().await;
    stub.next([Act::Silent]);
    let mut connection = hold(&stub, None);
    connection.live().await;
    connection
        .until(|state| matches!(state, ConnectionState::Reconnecting { .. }))
        .await;
    connection.live().await;
}

#[tokio::test]
async fn a_network_that_swallows_everything_is_noticed_within_ten_seconds() {
    let stub = Stub::start().await;
    let mut connection = hold(&stub, None);
    connection.live().await;
    stub.freeze(true);
    let why = timeout(
        Duration::from_secs(10) - crate::backend::http::SILENCE,
        connection.until(|state| matches!(state, ConnectionState::Reconnecting { .. })),
    );
    let ConnectionState::Reconnecting { why, .. } = why.await.unwrap() else {
        unreachable!("it was waited for");
    };
    assert_eq!(why, "OpenHands no longer responds.");
    stub.freeze(false);
    connection.retry.notify_one();
    connection.live().await;
}

#[tokio::test]
async fn nobody_waits_a_minute_for_a_backend_that_accepts_and_never_answers() {
    let stub = Stub::start().await;
    stub.freeze(true);
    let backend = OpenHands::new(stub.connection()).unwrap();
    let new = crate::backend::NewConversation::default();
    let made = timeout(Duration::from_secs(10), backend.create(new)).await;
    assert!(matches!(made, Ok(Err(BackendError::Timeout(4)))));
}
