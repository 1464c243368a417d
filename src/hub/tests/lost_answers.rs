//! Answers that were lost, not sent, or came to nothing: the question stays open, or the unknown outcome is shown.

use super::*;
use crate::live::Decision;

#[tokio::test]
async fn while_the_connection_is_down_nothing_is_sent_and_the_question_stays_open() {
    let house = live_house().await;
    let token = house.ask("make").await;
    house.fake.loses_connection();
    house
        .until(|session| session.connection != ConnectionState::Live)
        .await;
    let error = house
        .answer(&token, Decision::Approve)
        .await
        .expect_err("the connection is down");
    assert!(matches!(error, HubError::Disconnected), "{error:?}");
    assert_eq!(house.fake.orders(), []);
    house.fake.connection_is(ConnectionState::Live);
    house.connected().await;
    house
        .answer(&token, Decision::Approve)
        .await
        .expect("it still waits");
}

#[tokio::test]
async fn an_answer_that_was_not_sent_can_be_given_again() {
    let house = live_house().await;
    let token = house.ask("make").await;
    house.fake.obey(Obedience::Refuses);
    let error = house
        .answer(&token, Decision::Approve)
        .await
        .expect_err("it was not sent");
    assert!(matches!(error, HubError::NotSent(_)), "{error:?}");
    house.fake.obey(Obedience::Obeys);
    house
        .answer(&token, Decision::Reject)
        .await
        .expect("it still waits");
}

#[tokio::test]
async fn an_answer_that_may_have_arrived_has_an_unknown_outcome_and_says_so() {
    let house = live_house().await;
    let token = house.ask("make").await;
    house.fake.obey(Obedience::Loses);
    let error = house
        .answer(&token, Decision::Approve)
        .await
        .expect_err("nothing came back");
    assert!(matches!(error, HubError::Indeterminate(_)), "{error:?}");
    let session = house
        .until(|session| {
            session
                .approval
                .as_ref()
                .is_some_and(|one| one.caution.is_some())
        })
        .await;
    assert!(!session.approval.expect("it waits").answering);
    assert_eq!(
        house.fake.orders().len(),
        1,
        "nothing is sent again by itself"
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_changes_nothing_comes_to_have_an_unknown_outcome() {
    let house = live_house().await;
    let token = house.ask("make").await;
    house
        .answer(&token, Decision::Approve)
        .await
        .expect("it waits");
    house
        .until(|session| session.approval.as_ref().is_some_and(|one| one.answering))
        .await;
    let session = house
        .until(|session| session.approval.as_ref().is_some_and(|one| !one.answering))
        .await;
    assert!(session.approval.expect("it waits").caution.is_some());
    assert_eq!(
        house.fake.orders().len(),
        1,
        "nothing is sent again by itself"
    );
}

#[tokio::test]
async fn an_answer_that_is_perhaps_stored_is_not_sent_and_can_be_given_again() {
    for decision in [Decision::Approve, Decision::Reject] {
        let house = live_house().await;
        let token = house.ask("make").await;
        let journal = &house.catalogue.journal;
        journal.lose_answer_to("SELECT 1 FROM approval WHERE state = 'sent'");
        let error = house.answer(&token, Decision::Approve).await;
        let error = error.expect_err("nobody knows whether it was stored");
        let (kind, text) = error.for_people();
        assert_eq!(kind, crate::live::ApiErrorKind::Indeterminate, "{text}");
        assert!(!text.contains("Nothing was stored"), "{text}");
        assert_eq!(house.fake.orders(), [], "it was not sent");
        house.answer(&token, decision).await.expect("it waits");
        assert_eq!(house.fake.orders().len(), 1);
    }
}
