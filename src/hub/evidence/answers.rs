//! Which entries of the audit log belong to an approval.
//!
//! The journal has one answer for each approval, and the log an entry for everybody who gave one: who repeats an answer has an
//! entry that ended well, too. So the entry is the one that fits the columns of the journal.

use super::AnswerMeans;
use crate::journal::{
    AUDIT_DONE, ApprovalState, AuditEntry, LinkedEntry, PastApproval, TOUCHED, TOUCHED_AMENDMENT,
};
use std::collections::{HashMap, HashSet};

/// The first and the second of two approvals.
pub(super) const FIRST: &str = "first approval";
pub(super) const SECOND: &str = "second approval";
/// Deputies were told that nobody has answered.
pub(super) const ESCALATED: &str = "escalate";

/// What entries say that answer approvals: whether they approve, and by which means.
const ANSWERS: [(&str, bool, AnswerMeans); 6] = [
    ("approve", true, AnswerMeans::Person),
    ("reject", false, AnswerMeans::Person),
    ("amend", false, AnswerMeans::Person),
    ("approve by rule", true, AnswerMeans::Rule),
    ("approve as amended", true, AnswerMeans::Amendment),
    ("reject unanswered", false, AnswerMeans::Deadline),
];

/// Whether an action is an answer: whether it approves, and by which means.
pub(super) fn answer_of(action: &str) -> Option<(bool, AnswerMeans)> {
    let known = ANSWERS.iter().find(|(word, ..)| *word == action);
    known.map(|(_, approves, means)| (*approves, *means))
}

/// Whether an entry is about an approval: what its digest is the hash of is known.
pub(super) fn is_about_approvals(action: &str) -> bool {
    let others = [FIRST, SECOND, ESCALATED, TOUCHED, TOUCHED_AMENDMENT];
    answer_of(action).is_some() || others.contains(&action)
}

/// The action of the entry with what a passkey has signed for an answer: one that approves, or one that asks for something else
/// instead.
pub(super) fn touch_of(approved: bool) -> &'static str {
    match approved {
        true => TOUCHED,
        false => TOUCHED_AMENDMENT,
    }
}

/// The entries about a conversation, found by what they are about.
#[derive(Default)]
pub(super) struct Log {
    entries: Vec<LinkedEntry>,
    /// Places of the entries with which something began, by its digest.
    begun: HashMap<String, Vec<usize>>,
    /// Places of the entries with an outcome, by the number of the entry that it belongs to.
    ended: HashMap<i64, usize>,
}

/// The entries that belong to an approval, by their places in the log.
#[derive(Default)]
pub(super) struct Found {
    /// The first of two approvals, and what a passkey has signed for it.
    pub(super) first: Option<(usize, Option<usize>)>,
    /// The answer that counted; `None` if there is none, it was not sent, or the log does not have it.
    pub(super) answer: Option<FoundAnswer>,
}

/// The answer that counted.
pub(super) struct FoundAnswer {
    /// The entry with which it began.
    pub(super) begun: usize,
    /// The one with its outcome.
    pub(super) ended: Option<usize>,
    /// The one that says that it was the second of two.
    pub(super) second: Option<usize>,
    /// The one with what a passkey has signed for it.
    pub(super) touch: Option<usize>,
}

impl Log {
    pub(super) fn of(entries: Vec<LinkedEntry>) -> Self {
        let mut log = Self::default();
        for (at, LinkedEntry { record, .. }) in entries.iter().enumerate() {
            if record.entry.about > 0 {
                log.ended.entry(record.entry.about).or_insert(at);
            } else if is_about_approvals(&record.entry.action) {
                let places = log.begun.entry(record.entry.digest.clone());
                places.or_default().push(at);
            }
        }
        Self { entries, ..log }
    }

    pub(super) fn into_entries(self) -> Vec<LinkedEntry> {
        self.entries
    }

    pub(super) fn number(&self, place: usize) -> i64 {
        self.entries[place].record.number
    }

    pub(super) fn entry(&self, place: usize) -> &AuditEntry {
        &self.entries[place].record.entry
    }

    fn begun(&self, token: &str) -> impl DoubleEndedIterator<Item = usize> {
        self.begun.get(token).into_iter().flatten().copied()
    }

    fn end(&self, begun: usize) -> Option<usize> {
        self.ended.get(&self.number(begun)).copied()
    }

    pub(super) fn is_done(&self, begun: usize) -> bool {
        let end = self.end(begun);
        end.is_some_and(|end| self.entry(end).outcome == AUDIT_DONE)
    }

