//! What people look up costs the backend little, and what cannot be read or listed is said.

use super::*;
use crate::backend::Command;
use crate::conversation::Status;
use crate::live::{Steering, UNREAD};

#[tokio::test(start_paused = true)]
async fn an_id_that_no_backend_knows_is_asked_for_once() {
    let house = house(Runtime::Stopped).await;
    house.catalogue.backends.polled_once().await;
    let before = house.fake.asked();
    for _ in 0..50 {
        let opened = house.reader.open("decafbad").await;
        assert!(matches!(opened, Err(HubError::NotFound(_))));
    }
    assert_eq!(house.fake.asked() - before, 1);
    // It is created elsewhere: the next list contains it.
    house.fake.add(crate::backend::ConversationInfo {
        id: "decafbad".to_owned(),
        ..Default::default()
    });
    let label = house.catalogue.backends.connected()[0].target.label();
    house.backends.poll_list(&label).await;
    house.reader.open("decafbad").await.expect("it is there");
}

#[tokio::test(start_paused = true)]
async fn one_person_looks_up_a_few_things_at_a_time() {
    let house = house(Runtime::Stopped).await;
    house.catalogue.backends.polled_once().await;
    house.fake.shut("conversation");
    let mut readers = tokio::task::JoinSet::new();
    for number in 0..40 {
        let hub = house.hub.clone();
        readers.spawn(async move {
            let id = format!("unknown{number}");
            hub.catalogue
                .look_up(me(), hub.reader.open(&id))
                .await
                .is_ok()
        });
    }
    soon(|| (house.fake.waiting_at("conversation") > 0).then_some(())).await;
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(
        house.fake.waiting_at("conversation") <= 4,
        "{}",
        house.fake.waiting_at("conversation")
    );
    house.fake.unshut("conversation");
    while let Some(found) = readers.join_next().await {
        assert!(!found.expect("it ends"));
    }
}

#[tokio::test(start_paused = true)]
async fn what_an_order_waits_for_goes_first() {
    let house = live_house().await;
    soon(|| (house.fake.connections().1 == 0).then_some(())).await;
    assert!(!house.fake.asked_first());
    let steered = house.steer(Steering::Pause).await;
    steered.expect("the connection is taken");
    assert!(house.fake.asked_first());
}

#[tokio::test(start_paused = true)]
async fn whoever_wants_the_connection_tried_again_and_again_asks_no_more_for_it() {
    let house = live_house().await;
    let handle = house.handle().await;
    let _watching = handle.watching.clone();
    house.fake.reachable(false);
    house.fake.connection_is(ConnectionState::Reconnecting {
        attempt: 1,
        why: "away".to_owned(),
        retry_in: 1,
    });
    house
        .until(|session| matches!(session.connection, ConnectionState::Reconnecting { .. }))
        .await;
    let before = house.fake.tried();
    let began = tokio::time::Instant::now();
    for _ in 0..200 {
        house.commands.retry(ID).await.expect("it is there");
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }
    let tried = house.fake.tried() - before;
    // The clock moves on whenever nothing is to be done: a wish counts every two seconds, and a failure is tried again
    // after one.
    let seconds = usize::try_from(began.elapsed().as_secs()).expect("a short test");
    assert!(tried <= 2 + seconds, "{tried} in {seconds} s");
}

#[tokio::test(start_paused = true)]
async fn events_that_cannot_be_read_are_told_and_the_connection_is_taken_all_the_same() {
    let house = house(Runtime::Running).await;
    house.fake.unreadable(true);
    // Nobody watches: what is there is read, which fails.
    let handle = house.handle().await;
    let mut session = handle.session.clone();
    let told = session.wait_for(|session| {
        let notice = session.notice.as_ref();
        notice.is_some_and(|notice| notice.code == UNREAD && notice.text.contains("internal error"))
    });
    let told = tokio::time::timeout(Duration::from_secs(60), told).await;
    let told = told
        .expect("it is told")
        .expect("the handle stays open")
        .clone();
    assert_ne!(
        told.status,
        Status::Loading,
        "it does not start: nobody knows"
    );
    soon(|| (house.fake.connections().0 > 0).then_some(())).await;
    let session = house.connected().await;
    assert_eq!(session.notice.expect("it is still so").code, UNREAD);
    let steered = house.steer(Steering::Stop).await;
    steered.expect("there is a connection");
    assert_eq!(house.fake.orders(), [Command::Stop]);
    house.fake.emit([says(0, "seen")]);
    let mut newest = handle.newest.clone();
    let stored = tokio::time::timeout(
        Duration::from_secs(60),
        newest.wait_for(|newest| *newest == 1),
    );
    drop(
        stored
            .await
            .expect("it is shown")
            .expect("the handle stays open"),
    );
    house.fake.unreadable(false);
    house.until(|session| session.notice.is_none()).await;
}

#[tokio::test(start_paused = true)]
async fn conversations_that_no_address_can_name_are_counted() {
    let house = house(Runtime::Stopped).await;
    house.fake.has_unnamed(2);
    house.fake.add(crate::backend::ConversationInfo {
        id: "../../etc".to_owned(),
        ..Default::default()
    });
    let label = house.catalogue.backends.connected()[0].target.label();
    house.backends.poll_list(&label).await;
    let list = house
        .catalogue
        .page(me(), "")
        .await
        .expect("a healthy journal");
    assert_eq!(list.conversations.len(), 1);
    assert_eq!(list.backends[0].left_out, 3);
}

#[tokio::test(start_paused = true)]
async fn the_first_list_comes_as_soon_as_the_backend_has_answered() {
    let house = house(Runtime::Stopped).await;
    house.fake.shut("conversations");
    let fake = house.fake.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(5)).await;
        fake.unshut("conversations");
    });
    let began = tokio::time::Instant::now();
    let list = house
        .catalogue
        .page(me(), "")
        .await
        .expect("a healthy journal");
    assert_eq!(list.conversations.len(), 1);
    // Nobody looks again and again: on this clock nothing else takes time.
    assert_eq!(began.elapsed(), Duration::from_millis(5));
}
