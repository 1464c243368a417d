//! A backend that comes back with fewer events than before, or with others.

use super::*;
use crate::backend::Recorded;
use crate::conversation::Body;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Stands in for the journal: stores the first event at each position.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<BTreeMap<i64, ReceivedEvent>>>);

impl Kept {
    /// Stores received events until there is one at `last`.
    async fn until(&self, connection: &mut TestConnection, last: i64) {
        while !self.0.lock().unwrap().contains_key(&last) {
            let event = timeout(LONG, connection.events.recv())
                .await
                .expect("an event")
                .expect("a connection");
            let pos = event.item.pos.expect("an id");
            self.0.lock().unwrap().entry(pos).or_insert(event);
        }
    }

    fn resume_point(&self) -> ResumePoint {
        let kept = self.0.lock().unwrap();
        let newest = kept.keys().next_back().copied();
        let lost = kept.values().rev().find_map(|event| match event.item.body {
            Body::Lost { by } => Some((by, event.item.pos)),
            _ => None,
        });
        let (by, since) = lost.unwrap_or_default();
        let looked_up = self.clone();
        ResumePoint {
            after: newest,
            newest,
            offset: PositionOffset { by, since },
            recorded: Arc::new(move |pos| {
                let kept = looked_up.0.lock().unwrap();
                let recorded = kept.get(&pos).map(|event| Recorded {
                    key: pos.to_string(),
                    at: event.item.at.millis,
                });
                std::future::ready(recorded).boxed()
            }),
        }
    }

    /// Positions of all data loss notices.
    fn notices(&self) -> Vec<i64> {
        let kept = self.0.lock().unwrap();
        let is_notice = |event: &&ReceivedEvent| matches!(event.item.body, Body::Lost { .. });
        kept.values()
            .filter(is_notice)
            .filter_map(|event| event.item.pos)
            .collect()
    }

    fn positions(&self) -> Vec<i64> {
        self.0.lock().unwrap().keys().copied().collect()
    }
}

fn backend(stub: &Stub) -> OpenHands {
    OpenHands::new(stub.connection())
        .unwrap()
        .with_timing(quick())
}

async fn hold_all(stub: &Stub, kept: &Kept) -> TestConnection {
    let mut connection = hold_from(&backend(stub), ID, kept.resume_point());
    connection.live().await;
    connection
}

/// Events up to 99 were received; then the backend lost all after event 49.
async fn lost_half() -> (Stub, Kept) {
    let (stub, kept) = (Stub::start().await, Kept::default());
    stub.grow(100);
    let mut connection = hold_all(&stub, &kept).await;
    kept.until(&mut connection, 99).await;
    connection.cancel.cancel();
    connection.ended().await;
    stub.forget(50);
    (stub, kept)
}

#[tokio::test]
async fn fewer_events_than_were_told_are_noticed_once_and_new_ones_still_come() {
    let (stub, kept) = lost_half().await;
    let mut connection = hold_all(&stub, &kept).await;
    stub.say();
    stub.say();
    // The notice, then 50 and 51.
    kept.until(&mut connection, 102).await;
    assert_eq!(kept.positions(), (0..=102).collect::<Vec<_>>());
    connection.cancel.cancel();
    connection.ended().await;

    let mut connection = hold_all(&stub, &kept).await;
    stub.say();
    kept.until(&mut connection, 103).await;
    assert_eq!(kept.notices(), [100]);
}

#[tokio::test]
async fn other_events_under_the_same_ids_are_shown_behind_what_was() {
    let (stub, kept) = lost_half().await;
    stub.grow(120);
    let mut connection = hold_all(&stub, &kept).await;
    // The notice, then 50 to 119.
    kept.until(&mut connection, 170).await;
    assert_eq!(kept.positions(), (0..=170).collect::<Vec<_>>());
    assert_eq!(kept.notices(), [100]);
}

#[tokio::test]
async fn a_loss_is_noticed_by_a_connection_that_was_only_cut() {
    let (stub, kept) = (Stub::start().await, Kept::default());
    stub.grow(10);
    let mut connection = hold_all(&stub, &kept).await;
    kept.until(&mut connection, 9).await;
    stub.forget(0);
    stub.grow(3);
    stub.cut();
    kept.until(&mut connection, 13).await;
    assert_eq!(kept.notices(), [10]);
    connection.live().await;
    stub.say();
    kept.until(&mut connection, 14).await;
}

#[tokio::test]
async fn a_loss_is_noticed_without_a_connection() {
    let (stub, kept) = lost_half().await;
    stub.grow(52);
    let page = backend(&stub)
        .history(ID, kept.resume_point())
        .await
        .unwrap();
    let told: Vec<_> = page.events.iter().map(|event| event.item.pos).collect();
    assert_eq!((told, page.more), (vec![Some(100)], true));
    let offset = PositionOffset::after_loss(99, 49);
    let resume = ResumePoint {
        after: offset.since,
        newest: None,
        offset,
        ..kept.resume_point()
    };
    let rest = backend(&stub).history(ID, resume).await.unwrap();
    let told: Vec<_> = rest.events.iter().map(|event| event.item.pos).collect();
    assert_eq!(told, [Some(101), Some(102)]);
}

#[tokio::test]
async fn a_backend_that_has_everything_is_not_suspected() {
    let (stub, kept) = (Stub::start().await, Kept::default());
    stub.grow(30);
    let mut connection = hold_all(&stub, &kept).await;
    kept.until(&mut connection, 29).await;
    for newest in 30..33 {
        stub.cut();
        connection
            .until(|state| *state != ConnectionState::Live)
            .await;
        connection.live().await;
        stub.say();
        kept.until(&mut connection, newest).await;
    }
    assert!(kept.notices().is_empty());
}
