//! What happens when nobody answers: deputies are told, and the action is rejected.
//!
//! The actor looks every few seconds, and when the next time has come. Each look reads from the journal since when the action
//! waits, so neither a restart nor a new actor changes a time. What is done is decided again in the transaction that stores
//! it; a rejection then takes the way of a person's.
//!
//! Invariant: nothing here approves: [`Permit::Unanswered`] is stored as a rejection only.

use super::state::ConversationActor;
use crate::hub::HubResult;
use crate::hub::deadlines::{due, is_watched, rejected, told, waits_for_second};
use crate::hub::message::{Answer, ByRule, Permit};
use crate::hub::wait_clock::Times;
use crate::journal::{AuditEntry, JournalError, NEVER, Unanswered};
use crate::live::{Decision, EscalationView};
use crate::people::{AuditAction, Caller, Due, Escalation};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Who looks, and who has lost a right, is seen within this time.
const EACH: Duration = Duration::from_secs(5);
/// Pause before a rejection that was not sent is tried again; each is twice as long as the one before, up to the longest.
const AGAIN: Duration = Duration::from_secs(15);
const LONGEST: Duration = Duration::from_secs(10 * 60);

/// Does what is due, if an action waits and owners have set what happens then.
pub(super) async fn watch_deadline(actor: &mut ConversationActor) {
    let escalations = actor.context.deadlines.now();
    let escalation = escalations.of(actor.log.meta().repository.as_deref());
    let pending = actor.approval.pending();
    let (Some(escalation), Some(pending)) = (escalation, pending) else {
        return show(actor, None);
    };
    let token = pending.token().to_owned();
    if actor.approval.free(&token).is_none() || actor.is_ruled() {
        return show(actor, None);
    }
    let watch = &mut actor.activity.deadline;
    if watch.token != token {
        (watch.token, watch.next, watch.tries) = (token.clone(), None, 0);
        show(actor, None);
    }
    if actor.link.is_down() {
        show(actor, None);
        // That it is down is stored soon, also after a rejection that was not sent.
        let (watch, soon) = (&mut actor.activity.deadline, Instant::now() + EACH);
        (watch.next, watch.tries) = (watch.next.map(|next| next.min(soon)), 0);
    }
    let watch = &actor.activity.deadline;
    if watch.next.is_some_and(|next| Instant::now() < next) {
        return;
    }
    let looked = look(actor, &token, escalation).await;
    let next = match looked {
        Ok(pause) => pause,
        Err(error) => {
            tracing::warn!(conversation = actor.id(), %error, "what happens without an answer has to wait");
            EACH
        }
    };
    actor.activity.deadline.next = Some(Instant::now() + next);
}

fn show(actor: &mut ConversationActor, shown: Option<EscalationView>) {
    actor.followers.is_changed |= actor.activity.deadline.shown != shown;
    actor.activity.deadline.shown = shown;
}

/// Looks at the action that waits, and does what is due. Returns for how long nothing else is.
async fn look(
    actor: &mut ConversationActor,
    token: &str,
    escalation: &Escalation,
) -> HubResult<Duration> {
    let deadlines = Arc::clone(&actor.context.deadlines);
    let journal = actor.journal().clone();
    let id = actor.id().to_owned();
    let around = deadlines.around(&id, escalation);
    let time = deadlines.clock.read().await?;
    let at = time.at;
    let facts = journal.unanswered(&id, token, around.clone()).await?;
    // Somebody has answered, or the setting has just changed.
    let Some((facts, (escalation, due))) =
        facts.and_then(|facts| due(&facts, at).map(|due| (facts, due)))
    else {
        show(actor, None);
        return Ok(EACH);
    };
    if actor.link.is_down() {
        // Whoever finds it up again, also after a restart, has it wait anew.
        if facts.since < NEVER {
            journal.wait_anew(&id, token, NEVER).await?;
        }
        return Ok(EACH);
    }
    match due {
        Due::Anew => {
            journal.wait_anew(&id, token, at.now).await?;
            return Ok(Duration::ZERO);
        }
        Due::Tell if told(&facts, at).is_some() => {
            let entry = AuditAction::new("escalate").within(&id).hashed(token);
            let entry = entry.entry(&Caller::handrail(), at.now);
            let told = journal.escalate(&id, token, around, entry, move |facts| told(facts, at));
            told.await?;
            return Ok(Duration::ZERO);
        }
        Due::Reject => {
            drop(time);
            // The receipt of a message that is on its way is waited for, and whatever the backend has sent.
            let is_due = actor.is_current() && actor.outbox.check_none_leaves().is_ok();
            if let Some(reason) = rejected(&facts, at).filter(|_| is_due) {
                reject(actor, token, reason, at.now).await;
                let is_left = actor.approval.free(token).is_some();
                let shown = is_left.then(|| view(&facts, &escalation, at, true));
                show(actor, shown);
                let tries = &mut actor.activity.deadline.tries;
                *tries += 1;
                return Ok(pause(*tries));
            }
            show(actor, Some(view(&facts, &escalation, at, true)));
            return Ok(Duration::ZERO);
        }
        Due::Nothing | Due::Tell => {}
    }
    let next = next(&facts, &escalation, at);
    drop(time);
    show(actor, Some(view(&facts, &escalation, at, false)));
    Ok(next)
}

