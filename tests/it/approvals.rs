//! No action runs without approval, and none runs twice: proved by the actions that the rehearsal has executed.

use crate::both::on_both;
use crate::process::{Process, approve, approve_in_time, call, create};
use crate::stage::{Stage, items_of, me, says, soon, unlike_others};
use crate::tab::Tab;
use handrail::api::{Draft, ListConversations, SendMessage};
use handrail::backend::ConnectionState;
use handrail::backend::rehearsal::Dialect;
use handrail::conversation::{Body, LogItem, Status};
use handrail::hub::{HubError, MIN_VIEW_TIME};
use handrail::live::{ApprovalView, Decision, SessionView, Steering};
use std::collections::BTreeSet;
use tempfile::TempDir;

on_both![
    an_answer_to_another_approval_is_refused,
    a_repeated_answer_has_no_effect_and_a_different_one_is_too_late,
    a_message_instead_of_an_answer_rejects_and_is_then_sent,
    a_message_to_an_unseen_approval_is_not_sent_and_not_lost,
    resume_is_not_an_answer,
    the_second_of_two_quick_answers_is_refused_until_its_approval_was_visible,
];

/// The first action of the scenario "confirm", as the rehearsal names it.
const FIRST: &str = "run echo \"confirm me\"";

/// Waits for a pending approval that was not seen before.
pub async fn question(tab: &mut Tab, seen: &BTreeSet<String>) -> ApprovalView {
    let asks = |session: &SessionView| {
        session.connection == ConnectionState::Live
            && session
                .approval
                .as_ref()
                .is_some_and(|one| !one.answering && !seen.contains(&one.token))
    };
    let session = tab.session("something waits", asks).await;
    session.approval.expect("it is pending")
}

/// A conversation whose first action is pending.
pub async fn pending(stage: &Stage) -> (Tab, String) {
    let message = unlike_others("[[scenario:confirm]]");
    let mut tab = stage.create_conversation(&message).await;
    let token = question(&mut tab, &BTreeSet::new()).await.token;
    (tab, token)
}

/// How often the first action was executed.
pub fn executed(stage: &Stage, tab: &Tab) -> u32 {
    stage.rehearsal.stats().executed(&tab.conversation, FIRST)
}

/// The error message shown to users.
pub fn sentence(error: &HubError) -> String {
    error.for_people().1
}

async fn an_answer_to_another_approval_is_refused(dialect: Dialect) {
    let stage = Stage::new(dialect).await;
    let (tab, token) = pending(&stage).await;
    let id = &tab.conversation;
    for stale in ["", "0123", &token[1..], &token.to_uppercase()] {
        let refused = stage
            .hub
            .commands
            .answer(me(), id, stale, Decision::Approve, "")
            .await;
        assert_eq!(
            sentence(&refused.expect_err("it is about nothing")),
            "Nothing was sent: the pending action has changed. Review it again."
        );
    }
    let (other, _) = pending(&stage).await;
    let refused = stage
        .hub
        .commands
        .answer(me(), &other.conversation, &token, Decision::Approve, "")
        .await;
    assert!(matches!(refused, Err(HubError::Superseded)), "{refused:?}");
    assert_eq!(executed(&stage, &tab) + executed(&stage, &other), 0);
}

async fn a_repeated_answer_has_no_effect_and_a_different_one_is_too_late(dialect: Dialect) {
    let stage = Stage::new(dialect).await;
    let (mut tab, token) = pending(&stage).await;
    let id = tab.conversation.clone();
    let answer = |decision| stage.hub.commands.answer(me(), &id, &token, decision, "");
    answer(Decision::Approve).await.expect("it is pending");
    question(&mut tab, &BTreeSet::from([token.clone()])).await;
    answer(Decision::Approve).await.expect("a double tap");
    let late = answer(Decision::Reject).await;
    assert!(
        matches!(late, Err(HubError::AnsweredBefore { approved: true, .. })),
        "{late:?}"
    );
    assert_eq!(executed(&stage, &tab), 1);
}

