//! Tests of the backend against the rehearsal, which reproduces the quirks of 0.62.

use super::*;
use crate::backend::rehearsal::{Fault, Memory, Options, Rehearsal, RestFault};
use crate::backend::{NewConversation, Runtime};
use crate::conversation::{Body, Status};

/// A rehearsal without pauses, and a backend connected to it.
async fn rehearse() -> (Rehearsal, OpenHands) {
    let options = Options {
        pace: Duration::ZERO,
        session_api_key: Some("k/+ ey".to_owned()),
        ..Options::default()
    };
    let rehearsal = Rehearsal::start(options).await.unwrap();
    let connection = Connection {
        session_api_key: Some("k/+ ey".to_owned()),
        ..super::stub::at(rehearsal.addr().port())
    };
    (
        rehearsal,
        OpenHands::new(connection).unwrap().with_timing(quick()),
    )
}

async fn create_conversation(backend: &OpenHands, message: &str) -> String {
    backend
        .create(NewConversation::saying(message))
        .await
        .unwrap()
}

/// Received events by id, and the newest state.
#[derive(Default)]
struct Seen {
    events: std::collections::BTreeMap<i64, ReceivedEvent>,
}

impl Seen {
    fn status(&self) -> Option<&Status> {
        self.events
            .values()
            .rev()
            .find_map(|event| match &event.item.body {
                Body::Status { status, .. } => Some(status),
                _ => None,
            })
    }

    async fn until(&mut self, connection: &mut TestConnection, wanted: Status) {
        while self.status() != Some(&wanted) {
            let event = timeout(LONG, connection.events.recv())
                .await
                .expect("an event")
                .expect("a connection");
            if let Some(id) = event.item.pos {
                self.events.insert(id, event);
            }
        }
    }
}

#[tokio::test]
async fn a_conversation_arrives_whole_while_events_are_doubled_overtaken_and_cut_off() {
    let (rehearsal, backend) = rehearse().await;
    rehearsal.faults().inject(&Fault::Duplicate);
    rehearsal.faults().inject(&Fault::Reorder);
    let id = create_conversation(&backend, "[[scenario:tour]]").await;
    let (mut connection, mut seen) = (hold_on(&backend, &id, None), Seen::default());
    connection.live().await;
    rehearsal.faults().inject(&Fault::DropSockets);
    seen.until(&mut connection, Status::AwaitingConfirmation)
        .await;
    connection.live().await;
    let mut stored = Vec::new();
    loop {
        let page = backend
            .history(&id, holding(stored.last().copied()))
            .await
            .unwrap();
        stored.extend(page.events.iter().filter_map(|event| event.item.pos));
        if !page.more {
            break;
        }
    }
    while seen.events.len() < stored.len() {
        let event = timeout(LONG, connection.events.recv())
            .await
            .expect("an event")
            .expect("a connection");
        seen.events.extend(event.item.pos.map(|id| (id, event)));
    }
    assert_eq!(seen.events.keys().copied().collect::<Vec<_>>(), stored);
}

#[tokio::test]
async fn an_approved_command_is_carried_out_once() {
    let (rehearsal, backend) = rehearse().await;
    let settings = Settings {
        confirmation: true,
        ..backend.settings().await.unwrap()
    };
    backend.save_settings(settings).await.unwrap();
    let id = create_conversation(&backend, "[[scenario:confirm]]").await;
    let (mut connection, mut seen) = (hold_on(&backend, &id, None), Seen::default());
    seen.until(&mut connection, Status::AwaitingConfirmation)
        .await;
    connection.live().await;
    assert_eq!(
        rehearsal.stats().executions.get(&id),
        None,
        "nothing runs before the answer"
    );
    assert_eq!(
        connection
            .order(Command::Approve { keys: Vec::new() })
            .await,
        Delivery::Confirmed
    );
    seen.until(&mut connection, Status::Running).await;
    seen.until(&mut connection, Status::AwaitingConfirmation)
        .await;
    let executions = rehearsal.stats().executions.remove(&id).unwrap_or_default();
    assert!(
        !executions.is_empty() && executions.values().all(|times| *times == 1),
        "{executions:?}"
    );
}

#[tokio::test]
async fn a_restarted_server_is_not_made_to_run_again() {
    let (rehearsal, backend) = rehearse().await;
    let id = create_conversation(&backend, "[[scenario:hello]]").await;
    let mut connection = hold_on(&backend, &id, None);
    connection.live().await;
    rehearsal.restart(Memory::All);
    connection.ended().await;
    assert_eq!(
        backend.conversation(&id).await.unwrap().unwrap().runtime,
        Runtime::Stopped
    );
    backend.start(&id).await.unwrap();
    hold_on(&backend, &id, None).live().await;
}

#[tokio::test]
async fn a_backend_that_is_ill_for_a_while_is_waited_for() {
    let (rehearsal, backend) = rehearse().await;
    let id = create_conversation(&backend, "[[scenario:hello]]").await;
    for kind in [RestFault::Html, RestFault::ServerError] {
        rehearsal.faults().inject(&Fault::Rest {
            kind,
            path: "/api/conversations".to_owned(),
            times: 2,
        });
        let mut connection = hold_on(&backend, &id, None);
        connection.live().await;
        connection.cancel.cancel();
        connection.ended().await;
    }
}

#[tokio::test]
async fn the_rehearsal_is_taken_for_what_it_plays() {
    let (_rehearsal, backend) = rehearse().await;
    let probe = backend.probe().await.unwrap();
    assert_eq!((probe.product.as_str(), probe.lacking), ("OpenHands", None));
}
