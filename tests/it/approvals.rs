//! Nothing runs that nobody approved, and nothing runs twice: proved by what the rehearsal has carried out.

use crate::stage::{Stage, events_of, me, soon};
use crate::tab::Tab;
use handrail::backend::{LineState, Settings};
use handrail::hub::{Hub, HubError};
use handrail::live::{ApprovalView, Decision, SessionView, Steering};
use handrail::people::Caller;
use handrail::render::CardView;
use std::collections::BTreeSet;

/// The first action of the scenario "confirm", as the rehearsal names it.
const FIRST: &str = "run echo \"confirm me\"";

/// Waits for a question that is open and that was not seen before.
pub async fn question(tab: &mut Tab, seen: &BTreeSet<String>) -> ApprovalView {
    let asks = |session: &SessionView| {
        session.line == LineState::Live
            && session
                .approval
                .as_ref()
                .is_some_and(|one| !one.answering && !seen.contains(&one.token))
    };
    let session = tab.session("something waits", asks).await;
    session.approval.expect("it was just seen")
}

/// A conversation in which the first action waits.
pub async fn asked(stage: &Stage) -> (Tab, String) {
    let mut tab = stage.begin("[[scenario:confirm]]").await;
    let token = question(&mut tab, &BTreeSet::new()).await.token;
    (tab, token)
}

/// How often the first action was carried out.
pub fn executed(stage: &Stage, tab: &Tab) -> u32 {
    stage.rehearsal.stats().executed(&tab.conversation, FIRST)
}

/// What a person is told.
pub fn sentence(error: &HubError) -> String {
    error.for_people().1
}

/// Two people who answer: one always says yes, the other no.
fn who(decision: Decision) -> Caller {
    let (person, name) = match decision {
        Decision::Approve => (1, "ada"),
        Decision::Reject => (2, "bob"),
    };
    Caller {
        person,
        name: name.to_owned(),
        ..me().clone()
    }
}

async fn answer(hub: Hub, id: String, token: String, decision: Decision) -> Result<(), HubError> {
    tokio::spawn(async move { hub.answer(&who(decision), &id, &token, decision, "").await })
        .await
        .expect("answering does not panic")
}

