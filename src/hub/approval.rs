//! Answers as transactions: stored once, then sent, and honest about what became of them.
//!
//! A token names exactly what was shown. An answer to anything else is refused, the first answer wins in
//! the journal before it is sent, and what is not known to have arrived is never sent again by itself.
//!
//! Invariant: `Command::Approve` leaves this file only after [`Claim::Won`] for the token that stands.

use super::HubError;
use super::keeper::Keeper;
use super::line::Held;
use super::room::{Reply, Sent};
use crate::backend::{Command, Delivery};
use crate::journal::{ApprovalState, Claim};
use crate::live::Decision;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// An answer that was taken takes effect within this time; else it is in doubt.
const EFFECT: Duration = Duration::from_secs(15);

impl Keeper {
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
    ) -> Result<Option<oneshot::Receiver<Delivery>>, HubError> {
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
        if !self.line.as_ref().is_some_and(Held::is_live) {
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

    /// Rejects what waits, because a message was written instead of an answer. The message itself is the
    /// reason; it follows when nothing waits any more.
    pub(super) async fn reject_for(&mut self, token: &str, reason: &str) -> Result<(), HubError> {
        let carried = if self.backend.capabilities().reject_reason {
            reason
        } else {
            ""
        };
        let (reply, _) = oneshot::channel();
        let (token, carried) = (token.to_owned(), carried.to_owned());
        match self.claim(&token, Decision::Reject, &carried).await? {
            Some(outcome) => {
                // The reason is on its way as the message: it is not said a second time.
                self.report(
                    outcome,
                    Sent::Answer {
                        token,
                        decision: Decision::Reject,
                        reason: String::new(),
                        reply,
                    },
                );
                Ok(())
            }
            None => Ok(()),
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
