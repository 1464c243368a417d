//! Whatever people and the network do while a command waits: it runs only if a yes to that very command counted, and
//! once. How many commands: HANDRAIL_INTERLEAVINGS (150).

use crate::stage::{bridge, hub_in, is_over, me, quick};
use crate::tab::Tab;
use handrail::backend::rehearsal::{Fault, Rehearsal};
use handrail::backend::{LineState, NewConversation, Settings};
use handrail::conversation::Status;
use handrail::hub::{Hub, HubError};
use handrail::live::{ApprovalView, Decision, OutboxState, OutboxView, SessionView};
use handrail::people::Caller;
use handrail::render::CardView;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeSet;
use std::path::Path;
use tempfile::TempDir;
use tokio::task::JoinSet;

/// What can happen while something waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Move {
    Yes,
    No,
    YesOfAnother,
    NoOfAnother,
    YesOfAnOldPage,
    Words,
    Cut,
    Restart,
}

const MOVES: [Move; 8] = [
    Move::Yes,
    Move::No,
    Move::YesOfAnother,
    Move::NoOfAnother,
    Move::YesOfAnOldPage,
    Move::Words,
    Move::Cut,
    Move::Restart,
];

/// A command that waited. Without a cut or a restart one answer is taken; with one, a yes may be in doubt, and a no that is
/// taken then may be too late.
struct Asked {
    command: String,
    /// Somebody said yes to it, and was not told that it does not count.
    yes: bool,
    moves: Vec<(Move, bool)>,
}

/// The agent waits for words. A no that comes late, to a question that is gone already, leaves 0.62 in the state of a
/// rejection until somebody speaks.
fn rests(session: &SessionView) -> bool {
    is_over(session) || session.status == Status::UserRejected
}

/// One conversation that asks again and again.
struct Play<'a> {
    rehearsal: &'a Rehearsal,
    folder: &'a Path,
    hub: Hub,
    tab: Tab,
    seen: BTreeSet<String>,
    said: usize,
}

impl Play<'_> {
    /// The next question that can be won or lost.
    async fn next(&mut self) -> ApprovalView {
        // A page that was not read from for a while may have been let go.
        self.tab = Tab::opened(&self.hub, &self.tab.conversation).await;
        loop {
            let is_open =
                |one: &OutboxView| matches!(one.state, OutboxState::Sending | OutboxState::Sent);
            let ready = |session: &SessionView| {
                let waits = session.approval.as_ref().is_some_and(|one| !one.answering);
                let rests = rests(session) && !session.outbox.iter().any(is_open);
                session.line == LineState::Live && (waits || rests)
            };
            self.tab.drain();
            let session = self.tab.session("it asks, or rests", ready).await;
            // Nobody knows whether they arrived; nobody misses them.
            for words in session.outbox.iter().filter(|one| !is_open(one)) {
                let (id, words) = (self.tab.conversation.clone(), &words.client_id);
                let given_up = self.hub.settle(me(), &id, words, false).await;
                // They may have come back on the timeline at this moment.
                assert!(
                    matches!(given_up, Ok(()) | Err(HubError::NotFound(_))),
                    "{given_up:?}"
                );
                let is_gone = |session: &SessionView| {
                    !session.outbox.iter().any(|one| one.client_id == *words)
                };
                self.tab.session("they are given up", is_gone).await;
            }
            match session.approval {
                None => {
                    let id = self.say("go on").await;
                    let has_come_to_something = |session: &SessionView| {
                        let words = session.outbox.iter().find(|one| one.client_id == id);
                        !rests(session)
                            || session.line != LineState::Live
                            || words.is_some_and(|one| !is_open(one))
                    };
                    self.tab
                        .session("it goes on, or has not heard it", has_come_to_something)
                        .await;
                }
                // Left over, or a file, which 0.62 does not hold back.
                Some(open) if self.seen.contains(&open.token) || open.caution.is_some() => {
                    self.seen.insert(open.token.clone());
                    let no = self.answer(&open.token, Decision::Reject, 1).await;
                    assert!(!matches!(no, Err(HubError::Journal(_))), "{no:?}");
                    let is_heard = |session: &SessionView| {
                        let same = |one: &ApprovalView| one.token == open.token && !one.answering;
                        session.line != LineState::Live
                            || !session.approval.as_ref().is_some_and(same)
                    };
                    self.tab.session("the answer is heard", is_heard).await;
                }
                Some(open) => return open,
            }
        }
    }

    /// Answers the words' id.
    async fn say(&mut self, words: &str) -> String {
        self.said += 1;
        let id = format!("m{}", self.said);
        let said = self
            .hub
            .say(me(), &self.tab.conversation, &id, words, vec![], vec![]);
        // Instead of an answer they are refused while the line is down; they stay in the field then.
        if let Err(error) = said.await {
            assert!(
                matches!(error, HubError::LineDown | HubError::NotSent(_)),
                "{error:?}"
            );
        }
        id
    }

    fn answer(
        &self,
        token: &str,
        decision: Decision,
        person: i64,
    ) -> impl Future<Output = Result<(), HubError>> + Send + 'static {
        let (hub, token) = (self.hub.clone(), token.to_owned());
        let id = self.tab.conversation.clone();
        let by = Caller {
            person,
            name: format!("person {person}"),
            ..me().clone()
        };
        async move { hub.answer(&by, &id, &token, decision, "").await }
    }

    async fn restart(&mut self) {
        self.hub.shutdown().await;
        self.hub = hub_in(self.folder, bridge(self.rehearsal.addr(), None)).await;
        self.tab = Tab::opened(&self.hub, &self.tab.conversation).await;
    }

    /// Plays the moves against one question: each after the one before, or beside it.
    async fn play(&mut self, moves: Vec<(Move, bool)>) -> Asked {
        let open = self.next().await;
        let command = match open.rows.first().map(|row| &row.card) {
            Some(CardView::Step(step)) => format!("run {}", step.subject),
            other => panic!("{other:?}"),
        };
        let old = self.seen.last().cloned().unwrap_or_default();
        self.seen.insert(open.token.clone());
        let (mut answers, mut under_way) = (Vec::new(), Vec::new());
        for (one, beside) in &moves {
            let (token, decision, person) = match one {
                Move::Yes => (&open.token, Decision::Approve, 1),
                Move::No => (&open.token, Decision::Reject, 1),
                Move::YesOfAnother => (&open.token, Decision::Approve, 2),
                Move::NoOfAnother => (&open.token, Decision::Reject, 2),
                Move::YesOfAnOldPage => (&old, Decision::Approve, 2),
                Move::Words => {
                    self.say("rather not").await;
                    continue;
                }
                Move::Cut => {
                    self.rehearsal.faults().inject(&Fault::DropSockets);
                    continue;
                }
                Move::Restart => {
                    self.restart().await;
                    continue;
                }
            };
            let counts = *one != Move::YesOfAnOldPage;
            let answer = tokio::spawn(self.answer(token, decision, person));
            if *beside {
                under_way.push((decision, counts, answer));
            } else {
                answers.push((decision, counts, answer.await.expect("it does not panic")));
            }
        }
        for (decision, counts, answer) in under_way {
            answers.push((decision, counts, answer.await.expect("it does not panic")));
        }
        let taken = |wanted: Decision| {
            answers.iter().any(|(decision, counts, answer)| {
                let is_taken = matches!(
                    answer,
                    Ok(()) | Err(HubError::Indeterminate(_) | HubError::Closed)
                );
                *counts && *decision == wanted && is_taken
            })
        };
        let is_calm = |(one, _): &(Move, bool)| !matches!(one, Move::Cut | Move::Restart);
        let calm = moves.iter().all(is_calm);
        let (yes, no) = (taken(Decision::Approve), taken(Decision::Reject));
        assert!(!(calm && yes && no), "both were taken: {moves:?}");
        Asked {
            command,
            yes,
            moves,
        }
    }
}

