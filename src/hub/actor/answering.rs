//! Answers as transactions: stored once, then sent, with a truthful outcome.
//!
//! The first answer wins in the journal before it is sent. One that may have arrived is never resent automatically.
//!
//! A rule answers after what has arrived is stored, and before anybody is told of it. Only what arrives on a live connection
//! is judged, or before the first one of a new conversation, and nothing after a person has paused or stopped the agent. What
//! is found pending after a restart or a disconnection is decided by a person.
//!
//! What a person has asked for instead of a pending action is approved once, in the same way as by a rule.
//!
//! What nobody has answered in time is rejected in the same way (`escalating.rs`).
//!
//! Invariant: `Command::Approve` leaves this file only after [`Claim::Won`], for an action that was seen (`seen.rs`), or after
//! `Journal::claim_by_rule` or `Journal::claim_by_amendment`, for one that a rule or an amendment covers.
//!
//! Long because an answer by a rule, an amendment or a deadline takes the way of a person's.

use super::escalating::claim_unanswered;
use super::state::{ConversationActor, Ruling};
use crate::backend::{Command, Delivery};
use crate::clock::now;
use crate::hub::authorities::{
    first_counts, judge, judge_amendment, judge_request, judge_rule, means_of,
};
use crate::hub::message::{Answer, ByRule, Permit, Reply, Sent};
use crate::hub::parts::approval::{Pending, rating, repeated};
use crate::hub::{HubError, HubResult};
use crate::journal::{
    AmendmentRecord, ApprovalState, AuditEntry, Claim, JournalError, NewAmendment, NewAnswer,
};
use crate::live::Decision;
use crate::people::{Audit, AuditAction, Caller, Means, Role};
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

