//! What happens when nobody answers: the setting in memory, the clock, who looks, and what is due of the facts.
//!
//! The setting is in memory for what pages show and when an actor looks. What is done is decided with what the journal has, in
//! the transaction that stores it.

use super::authorities::{approver, first, rating};
use super::presence::Presence;
use super::wait_clock::WaitClock;
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
pub(super) fn due(facts: &Unanswered, now: i64) -> Option<(Escalation, Due)> {
    let all = Escalations::read(&facts.escalations);
    let escalation = all.of(facts.repository.as_deref())?.clone();
    let due = escalation.due(Wait {
        since: facts.since,
        now,
        told: facts.escalated.is_some(),
        watched: is_watched(facts),
    });
    Some((escalation, due))
}

/// Whether somebody who may answer looks at the conversation.
pub(super) fn is_watched(facts: &Unanswered) -> bool {
    facts.watchers.iter().any(|account| answers(facts, account))
}

/// The deputies who are told now; `None` if it is not time for that. They may see the conversation and approve the action.
pub(super) fn told(facts: &Unanswered, now: i64) -> Option<Vec<String>> {
    let (escalation, due) = due(facts, now)?;
    if due != Due::Tell {
        return None;
    }
    let told = facts.deputies.iter().filter(|account| {
        escalation.deputies.contains(&account.person) && approves(facts, account)
    });
    Some(told.map(|account| account.name.clone()).collect())
}

/// Why the action is rejected now; `None` if it is not time for that.
pub(super) fn rejected(facts: &Unanswered, now: i64) -> Option<String> {
    let (escalation, due) = due(facts, now)?;
    let minutes = escalation.reject_after.filter(|_| due == Due::Reject)?;
    Some(nobody_answered(minutes, waits_for_second(facts)))
}

/// Whether one person has approved the action, and a second one has to.
pub(super) fn waits_for_second(facts: &Unanswered) -> bool {
    let standing = &facts.standing;
    let authority = Authority::read(&standing.authority);
    authority.needs_two(rating(standing)) && standing.first.is_some()
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
    counts && answers(facts, account)
}