    /// What belongs to an approval.
    pub(super) fn find(&self, past: &PastApproval) -> Found {
        let token = &*past.token;
        // What was not sent can still be answered.
        let is_open = past.state == ApprovalState::Open.word();
        let begun = self.answer(past).filter(|_| !is_open);
        let answer = begun.or_else(|| self.done(token)).map(|begun| {
            let ended = self.end(begun);
            let (from, by) = (self.number(begun), &self.entry(begun).name);
            let until = ended.map_or(i64::MAX, |end| self.number(end));
            let meaning = answer_of(&self.entry(begun).action);
            let by_person = meaning.filter(|(_, means)| *means == AnswerMeans::Person);
            let meanwhile = |place: &usize| {
                by_person.is_some()
                    && self.entry(*place).name == *by
                    && (from..until).contains(&self.number(*place))
            };
            let all = || self.begun(token).filter(meanwhile);
            let touched = touch_of(by_person.is_some_and(|(approved, _)| approved));
            let is_touch = |place: &usize| self.entry(*place).action == touched;
            FoundAnswer {
                begun,
                ended,
                second: all().find(|place| self.entry(*place).action == SECOND),
                touch: all().find(|place| is_touch(place) && self.is_done(*place)),
            }
        });
        let second = answer.as_ref().and_then(|answer| answer.second);
        let first = self.first(past, second).map(|first| {
            let (at, by) = (self.entry(first).at, &self.entry(first).name);
            let is_its = |place: &usize| {
                let entry = self.entry(*place);
                entry.action == TOUCHED && (entry.at, &entry.name) == (at, by)
            };
            let mut touches = self.begun(token).filter(is_its);
            (first, touches.find(|place| self.is_done(*place)))
        });
        Found { first, answer }
    }

    /// The first of two approvals. Its entry has the time that the journal has. If that is no longer so, it is the last one
    /// by somebody else before the second.
    fn first(&self, past: &PastApproval, second: Option<usize>) -> Option<usize> {
        let all = || {
            let firsts = self.begun(&past.token);
            firsts.filter(|place| self.entry(*place).action == FIRST)
        };
        let is_it = |place: &usize| {
            let entry = self.entry(*place);
            past.first == Some((entry.person, entry.at))
        };
        let before = |place: &usize| {
            second.is_some_and(|second| {
                *place < second && self.entry(*place).name != self.entry(second).name
            })
        };
        all().find(is_it).or_else(|| all().rev().find(before))
    }

    /// The answer that the journal has.
    fn answer(&self, past: &PastApproval) -> Option<usize> {
        let (approved, at) = (past.approved?, past.answered_at?);
        let is_such = |place: &usize, by_person: bool| {
            answer_of(&self.entry(*place).action).is_some_and(|(approves, means)| {
                approves == approved && (means == AnswerMeans::Person) == by_person
            })
        };
        // The entry of a rule or an amendment is stored with its answer.
        let by_itself = |place: &usize| is_such(place, false) && self.entry(*place).at == at;
        self.begun(&past.token).find(by_itself).or_else(|| {
            // That of a person is stored before, and its outcome after.
            let signed = |place: &usize| {
                let entry = self.entry(*place);
                is_such(place, true)
                    && match past.answered_by.as_str() {
                        "" => entry.person <= 0,
                        name => entry.name == name,
                    }
            };
            let is_over = |place: &usize| {
                let end = self.end(*place);
                self.entry(*place).at <= at && end.is_none_or(|end| self.entry(end).at >= at)
            };
            let all = || self.begun(&past.token).rev().filter(signed);
            all().find(is_over).or_else(|| all().next())
        })
    }

    /// An answer that was carried out. The journal does not have it if it came after the approvals were read, or if the same
    /// was asked again.
    fn done(&self, token: &str) -> Option<usize> {
        let all = || self.begun(token);
        let firsts: HashSet<&str> = all()
            .map(|place| self.entry(place))
            .filter(|entry| entry.action == FIRST)
            .map(|entry| &*entry.name)
            .collect();
        let mut answers = all().filter(|place| {
            let entry = self.entry(*place);
            counts_alone(&entry.action, firsts.contains(&*entry.name))
        });
        answers.find(|place| self.is_done(*place))
    }
}

/// Whether an action that is done is an answer that counted, though it is not known which did: not an approval of somebody
/// who has given a first one, because that may be it.
pub(super) fn counts_alone(action: &str, gave_first: bool) -> bool {
    answer_of(action).is_some_and(|(approves, _)| !approves || !gave_first)
}
