//! What was done, by whom: noted before it is done, and once more when it is known what became of it.

use super::keeping::now;
use super::{AuditLine, AuditView, Caller, PeopleError};
use crate::journal::{
    AuditEntry, AuditFilter, AuditRecord, AuditState, Journal, JournalError, digest,
};
use std::fmt;

/// Lines on one page.
const PAGE: u32 = 100;
/// Longest detail, in characters.
const DETAIL: usize = 300;

/// What somebody is about to do.
#[derive(Debug, Clone, Default)]
pub struct Deed {
    action: &'static str,
    conversation: String,
    digest: String,
    detail: String,
}

impl Deed {
    /// A deed, in a word or two.
    pub fn new(action: &'static str) -> Self {
        Self {
            action,
            ..Self::default()
        }
    }

    /// In which conversation.
    pub fn within(mut self, conversation: &str) -> Self {
        self.conversation = conversation.chars().take(64).collect();
        self
    }

    /// What exactly is done: its hash is kept, not itself.
    pub fn exactly(mut self, what: &str) -> Self {
        self.digest = digest(what.as_bytes(), &[]);
        self
    }

    /// What exactly is done, which has been hashed before.
    pub fn hashed(mut self, digest: &str) -> Self {
        self.digest = digest.chars().take(64).collect();
        self
    }

    /// What else is worth knowing; never a secret.
    pub fn detail(mut self, detail: &str) -> Self {
        self.detail = detail.chars().take(DETAIL).collect();
        self
    }
}

/// A deed that was noted and whose outcome is not known yet.
#[must_use]
pub struct Noted(AuditEntry);

/// The audit.
#[derive(Clone)]
pub struct Audit(Journal);

impl Audit {
    pub(super) fn new(journal: Journal) -> Self {
        Self(journal)
    }

    /// The audit of a journal.
    pub fn of(journal: &Journal) -> Self {
        Self(journal.clone())
    }

    /// Notes what is about to be done. It is on the disk when this returns; what cannot be noted must not be
    /// done.
    pub async fn begin(&self, by: &Caller, deed: Deed) -> Result<Noted, JournalError> {
        let mut entry = AuditEntry {
            at: now(),
            person: by.person,
            name: by.name.clone(),
            address: by.address.clone(),
            action: deed.action.to_owned(),
            conversation: deed.conversation,
            digest: deed.digest,
            detail: deed.detail,
            outcome: "begun".to_owned(),
            about: 0,
        };
        entry.about = self.0.note(entry.clone()).await?;
        Ok(Noted(entry))
    }

    /// Notes what became of it.
    pub async fn end<T, E: fmt::Display>(&self, Noted(mut entry): Noted, outcome: &Result<T, E>) {
        entry.at = now();
        entry.outcome = match outcome {
            Ok(_) => "done".to_owned(),
            Err(error) => error.to_string().chars().take(DETAIL).collect(),
        };
        if let Err(error) = self.0.note(entry).await {
            // It stays "begun", which is true: what became of it is not known here.
            tracing::error!(%error, "an outcome could not be put into the audit");
        }
    }

    /// A page of the audit.
    pub async fn page(&self, filter: AuditFilter) -> Result<AuditView, PeopleError> {
        let records = self.0.audit(filter, PAGE + 1).await?;
        let more = records.len() > PAGE as usize;
        let lines: Vec<AuditLine> = records.into_iter().take(PAGE as usize).map(line).collect();
        Ok(AuditView {
            older: lines.last().filter(|_| more).map(|line| line.number),
            lines,
        })
    }

    /// All of it that fits the filter, the oldest first.
    pub async fn all(&self, filter: AuditFilter) -> Result<Vec<AuditRecord>, PeopleError> {
        let mut records = self.0.audit(filter, u32::MAX).await?;
        records.reverse();
        Ok(records)
    }

    /// Whether nothing was changed.
    pub async fn verify(&self) -> Result<AuditState, PeopleError> {
        Ok(self.0.verify_audit().await?)
    }
}

fn line(AuditRecord { number, entry, .. }: AuditRecord) -> AuditLine {
    AuditLine {
        number,
        at: entry.at,
        name: entry.name,
        address: entry.address,
        action: entry.action,
        conversation: entry.conversation,
        detail: entry.detail,
        outcome: entry.outcome,
        digest: entry.digest,
        // The first entry of a deed points at nothing, the second at the first.
        about: entry.about,
    }
}
