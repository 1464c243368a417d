//! What happens when nobody answers: the setting in memory, the clock, who looks, and what is due of the facts.
//!
//! The setting is in memory for what pages show and when an actor looks. What is done is decided with what the journal has, in
//! the transaction that stores it.

use super::authorities::{approver, first, first_counts, needs_touch, rating};
use super::presence::Presence;
use super::wait_clock::{Times, WaitClock};
use super::{HubResult, lock};
use crate::journal::{Account, Around, ESCALATIONS, Journal, Unanswered};
use crate::people::{
    Authority, Consent, Due, Escalation, Escalations, Means, Right, Wait, nobody_answered,
};
use std::sync::{Arc, Mutex};

/// Most of those who look that are asked for: one who may answer is enough.
const MOST_WATCHERS: usize = 100;

/// What actors need to know of it.
pub(super) struct Deadlines {
    known: Mutex<Arc<Escalations>>,
    pub(super) clock: WaitClock,
    pub(super) presence: Presence,
}

impl Deadlines {
    /// Reads the setting.
    pub(super) async fn load(journal: &Journal, presence: Presence) -> HubResult<Self> {
        let stored = journal.setting(ESCALATIONS).await?.unwrap_or_default();
        Ok(Self {
            known: Mutex::new(Arc::new(Escalations::read(&stored))),
            clock: WaitClock::new(journal.clone()),
            presence,
        })
    }

    /// Takes over what was stored.
    pub(super) fn set(&self, escalations: Escalations) {
        *lock(&self.known) = Arc::new(escalations);
    }

    /// The setting as it is now.
    pub(super) fn now(&self) -> Arc<Escalations> {
        Arc::clone(&lock(&self.known))
    }

    /// Whose accounts matter for a conversation.
    pub(super) fn around(&self, id: &str, escalation: &Escalation) -> Around {
        let mut watchers = self.presence.here(id).names;
        watchers.truncate(MOST_WATCHERS);
        Around {
            deputies: escalation.deputies.clone(),
            watchers,
        }
    }
}

/// What applies to an action that nobody has answered, and what of it is due now.
pub(super) fn due(facts: &Unanswered, time: Times) -> Option<(Escalation, Due)> {
    let all = Escalations::read(&facts.escalations);
    let escalation = all.of(facts.repository.as_deref())?.clone();
    let due = escalation.due(Wait {
        since: facts.since,
        now: time.now,
        running_since: time.running_since,
        told: facts
            .escalated
            .as_ref()
            .is_some_and(|told| !told.to.is_empty()),
        watched: is_watched(facts),
    });
    Some((escalation, due))
}

/// Whether somebody who may answer looks at the conversation.
pub(super) fn is_watched(facts: &Unanswered) -> bool {
    facts.watchers.iter().any(|account| answers(facts, account))
}

/// The deputies who are told now; `None` if it is not time for that, or nobody can be told still. They may see the conversation
/// and approve the action.
pub(super) fn told(facts: &Unanswered, time: Times) -> Option<Vec<String>> {
    let (escalation, due) = due(facts, time)?;
    if due != Due::Tell {
        return None;
    }
    let told = facts.deputies.iter().filter(|account| {
        escalation.deputies.contains(&account.person) && approves(facts, account)
    });
    let told: Vec<String> = told.map(|account| account.name.clone()).collect();
    let before = facts.escalated.as_ref().map(|before| &before.to);
    (before != Some(&told)).then_some(told)
}

/// Why the action is rejected now; `None` if it is not time for that.
pub(super) fn rejected(facts: &Unanswered, time: Times) -> Option<String> {
    let (escalation, due) = due(facts, time)?;
    let minutes = escalation.reject_after.filter(|_| due == Due::Reject)?;
    Some(nobody_answered(minutes, waits_for_second(facts)))
}

/// Whether one person has approved the action, and a second one has to.
pub(super) fn waits_for_second(facts: &Unanswered) -> bool {
    let standing = &facts.standing;
    let authority = Authority::read(&standing.authority);
    authority.needs_two(rating(standing)) && first_counts(standing)
}

/// Whether somebody may answer the action, and has not approved it already.
fn answers(facts: &Unanswered, account: &Account) -> bool {
    let standing = &facts.standing;
    let by = approver(standing, account, Means::Person);
    let is_first = waits_for_second(facts)
        && standing
            .first
            .as_ref()
            .is_some_and(|first| first.person == account.person);
    !is_first && by.role.is_some_and(|role| role.may(Right::Answer))
}

/// Whether somebody may answer the action, and their approval would count.
fn approves(facts: &Unanswered, account: &Account) -> bool {
    let standing = &facts.standing;
    let by = approver(standing, account, Means::Person);
    let consent =
        Authority::read(&standing.authority).consent(rating(standing), by, first(standing));
    let counts = matches!(consent, Consent::Alone | Consent::First | Consent::Second);
    let touches = account.has_passkey || !needs_touch(standing);
    counts && touches && answers(facts, account)
}