/// How long people are not told of what a rule or an amendment is about to answer. What takes longer, they are asked. It is
/// longer than a backend waits before it fills a gap in the events (3 s with 0.x), as a message leaves one there.
const SOON: Duration = Duration::from_secs(10);
/// For so long what was asked for instead is approved, in milliseconds.
const AMENDMENT_LASTS: i64 = 10 * 60 * 1000;
/// A first connection is there within this time.
const CONNECTED: Duration = Duration::from_secs(20);
/// Age of a conversation that has just been created, in milliseconds.
const YOUNG: i64 = 120_000;

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

    /// Rejects the pending action, and asks for another one instead, which is approved if exactly it is asked.
    pub(super) async fn amend(&mut self, mut answer: Answer, text: &str, reply: Reply<()>) {
        // What has arrived may have changed what is pending.
        self.catch_up().await;
        match self.approval.amended(&answer.token, text) {
            Ok(amended) => {
                answer.reason = amended.request();
                answer.amendment = Some(NewAmendment {
                    action: amended.action(),
                    lasts: AMENDMENT_LASTS,
                });
                self.answer(answer, reply).await;
            }
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
            caller: None,
            seen,
            rule: None,
            amendment: None,
            touch: None,
        };
        if let Some(outcome) = self.claim(&mut answer).await? {
            // The reason is being sent as the message: it is not sent again.
            answer.reason.clear();
            self.report(outcome, Sent::Answer { answer, reply });
        }
        Ok(())
    }

    /// Stores the answer and sends its command. `Ok(None)` if the same answer was given before, or a second person has to
    /// approve.
    pub(super) async fn claim(
        &mut self,
        answer: &mut Answer,
    ) -> HubResult<Option<oneshot::Receiver<Delivery>>> {
        let (token, reason, by) = (&answer.token, &answer.reason, &answer.by);
        let (decision, seen) = (answer.decision, answer.seen);
        self.settle_unsure().await?;
        // What has arrived may have changed what is pending.
        self.catch_up().await;
        let reader = answer.caller.as_ref().map(|caller| caller.reader());
        let reader = reader.as_deref().unwrap_or(by);
        if !self.approval.claim(token, decision, reader, seen)? {
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
                let caller = answer.caller.as_ref();
                let action = || AuditAction::new("approve").within(self.id()).hashed(token);
                let entry = match caller {
                    Some(caller) => action().entry(caller, now()),
                    None => AuditEntry {
                        at: now(),
                        ..AuditEntry::default()
                    },
                };
                let new = NewAnswer {
                    approved: yes,
                    reason: reason.clone(),
                    by: by.clone(),
                    entry,
                    amendment: answer.amendment.clone(),
                    touch: answer.touch.as_deref().cloned(),
                };
                let means = caller.map_or(Means::Standing, |caller| means_of(caller));
                let is_local = caller.is_some_and(|caller| caller.person == 0);
                let claimed = journal.claim(self.id(), token, new, move |standing| match yes {
                    true => judge(means, is_local)(standing),
                    false => judge_request(standing),
                });
                let claimed = claimed.await;
                match self.sure(claimed, token, None)? {
                    Claim::Won => {}
                    Claim::Untouched if answer.touch.is_some() => return Err(HubError::OldTouch),
                    Claim::Untouched => return Err(HubError::NeedsTouch),
                    Claim::First(first) => {
                        self.approval.first_is(token, Some(first));
                        self.followers.is_changed = true;
                        return Ok(None);
                    }
                    Claim::Refused(why) => return Err(HubError::Invalid(why)),
                    Claim::Answered(known) => return repeated(known, decision).map(|()| None),
                    Claim::Unknown => return Err(HubError::Superseded),
                }
            }
            Some(rule) => {
                let entry = rule.entry.clone();
                let claimed = match rule.permit.clone() {
                    Permit::Rule { number, of_owner } => {
                        let name = format!("a rule of {by}");
                        let name = name.trim_end_matches(" of ");
                        let judge = judge_rule(of_owner);
                        journal
                            .claim_by_rule(self.id(), token, number, name, entry, judge)
                            .await
                    }
                    Permit::Amendment(amendment) => {
                        journal
                            .claim_by_amendment(self.id(), token, amendment, entry, judge_amendment)
                            .await
                    }
                    Permit::Unanswered => {
                        if yes {
                            return Err(HubError::Superseded);
                        }
                        claim_unanswered(self, token, reason, &mut rule.entry).await?
                    }
                };
                let amendment = match &rule.permit {
                    Permit::Amendment(amendment) => Some(amendment.number),
                    Permit::Rule { .. } | Permit::Unanswered => None,
                };
                let claimed = self.sure(claimed, token, amendment)?;
                rule.entry.about = claimed.ok_or(HubError::Superseded)?;
            }
        }
        self.approval.sent(token);
        self.followers.is_changed = true;
        self.catch_up().await;
        let pending = self.approval.pending();
        let Some(pending) = pending.filter(|pending| pending.token() == token) else {
            self.approval.kept_back(token);
            self.keep_answer(token, ApprovalState::Superseded).await;
            // What was to be asked for instead is not.
            if answer.amendment.is_some() {
                self.journal()
                    .end_amendment(self.id(), token, now())
                    .await?;
            }
            let permit = answer.rule.as_ref().map(|rule| &rule.permit);
            if let Some(Permit::Amendment(amendment)) = permit {
                // The same action may be told anew, with more about it.
                let unclaimed =
                    self.journal()
                        .unclaim_amendment(self.id(), token, amendment.number);
                unclaimed.await?;
                let pending = self.approval.pending();
                if let Some(token) = pending.map(|pending| pending.token().to_owned()) {
                    self.look_for_rule(&token).await;
                }
            }
            return Err(HubError::Superseded);
        };
        let (keys, rows) = (pending.keys(), pending.row_ids());
        let permit = answer.rule.as_ref().map(|rule| &rule.permit);
        let means = match permit {
            Some(Permit::Rule { number, .. }) => (Some(*number), false),
            Some(Permit::Amendment(_)) => (None, true),
            Some(Permit::Unanswered) | None => (None, false),
        };
        let signed = self
            .journal()
            .sign_answer(self.id(), rows, by, token, means);
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

    /// The result of storing an answer, which is not sent if it is perhaps stored.
    fn sure<T>(
        &mut self,
        claimed: Result<T, JournalError>,
        token: &str,
        amendment: Option<i64>,
    ) -> HubResult<T> {
        if let Err(JournalError::Indeterminate(_)) = claimed {
            let state = self.approval.not_sent(token);
            let answers = &mut self.in_flight.unsure.answers;
            answers.push_back((token.to_owned(), state, amendment));
        }
        Ok(claimed?)
    }

    /// Opens again what has perhaps an answer that was never sent, and finds out which messages were stored.
    pub(super) async fn settle_unsure(&mut self) -> HubResult {
        while let Some(message) = self.in_flight.unsure.messages.front() {
            let stored = self.journal().has_message(self.id(), &message.client_id);
            let is_stored = stored.await?;
            let message = self.in_flight.unsure.messages.pop_front();
            if let Some(message) = message.filter(|_| is_stored) {
                self.outbox.push(message);
                self.followers.is_changed = true;
            }
        }
        while let Some((token, state, amendment)) = self.in_flight.unsure.answers.front() {
            let (journal, id) = (self.journal(), self.id());
            match amendment {
                Some(number) => journal.unclaim_amendment(id, token, *number).await?,
                None => journal.end_amendment(id, token, now()).await?,
            }
            journal.resolve_answer(id, token, *state).await?;
            // It was perhaps the first of two.
            let first = journal
                .approval(id, token)
                .await?
                .and_then(|known| known.first);
            self.approval.first_is(token, first);
            self.followers.is_changed = true;
            self.in_flight.unsure.answers.pop_front();
        }
        Ok(())
    }

    /// Handles the outcome of an answer.
    pub(super) async fn answered(&mut self, answer: Answer, reply: Reply<()>, delivery: Delivery) {
        let result = self.resolve_answer(&answer, delivery).await;
        // Nobody has said that nobody answered: the agent rests until somebody does.
        let is_said = answer.rule.is_none() && !answer.reason.is_empty();
        let is_to_be_said = answer.decision == Decision::Reject && is_said;
        // What is asked for instead is a message, too: with the rejection alone, the agent rests.
        let is_carried = self.capabilities().reject_reason && answer.amendment.is_none();
        if result.is_ok() && is_to_be_said && !is_carried {
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
        if answer.amendment.is_some()
            && matches!(outcome.result, Err(HubError::NotSent(_)))
            && let Err(error) = self
                .journal()
                .end_amendment(self.id(), token, crate::clock::now())
                .await
        {
            tracing::error!(conversation = self.id(), %error, "an amendment that was not sent could not be ended");
        }
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

    /// The first of two approvals no longer counts once its author has lost the right.
    pub(super) async fn review_first(&mut self) {
        let pending = self.approval.pending();
        let Some(pending) = pending.filter(|pending| pending.first().is_some()) else {
            return;
        };
        let token = pending.token().to_owned();
        // What cannot be read is read with the next tick; what counts is decided where an answer is stored.
        if let Ok(Some(standing)) = self.journal().standing(self.id(), &token).await
            && !first_counts(&standing)
        {
            self.approval.first_is(&token, None);
            self.followers.is_changed = true;
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

    /// Looks for the amendment or rule that covers a new approval.
    pub(super) async fn look_for_rule(&mut self, token: &str) {
        self.in_flight.ruling = None;
        let is_held = self.controls.is_halting() || self.activity.budget.used_up.is_some();
        let may_answer = (self.is_live() || self.is_young()) && !is_held;
        let Some(pending) = self.approval.free(token).filter(|_| may_answer) else {
            return;
        };
        // Two people have to approve it: no rule and no amendment is one of them.
        if self
            .context
            .authorities
            .now()
            .needs_two(rating(pending.reading()))
        {
            return;
        }
        let needs_touch = self.needs_touch(pending);
        let until = Instant::now() + if self.is_live() { SOON } else { CONNECTED };
        let token = token.to_owned();
        let amendment = self.amendment_for(pending).await;
        if let Some(amendment) = amendment.filter(|own| own.touched || !needs_touch) {
            let maker = Caller {
                person: amendment.person,
                name: match amendment.maker.as_str() {
                    "" => Caller::at_the_machine().name,
                    name => name.to_owned(),
                },
                ..Caller::at_the_machine()
            };
            let action = AuditAction::new("approve as amended").within(self.id());
            let detail = format!("amendment {}", amendment.number);
            self.in_flight.ruling = Some(Ruling {
                entry: action.hashed(&token).detail(&detail).entry(&maker, 0),
                by: amendment.maker.clone(),
                permit: Permit::Amendment(amendment),
                token,
                until,
            });
            return;
        }
        // A rule touches nothing.
        let reading = self.approval.for_rules(&token);
        let Some(reading) = reading.filter(|_| !needs_touch) else {
            return;
        };
        let found = self.context.rules.find(self.log.meta(), reading).await;
        self.in_flight.ruling = found.map(|rule| Ruling {
            entry: rule.entry(self.id(), &token, 0),
            by: rule.maker.signature().to_owned(),
            permit: Permit::Rule {
                number: rule.number,
                of_owner: rule.maker.role == Role::Owner,
            },
            token,
            until,
        });
    }

    /// Whether approving what is pending needs a touch of a passkey, as the setting is in memory.
    pub(super) fn needs_touch(&self, pending: &Pending) -> bool {
        let repository = self.log.meta().repository.as_deref();
        self.context.touches.needed(pending.reading(), repository)
    }

    /// The amendment for exactly what is pending. None if that cannot be read.
    async fn amendment_for(&self, pending: &Pending) -> Option<AmendmentRecord> {
        let action = pending.amendable()?.action();
        let found = self.journal().amendment(self.id(), &action, now()).await;
        found.unwrap_or_else(|error| {
            tracing::warn!(conversation = self.id(), %error, "amendments could not be read: a person is asked");
            None
        })
    }

    /// Whether a rule is about to answer what is pending.
    pub(super) fn is_ruled(&self) -> bool {
        let pending = self.approval.pending();
        let ruling = self.in_flight.ruling.as_ref();
        let is_this =
            |ruling: &Ruling| pending.is_some_and(|pending| pending.token() == ruling.token);
        self.is_live() && ruling.is_some_and(is_this)
    }

    /// Lets the rule that was found answer. Without it, a person is asked.
    pub(super) async fn answer_by_rule(&mut self) {
        let is_late = |ruling: &Ruling| ruling.until <= Instant::now();
        let Some(ruling) = &self.in_flight.ruling else {
            return;
        };
        // A message that is on its way may drop what is pending: its receipt is waited for.
        let is_ready = self.is_current() && self.outbox.check_none_leaves().is_ok();
        if !is_late(ruling) && !is_ready {
            return;
        }
        let Some(Ruling {
            token,
            by,
            permit,
            entry,
            until,
        }) = self.in_flight.ruling.take()
        else {
            return;
        };
        self.followers.is_changed = true;
        let is_free = self.approval.free(&token).is_some();
        if until <= Instant::now() || !self.is_current() || !is_free || self.controls.is_halting() {
            return;
        }
        let answer = Answer {
            decision: Decision::Approve,
            reason: String::new(),
            by,
            caller: None,
            // Nobody has to have seen it: all of it was judged.
            seen: true,
            rule: Some(Box::new(ByRule {
                permit,
                entry: AuditEntry { at: now(), ..entry },
            })),
            amendment: None,
            touch: None,
            token,
        };
        self.answer_by_itself(answer).await;
    }

    /// Answers without a person who waits for the outcome.
    pub(super) async fn answer_by_itself(&mut self, mut answer: Answer) {
        let (reply, _) = oneshot::channel();
        match self.claim(&mut answer).await {
            Ok(Some(outcome)) => {
                let token = answer.token.clone();
                self.in_flight.answering.insert(token, Vec::new());
                self.report(outcome, Sent::Answer { answer, reply });
            }
            Ok(None) => {}
            Err(error) => {
                tracing::info!(conversation = self.id(), %error, "an automatic answer was not given");
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

    /// Whether the conversation has just been created: what it asks before its first connection is there is no older.
    fn is_young(&self) -> bool {
        let age = now().saturating_sub(self.log.meta().created_at);
        (0..YOUNG).contains(&age)
    }

    /// Whether everything that the backend has sent is stored here: what is pending here is pending there.
    pub(super) fn is_current(&self) -> bool {
        let connection = self.upstream.connection.as_ref();
        let through = connection.map(|connection| *connection.contiguous_through.borrow());
        self.is_live()
            && self.upstream.arrivals.is_empty()
            && through >= self.log.session().newest_pos
    }

    /// What a rule that was found waits for: the position up to which everything has arrived, and the one that it has to
    /// reach.
    pub(super) fn awaited_by_rule(&self) -> Option<(watch::Receiver<i64>, i64)> {
        // The receipt of a message comes as a message to the actor.
        let waits = self.in_flight.ruling.is_some() && self.outbox.check_none_leaves().is_ok();
        let connection = self.upstream.connection.as_ref();
        let connection = connection.filter(|own| waits && own.is_live())?;
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
