//! An answer counts only when what it is about was before that person for a while.

use super::*;
use crate::live::{ApprovalView, Decision};

/// A live house in which something waits.
async fn pending_action(least: Duration) -> (House, String) {
    let house = live(house_with(least, Runtime::Running).await).await;
    let token = house.ask("make").await;
    (house, token)
}

/// Answers again and again, until it counts; how often it came too soon.
async fn insisted(house: &House, by: &Caller, token: &str) -> usize {
    for refused in 0.. {
        match house.approves(by, token).await {
            Ok(()) => return refused,
            Err(HubError::TooSoon) => tokio::time::sleep(Duration::from_millis(5)).await,
            Err(error) => panic!("{error:?}"),
        }
    }
    unreachable!("it counts in the end")
}

const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn what_was_not_looked_at_is_neither_approved_nor_rejected() {
    let (house, token) = pending_action(HOUR).await;
    let _follower = house.reader.follow(me(), ID, 0).await.expect("it is there");
    for decision in [Decision::Approve, Decision::Reject] {
        let refused = house.answer(&token, decision).await;
        let refused = refused.expect_err("nobody can have read it");
        assert_eq!(
            refused.for_people().1,
            "Nothing was sent: you saw the action for less than a second. Review it, then try again."
        );
    }
    let words = house.say("m1", "no").await;
    assert!(matches!(words, Err(HubError::TooSoon)), "{words:?}");
    assert_eq!(house.fake.orders(), []);
    let session = house.until(|_| true).await;
    assert_eq!(session.outbox, []);
    let open = |approval: &ApprovalView| !approval.answering;
    assert!(
        session.approval.as_ref().is_some_and(open),
        "it still waits"
    );
}

#[tokio::test]
async fn a_question_is_before_each_person_since_it_was_handed_out_to_them() {
    let (house, token) = pending_action(super::super::MIN_VIEW_TIME).await;
    // By a live frame, a page, the inbox, or not at all.
    let mut people = Vec::new();
    for name in ["ada", "bob", "eve", "tim"] {
        // Without a limit of what somebody does at a time.
        let credential = Credential::Machine;
        let person = person(&house, name, "approver").await;
        people.push(Caller {
            credential,
            ..person
        });
    }
    let [ada, bob, eve, tim] = &people[..] else {
        unreachable!("there are four");
    };
    let _follower = house.reader.follow(ada, ID, 0).await.expect("it is there");
    assert!(insisted(&house, ada, &token).await > 0);
    house.carry_out("make", true).await;

    let _follower = house.reader.follow(ada, ID, 0).await.expect("it is there");
    let token = house.ask("make install").await;
    assert!(insisted(&house, ada, &token).await > 0, "it is another one");
    house.carry_out("make install", true).await;

    let token = house.ask("make clean").await;
    let view = house.reader.open(ID).await.expect("it is there");
    house.reader.as_seen_by(bob, view).expect("Bob may see it");
    assert_eq!(house.reader.inbox(eve).await.len(), 1);
    // They have had it for long enough now, without having tried before.
    tokio::time::sleep(super::super::MIN_VIEW_TIME).await;
    assert!(house.reader.seen.has_seen(bob, &token) && house.reader.seen.has_seen(eve, &token));
    let refused = house.approves(tim, &token).await;
    assert!(matches!(refused, Err(HubError::TooSoon)), "{refused:?}");
    assert_eq!(insisted(&house, bob, &token).await, 0);
}

#[tokio::test]
async fn an_answer_counts_from_when_it_was_given_and_not_from_when_there_is_a_connection() {
    let (house, token) = pending_action(super::super::MIN_VIEW_TIME).await;
    house.fake.connection_is(ConnectionState::Connecting);
    house
        .until(|session| session.connection == ConnectionState::Connecting)
        .await;
    let (hub, early) = (house.hub.clone(), token.clone());
    let answered = tokio::spawn(async move {
        hub.commands
            .answer(me(), ID, &early, Decision::Approve, "")
            .await
    });
    // It waits for the connection, and the approval becomes old enough during that time.
    soon(|| house.reader.seen.has_seen(me(), &token).then_some(())).await;
    house.fake.connection_is(ConnectionState::Live);
    let refused = answered.await.expect("it ends");
    assert!(matches!(refused, Err(HubError::TooSoon)), "{refused:?}");
    assert_eq!(house.fake.orders(), []);
}

#[tokio::test]
async fn what_cannot_be_read_in_full_does_not_count_as_shown_and_can_be_rejected() {
    let least = super::super::MIN_VIEW_TIME;
    let house = live(house_with(least, Runtime::Running).await).await;
    let token = house.ask(&"x".repeat(2 << 20)).await;
    let pending = house.reader.pending(me(), ID).await.expect("healthy");
    let (approval, text) = pending.expect("it waits");
    assert_eq!((&approval.token, text), (&token, None));
    let refused = house.reader.check_readable(ID, &token).await;
    assert!(matches!(refused, Err(HubError::Invalid(_))), "{refused:?}");
    tokio::time::sleep(least).await;
    let early = house.answer(&token, Decision::Reject).await;
    assert!(matches!(early, Err(HubError::TooSoon)), "{early:?}");
    tokio::time::sleep(least).await;
    house
        .answer(&token, Decision::Reject)
        .await
        .expect("it counts");
}
