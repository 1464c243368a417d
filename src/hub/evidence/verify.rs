//! Checks evidence, with nothing but the file.

use super::make::answer_of;
use super::{ApprovalEvidence, EVIDENCE_FORMAT, EntryEvidence, Evidence};
use crate::hub::parts::approval::token_of;
use crate::journal::{AuditEntry, hash_of};
use crate::render::EVIDENCE_DATA;
use std::collections::{HashMap, HashSet};

/// What was checked of a file that has no fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Verified {
    /// Entries whose hash was computed again.
    pub entries: usize,
    /// Entries without what their hash covers.
    pub withheld: usize,
    /// Approvals whose token was computed again from what was shown.
    pub approvals: usize,
    /// Approvals without what was shown.
    pub not_shown: usize,
    /// Whether the wanted hash is in the file; true if none is wanted.
    pub seen: bool,
}

/// Checks a file, JSON or HTML: that each entry has the hash of its content and of the entry before it, that what is said to
/// have been shown is what each token is the digest of, and that each answer is one that the entries have.
///
/// # Errors
/// A sentence that says what is wrong, and at which byte of the file.
pub fn verify_evidence(text: &str, seen: Option<&str>) -> Result<Verified, String> {
    let (before, after) = EVIDENCE_DATA;
    let (from, json) = match text.find(before) {
        Some(at) => {
            let from = at + before.len();
            let rest = &text[from..];
            let end = rest.find(after).ok_or("the file is cut off")?;
            (from, &rest[..end])
        }
        None => (0, text),
    };
    let evidence: Evidence = serde_json::from_str(json).map_err(|error| {
        let lines = json.split_inclusive('\n').take(error.line() - 1);
        let at = from + lines.map(str::len).sum::<usize>() + error.column();
        format!("byte {at}: this is no evidence of Handrail ({error})")
    })?;
    if evidence.format != EVIDENCE_FORMAT {
        return Err(format!("the format {:?} is not known", evidence.format));
    }
    let place = |word: &str| match json.find(&format!("\"{word}\"")) {
        Some(at) => format!("byte {}: ", from + at),
        None => String::new(),
    };
    let mut verified = Verified {
        seen: seen.is_none(),
        ..Verified::default()
    };
    let entries = check_entries(&evidence, &place, &mut verified)?;
    let mut tokens = HashSet::new();
    for approval in &evidence.approvals {
        let wrong = |what: &str| {
            Err(format!(
                "{}approval {}: {what}",
                place(&approval.token),
                approval.token
            ))
        };
        if !tokens.insert(&approval.token) {
            return wrong("it is there twice");
        }
        match &approval.shown {
            Some(shown) => {
                let conversation = &evidence.conversation;
                let token = token_of(conversation, &shown.calls, &shown.content, &shown.text);
                if token != approval.token {
                    return wrong(
                        "what is said to have been shown is not what its token is the digest of",
                    );
                }
                verified.approvals += 1;
            }
            None => verified.not_shown += 1,
        }
        if let Err(what) = check_answer(approval, &entries) {
            return wrong(what);
        }
    }
    let hashes = evidence.entries.iter();
    let mut hashes = hashes.flat_map(|entry| [&entry.hash, &entry.before]);
    verified.seen |= hashes.any(|hash| Some(hash.as_str()) == seen);
    Ok(verified)
}

/// Checks the entries; returns them by number.
fn check_entries<'e>(
    evidence: &'e Evidence,
    place: &impl Fn(&str) -> String,
    verified: &mut Verified,
) -> Result<HashMap<i64, &'e EntryEvidence>, String> {
    let mut known: HashMap<i64, &EntryEvidence> = HashMap::new();
    let mut last: Option<&EntryEvidence> = None;
    for entry in &evidence.entries {
        let wrong = |what: &str| {
            Err(format!(
                "{}entry {}: {what}",
                place(&entry.hash),
                entry.number
            ))
        };
        let is_linked = match last {
            Some(last) if last.number >= entry.number => return wrong("it is not in its place"),
            Some(last) if last.number + 1 == entry.number => last.hash == entry.before,
            _ => (entry.number == 1) == entry.before.is_empty() && entry.number > 0,
        };
        if !is_linked {
            return wrong("it does not follow the entry before it");
        }
        match &entry.private {
            Some(private) => {
                let content = AuditEntry {
                    at: entry.at,
                    person: private.person,
                    name: entry.name.clone(),
                    address: private.address.clone(),
                    action: entry.action.clone(),
                    conversation: evidence.conversation.clone(),
                    digest: entry.digest.clone(),
                    detail: private.detail.clone(),
                    outcome: entry.outcome.clone(),
                    about: entry.about,
                };
                if hash_of(&entry.before, entry.number, &content) != entry.hash {
                    return wrong("it does not match its hash");
                }
                verified.entries += 1;
            }
            None => verified.withheld += 1,
        }
        if let Some(begun) = known.get(&entry.about)
            && (&begun.action, &begun.digest, &begun.name)
                != (&entry.action, &entry.digest, &entry.name)
        {
            return wrong("it is the outcome of something else");
        }
        known.insert(entry.number, entry);
        last = Some(entry);
    }
    Ok(known)
}

/// Checks that the log has this answer to this approval.
fn check_answer(
    approval: &ApprovalEvidence,
    entries: &HashMap<i64, &EntryEvidence>,
) -> Result<(), &'static str> {
    let Some(answer) = &approval.answer else {
        return Ok(());
    };
    let entry = entries.get(&answer.entry);
    let entry = entry.ok_or("its answer is not among the entries")?;
    if entry.digest != approval.token || entry.about != 0 {
        return Err("its answer is to something else");
    }
    if answer_of(&entry.action) != Some((answer.approved, answer.by_rule)) {
        return Err("it was answered differently");
    }
    if entry.name != answer.by {
        return Err("somebody else answered");
    }
    let ended = |entry: &EntryEvidence| entry.about == answer.entry;
    match answer.ended {
        Some(number) if entries.get(&number).copied().is_some_and(ended) => Ok(()),
        None if !entries.values().copied().any(ended) => Ok(()),
        _ => Err("its outcome is not the one among the entries"),
    }
}
