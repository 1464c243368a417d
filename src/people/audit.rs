//! Recording actions: an audit entry before each action, and another one for its outcome.

use super::export::Format;
use super::{AuditChoices, AuditLine, AuditView, Caller, PeopleError};
use crate::clock::now;
use crate::journal::{
    AUDIT_DONE, AuditEntry, AuditFilter, AuditRecord, AuditState, AuditedAction, Journal,
    JournalError, digest,
};
use futures_util::Stream;
use std::fmt;

/// Actions per page.
const PAGE: usize = 50;
/// Most choices of a filter.
const CHOICES: u32 = 200;
/// Entries per piece of an export.
const EXPORTED: u32 = 500;
/// Longest detail, in characters.
const DETAIL: usize = 300;

/// An action to record before it is performed.
#[derive(Debug, Clone, Default)]
pub struct AuditAction {
    action: &'static str,
    conversation: String,
    digest: String,
    detail: String,
    stores_first: bool,
}

impl AuditAction {
    /// An action, named in a word or two.
    pub fn new(action: &'static str) -> Self {
        Self {
            action,
            ..Self::default()
        }
    }

    /// Sets the conversation.
    pub fn within(mut self, conversation: &str) -> Self {
        self.conversation = conversation.chars().take(64).collect();
        self
    }

    /// Sets the exact content of the action; only its hash is stored.
    pub fn exactly(mut self, what: &str) -> Self {
        self.digest = digest(what.as_bytes(), &[]);
        self
    }

    /// Sets the hash of the exact content of the action.
    pub fn hashed(mut self, digest: &str) -> Self {
        self.digest = digest.chars().take(64).collect();
        self
    }

    /// States that the action stores on disk what it sends before it sends it, so that one wait for the disk serves both.
    pub fn stores_first(mut self) -> Self {
        self.stores_first = true;
        self
    }

    /// Sets further details; never a secret.
    pub fn detail(mut self, detail: &str) -> Self {
        self.detail = detail.chars().take(DETAIL).collect();
        self
    }

    /// The entry with which the action begins at `at`.
    pub fn entry(self, by: &Caller, at: i64) -> AuditEntry {
        AuditEntry {
            at,
            person: by.person,
            name: by.name.clone(),
            address: by.address.clone(),
            action: self.action.to_owned(),
            conversation: self.conversation,
            digest: self.digest,
            detail: self.detail,
            outcome: "begun".to_owned(),
            about: 0,
        }
    }
}

/// A recorded action whose outcome is still to be recorded.
#[must_use]
pub struct OpenEntry(Option<AuditEntry>);

impl OpenEntry {
    /// Sets the conversation that the action has created.
    pub fn made(&mut self, conversation: &str) {
        if let Some(entry) = &mut self.0 {
            conversation.clone_into(&mut entry.conversation);
        }
    }
}

/// The audit log.
#[derive(Clone)]
pub struct Audit(Journal);

impl Audit {
    pub(super) fn new(journal: Journal) -> Self {
        Self(journal)
    }

    /// The audit log in `journal`.
    pub fn of(journal: &Journal) -> Self {
        Self(journal.clone())
    }

    /// Records an action about to be performed. The entry is on disk before the action reaches a backend; on an error the
    /// action must not be performed.
    pub async fn begin(&self, by: &Caller, action: AuditAction) -> Result<OpenEntry, JournalError> {
        let stores_first = action.stores_first;
        let mut entry = action.entry(by, now());
        let begun = entry.clone();
        entry.about = match stores_first {
            true => self.0.note_before(begun).await?,
            false => self.0.note(begun).await?,
        };
        Ok(OpenEntry(Some(entry)))
    }

    /// An action whose entry was stored with what it stores; its number is in `about`.
    pub fn begun(entry: AuditEntry) -> OpenEntry {
        OpenEntry(Some(entry))
    }

    /// The same for a login and its end, which are performed even if the disk is full: people must be able to read, and to
    /// leave. Then the program's log alone has them.
    pub(super) async fn begin_even_if_full(
        &self,
        by: &Caller,
        action: AuditAction,
    ) -> Result<OpenEntry, JournalError> {
        let word = action.action;
        match self.begin(by, action).await {
            Err(JournalError::Full(_)) => {
                tracing::warn!(
                    name = by.name,
                    action = word,
                    "not in the audit log: the disk is full"
                );
                Ok(OpenEntry(None))
            }
            begun => begun,
        }
    }

    /// Records the outcome of an action.
    pub async fn end<T, E: fmt::Display>(
        &self,
        OpenEntry(entry): OpenEntry,
        outcome: &Result<T, E>,
    ) {
        let Some(mut entry) = entry else { return };
        entry.at = now();
        entry.outcome = match outcome {
            Ok(_) => AUDIT_DONE.to_owned(),
            Err(error) => error.to_string().chars().take(DETAIL).collect(),
        };
        if let Err(error) = self.0.note(entry).await {
            // The entry keeps the outcome "begun": the outcome is unknown to the audit log.
            tracing::error!(%error, "the outcome of an action could not be recorded in the audit log");
        }
    }

    /// A page of actions, newest first.
    pub async fn page(&self, filter: AuditFilter) -> Result<AuditView, PeopleError> {
        let actions = self.0.audited_actions(filter, PAGE + 1).await?;
        let more = actions.len() > PAGE;
        let lines: Vec<AuditLine> = actions.into_iter().take(PAGE).map(line).collect();
        Ok(AuditView {
            older: lines.last().filter(|_| more).map(|line| line.number),
            lines,
        })
    }

    /// The people and conversations to filter by.
    pub async fn choices(&self) -> Result<AuditChoices, PeopleError> {
        let people = self.0.people("", "", CHOICES as usize).await?.into_iter();
        Ok(AuditChoices {
            people: people.map(|listed| listed.person.name).collect(),
            conversations: self.0.recent_titles(CHOICES).await?,
        })
    }

    /// All entries of the matching actions as a file, oldest first, in pieces: a page of entries is in memory at a time.
    pub fn export(
        &self,
        filter: AuditFilter,
        format: Format,
    ) -> impl Stream<Item = Result<String, PeopleError>> + Send + use<> {
        let journal = self.0.clone();
        async_stream::try_stream! {
            yield format.head().to_owned();
            let mut after = Some(0);
            while let Some(from) = after {
                let (records, last) = journal.audit_after(filter.clone(), from, EXPORTED).await?;
                after = last;
                if !records.is_empty() {
                    yield format.lines(&records);
                }
            }
        }
    }

    /// Verifies the chain, and whether the hash `seen`, taken from the program's log, is still in it.
    pub async fn verify(&self, seen: Option<String>) -> Result<AuditState, PeopleError> {
        Ok(self.0.verify_audit(seen).await?)
    }

    /// Logs the newest hash, so that a later truncation can be detected.
    pub async fn log_head(&self) -> Result<(), PeopleError> {
        let (number, hash) = self.0.audit_head().await?;
        tracing::info!(number, hash, "newest entry of the audit log");
        Ok(())
    }
}

fn line(action: AuditedAction) -> AuditLine {
    let AuditRecord { number, entry, .. } = action.begun;
    let (reason, step) = action.answer.unwrap_or_default();
    let millis = action.ended.as_ref().map(|(at, _)| (at - entry.at).max(0));
    AuditLine {
        number,
        at: entry.at,
        name: entry.name,
        address: entry.address,
        action: entry.action,
        conversation: entry.conversation,
        title: action.title,
        detail: entry.detail,
        reason,
        step,
        outcome: action.ended.map(|(_, outcome)| outcome),
        millis,
        digest: entry.digest,
    }
}
