//! Answers and messages over connections that break at the worst moment: an unknown outcome is reported as unknown, and
//! nothing is executed twice.

use crate::approvals::{asked, executed, question, sentence};
use crate::both::on_both;
use crate::process::{Process, approve_in_time, create};
use crate::stage::{Stage, is_at_rest, is_over, items_of, me, says, soon};
use crate::tab::Tab;
use handrail::backend::rehearsal::Dialect;
use handrail::backend::{LineState, Runtime};
use handrail::hub::HubError;
use handrail::live::{ApprovalView, Decision, OutboxState, SessionView};
use std::collections::BTreeSet;
use tempfile::TempDir;

on_both![
    an_answer_over_a_lost_line_is_not_sent,
    an_answer_that_was_swallowed_is_in_doubt_and_can_be_given_again,
    an_answer_whose_receipt_was_swallowed_is_not_given_twice,
    words_that_were_swallowed_are_in_doubt_and_said_once,
    a_question_survives_a_crash_and_so_does_the_doubt_about_its_answer,
];

/// The requests of 1.x that carry an answer and a message; on 0.x they are sent over the socket. Before such a request
/// Handrail asks whether it still fits, and these questions must get through: otherwise nothing is sent.
const ANSWER: &str = "/respond_to_confirmation HTTP";
const MESSAGE: &str = "/events HTTP";

/// Waits for an approval whose answer has an unknown outcome.
async fn doubted_question(tab: &mut Tab) -> ApprovalView {
    let doubted = |one: &ApprovalView| !one.answering && one.caution.is_some();
    let asks = |session: &SessionView| {
        session.line == LineState::Live && session.approval.as_ref().is_some_and(doubted)
    };
    let session = tab.session("it waits again, in doubt", asks).await;
    session.approval.expect("it was just seen")
}

async fn yes(stage: &Stage, conversation: &str, token: &str) -> Result<(), HubError> {
    let answer = stage
        .hub
        .answer(me(), conversation, token, Decision::Approve, "");
    answer.await
}

/// Checks that nothing has run so far, and that an approval runs the action once.
async fn runs_on_a_yes(stage: &Stage, tab: &mut Tab, token: String) {
    assert_eq!(executed(stage, tab), 0);
    let id = tab.conversation.clone();
    yes(stage, &id, &token).await.expect("the line is back");
    question(tab, &BTreeSet::from([token])).await;
    assert_eq!(executed(stage, tab), 1);
}

async fn an_answer_over_a_lost_line_is_not_sent(dialect: Dialect) {
    let stage = Stage::new(dialect).await;
    let (mut tab, token) = asked(&stage).await;
    let id = tab.conversation.clone();
    stage.chaos.break_networking();
    tab.session("the line is lost", |session| {
        matches!(session.line, LineState::Reconnecting { .. })
    })
    .await;
    let refused = yes(&stage, &id, &token).await;
    assert_eq!(
        sentence(&refused.expect_err("the line is lost")),
        "Nothing was sent: disconnected from OpenHands. Try again when the connection is back."
    );
    stage.chaos.restore_networking();
    stage.hub.retry(&id).await.expect("it can be tried");
    let still = question(&mut tab, &BTreeSet::new()).await;
    assert_eq!(
        (still.token.as_str(), still.caution),
        (token.as_str(), None)
    );
    runs_on_a_yes(&stage, &mut tab, token).await;
}

async fn an_answer_that_was_swallowed_is_in_doubt_and_can_be_given_again(dialect: Dialect) {
    let stage = Stage::new(dialect).await;
    let (mut tab, token) = asked(&stage).await;
    let id = tab.conversation.clone();
    match dialect {
        Dialect::OpenHands => stage.chaos.freeze(),
        Dialect::AgentServer => stage.chaos.freeze_at(ANSWER),
    }
    let doubtful = yes(&stage, &id, &token).await;
    let told = sentence(&doubtful.expect_err("nothing came back"));
    assert!(
        told.starts_with("This may not have gone through. "),
        "{told}"
    );
    // Without an acknowledgement the connection is considered lost.
    tab.session("the line is lost", |session| {
        matches!(session.line, LineState::Reconnecting { .. })
    })
    .await;
    stage.chaos.restore_networking();
    let still = doubted_question(&mut tab).await;
    assert_eq!(still.token, token);
    let caution = still.caution.expect("it says so");
    assert!(caution.contains("may not have gone through"), "{caution}");
    runs_on_a_yes(&stage, &mut tab, token).await;
}

async fn an_answer_whose_receipt_was_swallowed_is_not_given_twice(dialect: Dialect) {
    let stage = Stage::new(dialect).await;
    let (mut tab, token) = asked(&stage).await;
    let id = tab.conversation.clone();
    match dialect {
        Dialect::OpenHands => stage.chaos.swallow_answers(),
        Dialect::AgentServer => stage.chaos.swallow_answers_to(ANSWER),
    }
    let doubtful = yes(&stage, &id, &token).await;
    assert!(
        matches!(doubtful, Err(HubError::Indeterminate(_))),
        "{doubtful:?}"
    );
    assert_eq!(executed(&stage, &tab), 1);
    stage.chaos.restore_networking();
    question(&mut tab, &BTreeSet::from([token.clone()])).await;
    // An answer to the old question is rejected as too late.
    for decision in [Decision::Approve, Decision::Reject] {
        let late = stage.hub.answer(me(), &id, &token, decision, "").await;
        assert!(
            matches!(
                late,
                Err(HubError::Superseded | HubError::AnsweredBefore { .. })
            ),
            "{late:?}"
        );
    }
    assert_eq!(executed(&stage, &tab), 1);
}

