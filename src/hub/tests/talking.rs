//! Messages and controls: sent once, at the right moment, or failed visibly.

use super::*;
use crate::backend::Command;
use crate::conversation::Status;
use crate::live::{OutboxState, Steering};

fn said(orders: &[Command]) -> Vec<&str> {
    orders
        .iter()
        .filter_map(|command| match command {
            Command::Say { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn a_message_is_sent_once_and_gone_when_it_is_on_the_timeline() {
    let house = live_house().await;
    for _ in 0..3 {
        house
            .hub
            .say(me(), ID, "m1", "go", vec![], vec![])
            .await
            .expect("it is taken");
    }
    house.ordered(1).await;
    house.until(|session| session.outbox.is_empty()).await;
    house
        .hub
        .say(me(), ID, "m1", "go", vec![], vec![])
        .await
        .expect("it is harmless");
    house
        .hub
        .say(me(), ID, "m2", "on", vec![], vec![])
        .await
        .expect("it is taken");
    assert_eq!(said(&house.ordered(2).await), ["go", "on"]);
}

#[tokio::test]
async fn a_message_waits_while_it_would_be_lost() {
    let house = house(Runtime::Starting).await;
    house.fake.emit([state(0, "loading")]);
    house.until(|session| session.line == LineState::Live).await;
    house
        .hub
        .say(me(), ID, "m1", "go", vec![], vec![])
        .await
        .expect("it is taken");
    let session = house.until(|session| !session.outbox.is_empty()).await;
    assert_eq!(session.outbox[0].state, OutboxState::Sending);
    assert!(
        session.outbox[0].why.contains("ready"),
        "{:?}",
        session.outbox
    );
    assert_eq!(house.fake.orders(), []);
    house.fake.runtime_is(Runtime::Running);
    house.fake.emit([state(1, "awaiting_user_input")]);
    assert_eq!(said(&house.ordered(1).await), ["go"]);
}

#[tokio::test]
async fn a_message_that_waits_fails_visibly_when_the_runtime_dies() {
    let house = house(Runtime::Starting).await;
    house
        .hub
        .say(me(), ID, "m1", "go", vec![], vec![])
        .await
        .expect("it is taken");
    house.fake.runtime_is(Runtime::Error);
    let failed = |session: &SessionView| {
        session
            .outbox
            .iter()
            .any(|message| message.state == OutboxState::Failed)
    };
    house.until(failed).await;
    house
        .hub
        .settle(me(), ID, "m1", false)
        .await
        .expect("it can be given up");
    house.until(|session| session.outbox.is_empty()).await;
    assert_eq!(house.fake.orders(), []);
}

#[tokio::test]
async fn a_message_that_may_have_arrived_is_sent_again_only_when_a_person_says_so() {
    let house = live_house().await;
    house.fake.obey(Obedience::Loses);
    house
        .hub
        .say(me(), ID, "m1", "go", vec![], vec![])
        .await
        .expect("it is taken");
    let unsure = |session: &SessionView| {
        session
            .outbox
            .iter()
            .any(|one| one.state == OutboxState::Indeterminate)
    };
    house.until(unsure).await;
    house.fake.obey(Obedience::Obeys);
    house
        .fake
        .emit([answers(house.fake.next_id(), "I am still here")]);
    house.until(unsure).await;
    assert_eq!(house.fake.orders().len(), 1);
    house
        .hub
        .settle(me(), ID, "m1", true)
        .await
        .expect("a person says so");
    house.until(|session| session.outbox.is_empty()).await;
    assert_eq!(said(&house.fake.orders()), ["go", "go"]);
}

#[tokio::test]
async fn of_two_messages_with_the_same_words_the_one_that_arrived_is_gone() {
    let house = live_house().await;
    let say = |id: &'static str| house.hub.say(me(), ID, id, "go on", vec![], vec![]);
    house.fake.obey(Obedience::Loses);
    say("lost").await.expect("it is taken");
    house
        .until(|session| (session.outbox.iter()).any(|one| one.state == OutboxState::Indeterminate))
        .await;
    house.fake.obey(Obedience::Obeys);
    say("heard").await.expect("it is taken");
    let session = house.until(|session| session.outbox.len() == 1).await;
    assert_eq!(
        session.outbox[0].client_id, "lost",
        "nobody knows of it yet"
    );
}

#[tokio::test]
async fn a_stopped_conversation_is_not_talked_to() {
    let house = house(Runtime::Stopped).await;
    house.hub.open(ID).await.expect("it is there");
    let error = house
        .hub
        .say(me(), ID, "m1", "go", vec![], vec![])
        .await
        .expect_err("it is stopped");
    assert!(matches!(error, HubError::Stopped), "{error:?}");
    let (_, text) = error.for_people();
    assert!(text.contains("Start it"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_does_not_go_on_is_spoken_of() {
    let house = live_house().await;
    house.fake.emit([state(2, "paused")]);
    house
        .until(|session| session.status == Status::Paused)
        .await;
    house.fake.obey(Obedience::Ignores);
    house
        .hub
        .steer(me(), ID, Steering::Resume)
        .await
        .expect("the line is up");
    house.fake.emit([steers(3, "running"), state(4, "running")]);
    let session = house.until(|session| session.notice.is_some()).await;
    assert!(
        session
            .notice
            .expect("it is spoken of")
            .text
            .contains("continue")
    );
    house.fake.emit([answers(5, "Here I am.")]);
    house.until(|session| session.notice.is_none()).await;
}

#[tokio::test]
async fn a_draft_is_kept_until_it_is_emptied() {
    let house = live_house().await;
    house
        .hub
        .keep_draft(me(), ID, "half a sent")
        .await
        .expect("healthy");
    assert_eq!(
        house.hub.draft(me(), ID).await.expect("healthy"),
        "half a sent"
    );
    house.hub.keep_draft(me(), ID, "").await.expect("healthy");
    assert_eq!(house.hub.draft(me(), ID).await.expect("healthy"), "");
}
