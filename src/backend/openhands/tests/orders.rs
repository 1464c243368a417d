//! Outcomes of commands on good and on bad connections.

use super::*;
use crate::backend::{Connection, Order, Permit};
use crate::journal::Lease;
use tokio::sync::oneshot;

#[tokio::test]
async fn an_acknowledged_order_is_confirmed_and_said_in_the_protocol() {
    let stub = Stub::start().await;
    let mut connection = hold(&stub, None);
    connection.live().await;
    assert_eq!(connection.order(say("hello")).await, Delivery::Confirmed);
    assert_eq!(
        connection
            .order(Command::Approve { keys: Vec::new() })
            .await,
        Delivery::Confirmed
    );
    let got = stub.got();
    assert_eq!(
        got[0],
        json!(["oh_user_action", {"action": "message", "args": {"content": "hello", "image_urls": [], "file_urls": []}}])
    );
    assert_eq!(got[1][1]["args"]["agent_state"], "user_confirmed");
}

#[tokio::test]
async fn a_node_that_has_lost_the_lease_orders_nothing() {
    let stub = Stub::start().await;
    let lease = Lease::counted(Duration::ZERO);
    let connection = Connection {
        permit: Permit::of(Some(lease.clone())),
        ..stub.connection()
    };
    let backend = OpenHands::new(connection).unwrap().with_timing(quick());
    let mut connection = hold_on(&backend, ID, None);
    connection.live().await;
    assert_eq!(connection.order(say("in time")).await, Delivery::Confirmed);
    lease.lose();
    let late = connection.order(say("too late")).await;
    assert!(matches!(late, Delivery::NotYet(_)), "{late:?}");
    assert_eq!(stub.got().len(), 1);
}

#[tokio::test]
async fn an_order_without_an_answer_is_unknown_and_never_repeated() {
    let stub = Stub::start().await;
    stub.next([Act::Deaf]);
    let mut connection = hold(&stub, None);
    connection.live().await;
    assert!(matches!(
        connection.order(say("once")).await,
        Delivery::Unknown(_)
    ));
    connection
        .until(|state| *state != ConnectionState::Live)
        .await;
    connection.live().await;
    assert_eq!(connection.order(say("twice")).await, Delivery::Confirmed);
    assert_eq!(stub.got().len(), 2);
}

#[tokio::test]
async fn an_order_that_the_connection_dies_over_is_unknown() {
    let stub = Stub::start().await;
    stub.next([Act::Deaf]);
    let mut timing = quick();
    timing.limits.ack = LONG;
    let mut connection = hold_with(&stub, None, timing);
    connection.live().await;
    let (done, outcome) = oneshot::channel();
    connection
        .orders
        .send(Order::new(say("x"), done))
        .await
        .unwrap_or_else(|_| panic!("the connection is gone"));
    // The command is in flight once the server has received it.
    timeout(LONG, async {
        while stub.got().is_empty() {
            tokio::task::yield_now().await
        }
    })
    .await
    .unwrap();
    stub.cut();
    assert!(matches!(
        timeout(LONG, outcome).await.unwrap().unwrap(),
        Delivery::Unknown(_)
    ));
}

#[tokio::test]
async fn an_order_that_is_too_large_is_not_sent() {
    let stub = Stub::start().await;
    let mut connection = hold(&stub, None);
    connection.live().await;
    assert!(matches!(
        connection.order(say(&"x".repeat(5 << 20))).await,
        Delivery::NotSent(_)
    ));
    assert_eq!(
        connection.order(say("small")).await,
        Delivery::Confirmed,
        "and the connection lives"
    );
}

#[tokio::test]
async fn orders_are_answered_while_nothing_is_connected() {
    let stub = Stub::start().await;
    stub.next(vec![Act::Hang; 5]);
    let connection = hold(&stub, None);
    assert!(matches!(
        connection.order(say("x")).await,
        Delivery::NotYet(_)
    ));
}

#[tokio::test]
async fn a_message_to_an_agent_that_still_starts_is_held_back() {
    let stub = Stub::start().await;
    stub.set_status("STARTING");
    let mut connection = hold(&stub, None);
    connection.live().await;
    assert!(
        matches!(
            connection.order(say("too early")).await,
            Delivery::NotYet(_)
        ),
        "the runtime starts"
    );
    stub.set_status("RUNNING");
    stub.tell(state("loading"));
    connection.next_id().await;
    assert!(
        matches!(
            connection.order(say("too early")).await,
            Delivery::NotYet(_)
        ),
        "the agent starts"
    );
    assert_eq!(
        connection.order(Command::Stop).await,
        Delivery::Confirmed,
        "that it can take"
    );
    stub.tell(state("awaiting_user_input"));
    connection.next_id().await;
    assert_eq!(connection.order(say("now")).await, Delivery::Confirmed);
    assert_eq!(stub.got().len(), 2);
}

#[tokio::test]
async fn an_agent_that_was_seen_ready_before_this_connection_is_ready() {
    let stub = Stub::start().await;
    stub.store(state("loading"));
    stub.store(state("awaiting_user_input"));
    let mut connection = hold(&stub, Some(1));
    connection.live().await;
    assert_eq!(connection.order(say("now")).await, Delivery::Confirmed);
}

/// An agent state event.
fn state(state: &str) -> Value {
    json!({"observation": "agent_state_changed", "content": "", "extras": {"agent_state": state}})
}
