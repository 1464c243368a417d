//! What waits for a yes or a no, as a transaction: shown, stored, answered once, sent.
//!
//! A token names exactly what was shown. An answer to anything else is refused, the first answer wins in
//! the journal before it is sent, and what is not known to have arrived is never sent again by itself.
//!
//! Invariant: `Command::Approve` leaves this file only after [`Claim::Won`] for the token that stands.

use super::HubError;
use super::keeper::Keeper;
use super::room::{Reply, Sent};
use crate::backend::{Command, Delivery};
use crate::conversation::PendingConfirmation;
use crate::journal::{ApprovalState, Claim, Question};
use crate::live::{ApprovalView, Decision};
use crate::render::{CardView, RowView};
use sha2::{Digest, Sha256};
use std::time::Duration;
use tokio::time::Instant;

/// 0.62 carries a call that it does not hold back out at once, and once more after a yes
/// (`protocol/v0.md` section 6).
const NOT_HELD: &str =
    "OpenHands has already carried this out; approving runs it again, rejecting does not undo it.";
/// Said when an answer may or may not have arrived.
const UNSURE: &str = "An answer was sent, but it is not known whether it arrived. If this still waits, answer again.";
/// An answer that was taken takes effect within this time; else it is in doubt.
const EFFECT: Duration = Duration::from_secs(15);

/// What waits.
pub(super) struct Waiting {
    pending: PendingConfirmation,
    token: String,
    state: ApprovalState,
    rows: Vec<RowView>,
    /// When the backend took the answer.
    taken_at: Option<Instant>,
}

impl Waiting {
    pub(super) fn view(&self) -> ApprovalView {
        let mut words = Vec::new();
        if self.pending.calls.iter().any(|call| !call.held) {
            words.push(NOT_HELD);
        }
        if self.state == ApprovalState::Indeterminate {
            words.push(UNSURE);
        }
        ApprovalView {
            token: self.token.clone(),
            rows: self.rows.clone(),
            caution: (!words.is_empty()).then(|| words.join(" ")),
            answering: !self.is_open(),
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.state.is_open()
    }

    pub(super) fn count(&self) -> u32 {
        u32::try_from(self.pending.calls.len()).unwrap_or(u32::MAX)
    }

    /// What waits, in one line.
    pub(super) fn excerpt(&self) -> String {
        match self.rows.first().map(|row| &row.card) {
            Some(CardView::Step(step)) => format!("{} {}", step.verb, step.subject),
            _ => "Waits for your answer".to_owned(),
        }
    }
}

impl Keeper {
    /// Brings what is asked up to date after events touched these rows.
    pub(super) async fn look_for_questions(&mut self, touched: &[i64]) {
        let pending = self
            .session
            .pending
            .clone()
            .filter(|pending| !pending.calls.is_empty());
        let Some(pending) = pending else {
            if self.approval.take().is_some()
                && let Err(error) = self.hub.journal().nothing_asked(&self.described.id).await
            {
                tracing::warn!(conversation = self.id(), %error, "an old question could not be closed");
            }
            return;
        };
        let same = self
            .approval
            .as_ref()
            .is_some_and(|waiting| waiting.pending == pending);
        if same && !pending.calls.iter().any(|call| touched.contains(&call.row)) {
            return;
        }
        match self.put_question(&pending).await {
            Ok(waiting) => self.approval = Some(waiting),
            // Nothing can be answered that could not be stored.
            Err(error) => {
                self.approval = None;
                tracing::error!(conversation = self.id(), %error, "what waits could not be stored");
            }
        }
    }

    async fn put_question(&self, pending: &PendingConfirmation) -> Result<Waiting, HubError> {
        let id = &self.described.id;
        let ids = pending.calls.iter().map(|call| call.row).collect();
        let rows = self.hub.journal().rows_by_id(id, ids).await?;
        let rows = self.hub.render_whole(id, rows).await?;
        let shown = serde_json::to_string(&rows).expect("views are plain data");
        let asked: Vec<(&str, &str)> = pending
            .calls
            .iter()
            .map(|call| (call.key.as_str(), call.fingerprint.as_str()))
            .collect();
        let asked = serde_json::to_string(&asked).expect("texts are plain data");
        let question = Question {
            question: digest(&[id, &asked]),
            token: digest(&[id, &asked, &shown]),
            shown,
        };
        let standing = self.hub.journal().ask(id, question, super::now()).await?;
        let before = self
            .approval
            .as_ref()
            .filter(|waiting| waiting.token == standing.token);
        Ok(Waiting {
            pending: pending.clone(),
            token: standing.token,
            state: standing.state,
            taken_at: before.and_then(|waiting| waiting.taken_at),
            rows,
        })
    }

    /// A person answers.
    pub(super) async fn answer(
        &mut self,
        token: String,
        decision: Decision,
        reason: String,
        reply: Reply<()>,
    ) {
        match self.claim(&token, decision, &reason).await {
            Ok(Some(outcome)) => self.report(
                outcome,
                Sent::Answer {
                    token,
                    decision,
                    reason,
                    reply,
                },
            ),
            // Who asked may be gone by now; what became of it is on the page.
            Ok(None) => drop(reply.send(Ok(()))),
            Err(error) => drop(reply.send(Err(error))),
        }
    }

