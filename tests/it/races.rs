//! Two users give one approval different answers at the same time: one answer counts, and the other is told so.

use crate::approvals::{command, question, sentence};
use crate::both::on_both;
use crate::stage::{Stage, ask_always, me, repetitions};
use crate::tab::Tab;
use futures_util::future::join_all;
use handrail::backend::rehearsal::Dialect;
use handrail::hub::{Hub, HubError};
use handrail::live::Decision;
use handrail::people::Caller;
use std::collections::BTreeSet;

on_both![of_two_conflicting_answers_exactly_one_counts];

/// Two users: one always approves, the other rejects.
fn caller(decision: Decision) -> Caller {
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
    tokio::spawn(async move {
        hub.answer(&caller(decision), &id, &token, decision, "")
            .await
    })
    .await
    .expect("the task does not panic")
}

/// A race for one approval; returns the winning decision.
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
        (Ok(()), Err(lost)) => (Decision::Approve, "ada already approved", lost),
        (Err(lost), Ok(())) => (Decision::Reject, "bob already rejected", lost),
        other => panic!("round {round}: one wins and one loses, not {other:?}"),
    };
    let message = sentence(&lost);
    assert!(
        message.starts_with(&format!("Nothing was sent: {word} this "))
            && message.ends_with(" ago. The first decision counts."),
        "{message}"
    );
    winner
}

async fn of_two_conflicting_answers_exactly_one_counts(dialect: Dialect) {
    // Each backend has a rate limit of its own.
    let wanted = repetitions(25, 250);
    let races = join_all((0..4).map(|_| many_races(dialect, wanted))).await;
    let approved: usize = races.iter().sum();
    eprintln!("{approved} of {} were approved", 4 * wanted);
}

/// Races in one conversation; returns how many of them an approval has won.
async fn many_races(dialect: Dialect, wanted: usize) -> usize {
    let stage = Stage::new(dialect).await;
    ask_always(&stage.hub).await;
    let mut tab = stage.create_conversation("[[scenario:long:1000]]").await;
    let id = tab.conversation.clone();
    let (mut seen, mut races) = (BTreeSet::new(), Vec::new());
    while races.len() < wanted {
        let waiting = question(&mut tab, &seen).await;
        seen.insert(waiting.token.clone());
        if waiting.caution.is_some() {
            // An edit: 0.62 does not hold it back, so there is nothing to win. 1.x holds everything back.
            assert_eq!(dialect, Dialect::OpenHands);
            match stage
                .hub
                .answer(me(), &id, &waiting.token, Decision::Approve, "")
                .await
            {
                Ok(()) | Err(HubError::Superseded) => continue,
                Err(error) => panic!("{error:?}"),
            }
        }
        let winner = race(&stage, &tab, &waiting.token, races.len()).await;
        if winner == Decision::Reject {
            let words = format!("go on, {}", races.len());
            let sent = stage
                .hub
                .say(me(), &id, &words, &words, vec![], vec![])
                .await;
            sent.expect("the agent accepts it");
        }
        races.push((command(&waiting), winner));
    }
    // Something else waits: the last answer has taken effect.
    question(&mut tab, &seen).await;
    let stats = stage.rehearsal.stats();
    let is_approved = |winner: &Decision| *winner == Decision::Approve;
    let approved = races.iter().filter(|(_, winner)| is_approved(winner));
    let approved = approved.count();
    for (command, winner) in &races {
        if let Some(command) = command {
            let wanted = u32::from(is_approved(winner));
            assert_eq!(stats.executed(&id, command), wanted, "{command}");
        }
    }
    if dialect == Dialect::AgentServer {
        // Thoughts need no approval.
        let mut all = stats.executions[&id].clone();
        all.remove("think");
        assert_eq!(all.values().sum::<u32>() as usize, approved, "{all:?}");
    }
    approved
}
