//! Messages and controls: sent once, at the right moment, or failed visibly.
//!
//! Long because messages and controls are tested in the same situations.

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
        house.say("m1", "go").await.expect("it is taken");
    }
    house.ordered(1).await;
    house.until(|session| session.outbox.is_empty()).await;
    house.say("m1", "go").await.expect("it is harmless");
    house.say("m2", "on").await.expect("it is taken");
    assert_eq!(said(&house.ordered(2).await), ["go", "on"]);
}

#[tokio::test]
async fn a_page_never_shows_a_delivered_message_twice() {
    let house = live_house().await;
    let mut follower = house.reader.follow(me(), ID, 0).await.expect("it is there");
    let said = house.say("m1", "to zanzibar");
    said.await.expect("it is taken");
    let (mut was_on_its_way, mut is_on_its_way, mut is_on_the_timeline) = (false, false, false);
    while !was_on_its_way || !is_on_the_timeline {
        let frame = follower.next().await.expect("the conversation stays open");
        let frame: FromServer = serde_json::from_slice(&frame).expect("frames are JSON");
        if let Some(session) = frame.session() {
            is_on_its_way = !session.outbox.is_empty();
            was_on_its_way |= is_on_its_way;
        }
        if let FromServer::Rows { rows, .. } = &frame {
            is_on_the_timeline |= rows.iter().any(|row| text(row).contains("to zanzibar"));
        }
        assert!(!is_on_its_way || !is_on_the_timeline, "{frame:?}");
    }
}

#[tokio::test]
async fn an_action_that_waits_right_behind_a_message_is_shown() {
    let house = live_house().await;
    house.fake.obey(Obedience::Ignores);
    let said = house.say("m1", "go");
    said.await.expect("it is taken");
    house.ordered(1).await;
    // Together, so that they are stored in one step.
    house.fake.emit([
        says(2, "go"),
        state(3, "awaiting_user_confirmation"),
        asks(4, "make"),
    ]);
    let session = house.until(|session| session.approval.is_some()).await;
    assert!(session.outbox.is_empty(), "{:?}", session.outbox);
}