/// One of those who play side by side, each with a backend and a Handrail of their own: how many commands of theirs
/// waited, and how many were approved and ran.
async fn play_alone(number: u8, wanted: usize) -> (usize, u32) {
    let rehearsal = Rehearsal::start(quick()).await.expect("a free port");
    let folder = TempDir::new().expect("a temporary folder");
    let hub = hub_in(folder.path(), bridge(rehearsal.addr(), None)).await;
    let settings = hub.settings("").await.expect("the backend is there");
    let careful = Settings {
        confirmation: true,
        analyzer: String::new(),
        ..settings.settings
    };
    let saved = hub.save_settings(me(), "", careful).await;
    saved.expect("they are saved");
    let words = NewConversation::saying("[[scenario:long:20000]]");
    let id = hub.create(me(), "", words).await.expect("it is made");
    let mut play = Play {
        rehearsal: &rehearsal,
        folder: folder.path(),
        tab: Tab::opened(&hub, &id).await,
        hub,
        seen: BTreeSet::new(),
        said: 0,
    };
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &[number; 32]);
    let mut random = TestRunner::new_with_rng(Config::default(), random);
    let moves = vec((select(&MOVES[..]), any::<bool>()), 1..6);
    let mut asked: Vec<Asked> = Vec::new();
    while asked.len() < wanted {
        let moves = moves.new_tree(&mut random).expect("moves").current();
        asked.push(play.play(moves).await);
    }
    // The last answers have come to something.
    play.next().await;
    let stats = rehearsal.stats();
    let mut ran = 0;
    for one in &asked {
        let times = stats.executed(&id, &one.command);
        let context = format!("{} after {:?}", one.command, one.moves);
        assert!(times <= u32::from(one.yes), "{context}: ran {times} times");
        ran += times;
    }
    (asked.len(), ran)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_happens_meanwhile_only_what_was_approved_runs() {
    let wanted = std::env::var("HANDRAIL_INTERLEAVINGS").ok();
    let wanted = wanted.map_or(150, |number| number.parse().expect("a number"));
    // Most of the time a line is waited for: several can do that at once.
    let players = (wanted / 15).clamp(1, 40);
    let mut playing = JoinSet::new();
    for number in 0..players {
        let share = wanted / players + usize::from(number < wanted % players);
        playing.spawn(play_alone(number as u8, share));
    }
    let played = playing.join_all().await.into_iter();
    let (waited, ran) = played.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
    eprintln!("{waited} commands waited, {ran} were approved and ran");
    assert_eq!(waited, wanted);
    assert!(ran > 0, "some are approved");
}
