//! Sandboxes that are gone, and sandboxes that do not come up.

use super::*;
use crate::conversation::{SANDBOX_NOT_STARTED, Status};
use tokio::time::sleep;

/// The sandbox is in another state, and the connection to it breaks.
fn breaks(house: &House, runtime: Runtime) {
    house.fake.runtime_is(runtime);
    house.fake.loses_connection();
}

#[tokio::test(start_paused = true)]
async fn what_was_under_way_in_a_sandbox_that_is_gone_is_unknown_and_nothing_is_offered() {
    let house = live_house().await;
    house.fake.has_sandboxes();
    let _follower = house.reader.follow(me(), ID, 0).await.expect("it is there");
    house.fake.emit([runs(2, "make"), state(3, "running")]);
    house
        .until(|session| session.status == Status::Running)
        .await;
    let state_of = async || {
        let rows = house.rows().await;
        let row = rows.iter().find(|row| row.contains("make"));
        let row: serde_json::Value = serde_json::from_str(row.expect("it is there")).expect("JSON");
        row.pointer("/card/step/state").cloned()
    };
    assert_eq!(state_of().await, Some("running".into()));
    breaks(&house, Runtime::Gone);
    let gone = house
        .until(|session| session.runtime == Runtime::Gone && session.notice.is_some())
        .await;
    assert_eq!(gone.status, Status::Stopped);
    assert_eq!(state_of().await, Some("unknown".into()));
    let said = house.say("m", "Go on").await;
    assert!(matches!(said, Err(HubError::SandboxGone)), "{said:?}");
    let started = house.commands.start(me(), ID).await;
    assert!(matches!(started, Err(HubError::SandboxGone)), "{started:?}");
}

#[tokio::test(start_paused = true)]
async fn a_sandbox_that_is_gone_without_work_leaves_no_trouble() {
    let house = live_house().await;
    let _follower = house.reader.follow(me(), ID, 0).await.expect("it is there");
    let before = house.rows().await;
    breaks(&house, Runtime::Gone);
    let gone = house
        .until(|session| session.runtime == Runtime::Gone)
        .await;
    assert_eq!(gone.notice, None);
    assert_eq!(house.rows().await, before);
}

#[tokio::test(start_paused = true)]
async fn a_sandbox_that_does_not_come_up_is_given_up_after_five_minutes_and_can_be_tried_again() {
    let house = live_house().await;
    let _follower = house.reader.follow(me(), ID, 0).await.expect("it is there");
    house.fake.emit([runs(2, "make"), state(3, "running")]);
    house
        .until(|session| session.status == Status::Running)
        .await;
    house.fake.says_of_sandboxes("STARTING");
    house.fake.runtime_is(Runtime::Starting);
    house.backends.poll_list("").await;
    house
        .until(|session| session.runtime == Runtime::Starting)
        .await;
    sleep(Duration::from_secs(240)).await;
    house
        .until(|session| session.runtime == Runtime::Starting)
        .await;
    sleep(Duration::from_secs(90)).await;
    let failed = house
        .until(|session| session.runtime == Runtime::Error)
        .await;
    let notice = failed.notice.expect("it says why");
    assert_eq!(notice.code, SANDBOX_NOT_STARTED);
    assert!(notice.text.contains("5 minutes") && notice.text.contains("STARTING"));
    assert!(
        house
            .rows()
            .await
            .iter()
            .any(|row| row.contains(r#""state":"unknown""#))
    );
    // The list knows it, too, and so does the next process.
    let summary = house
        .catalogue
        .page(me(), "")
        .await
        .expect("it is read")
        .conversations
        .remove(0);
    assert_eq!(summary.runtime, Runtime::Error);
    house
        .commands
        .start(me(), ID)
        .await
        .expect("it can be tried again");
    let again = house
        .until(|session| session.runtime == Runtime::Starting)
        .await;
    assert_eq!(again.notice, None);
    sleep(Duration::from_secs(330)).await;
    house
        .until(|session| session.runtime == Runtime::Error)
        .await;
    // It came up after all.
    house.fake.runtime_is(Runtime::Running);
    house.backends.poll_list("").await;
    let up = house
        .until(|session| session.runtime == Runtime::Running)
        .await;
    assert_eq!(up.notice, None);
}
