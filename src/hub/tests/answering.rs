//! Approvals: the first answer wins, nothing unapproved is ever ordered, and an unknown outcome is shown.
//!
//! Long because the tests share the helpers that ask and answer.

use super::*;
use crate::backend::Command;
use crate::live::{ApprovalView, Decision, Steering};

/// Pairs of answers at once, enough to meet different orders; each pair writes to the disk several times. More of them in a
/// run of all repetitions.
fn races() -> i64 {
    match std::env::var_os("HANDRAIL_ALL") {
        Some(_) => 1_000,
        None => 200,
    }
}

impl House {
    /// The agent asks whether it may; answers the token.
    pub(super) async fn ask(&self, command: &str) -> String {
        let id = self.fake.next_id();
        self.fake.emit([
            state(id, "awaiting_user_confirmation"),
            asks(id + 1, command),
        ]);
        self.asked().await
    }

    /// The token of what waits for an answer.
    pub(super) async fn asked(&self) -> String {
        let open = |session: &SessionView| {
            session
                .approval
                .as_ref()
                .is_some_and(|approval| !approval.answering)
        };
        self.until(open).await.approval.expect("it waits").token
    }

    /// What waits for an answer, once its actions are shown.
    async fn shown(&self) -> ApprovalView {
        let is_shown = |session: &SessionView| {
            let approval = session.approval.as_ref();
            approval.is_some_and(|approval| !approval.rows.is_empty())
        };
        self.until(is_shown).await.approval.expect("it waits")
    }

    /// Somebody answers, without a reason.
    pub(super) async fn answer(&self, token: &str, decision: Decision) -> Result<(), HubError> {
        self.commands.answer(me(), ID, token, decision, "").await
    }

    /// Upstream carries an answer out.
    pub(super) async fn carry_out(&self, command: &str, yes: bool) {
        let id = self.fake.next_id();
        if yes {
            self.fake.emit([
                steers(id, "user_confirmed"),
                asked(id + 1, command, true),
                state(id + 2, "user_confirmed"),
                prints(id + 3, id + 1, "done"),
                state(id + 4, "running"),
            ]);
        } else {
            self.fake.emit([
                steers(id, "user_rejected"),
                asked(id + 1, command, false),
                state(id + 2, "user_rejected"),
                state(id + 3, "awaiting_user_input"),
            ]);
        }
        self.until(|session| session.approval.is_none()).await;
    }
}

fn is_answer(command: &Command) -> bool {
    matches!(command, Command::Approve { .. } | Command::Reject { .. })
}

#[tokio::test]
async fn a_yes_is_sent_once_however_often_it_is_said() {
    let house = live_house().await;
    let token = house.ask("make").await;
    house
        .answer(&token, Decision::Approve)
        .await
        .expect("it waits");
    house
        .answer(&token, Decision::Approve)
        .await
        .expect("the same again is harmless");
    let error = house
        .answer(&token, Decision::Reject)
        .await
        .expect_err("it comes too late");
    assert!(
        matches!(error, HubError::AnsweredBefore { approved: true, .. }),
        "{error:?}"
    );
    assert!(matches!(&house.fake.orders()[..], [Command::Approve { keys }] if keys.len() == 1));
    house.carry_out("make", true).await;
    house
        .answer(&token, Decision::Approve)
        .await
        .expect("also much later");
}

