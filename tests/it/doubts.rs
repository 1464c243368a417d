//! Answers and words over lines that break at the worst moment: what is not known is said to be unknown,
//! and nothing is done twice.

use crate::approvals::{asked, executed, question, sentence};
use crate::process::{Process, call, create};
use crate::stage::{Stage, events_of, is_at_rest, is_over, me};
use crate::tab::Tab;
use handrail::api::AnswerConfirmation;
use handrail::backend::LineState;
use handrail::hub::HubError;
use handrail::live::{ApprovalView, Decision, OutboxState, SessionView};
use std::collections::BTreeSet;
use tempfile::TempDir;

/// Waits for a question that was answered, nobody knows whether with success.
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

/// Nothing has run so far, and it runs once after a yes.
async fn runs_on_a_yes(stage: &Stage, tab: &mut Tab, token: String) {
    assert_eq!(executed(stage, tab), 0);
    let id = tab.conversation.clone();
    yes(stage, &id, &token).await.expect("the line is back");
    question(tab, &BTreeSet::from([token])).await;
    assert_eq!(executed(stage, tab), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_over_a_lost_line_is_not_sent() {
    let stage = Stage::new().await;
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
        "Nothing was sent: the line to the backend is down. Try again when it is back."
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_was_swallowed_is_in_doubt_and_can_be_given_again() {
    let stage = Stage::new().await;
    let (mut tab, token) = asked(&stage).await;
    let id = tab.conversation.clone();
    stage.chaos.freeze();
    let doubtful = yes(&stage, &id, &token).await;
    let told = sentence(&doubtful.expect_err("nothing came back"));
    assert!(
        told.starts_with("It may or may not have arrived: "),
        "{told}"
    );
    // Without an acknowledgement the line is given up.
    tab.session("the line is lost", |session| {
        matches!(session.line, LineState::Reconnecting { .. })
    })
    .await;
    stage.chaos.restore_networking();
    let still = doubted_question(&mut tab).await;
    assert_eq!(still.token, token);
    let caution = still.caution.expect("it says so");
    assert!(
        caution.contains("it is not known whether it arrived"),
        "{caution}"
    );
    runs_on_a_yes(&stage, &mut tab, token).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_whose_receipt_was_swallowed_is_not_given_twice() {
    let stage = Stage::new().await;
    let (mut tab, token) = asked(&stage).await;
    let id = tab.conversation.clone();
    stage.chaos.swallow_answers();
    let doubtful = yes(&stage, &id, &token).await;
    assert!(
        matches!(doubtful, Err(HubError::Indeterminate(_))),
        "{doubtful:?}"
    );
    assert_eq!(executed(&stage, &tab), 1);
    stage.chaos.restore_networking();
    question(&mut tab, &BTreeSet::from([token.clone()])).await;
    // Whoever still sees the old question and answers it: too late, and said so.
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_that_were_swallowed_are_in_doubt_and_said_once() {
    let stage = Stage::new().await;
    let mut tab = stage.at_rest().await;
    let id = tab.conversation.clone();
    stage.chaos.swallow_answers();
    stage
        .hub
        .say(me(), &id, "m1", "Are you there?", vec![], vec![])
        .await
        .expect("it is taken");
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
            .starts_with("It may or may not have arrived: ")
    );
    stage.chaos.restore_networking();
    tab.session("it was found on the timeline", |session| {
        session.outbox.is_empty() && is_at_rest(session)
    })
    .await;
    let events = events_of(&stage.rehearsal, &id).await;
    let said = events
        .iter()
        .filter(|event| event["args"]["content"] == "Are you there?");
    assert_eq!(said.count(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_survives_a_crash_and_so_does_the_doubt_about_its_answer() {
    let stage = Stage::new().await;
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
    // It dies while its answer is on the way.
    stage.chaos.freeze();
    let (address, answered) = (process.address, token.clone());
    let asked = id.clone();
    let answering = tokio::spawn(async move {
        let fields = [
            ("id", asked.as_str()),
            ("token", &answered),
            ("decision", "approve"),
        ];
        call::<AnswerConfirmation>(address, &fields).await
    });
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
    assert!(
        caution.contains("it is not known whether it arrived"),
        "{caution}"
    );
    assert_eq!(executed(&stage, &tab), 0);
    let fields = [
        ("id", id.as_str()),
        ("token", &token),
        ("decision", "approve"),
    ];
    call::<AnswerConfirmation>(process.address, &fields)
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