async fn a_message_instead_of_an_answer_rejects_and_is_then_sent(dialect: Dialect) {
    let stage = Stage::new(dialect).await;
    let (mut tab, _) = pending(&stage).await;
    let id = tab.conversation.clone();
    let words = "Rather say what this is for.";
    stage
        .hub
        .commands
        .say(me(), &id, "m1", words, vec![], vec![])
        .await
        .expect("it is accepted");
    soon("the words have arrived", async || {
        let items = items_of(&stage.rehearsal, &id).await;
        // 0.x stores the answer as a status, 1.x as a result of the action.
        let is_no = |item: &LogItem| {
            let rejected = Status::UserRejected;
            matches!(&item.body, Body::Rejected { .. })
                || matches!(&item.body, Body::Status { status, .. } if *status == rejected)
        };
        let rejected = items.iter().position(is_no);
        let sent = items.iter().position(|item| says(item, words))?;
        assert!(
            rejected.is_some_and(|rejected| rejected < sent),
            "the rejection comes first"
        );
        Some(())
    })
    .await;
    tab.session("nothing is on its way", |session| session.outbox.is_empty())
        .await;
    assert_eq!(executed(&stage, &tab), 0);
}

async fn a_message_to_an_unseen_approval_is_not_sent_and_not_lost(dialect: Dialect) {
    let stage = Stage::new(dialect).await;
    let folder = TempDir::new().expect("a temporary folder");
    let process = Process::start(folder.path(), stage.chaos.address).await;
    let id = create(process.address, "[[scenario:confirm]]").await;
    soon("something waits", async || {
        let list = call::<ListConversations>(process.address, &[("ask[q]", "")]).await;
        let waiting = list.ok()?["conversations"][0]["waiting"].as_u64()?;
        (waiting > 0).then_some(())
    })
    .await;
    let fields = [("id", id.as_str()), ("text", "And be quick")];
    let refused = call::<SendMessage>(process.address, &fields).await;
    let refused = refused.expect_err("the action was never visible").text;
    assert!(
        refused.contains("you saw the action for less than a second"),
        "{refused}"
    );
    let draft = call::<Draft>(process.address, &[("id", &id)]).await;
    assert_eq!(draft.expect("it is stored"), "And be quick");
    assert_eq!(executed(&stage, &Tab::new(&id)), 0);
}

async fn resume_is_not_an_answer(dialect: Dialect) {
    let stage = Stage::new(dialect).await;
    let (tab, token) = pending(&stage).await;
    for order in [Steering::Resume, Steering::Pause] {
        let refused = stage
            .hub
            .commands
            .steer(me(), &tab.conversation, order)
            .await;
        assert_eq!(
            sentence(&refused.expect_err("an answer is needed")),
            "An action needs approval. Approve or reject it first, or stop the agent."
        );
    }
    assert_eq!(executed(&stage, &tab), 0);
    let answered = stage
        .hub
        .commands
        .answer(me(), &tab.conversation, &token, Decision::Approve, "")
        .await;
    answered.expect("it is still pending");
}

async fn the_second_of_two_quick_answers_is_refused_until_its_approval_was_visible(
    dialect: Dialect,
) {
    let stage = Stage::new(dialect).await;
    let folder = TempDir::new().expect("a temporary folder");
    let process = Process::start(folder.path(), stage.chaos.address).await;
    let id = create(process.address, "[[scenario:confirm]]").await;
    let mut tab = Tab::new(&id);
    assert!(tab.connect(process.address).await);
    let first = question(&mut tab, &BTreeSet::new()).await.token;
    let taken = approve_in_time(process.address, &id, &first).await;
    let taken_at = taken.expect("it is pending");
    let second = question(&mut tab, &BTreeSet::from([first])).await.token;
    match approve(process.address, &id, &second).await {
        // On a busy machine the question may have been shown for long enough.
        Ok(_) => assert!(
            taken_at.elapsed() >= MIN_VIEW_TIME,
            "it was answered too early"
        ),
        Err(refused) => {
            assert_eq!(
                refused.text,
                "Nothing was sent: you saw the action for less than a second. Review it, then try again."
            );
            let taken = approve_in_time(process.address, &id, &second).await;
            taken.expect("it is still pending");
        }
    }
}

// Of 1.x only: 0.x asks about one action at a time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thought_beside_other_actions_does_not_block_their_approval() {
    let stage = Stage::new(Dialect::AgentServer).await;
    let mut tab = stage.create_conversation("[[scenario:parallel]]").await;
    let open = question(&mut tab, &BTreeSet::new()).await;
    assert_eq!(open.rows.len(), 2, "a command and an edit");
    let id = &tab.conversation;
    let answer = stage
        .hub
        .commands
        .answer(me(), id, &open.token, Decision::Approve, "");
    answer.await.expect("both are still pending");
    let stats = soon("both have run", async || {
        let stats = stage.rehearsal.stats();
        let ran = stats.executions.get(id)?.len();
        (ran == 3).then_some(stats)
    })
    .await;
    assert_eq!(stats.executed(id, "run echo a > a.txt"), 1);
    assert_eq!(stats.executed(id, "edit create /workspace/b.txt"), 1);
}