/// How often the backend has the message.
async fn said(stage: &Stage, conversation: &str) -> usize {
    let items = items_of(&stage.rehearsal, conversation).await;
    let said = items.iter().filter(|item| says(item, "Are you there?"));
    said.count()
}

/// With 1.x there is no sandbox to start.
#[tokio::test]
async fn words_to_a_stopped_conversation_start_its_sandbox_and_are_said_once() {
    let stage = Stage::new(Dialect::OpenHands).await;
    let mut tab = stage.at_rest().await;
    let id = tab.conversation.clone();
    stage.hub.stop(me(), &id).await.expect("it can be stopped");
    tab.session("it is stopped", |session| {
        session.runtime == Runtime::Stopped
    })
    .await;
    for _ in 0..2 {
        stage
            .hub
            .say(me(), &id, "m1", "Are you there?", vec![], vec![])
            .await
            .expect("it is taken");
    }
    tab.session("the words were said", |session| {
        session.runtime == Runtime::Running && session.outbox.is_empty() && is_at_rest(session)
    })
    .await;
    assert_eq!(said(&stage, &id).await, 1);
}

async fn words_that_were_swallowed_are_in_doubt_and_said_once(dialect: Dialect) {
    let stage = Stage::new(dialect).await;
    let mut tab = stage.at_rest().await;
    let id = tab.conversation.clone();
    match dialect {
        Dialect::OpenHands => stage.chaos.swallow_answers(),
        Dialect::AgentServer => stage.chaos.swallow_answers_to(MESSAGE),
    }
    stage
        .hub
        .say(me(), &id, "m1", "Are you there?", vec![], vec![])
        .await
        .expect("it is taken");
    if dialect == Dialect::AgentServer {
        // A message may wait for the agent's step for ten minutes: only the end of its connection leaves it in doubt.
        stage.chaos.is_frozen().await;
        soon("the backend has it", async || {
            (said(&stage, &id).await > 0).then_some(())
        })
        .await;
        stage.chaos.drop_all();
    }
    let session = tab
        .session("it is in doubt", |session| {
            session
                .outbox
                .iter()
                .any(|one| one.state == OutboxState::Indeterminate)
        })
        .await;
    assert!(
        session.outbox[0]
            .why
            .starts_with("This may not have gone through. ")
    );
    stage.chaos.restore_networking();
    tab.session("it was found on the timeline", |session| {
        // On 1.x the agent does not read it: the request to run would have followed the lost receipt.
        session.outbox.is_empty() && (is_at_rest(session) || dialect == Dialect::AgentServer)
    })
    .await;
    assert_eq!(said(&stage, &id).await, 1);
}

async fn a_question_survives_a_crash_and_so_does_the_doubt_about_its_answer(dialect: Dialect) {
    let stage = Stage::new(dialect).await;
    let folder = TempDir::new().expect("a temporary folder");
    let process = Process::start(folder.path(), stage.chaos.address).await;
    let id = create(process.address, "[[scenario:confirm]]").await;
    let mut tab = Tab::new(&id);
    assert!(tab.connect(process.address).await);
    let token = question(&mut tab, &BTreeSet::new()).await.token;
    process.kill();

    let process = Process::start(folder.path(), stage.chaos.address).await;
    assert!(tab.connect(process.address).await);
    assert_eq!(question(&mut tab, &BTreeSet::new()).await.token, token);
    // The process is killed while its answer is in flight.
    stage.chaos.freeze();
    let (address, answered) = (process.address, token.clone());
    let asked = id.clone();
    let answering = tokio::spawn(async move { approve_in_time(address, &asked, &answered).await });
    tab.session("the answer is on its way", |session| {
        session.approval.as_ref().is_some_and(|one| one.answering)
    })
    .await;
    answering.abort();
    process.kill();
    stage.chaos.restore_networking();

    let process = Process::start(folder.path(), stage.chaos.address).await;
    assert!(tab.connect(process.address).await);
    let still = question(&mut tab, &BTreeSet::new()).await;
    assert_eq!(still.token, token);
    let caution = still.caution.expect("it says so");
    assert!(caution.contains("may not have gone through"), "{caution}");
    assert_eq!(executed(&stage, &tab), 0);
    approve_in_time(process.address, &id, &token)
        .await
        .expect("it still waits");
    tab.session("the next one waits", |session| {
        is_over(session)
            || session
                .approval
                .as_ref()
                .is_some_and(|one| one.token != token)
    })
    .await;
    assert_eq!(executed(&stage, &tab), 1);
}