    /// Stores the answer and orders it. `Ok(None)` when the same answer was given before.
    pub(super) async fn claim(
        &mut self,
        token: &str,
        decision: Decision,
        reason: &str,
    ) -> Result<Option<tokio::sync::oneshot::Receiver<Delivery>>, HubError> {
        let (id, yes) = (self.described.id.clone(), decision == Decision::Approve);
        let stands = self
            .approval
            .as_ref()
            .is_some_and(|waiting| waiting.token == token && waiting.is_open());
        if !stands {
            let known = self.hub.journal().approval(&id, token).await?;
            return match known.map(|one| (one.state, one.approved, one.answered_at)) {
                Some((
                    ApprovalState::Sent | ApprovalState::Approved | ApprovalState::Rejected,
                    Some(approved),
                    at,
                )) => before(approved, at, yes),
                _ => Err(HubError::Superseded),
            };
        }
        // Nothing is stored that could not be sent.
        if !self.line.as_ref().is_some_and(super::line::Held::is_live) {
            return Err(HubError::LineDown);
        }
        match self
            .hub
            .journal()
            .claim(&id, token, yes, reason, super::now())
            .await?
        {
            Claim::Won => {}
            Claim::Answered(one) => {
                return before(one.approved.unwrap_or(!yes), one.answered_at, yes);
            }
            Claim::Unknown => return Err(HubError::Superseded),
        }
        self.answer_is(token, ApprovalState::Sent);
        let carried = (self.backend.capabilities().reject_reason && !reason.is_empty())
            .then(|| reason.to_owned());
        let command = if yes {
            Command::Approve
        } else {
            Command::Reject { reason: carried }
        };
        match self.order(command) {
            Some(outcome) => Ok(Some(outcome)),
            None => {
                self.keep_answer(token, ApprovalState::Open).await;
                Err(HubError::LineDown)
            }
        }
    }

    /// What became of an answer.
    pub(super) async fn answered(
        &mut self,
        token: String,
        decision: Decision,
        reason: String,
        reply: Reply<()>,
        delivery: Delivery,
    ) {
        let outcome = match delivery {
            Delivery::Confirmed => {
                let yes = decision == Decision::Approve;
                let state = if yes {
                    ApprovalState::Approved
                } else {
                    ApprovalState::Rejected
                };
                self.keep_answer(&token, state).await;
                if let Some(waiting) = self
                    .approval
                    .as_mut()
                    .filter(|waiting| waiting.token == token)
                {
                    waiting.taken_at = Some(Instant::now());
                }
                if !yes && !reason.is_empty() && !self.backend.capabilities().reject_reason {
                    // The backend has no room for it: the agent is told once nothing waits any more.
                    self.say_reason(&token, &reason).await;
                }
                Ok(())
            }
            Delivery::NotSent(why) => {
                self.keep_answer(&token, ApprovalState::Open).await;
                Err(HubError::NotSent(why))
            }
            Delivery::Unknown(why) => {
                self.keep_answer(&token, ApprovalState::Indeterminate).await;
                Err(HubError::Indeterminate(why))
            }
        };
        // Who asked may be gone by now; what became of it is on the page.
        let _ = reply.send(outcome);
    }

    /// An answer that was taken and changed nothing is in doubt.
    pub(super) async fn doubt_answer(&mut self) {
        let doubtful = self.approval.as_ref().filter(|waiting| {
            !waiting.is_open() && waiting.taken_at.is_some_and(|at| at.elapsed() >= EFFECT)
        });
        if let Some(token) = doubtful.map(|waiting| waiting.token.clone()) {
            self.keep_answer(&token, ApprovalState::Indeterminate).await;
        }
    }

    async fn keep_answer(&mut self, token: &str, state: ApprovalState) {
        self.answer_is(token, state);
        if let Err(error) = self
            .hub
            .journal()
            .settle_answer(&self.described.id, token, state)
            .await
        {
            // It stays "sent" in the journal: after a restart that reads as indeterminate, which is true.
            tracing::error!(conversation = self.id(), %error, "what became of an answer could not be stored");
        }
    }

    fn answer_is(&mut self, token: &str, state: ApprovalState) {
        if let Some(waiting) = self
            .approval
            .as_mut()
            .filter(|waiting| waiting.token == token)
        {
            waiting.state = state;
            waiting.taken_at = None;
        }
    }
}

/// The same answer again is harmless, another one comes too late.
fn before<T>(approved: bool, at: Option<i64>, yes: bool) -> Result<Option<T>, HubError> {
    if approved == yes {
        Ok(None)
    } else {
        Err(HubError::AnsweredBefore {
            approved,
            at: at.unwrap_or_default(),
        })
    }
}

/// A hash of texts, each with its length, so that none can be mistaken for another.
fn digest(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
