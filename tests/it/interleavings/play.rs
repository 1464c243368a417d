//! A conversation that asks for approval again and again, and what its users and its network do meanwhile.

use crate::approvals::command;
use crate::stage::{bridge, hub_in, is_over, me};
use crate::tab::Tab;
use handrail::backend::ConnectionState;
use handrail::backend::rehearsal::{Fault, Rehearsal};
use handrail::conversation::Status;
use handrail::hub::{Hub, HubError};
use handrail::live::{ApprovalView, Decision, OutboxState, OutboxView, SessionView};
use handrail::people::Caller;
use std::collections::BTreeSet;
use std::path::Path;

/// An event while a command is pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    Yes,
    No,
    YesOfAnother,
    NoOfAnother,
    YesOfAnOldPage,
    Words,
    Cut,
    Restart,
}

pub(super) const MOVES: [Move; 8] = [
    Move::Yes,
    Move::No,
    Move::YesOfAnother,
    Move::NoOfAnother,
    Move::YesOfAnOldPage,
    Move::Words,
    Move::Cut,
    Move::Restart,
];

/// A command that was pending. Without a cut or restart only one decision is accepted. With one, the outcome of an
/// approval may be unknown, and a rejection accepted after it may be too late.
pub(super) struct Asked {
    pub(super) command: String,
    /// Whether a user approved it and was not told that the approval does not count.
    pub(super) yes: bool,
    pub(super) moves: Vec<(Move, bool)>,
}

/// Whether the agent waits for a message. A late rejection, of a question that is already gone, leaves 0.62 in the
/// rejected state until it gets a message. Any rejection leaves 1.x idle.
fn rests(session: &SessionView) -> bool {
    is_over(session) || matches!(session.status, Status::UserRejected | Status::Idle)
}

/// One conversation that asks for approval again and again.
pub(super) struct Play<'a> {
    pub(super) rehearsal: &'a Rehearsal,
    pub(super) folder: &'a Path,
    pub(super) hub: Hub,
    pub(super) tab: Tab,
    pub(super) seen: BTreeSet<String>,
    pub(super) messages: usize,
    /// Approvals of actions of other kinds, which have no names of their own.
    pub(super) others: u32,
}

impl Play<'_> {
    /// Returns the next approval that this test may answer.
    pub(super) async fn next(&mut self) -> ApprovalView {
        // The hub may have dropped a follower that did not read for a while.
        self.tab = Tab::opened(&self.hub, &self.tab.conversation).await;
        loop {
            let is_open =
                |one: &OutboxView| matches!(one.state, OutboxState::Sending | OutboxState::Sent);
            let ready = |session: &SessionView| {
                // No answer is taken while a message leaves, which may change what is pending. One that cannot leave
                // yet says why.
                let leaves =
                    |one: &OutboxView| one.state == OutboxState::Sending && one.why.is_empty();
                let waits = session.approval.as_ref().is_some_and(|one| !one.answering)
                    && !session.outbox.iter().any(leaves);
                let rests = rests(session) && !session.outbox.iter().any(is_open);
                session.connection == ConnectionState::Live && (waits || rests)
            };
            self.tab.drain();
            let session = self.tab.session("it asks, or rests", ready).await;
            // Their delivery is unknown; they are dropped.
            for words in session.outbox.iter().filter(|one| !is_open(one)) {
                let (id, words) = (self.tab.conversation.clone(), &words.client_id);
                let given_up = self.hub.resolve_failed(me(), &id, words, false).await;
                // They may have been confirmed on the timeline at this moment.
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
                            || session.connection != ConnectionState::Live
                            || words.is_some_and(|one| !is_open(one))
                    };
                    self.tab
                        .session("it goes on, or has not received it", has_come_to_something)
                        .await;
                }
                // A leftover approval, or an edit, which 0.62 does not hold back.
                Some(open) if self.seen.contains(&open.token) || open.caution.is_some() => {
                    self.seen.insert(open.token.clone());
                    self.resolve(&open.token, Decision::Reject).await;
                }
                Some(open) if command(&open).is_none() => {
                    self.seen.insert(open.token.clone());
                    self.others += 1;
                    self.resolve(&open.token, Decision::Approve).await;
                }
                Some(open) => return open,
            }
        }
    }

    /// Answers, and waits until the answer has arrived.
    async fn resolve(&mut self, token: &str, decision: Decision) {
        let answer = self.answer(token, decision, 1).await;
        assert!(!matches!(answer, Err(HubError::Journal(_))), "{answer:?}");
        let has_arrived = |session: &SessionView| {
            let same = |one: &ApprovalView| one.token == token && !one.answering;
            session.connection != ConnectionState::Live
                || !session.approval.as_ref().is_some_and(same)
        };
        self.tab
            .session("the answer has arrived", has_arrived)
            .await;
    }

    /// Returns the id of the message.
    async fn say(&mut self, words: &str) -> String {
        self.messages += 1;
        let id = format!("m{}", self.messages);
        let sent = self
            .hub
            .say(me(), &self.tab.conversation, &id, words, vec![], vec![]);
        // A message is refused while the connection is down, and if it would answer a question that has only just
        // appeared or while another one is on its way; it stays in the field then.
        if let Err(error) = sent.await {
            assert!(
                matches!(
                    error,
                    HubError::Disconnected
                        | HubError::NotSent(_)
                        | HubError::TooSoon
                        | HubError::Invalid(_)
                ),
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
        let backend = bridge(self.rehearsal.dialect(), self.rehearsal.addr(), None);
        self.hub = hub_in(self.folder, backend).await;
        self.tab = Tab::opened(&self.hub, &self.tab.conversation).await;
    }

    /// Plays the moves against one pending command, each one after its predecessor or concurrently.
    pub(super) async fn play(&mut self, moves: Vec<(Move, bool)>) -> Asked {
        let open = self.next().await;
        let command = command(&open).expect("only commands are pending");
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
        assert!(!(calm && yes && no), "both were accepted: {moves:?}");
        Asked {
            command,
            yes,
            moves,
        }
    }
}
