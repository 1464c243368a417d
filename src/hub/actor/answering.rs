//! Answers as transactions: stored once, then sent, with a truthful outcome.
//!
//! The first answer wins in the journal before it is sent. One that may have arrived is never resent automatically.
//!
//! Invariant: `Command::Approve` leaves this file only after [`Claim::Won`], for an action that was seen (`seen.rs`), or after
//! `Journal::claim_by_rule`, for one that a rule covers (`ruling.rs`).

use super::state::ConversationActor;
use crate::backend::{Command, Delivery};
use crate::clock::now;
use crate::hub::message::{Answer, Reply, Sent};
use crate::hub::parts::approval::repeated;
use crate::hub::{HubError, HubResult};
use crate::journal::{ApprovalState, Claim};
use crate::live::Decision;
use tokio::sync::oneshot;
use tokio::time::Instant;

impl ConversationActor {
    pub(super) async fn answer(&mut self, mut answer: Answer, reply: Reply<()>) {
        match self.claim(&mut answer).await {
            Ok(Some(outcome)) => {
                let answering = &mut self.in_flight.answering;
                answering.insert(answer.token.clone(), Vec::new());
                self.report(outcome, Sent::Answer { answer, reply });
            }
            Ok(None) => match self.in_flight.answering.get_mut(&answer.token) {
                // What becomes of the first is true of this one, too.
                Some(same) => same.push(reply),
                // The person may have left; what became of the answer is on the page.
                None => drop(reply.send(Ok(()))),
            },
            Err(error) => drop(reply.send(Err(error))),
        }
    }

    /// Rejects the pending action, because a message was sent instead: it is the reason, and is sent afterwards.
    pub(super) async fn reject_for(
        &mut self,
        token: &str,
        reason: &str,
        by: &str,
        seen: bool,
    ) -> HubResult {
        let carried = self.capabilities().reject_reason.then_some(reason);
        let (reply, _) = oneshot::channel();
        let mut answer = Answer {
            token: token.to_owned(),
            decision: Decision::Reject,
            reason: carried.unwrap_or_default().to_owned(),
            by: by.to_owned(),
            seen,
            rule: None,
        };
        if let Some(outcome) = self.claim(&mut answer).await? {
            // The reason is being sent as the message: it is not sent again.
            answer.reason.clear();
            self.report(outcome, Sent::Answer { answer, reply });
        }
        Ok(())
    }

    /// Stores the answer and sends its command. `Ok(None)` if the same answer was given before.
    pub(super) async fn claim(
        &mut self,
        answer: &mut Answer,
    ) -> HubResult<Option<oneshot::Receiver<Delivery>>> {
        let (token, reason, by) = (&answer.token, &answer.reason, &answer.by);
        let (decision, seen) = (answer.decision, answer.seen);
        // What has arrived may have changed what is pending.
        self.catch_up().await;
        if !self.approval.claim(token, decision, by, seen)? {
            return match self.journal().approval(self.id(), token).await? {
                Some(known) if known.approved.is_some() && known.state.is_answered() => {
                    repeated(known, decision).map(|()| None)
                }
                _ => Err(HubError::Superseded),
            };
        }
        self.outbox.check_none_leaves()?;
        // Nothing is stored that could not be sent.
        if !self.is_live() {
            return Err(HubError::Disconnected);
        }
        let (yes, journal) = (decision == Decision::Approve, self.journal());
        match &mut answer.rule {
            None => {
                let claimed = journal.claim(self.id(), token, yes, reason, by, now());
                match claimed.await? {
                    Claim::Won => {}
                    Claim::Answered(known) => return repeated(known, decision).map(|()| None),
                    Claim::Unknown => return Err(HubError::Superseded),
                }
            }
            Some(rule) => {
                let (entry, number) = (rule.entry.clone(), rule.number);
                let name = format!("a rule of {by}");
                let name = name.trim_end_matches(" of ");
                let claimed = journal.claim_by_rule(self.id(), token, number, name, entry);
                rule.entry.about = claimed.await?.ok_or(HubError::Superseded)?;
            }
        }
        self.approval.sent(token);
        self.followers.is_changed = true;
        self.catch_up().await;
        let pending = self.approval.pending();
        let Some(pending) = pending.filter(|pending| pending.token() == token) else {
            self.approval.kept_back(token);
            self.keep_answer(token, ApprovalState::Superseded).await;
            return Err(HubError::Superseded);
        };
        let (keys, rows) = (pending.keys(), pending.row_ids());
        let rule = answer.rule.as_ref().map(|rule| rule.number);
        let signed = self.journal().sign_answer(self.id(), rows, by, token, rule);
        if let Err(error) = signed.await {
            tracing::warn!(conversation = self.id(), %error, "the author of an answer could not be stored");
        }
        let command = if yes {
            Command::Approve { keys }
        } else {
            let is_carried = self.capabilities().reject_reason && !reason.is_empty();
            let reason = is_carried.then(|| reason.clone());
            Command::Reject { reason }
        };
        match self.order(command) {
            Some(outcome) => Ok(Some(outcome)),
            None => {
                let not_sent = Delivery::NotSent(String::new());
                // Told in other words.
                let _ = self.resolve_answer(answer, not_sent).await;
                Err(HubError::Disconnected)
            }
        }
    }

