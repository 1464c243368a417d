//! A message that has waited for a network never answers an approval.

use super::*;
use crate::backend::Command;
use crate::hub::message::ActorMessage;
use crate::journal::Outgoing;

#[tokio::test]
async fn a_message_that_is_sent_alone_rejects_nothing() {
    let house = live_house().await;
    let token = house.ask("make").await;
    let said = house
        .commands
        .say_alone(me(), ID, "m1", "go on", vec![], vec![]);
    let error = said.await.expect_err("an approval is pending");
    assert!(matches!(error, HubError::AnswerFirst), "{error:?}");
    assert!(house.fake.orders().is_empty());
    house.approves(me(), &token).await.expect("it waits");
    house.ordered(1).await;
    house.carry_out("make", true).await;
    // The device tries again, and the id makes a repetition harmless.
    for _ in 0..2 {
        let said = house
            .commands
            .say_alone(me(), ID, "m1", "go on", vec![], vec![]);
        said.await.expect("nothing is pending any more");
    }
    let orders = house.ordered(2).await;
    assert!(matches!(&orders[1], Command::Say { text, .. } if text == "go on"));
}

#[tokio::test]
async fn a_message_alone_rejects_nothing_that_is_open_again_when_it_arrives() {
    let house = live_house().await;
    let token = house.ask("make").await;
    // When it was let in, an answer was on its way, which then was not sent.
    let message = Box::new(Outgoing::waiting("m1".to_owned(), "go on", ""));
    let handle = house.handle().await;
    let said = handle.ask(|reply| ActorMessage::Say {
        message,
        seen: Some(token),
        alone: true,
        reply,
    });
    let error = said.await.expect_err("an approval is pending");
    assert!(matches!(error, HubError::AnswerFirst), "{error:?}");
    assert!(house.fake.orders().is_empty());
}
