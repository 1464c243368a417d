//! Which entries of the audit log belong to an approval.
//!
//! The journal has one answer for each approval, and the log an entry for everybody who gave one: who repeats an answer has an
//! entry that ended well, too. So the entry is the one that fits the columns of the journal.

use super::AnswerMeans;
use crate::journal::{AuditRecord, LinkedEntry, PastApproval};
use std::collections::HashMap;

/// The first and the second of two approvals.
pub(super) const FIRST: &str = "first approval";
pub(super) const SECOND: &str = "second approval";

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

/// Whether an entry is about an answer.
pub(super) fn is_about_answers(action: &str) -> bool {
    answer_of(action).is_some() || [FIRST, SECOND].contains(&action)
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

/// The answer that counted.
pub(super) struct Found<'l> {
    /// The entry with which it began.
    pub(super) begun: &'l AuditRecord,
    /// The one with its outcome.
    pub(super) ended: Option<&'l AuditRecord>,
    /// The one that says that it was the second of two.
    pub(super) second: Option<&'l AuditRecord>,
}

impl Log {
    pub(super) fn of(entries: Vec<LinkedEntry>) -> Self {
        let mut log = Self::default();
        for (at, LinkedEntry { record, .. }) in entries.iter().enumerate() {
            if record.entry.about > 0 {
                log.ended.entry(record.entry.about).or_insert(at);
            } else if is_about_answers(&record.entry.action) {
                let places = log.begun.entry(record.entry.digest.clone());
                places.or_default().push(at);
            }
        }
        Self { entries, ..log }
    }

    pub(super) fn into_entries(self) -> Vec<LinkedEntry> {
        self.entries
    }

    fn begun(&self, token: &str) -> impl DoubleEndedIterator<Item = &AuditRecord> {
        let places = self.begun.get(token).into_iter().flatten();
        places.map(move |place| &self.entries[*place].record)
    }

    fn end(&self, begun: &AuditRecord) -> Option<&AuditRecord> {
        let place = self.ended.get(&begun.number)?;
        Some(&self.entries[*place].record)
    }

    /// The first of two approvals. Its entry has the time that the journal has.
    pub(super) fn first(&self, past: &PastApproval) -> Option<&AuditRecord> {
        let (person, at) = past.first?;
        let is_it = |record: &&AuditRecord| {
            let entry = &record.entry;
            entry.action == FIRST && (entry.person, entry.at) == (person, at)
        };
        self.begun(&past.token).find(is_it)
    }

    /// The answer that counted; `None` if there is none, it was not sent, or the log does not have it.
    pub(super) fn answer(&self, past: &PastApproval) -> Option<Found<'_>> {
        let (approved, at) = (past.approved?, past.answered_at?);
        let is_such = |record: &&AuditRecord, by_person: bool| {
            answer_of(&record.entry.action).is_some_and(|(approves, means)| {
                approves == approved && (means == AnswerMeans::Person) == by_person
            })
        };
        // The entry of a rule or an amendment is stored with its answer.
        let by_itself = |record: &&AuditRecord| is_such(record, false) && record.entry.at == at;
        let begun = self.begun(&past.token).find(by_itself).or_else(|| {
            // That of a person is stored before, and its outcome after.
            let signed = |record: &&AuditRecord| {
                is_such(record, true)
                    && match past.answered_by.as_str() {
                        "" => record.entry.person <= 0,
                        name => record.entry.name == name,
                    }
            };
            let is_over = |record: &&AuditRecord| {
                let end = self.end(record);
                record.entry.at <= at && end.is_none_or(|end| end.entry.at >= at)
            };
            let all = || self.begun(&past.token).rev().filter(signed);
            all().find(is_over).or_else(|| all().next())
        })?;
        let is_second = |record: &&AuditRecord| {
            let entry = &record.entry;
            entry.action == SECOND && (entry.person, entry.at) == (begun.entry.person, at)
        };
        Some(Found {
            begun,
            ended: self.end(begun),
            second: self.begun(&past.token).find(is_second),
        })
    }
}
