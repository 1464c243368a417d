//! Answers by rules: after what has arrived is stored, and before anybody is told of it.
//!
//! Only what arrives on a live connection is judged, and nothing after a person has paused or stopped the agent. What is found pending after a restart or a disconnection is decided by
//! a person.
//!
//! Invariant: an answer by a rule takes the way of a person's: claimed once, stored before it is sent, never sent again.

use super::state::{ConversationActor, Ruling};
use crate::clock::now;
use crate::hub::HubResult;
use crate::hub::message::{Answer, ByRule, Sent};
use crate::live::Decision;
use crate::people::Audit;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

/// How long people are not told of what a rule is about to answer. What takes longer, they are asked.
const SOON: Duration = Duration::from_secs(2);

impl ConversationActor {
    /// Looks for the rule that covers a new approval.
    pub(super) async fn look_for_rule(&mut self, token: &str) {
        self.in_flight.ruling = None;
        let may_answer = self.is_live() && !self.controls.is_halting();
        let Some(reading) = self.approval.for_rules(token).filter(|_| may_answer) else {
            return;
        };
        let found = self.context.rules.find(self.log.meta(), reading).await;
        self.in_flight.ruling = found.map(|rule| Ruling {
            token: token.to_owned(),
            rule,
            until: Instant::now() + SOON,
        });
    }

    /// Whether a rule is about to answer what is pending.
    pub(super) fn is_ruled(&self) -> bool {
        let pending = self.approval.pending();
        let ruling = self.in_flight.ruling.as_ref();
        ruling.is_some_and(|ruling| pending.is_some_and(|pending| pending.token() == ruling.token))
    }

    /// Lets the rule that was found answer. Without it, a person is asked.
    pub(super) async fn answer_by_rule(&mut self) {
        let is_late = |ruling: &Ruling| ruling.until <= Instant::now();
        let Some(ruling) = &self.in_flight.ruling else {
            return;
        };
        if !is_late(ruling) && self.is_live() && !self.is_current() {
            return;
        }
        let Some(Ruling { token, rule, until }) = self.in_flight.ruling.take() else {
            return;
        };
        self.followers.is_changed = true;
        let is_free = self.approval.for_rules(&token).is_some();
        if until <= Instant::now() || !self.is_current() || !is_free || self.controls.is_halting() {
            return;
        }
        let mut answer = Answer {
            decision: Decision::Approve,
            reason: String::new(),
            by: rule.maker.signature().to_owned(),
            // Nobody has to have seen it: all of it was judged.
            seen: true,
            rule: Some(Box::new(ByRule {
                number: rule.number,
                entry: rule.entry(self.id(), &token, now()),
            })),
            token,
        };
        let (reply, _) = oneshot::channel();
        match self.claim(&mut answer).await {
            Ok(Some(outcome)) => {
                let answering = &mut self.in_flight.answering;
                answering.insert(answer.token.clone(), Vec::new());
                self.report(outcome, Sent::Answer { answer, reply });
            }
            Ok(None) => {}
            Err(error) => {
                tracing::info!(conversation = self.id(), %error, "a rule has not answered");
                self.end_rule(&answer, &Err(error)).await;
            }
        }
    }

    /// Stores the outcome of an answer by a rule in the audit log.
    pub(super) async fn end_rule(&self, answer: &Answer, outcome: &HubResult) {
        let stored = answer.rule.as_ref().filter(|rule| rule.entry.about > 0);
        if let Some(rule) = stored {
            let audit = Audit::of(self.journal());
            audit.end(Audit::begun(rule.entry.clone()), outcome).await;
        }
    }

    /// Whether everything that the backend has sent is stored here: what is pending here is pending there.
    fn is_current(&self) -> bool {
        let connection = self.upstream.connection.as_ref();
        let through = connection.map(|connection| *connection.contiguous_through.borrow());
        self.is_live()
            && self.upstream.arrivals.is_empty()
            && through >= self.log.session().newest_pos
    }

    /// What a rule that was found waits for: the position up to which everything has arrived, and the one that it has to
    /// reach.
    pub(super) fn awaited_by_rule(&self) -> Option<(watch::Receiver<i64>, i64)> {
        let connection = self.upstream.connection.as_ref();
        let connection =
            connection.filter(|own| self.in_flight.ruling.is_some() && own.is_live())?;
        let newest = self.log.session().newest_pos.unwrap_or(i64::MIN);
        Some((connection.contiguous_through.clone(), newest))
    }
}

/// Waits until everything has arrived that a rule waits for; forever without one.
pub(super) async fn arrived(awaited: Option<(watch::Receiver<i64>, i64)>) {
    if let Some((mut through, newest)) = awaited
        && through.wait_for(|through| *through >= newest).await.is_ok()
    {
        return;
    }
    std::future::pending().await
}
