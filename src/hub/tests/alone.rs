//! A message that has waited for a network never answers an approval.

use super::*;
use crate::backend::Command;

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