/// One race for a question; answers who has won.
async fn race(stage: &Stage, tab: &Tab, token: &str, round: usize) -> Decision {
    let answer = |decision| {
        let (hub, id) = (stage.hub.clone(), tab.conversation.clone());
        answer(hub, id, token.to_owned(), decision)
    };
    let (yes, no) = if round.is_multiple_of(2) {
        tokio::join!(answer(Decision::Approve), answer(Decision::Reject))
    } else {
        let (no, yes) = tokio::join!(answer(Decision::Reject), answer(Decision::Approve));
        (yes, no)
    };
    let (winner, word, lost) = match (yes, no) {
        (Ok(()), Err(lost)) => (Decision::Approve, "ada has already approved", lost),
        (Err(lost), Ok(())) => (Decision::Reject, "bob has already rejected", lost),
        other => panic!("round {round}: one wins and one loses, not {other:?}"),
    };
    let told = sentence(&lost);
    assert!(
        told.starts_with(&format!("Nothing was sent: {word} this, at "))
            && told.ends_with(" UTC. The first answer counts."),
        "{told}"
    );
    winner
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_different_answers_one_counts_a_thousand_times() {
    let stage = Stage::new().await;
    let settings = stage.hub.settings("").await.expect("the backend is there");
    let careful = Settings {
        confirmation: true,
        analyzer: String::new(),
        ..settings.settings
    };
    stage
        .hub
        .save_settings(me(), "", careful)
        .await
        .expect("they are saved");
    let mut tab = stage.begin("[[scenario:long:2500]]").await;
    let id = tab.conversation.clone();
    let (mut seen, mut races) = (BTreeSet::new(), Vec::new());
    while races.len() < 1000 {
        let waiting = question(&mut tab, &seen).await;
        seen.insert(waiting.token.clone());
        if waiting.caution.is_some() {
            // A file: 0.62 does not hold it back, so there is nothing to win.
            match stage
                .hub
                .answer(me(), &id, &waiting.token, Decision::Approve, "")
                .await
            {
                Ok(()) | Err(HubError::Superseded) => continue,
                Err(error) => panic!("{error:?}"),
            }
        }
        let command = match waiting.rows.first().map(|row| &row.card) {
            Some(CardView::Step(step)) => format!("run {}", step.subject),
            other => panic!("{other:?}"),
        };
        let winner = race(&stage, &tab, &waiting.token, races.len()).await;
        if winner == Decision::Reject {
            let words = format!("go on, {}", races.len());
            let said = stage
                .hub
                .say(me(), &id, &words, &words, vec![], vec![])
                .await;
            said.expect("the agent listens");
        }
        races.push((command, winner));
    }
    let stats = stage.rehearsal.stats();
    let approved = races
        .iter()
        .filter(|(_, winner)| *winner == Decision::Approve);
    eprintln!("{} of 1000 were approved", approved.count());
    for (command, winner) in &races[..999] {
        let wanted = u32::from(*winner == Decision::Approve);
        assert_eq!(stats.executed(&id, command), wanted, "{command}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_to_something_else_is_refused() {
    let stage = Stage::new().await;
    let (tab, token) = asked(&stage).await;
    let id = &tab.conversation;
    for stale in ["", "0123", &token[1..], &token.to_uppercase()] {
        let refused = stage
            .hub
            .answer(me(), id, stale, Decision::Approve, "")
            .await;
        assert_eq!(
            sentence(&refused.expect_err("it is about nothing")),
            "Nothing was sent: what waits has changed since you looked. Look again, then answer."
        );
    }
    let (other, _) = asked(&stage).await;
    let refused = stage
        .hub
        .answer(me(), &other.conversation, &token, Decision::Approve, "")
        .await;
    assert!(matches!(refused, Err(HubError::Superseded)), "{refused:?}");
    assert_eq!(executed(&stage, &tab) + executed(&stage, &other), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_answer_again_does_nothing_and_another_one_comes_too_late() {
    let stage = Stage::new().await;
    let (mut tab, token) = asked(&stage).await;
    let id = tab.conversation.clone();
    let answer = |decision| stage.hub.answer(me(), &id, &token, decision, "");
    answer(Decision::Approve).await.expect("it waits");
    question(&mut tab, &BTreeSet::from([token.clone()])).await;
    answer(Decision::Approve).await.expect("a double tap");
    let late = answer(Decision::Reject).await;
    assert!(
        matches!(late, Err(HubError::AnsweredBefore { approved: true, .. })),
        "{late:?}"
    );
    assert_eq!(executed(&stage, &tab), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_instead_of_an_answer_are_a_no_and_then_the_words() {
    let stage = Stage::new().await;
    let (mut tab, _) = asked(&stage).await;
    let id = tab.conversation.clone();
    let words = "Rather say what this is for.";
    stage
        .hub
        .say(me(), &id, "m1", words, vec![], vec![])
        .await
        .expect("it is taken");
    soon("the words have arrived", async || {
        let events = events_of(&stage.rehearsal, &id).await;
        let at = |found: &dyn Fn(&serde_json::Value) -> bool| events.iter().position(found);
        let no = at(&|event| event["extras"]["agent_state"] == "user_rejected");
        let said = at(&|event| event["args"]["content"] == words)?;
        assert!(no.is_some_and(|no| no < said), "the no comes first");
        Some(())
    })
    .await;
    tab.session("nothing is on its way", |session| session.outbox.is_empty())
        .await;
    assert_eq!(executed(&stage, &tab), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn go_on_is_no_answer() {
    let stage = Stage::new().await;
    let (tab, token) = asked(&stage).await;
    for order in [Steering::Resume, Steering::Pause] {
        let refused = stage.hub.steer(me(), &tab.conversation, order).await;
        assert_eq!(
            sentence(&refused.expect_err("an answer is needed")),
            "Something waits for your answer. Approve or reject it first, or stop the agent."
        );
    }
    assert_eq!(executed(&stage, &tab), 0);
    let answered = stage
        .hub
        .answer(me(), &tab.conversation, &token, Decision::Approve, "")
        .await;
    answered.expect("it still waits");
}