/// For how long a rejection that was tried so often is not tried again.
fn pause(tries: u32) -> Duration {
    let pause = AGAIN * 2_u32.pow(tries.saturating_sub(1).min(10));
    pause.min(LONGEST)
}

/// Rejects the action.
async fn reject(actor: &mut ConversationActor, token: &str, reason: String, at: i64) {
    let action = AuditAction::new("reject unanswered").within(actor.id());
    let entry = action
        .hashed(token)
        .detail(&reason)
        .entry(&Caller::handrail(), at);
    let answer = Answer {
        token: token.to_owned(),
        decision: Decision::Reject,
        reason,
        by: String::new(),
        caller: None,
        // Nobody has to have seen it.
        seen: true,
        touch: None,
        rule: Some(Box::new(ByRule {
            permit: Permit::Unanswered,
            entry,
        })),
        amendment: None,
    };
    actor.answer_by_itself(answer).await;
}

/// Stores the rejection of an action that nobody has answered; the number of its audit entry, or `None` if somebody has.
pub(super) async fn claim_unanswered(
    actor: &ConversationActor,
    token: &str,
    reason: &str,
    entry: &mut AuditEntry,
) -> HubResult<Result<Option<i64>, JournalError>> {
    let deadlines = Arc::clone(&actor.context.deadlines);
    let time = deadlines.clock.read().await?;
    let (at, said) = (time.at, reason.to_owned());
    entry.at = at.now;
    let by = Caller::handrail().name;
    let claimed = actor.journal().claim_unanswered(
        actor.id(),
        token,
        (&by, reason),
        entry.clone(),
        move |facts| rejected(facts, at) == Some(said),
    );
    Ok(claimed.await)
}

/// For how long nothing becomes due, and who looks is not asked.
fn next(facts: &Unanswered, escalation: &Escalation, time: Times) -> Duration {
    let told = facts.escalated.is_some();
    let tells = escalation.tells_at(facts.since).filter(|_| !told);
    let times = [
        tells.map(|(at, _)| at),
        tells.map(|(_, latest)| latest),
        escalation.rejects_at(facts.since, time.running_since),
    ];
    let left = times.into_iter().flatten();
    let left = left.map(|at| at.saturating_sub(time.now));
    let left = left.filter(|left| *left > 0).min();
    let left = left.map_or(EACH, |left| Duration::from_millis(left.unsigned_abs()));
    left.min(EACH)
}

fn view(facts: &Unanswered, escalation: &Escalation, time: Times, overdue: bool) -> EscalationView {
    let watched = is_watched(facts);
    let tells = escalation
        .tells_at(facts.since)
        .filter(|_| facts.escalated.is_none());
    EscalationView {
        watched: watched && tells.is_some(),
        tells_at: tells.map(|(at, latest)| if watched { latest } else { at }),
        told_at: facts.escalated.as_ref().map(|told| told.at),
        told: facts
            .escalated
            .as_ref()
            .map(|told| told.to.clone())
            .unwrap_or_default(),
        rejects_at: escalation.rejects_at(facts.since, time.running_since),
        overdue,
        second: waits_for_second(facts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejection_that_is_refused_is_tried_less_and_less() {
        let pauses = [1, 2, 3, 6, 7, u32::MAX].map(|tries| pause(tries).as_secs());
        assert_eq!(pauses, [15, 30, 60, 480, 600, 600]);
    }
}
