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
use crate::journal::{Approval, ApprovalState, Claim};
use crate::live::Decision;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// An answer that was taken takes effect within this time; else it is in doubt.
const EFFECT: Duration = Duration::from_secs(15);

/// A person's answer.
pub(super) struct Answered {
    pub(super) token: String,
    pub(super) decision: Decision,
    pub(super) reason: String,
    /// Their name, or empty.
    pub(super) by: String,
}

impl Keeper {
    /// A person answers.
    pub(super) async fn answer(&mut self, answer: Answered, reply: Reply<()>) {
        match self.claim(&answer).await {
            Ok(Some(outcome)) => self.report(outcome, Sent::Answer { answer, reply }),
            // Who asked may be gone by now; what became of it is on the page.
            Ok(None) => drop(reply.send(Ok(()))),
            Err(error) => drop(reply.send(Err(error))),
        }
    }

    /// Stores the answer and orders it. `Ok(None)` when the same answer was given before.
    pub(super) async fn claim(
        &mut self,
        answer: &Answered,
    ) -> Result<Option<oneshot::Receiver<Delivery>>, HubError> {
        let (id, yes) = (
            self.described.id.clone(),
            answer.decision == Decision::Approve,
        );
        let (token, reason) = (answer.token.as_str(), answer.reason.as_str());
        let stands = self
            .approval
            .as_ref()
            .is_some_and(|waiting| waiting.token == token && waiting.is_open());
        if !stands {
            let known = self.hub.journal().approval(&id, token).await?;
            return match known {
                Some(one) if one.approved.is_some() && one.state.is_answered() => before(one, yes),
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
            .claim(&id, token, yes, reason, &answer.by, super::now())
            .await?
        {
            Claim::Won => {}
            Claim::Answered(one) => return before(one, yes),
            Claim::Unknown => return Err(HubError::Superseded),
        }
        self.answer_is(token, ApprovalState::Sent);
        self.sign_what_waits(&answer.by).await;
        let carried =
            (self.capabilities().reject_reason && !reason.is_empty()).then(|| reason.to_owned());
        let command = if yes {
            Command::Approve {
                keys: self.keys_of_what_waits(),
            }
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
    pub(super) async fn reject_for(
        &mut self,
        token: &str,
        reason: &str,
        by: &str,
    ) -> Result<(), HubError> {
        let carried = if self.capabilities().reject_reason {
            reason
        } else {
            ""
        };
        let (reply, _) = oneshot::channel();
        let mut answer = Answered {
            token: token.to_owned(),
            decision: Decision::Reject,
            reason: carried.to_owned(),
            by: by.to_owned(),
        };
        if let Some(outcome) = self.claim(&answer).await? {
            // The reason is on its way as the message: it is not said a second time.
            answer.reason.clear();
            self.report(outcome, Sent::Answer { answer, reply });
        }
        Ok(())
    }

    /// What became of an answer.
    pub(super) async fn answered(
        &mut self,
        answer: Answered,
        reply: Reply<()>,
        delivery: Delivery,
    ) {
        let Answered {
            token,
            decision,
            reason,
            by,
        } = answer;
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
                if !yes && !reason.is_empty() && !self.capabilities().reject_reason {
                    // The backend has no room for it: the agent is told once nothing waits any more.
                    self.say_reason(&token, &reason, &by).await;
                }
                Ok(())
            }
            Delivery::NotSent(why) | Delivery::NotYet(why) => {
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

    /// What an approval is about: all that waits, as it was shown.
    fn keys_of_what_waits(&self) -> Vec<String> {
        let waiting = self.approval.iter();
        let calls = waiting.flat_map(|waiting| &waiting.pending.calls);
        calls.map(|call| call.key.clone()).collect()
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

    /// Writes down who answered, for the rows of what was answered.
    async fn sign_what_waits(&self, by: &str) {
        let rows = self
            .approval
            .iter()
            .flat_map(|waiting| &waiting.pending.calls);
        let rows = rows.map(|call| call.row).collect();
        self.sign(rows, by).await;
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
fn before<T>(one: Approval, yes: bool) -> Result<Option<T>, HubError> {
    let approved = one.approved.unwrap_or(!yes);
    if approved == yes {
        Ok(None)
    } else {
        Err(HubError::AnsweredBefore {
            approved,
            at: one.answered_at.unwrap_or_default(),
            by: one.answered_by,
        })
    }
}