#[tokio::test]
async fn an_answer_waits_for_the_disk_twice_and_its_outcome_is_there_with_its_entry() {
    let house = live_house().await;
    for (decision, command) in [
        (Decision::Approve, "make"),
        (Decision::Reject, "make clean"),
    ] {
        let token = house.ask(command).await;
        let before = house.catalogue.journal.waits_for_disk();
        house.answer(&token, decision).await.expect("it waits");
        assert_eq!(house.catalogue.journal.waits_for_disk() - before, 2);
        house
            .carry_out(command, decision == Decision::Approve)
            .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_answers_at_once_exactly_one_is_sent() {
    let house = live_house().await;
    let mut answers = 0;
    for race in 0..races() {
        let command = format!("make step-{race}");
        let token = house.ask(&command).await;
        let (yes, no) = tokio::join!(
            house.answer(&token, Decision::Approve),
            house.answer(&token, Decision::Reject),
        );
        assert!(yes.is_ok() != no.is_ok(), "{yes:?} {no:?}");
        assert!(matches!(
            yes.as_ref().err().or(no.as_ref().err()),
            Some(HubError::AnsweredBefore { .. })
        ));
        answers += 1;
        assert_eq!(house.fake.orders().len(), answers);
        house.carry_out(&command, yes.is_ok()).await;
    }
}

#[tokio::test]
async fn an_answer_to_something_else_is_refused() {
    let house = live_house().await;
    let first = house.ask("make").await;
    house
        .answer(&first, Decision::Reject)
        .await
        .expect("it waits");
    house.carry_out("make", false).await;
    let second = house.ask("make").await;
    assert_ne!(
        first, second,
        "the same command asked again is another question"
    );
    let error = house
        .answer(&first, Decision::Approve)
        .await
        .expect_err("it was about the first");
    assert!(
        matches!(
            error,
            HubError::AnsweredBefore {
                approved: false,
                ..
            }
        ),
        "{error:?}"
    );
    let error = house
        .commands
        .answer(me(), ID, "made up", Decision::Approve, "")
        .await
        .expect_err("nobody asked that");
    assert!(matches!(error, HubError::Superseded), "{error:?}");
    assert_eq!(house.fake.orders().len(), 1);
}

#[tokio::test]
async fn what_changes_between_look_and_answer_has_to_be_looked_at_again() {
    let house = live_house().await;
    let seen = house.ask("make").await;
    let id = house.fake.next_id();
    house.fake.emit([prints(id, id - 1, "it ran already")]);
    let changed = |session: &SessionView| {
        session
            .approval
            .as_ref()
            .is_none_or(|approval| approval.token != seen)
    };
    house.until(changed).await;
    let error = house
        .answer(&seen, Decision::Approve)
        .await
        .expect_err("it has changed");
    assert!(matches!(error, HubError::Superseded), "{error:?}");
    assert_eq!(house.fake.orders(), []);
}

#[tokio::test]
async fn a_message_instead_of_an_answer_is_a_rejection_and_then_the_message() {
    let house = live_house().await;
    house.ask("rm -rf /").await;
    house.say("m1", "rather not").await.expect("it is taken");
    assert_eq!(house.ordered(1).await, [Command::Reject { reason: None }]);
    let session = house.until(|session| !session.outbox.is_empty()).await;
    assert!(
        session.outbox[0].why.contains("approval"),
        "it waits: {:?}",
        session.outbox
    );
    house.carry_out("rm -rf /", false).await;
    let orders = house.ordered(2).await;
    assert!(
        matches!(&orders[1], Command::Say { text, .. } if text == "rather not"),
        "{orders:?}"
    );
    house.until(|session| session.outbox.is_empty()).await;
}

#[tokio::test]
async fn a_message_instead_of_an_answer_waits_for_a_connection_that_is_on_its_way() {
    let house = live_house().await;
    house.ask("make").await;
    house.fake.connection_is(ConnectionState::Connecting);
    let connects = |session: &SessionView| session.connection == ConnectionState::Connecting;
    house.until(connects).await;
    let (hub, fake) = (house.hub.clone(), house.fake.clone());
    let said = tokio::spawn(async move {
        hub.commands
            .say(me(), ID, "m1", "why?", vec![], vec![])
            .await
    });
    tokio::task::yield_now().await;
    assert_eq!(fake.orders(), []);
    fake.connection_is(ConnectionState::Live);
    said.await.expect("it ends").expect("the connection is up");
    soon(|| fake.orders().iter().any(is_answer).then_some(())).await;
}

#[tokio::test]
async fn a_reason_follows_as_a_message_where_a_rejection_cannot_carry_it() {
    let house = live_house().await;
    let token = house.ask("make").await;
    house
        .commands
        .answer(me(), ID, &token, Decision::Reject, "use ninja")
        .await
        .expect("it waits");
    house.carry_out("make", false).await;
    let orders = house.ordered(2).await;
    assert_eq!(orders[0], Command::Reject { reason: None });
    assert!(
        matches!(&orders[1], Command::Say { text, .. } if text == "use ninja"),
        "{orders:?}"
    );
}

#[tokio::test]
async fn nobody_can_say_go_on_while_something_waits() {
    let house = live_house().await;
    house.ask("make").await;
    let error = house
        .steer(Steering::Resume)
        .await
        .expect_err("it would be a yes on some backends");
    assert!(matches!(error, HubError::AnswerFirst), "{error:?}");
    house
        .steer(Steering::Stop)
        .await
        .expect("stopping is always possible");
    assert_eq!(house.fake.orders(), [Command::Stop]);
    assert!(!house.fake.orders().iter().any(is_answer));
}

#[tokio::test]
async fn nothing_is_approved_of_which_the_card_shows_a_part() {
    let house = live_house().await;
    let command = format!("echo {}\nrm -rf /", "x".repeat(300 << 10));
    house
        .fake
        .emit([state(2, "awaiting_user_confirmation"), asks(3, &command)]);
    let asked = house.shown().await;
    let frame = serde_json::to_string(&asked).expect("plain data");
    assert!(frame.len() < 200 << 10, "{}", frame.len());
    assert!(!frame.contains("rm -rf /") && frame.contains("Show all of it before you decide"));
    let approve = || house.answer(&asked.token, Decision::Approve);
    let refused = approve().await.expect_err("the end was not shown");
    assert!(refused.to_string().contains("Show all"), "{refused}");
    assert!(house.fake.orders().is_empty());
    let whole = house.reader.whole_row(me(), ID, asked.rows[0].id).await;
    let whole = serde_json::to_string(&whole.expect("it is there")).expect("plain data");
    assert!(whole.contains("rm -rf /"));
    let eve = Caller {
        person: 2,
        name: "eve".to_owned(),
        ..me().clone()
    };
    let approved = house
        .commands
        .answer(&eve, ID, &asked.token, Decision::Approve, "");
    let refused = approved
        .await
        .expect_err("the end was shown to another person");
    assert!(refused.to_string().contains("Show all"), "{refused}");
    let ada = person(&house, "ada", "approver").await;
    let script = Caller {
        credential: Credential::Token(1),
        ..ada.clone()
    };
    let read = house.reader.whole_row(&script, ID, asked.rows[0].id).await;
    read.expect("it is there");
    let refused = house.approves(&ada, &asked.token).await;
    let refused = refused.expect_err("her script has read it").to_string();
    assert!(refused.contains("Show all"), "{refused}");
    approve().await.expect("all of it was shown");
}

#[tokio::test]
async fn what_cannot_be_shown_whole_cannot_be_approved() {
    let house = live_house().await;
    house.fake.emit([
        state(2, "awaiting_user_confirmation"),
        asks(3, &"x".repeat(6 << 20)),
    ]);
    let asked = house.shown().await;
    let whole = house.reader.whole_row(me(), ID, asked.rows[0].id).await;
    whole.expect("it is there");
    let approved = house.answer(&asked.token, Decision::Approve);
    let refused = approved.await.expect_err("it cannot be shown");
    assert!(refused.to_string().contains("too large"), "{refused}");
    let rejected = house.answer(&asked.token, Decision::Reject);
    rejected.await.expect("a no is always possible");
}