#[tokio::test]
async fn a_message_waits_while_it_would_be_lost() {
    let house = house(Runtime::Starting).await;
    house.fake.emit([state(0, "loading")]);
    house.connected().await;
    house.say("m1", "go").await.expect("it is taken");
    let session = house.until(|session| !session.outbox.is_empty()).await;
    assert_eq!(session.outbox[0].state, OutboxState::Sending);
    assert!(
        session.outbox[0].why.contains("sandbox has started"),
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
    house.say("m1", "go").await.expect("it is taken");
    house.fake.runtime_is(Runtime::Error);
    let failed = |session: &SessionView| {
        session
            .outbox
            .iter()
            .any(|message| message.state == OutboxState::Failed)
    };
    house.until(failed).await;
    house
        .commands
        .resolve_failed(me(), ID, "m1", false)
        .await
        .expect("it can be given up");
    house.until(|session| session.outbox.is_empty()).await;
    assert_eq!(house.fake.orders(), []);
}

#[tokio::test]
async fn a_message_that_may_have_arrived_is_sent_again_only_when_a_person_says_so() {
    let house = live_house().await;
    house.fake.obey(Obedience::Loses);
    house.say("m1", "go").await.expect("it is taken");
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
        .commands
        .resolve_failed(me(), ID, "m1", true)
        .await
        .expect("a person says so");
    house.until(|session| session.outbox.is_empty()).await;
    assert_eq!(said(&house.fake.orders()), ["go", "go"]);
}

#[tokio::test]
async fn of_two_messages_with_the_same_words_the_one_that_arrived_is_gone() {
    let house = live_house().await;
    let say = |id: &'static str| house.say(id, "go on");
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
async fn a_stopped_conversation_whose_sandbox_cannot_be_started_is_not_talked_to() {
    let house = house(Runtime::Stopped).await;
    house.reader.open(ID).await.expect("it is there");
    let error = house.say("m1", "go").await.expect_err("it is stopped");
    assert!(matches!(error, HubError::Stopped), "{error:?}");
    let (_, text) = error.for_people();
    assert!(text.contains("Start it"), "{text}");
}

/// A house with a stopped conversation that can be started, and two messages to it. Its start waits at the gate.
async fn two_messages_to_a_stopped_conversation() -> House {
    let house = house(Runtime::Stopped).await;
    house.fake.has_sandboxes();
    house
        .fake
        .emit([says(0, "hello"), state(1, "awaiting_user_input")]);
    house.reader.open(ID).await.expect("it is there");
    house.fake.shut("start");
    for (client_id, text) in [("m1", "go"), ("m2", "on")] {
        house.say(client_id, text).await.expect("it is taken");
    }
    let session = house.until(|session| session.outbox.len() == 2).await;
    for message in &session.outbox {
        assert_eq!(message.state, OutboxState::Sending);
        assert!(message.why.contains("sandbox has started"), "{message:?}");
    }
    soon(|| (house.fake.waiting_at("start") == 1).then_some(())).await;
    house
}

#[tokio::test(start_paused = true)]
async fn messages_to_a_stopped_conversation_start_its_sandbox_once_and_are_sent_then() {
    let house = two_messages_to_a_stopped_conversation().await;
    // Longer than any message waits otherwise.
    tokio::time::sleep(Duration::from_secs(40)).await;
    assert_eq!(house.fake.waiting_at("start"), 1);
    assert_eq!(house.fake.orders(), []);
    house.fake.unshut("start");
    assert_eq!(said(&house.ordered(2).await), ["go", "on"]);
    house.until(|session| session.outbox.is_empty()).await;
    assert_eq!(house.fake.orders().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn messages_whose_sandbox_does_not_start_say_so_and_can_be_sent_again() {
    let house = two_messages_to_a_stopped_conversation().await;
    house.fake.reachable(false);
    house.fake.unshut("start");
    let session = house
        .until(|session| (session.outbox.iter()).all(|one| one.state == OutboxState::Failed))
        .await;
    assert!(
        session.outbox[0].why.contains("cannot be reached"),
        "{:?}",
        session.outbox
    );
    house.fake.reachable(true);
    for (client_id, again) in [("m1", true), ("m2", false)] {
        house
            .commands
            .resolve_failed(me(), ID, client_id, again)
            .await
            .expect("a person says so");
    }
    house.until(|session| session.outbox.is_empty()).await;
    assert_eq!(said(&house.fake.orders()), ["go"]);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_waits_for_the_sandbox_when_handrail_ends_has_failed_and_says_so() {
    let house = two_messages_to_a_stopped_conversation().await;
    house.hub.shutdown().await;
    let hub = reopened(&house.fake, house.folder.path()).await;
    let seen = hub.reader.open(ID).await.expect("it is there");
    for message in &seen.session.outbox {
        assert_eq!(message.state, OutboxState::Failed);
        assert!(message.why.contains("restarted"), "{message:?}");
    }
    assert_eq!(seen.session.outbox.len(), 2);
    assert_eq!(house.fake.orders(), []);
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
        .steer(Steering::Resume)
        .await
        .expect("the connection is up");
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
        .commands
        .keep_draft(me(), ID, "half a sent")
        .await
        .expect("healthy");
    assert_eq!(
        house.commands.draft(me(), ID).await.expect("healthy"),
        "half a sent"
    );
    house
        .commands
        .keep_draft(me(), ID, "")
        .await
        .expect("healthy");
    assert_eq!(house.commands.draft(me(), ID).await.expect("healthy"), "");
}

#[tokio::test]
async fn a_pause_is_under_way_until_the_agent_pauses_or_is_told_something_else() {
    let house = live_house().await;
    let steer = |order| house.steer(order);
    let runs = || house.fake.emit([state(house.fake.next_id(), "running")]);
    for instead in [Steering::Resume, Steering::Stop] {
        runs();
        house
            .until(|session| session.status == Status::Running)
            .await;
        steer(Steering::Pause).await.expect("the connection is up");
        house.until(|session| session.pausing).await;
        steer(instead).await.expect("the connection is up");
        house.until(|session| !session.pausing).await;
    }
    steer(Steering::Pause).await.expect("the connection is up");
    house.until(|session| session.pausing).await;
    // It has paused, and somebody elsewhere has it go on.
    let id = house.fake.next_id();
    house
        .fake
        .emit([state(id, "paused"), state(id + 1, "running")]);
    house.until(|session| !session.pausing).await;
    house.fake.obey(Obedience::Refuses);
    steer(Steering::Pause).await.expect_err("it is not sent");
    house.until(|session| !session.pausing).await;
}

async fn say(house: &House, client_id: &str, text: &str) {
    let said = house.say(client_id, text);
    said.await.expect("it is taken");
}

#[tokio::test]
async fn a_message_that_is_perhaps_stored_is_sent_once_if_it_is() {
    let house = live_house().await;
    let journal = &house.catalogue.journal;
    journal.lose_answer_to("SELECT 1 FROM outbox WHERE state = 'waiting'");
    let error = house.say("m1", "go").await;
    let error = error.expect_err("nobody knows whether it was stored");
    assert!(matches!(
        error,
        HubError::Journal(crate::journal::JournalError::Indeterminate(_))
    ));
    for _ in 0..2 {
        say(&house, "m1", "go").await;
    }
    house.ordered(1).await;
    say(&house, "m2", "on").await;
    assert_eq!(said(&house.ordered(2).await), ["go", "on"]);
}

/// A house whose backend has stored the message "go" and not confirmed it.
async fn stored_and_lost() -> House {
    let house = live_house().await;
    house.fake.separates_runs();
    house.fake.obey(Obedience::Loses);
    say(&house, "m1", "go").await;
    house.ordered(1).await;
    house.fake.obey(Obedience::Ignores);
    house.fake.emit([says(house.fake.next_id(), "go")]);
    house
}

#[tokio::test]
async fn a_message_that_arrived_without_a_receipt_is_read_by_a_run_that_is_started_once() {
    let house = stored_and_lost().await;
    assert_eq!(house.ordered(2).await[1..], [Command::Resume]);
    say(&house, "m2", "on").await;
    assert_eq!(said_last(&house.ordered(3).await), "on");
    assert_eq!(house.fake.orders().len(), 3);
}

fn said_last(orders: &[Command]) -> &str {
    said(orders).last().expect("something is said")
}

#[tokio::test]
async fn one_run_reads_all_messages_that_arrived_without_a_receipt() {
    let house = live_house().await;
    house.fake.separates_runs();
    house.fake.obey(Obedience::Loses);
    say(&house, "m1", "go").await;
    house.ordered(1).await;
    say(&house, "m2", "on").await;
    house.ordered(2).await;
    house.fake.obey(Obedience::Ignores);
    let id = house.fake.next_id();
    house.fake.emit([says(id, "go"), says(id + 1, "on")]);
    assert_eq!(house.ordered(3).await[2..], [Command::Resume]);
    say(&house, "m3", "further").await;
    assert_eq!(said_last(&house.ordered(4).await), "further");
}

#[tokio::test]
async fn a_message_that_the_agent_has_read_starts_no_run() {
    let house = live_house().await;
    house.fake.separates_runs();
    house.fake.obey(Obedience::Keeps);
    say(&house, "m1", "go").await;
    house.ordered(1).await;
    let id = house.fake.next_id();
    house.fake.emit([says(id, "go"), answers(id + 1, "Done.")]);
    house.until(|session| session.outbox.is_empty()).await;
    // Its confirmation comes last.
    house.fake.let_go();
    house.fake.obey(Obedience::Ignores);
    say(&house, "m2", "on").await;
    assert_eq!(said_last(&house.ordered(2).await), "on");
}

#[tokio::test]
async fn a_message_without_a_receipt_waits_for_who_has_paused_the_agent() {
    let house = live_house().await;
    house.fake.separates_runs();
    house.fake.emit([state(house.fake.next_id(), "paused")]);
    house
        .until(|session| session.status == Status::Paused)
        .await;
    house.fake.obey(Obedience::Loses);
    say(&house, "m1", "go").await;
    house.ordered(1).await;
    house.fake.emit([says(house.fake.next_id(), "go")]);
    house.until(|session| session.outbox.is_empty()).await;
    house.fake.obey(Obedience::Ignores);
    say(&house, "m2", "on").await;
    assert_eq!(said_last(&house.ordered(2).await), "on");
}

#[tokio::test]
async fn a_message_is_read_after_a_crash_between_its_arrival_and_its_run() {
    let house = live_house().await;
    house.fake.separates_runs();
    house.fake.obey(Obedience::Keeps);
    say(&house, "m1", "go").await;
    house.ordered(1).await;
    house.fake.emit([says(house.fake.next_id(), "go")]);
    house.until(|session| session.outbox.is_empty()).await;
    house.hub.shutdown().await;
    house.fake.obey(Obedience::Ignores);
    let hub = reopened(&house.fake, house.folder.path()).await;
    let house = House { hub, ..house };
    house.connected().await;
    assert_eq!(house.ordered(2).await[1..], [Command::Resume]);
}

#[tokio::test]
async fn no_run_is_started_while_an_action_needs_approval() {
    let house = live_house().await;
    house.fake.separates_runs();
    house.fake.obey(Obedience::Loses);
    say(&house, "m1", "go").await;
    let is_unknown = |session: &SessionView| {
        session
            .outbox
            .iter()
            .any(|one| one.state == OutboxState::Indeterminate)
    };
    house.until(is_unknown).await;
    house.fake.obey(Obedience::Ignores);
    let id = house.fake.next_id();
    // A run would execute the action: some backends take it as an approval.
    house.fake.emit([
        state(id, "awaiting_user_confirmation"),
        asks(id + 1, "rm -rf /"),
        says(id + 2, "go"),
    ]);
    house.until(|session| session.outbox.is_empty()).await;
    let stopped = house.steer(Steering::Stop);
    stopped.await.expect("stopping is always possible");
    assert_eq!(house.fake.orders()[1..], [Command::Stop]);
}

#[tokio::test]
async fn a_failed_message_is_not_sent_again_while_an_action_needs_approval() {
    let house = live_house().await;
    house.fake.obey(Obedience::Refuses);
    say(&house, "m1", "go").await;
    house
        .until(|session| {
            session
                .outbox
                .first()
                .is_some_and(|one| one.state == OutboxState::Failed)
        })
        .await;
    house.fake.obey(Obedience::Obeys);
    house.ask("rm -rf /").await;
    let again = house.commands.resolve_failed(me(), ID, "m1", true).await;
    assert!(matches!(again, Err(HubError::AnswerFirst)), "{again:?}");
    assert_eq!(house.fake.orders().len(), 1);
}
