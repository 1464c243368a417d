//! Answers and messages over connections that break at the worst moment: an unknown outcome is reported as unknown, and
//! nothing is executed twice. The simulation tries all other moments.

use crate::approvals::{executed, pending, question};
use crate::both::on_both;
use crate::process::{Process, approve_in_time, create};
use crate::stage::{Stage, is_at_rest, is_over, items_of, me, says, soon};
use crate::tab::Tab;
use handrail::backend::Runtime;
use handrail::backend::rehearsal::Dialect;
use handrail::hub::HubError;
use handrail::live::{Decision, OutboxState};
use std::collections::BTreeSet;
use tempfile::TempDir;

on_both![
    an_answer_with_a_lost_receipt_is_not_sent_twice,
    a_swallowed_message_is_of_unknown_outcome_and_is_sent_once,
    a_pending_approval_and_its_unknown_outcome_survive_a_crash,
];

/// The requests of 1.x that carry an answer and a message; on 0.x they are sent over the socket. Before such a request
/// Handrail asks whether it still fits, and these questions must get through: otherwise nothing is sent.
const ANSWER: &str = "/respond_to_confirmation HTTP";
const MESSAGE: &str = "/events HTTP";

async fn an_answer_with_a_lost_receipt_is_not_sent_twice(dialect: Dialect) {
    let stage = Stage::new(dialect).await;
    let (mut tab, token) = pending(&stage).await;
    let id = tab.conversation.clone();
    match dialect {
        Dialect::OpenHands => stage.chaos.swallow_answers(),
        Dialect::AgentServer | Dialect::AppServer => stage.chaos.swallow_answers_to(ANSWER),
    }
    let approved = stage
        .hub
        .commands
        .answer(me(), &id, &token, Decision::Approve, "");
    let outcome = approved.await;
    assert!(
        matches!(outcome, Err(HubError::Indeterminate(_))),
        "{outcome:?}"
    );
    assert_eq!(executed(&stage, &tab), 1);
    stage.chaos.restore_networking();
    question(&mut tab, &BTreeSet::from([token.clone()])).await;
    // An answer to the old question is rejected as too late.
    for decision in [Decision::Approve, Decision::Reject] {
        let late = stage
            .hub
            .commands
            .answer(me(), &id, &token, decision, "")
            .await;
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
async fn times_delivered(stage: &Stage, conversation: &str) -> usize {
    let items = items_of(&stage.rehearsal, conversation).await;
    let delivered = items.iter().filter(|item| says(item, "Are you there?"));
    delivered.count()
}

/// With 1.x there is no sandbox to start.
#[tokio::test]
async fn a_message_to_a_stopped_conversation_starts_its_sandbox_and_is_sent_once() {
    let stage = Stage::new(Dialect::OpenHands).await;
    let mut tab = stage.at_rest().await;
    let id = tab.conversation.clone();
    stage
        .hub
        .commands
        .stop(me(), &id)
        .await
        .expect("it can be stopped");
    tab.session("it is stopped", |session| {
        session.runtime == Runtime::Stopped
    })
    .await;
    for _ in 0..2 {
        stage
            .hub
            .commands
            .say(me(), &id, "m1", "Are you there?", vec![], vec![])
            .await
            .expect("it is accepted");
    }
    tab.session("the words were said", |session| {
        session.runtime == Runtime::Running && session.outbox.is_empty() && is_at_rest(session)
    })
    .await;
    assert_eq!(times_delivered(&stage, &id).await, 1);
}

async fn a_swallowed_message_is_of_unknown_outcome_and_is_sent_once(dialect: Dialect) {
    let stage = Stage::new(dialect).await;
    let mut tab = stage.at_rest().await;
    let id = tab.conversation.clone();
    match dialect {
        Dialect::OpenHands => stage.chaos.swallow_answers(),
        Dialect::AgentServer | Dialect::AppServer => stage.chaos.swallow_answers_to(MESSAGE),
    }
    stage
        .hub
        .commands
        .say(me(), &id, "m1", "Are you there?", vec![], vec![])
        .await
        .expect("it is accepted");
    if dialect == Dialect::AgentServer {
        // A message may wait for the agent's step for ten minutes: only the end of its connection leaves its outcome unknown.
        stage.chaos.is_frozen().await;
        soon("the backend has it", async || {
            (times_delivered(&stage, &id).await > 0).then_some(())
        })
        .await;
        stage.chaos.drop_all();
    }
    let session = tab
        .session("its outcome is unknown", |session| {
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
    assert_eq!(times_delivered(&stage, &id).await, 1);
}

async fn a_pending_approval_and_its_unknown_outcome_survive_a_crash(dialect: Dialect) {
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
    let conversation = id.clone();
    let answering =
        tokio::spawn(async move { approve_in_time(address, &conversation, &answered).await });
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
    let caution = still.caution.expect("it has a caution");
    assert!(caution.contains("may not have gone through"), "{caution}");
    assert_eq!(executed(&stage, &tab), 0);
    approve_in_time(process.address, &id, &token)
        .await
        .expect("it is still pending");
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