    /// Handles the outcome of an answer.
    pub(super) async fn answered(&mut self, answer: Answer, reply: Reply<()>, delivery: Delivery) {
        let result = self.resolve_answer(&answer, delivery).await;
        let is_to_be_said = answer.decision == Decision::Reject && !answer.reason.is_empty();
        if result.is_ok() && is_to_be_said && !self.capabilities().reject_reason {
            // The backend accepts no reason: the agent gets it once nothing is pending any more.
            self.say_reason(&answer).await;
        }
        // The client may have disconnected; the page shows the outcome.
        for same in self
            .in_flight
            .answering
            .remove(&answer.token)
            .unwrap_or_default()
        {
            let _ = same.send(match &result {
                Ok(()) => Ok(()),
                Err(HubError::Indeterminate(why)) => Err(HubError::Indeterminate(why.clone())),
                Err(HubError::NotSent(why)) => Err(HubError::NotSent(why.clone())),
                Err(error) => Err(HubError::NotSent(error.to_string())),
            });
        }
        self.end_rule(&answer, &result).await;
        let _ = reply.send(result);
    }

    async fn resolve_answer(&mut self, answer: &Answer, delivery: Delivery) -> HubResult {
        let (token, decision, now) = (&answer.token, answer.decision, Instant::now().into_std());
        let outcome = self.approval.on_delivery(token, decision, delivery, now);
        self.keep_answer(token, outcome.state).await;
        if !outcome.unsign.is_empty() {
            let journal = self.journal();
            let unsigned = journal.unsign_rows(self.id(), outcome.unsign, &answer.by);
            if let Err(error) = unsigned.await {
                tracing::warn!(conversation = self.id(), %error, "that a row has no author could not be stored");
            }
        }
        outcome.result
    }

    /// The outcome of answers that a former task was sending is unknown, also where their actions no longer wait.
    pub(super) async fn settle_answers(&mut self) {
        if let Err(error) = self.journal().interrupt_answers(self.id()).await {
            tracing::error!(conversation = self.id(), %error, "the outcome of former answers could not be stored");
        }
    }

    /// Marks the outcome of an accepted answer without effect as unknown.
    pub(super) async fn expire_answer(&mut self) {
        if let Some(token) = self.approval.expire(Instant::now().into_std()) {
            self.keep_answer(&token, ApprovalState::Indeterminate).await;
        }
    }

    pub(super) async fn keep_answer(&mut self, token: &str, state: ApprovalState) {
        self.followers.is_changed = true;
        let kept = self.journal().resolve_answer(self.id(), token, state).await;
        if let Err(error) = kept {
            // It stays "sent" in the journal: who finds it there takes it for indeterminate, which is true.
            tracing::error!(conversation = self.id(), %error, "the outcome of an answer could not be stored");
        }
    }
}
