//! Checks evidence, with nothing but the file.

use super::answers::{FIRST, SECOND, answer_of};
use super::limits::not_proven;
use super::{
    AnswerMeans, ApprovalEvidence, EVIDENCE_FORMAT, EntryEvidence, Evidence, evidence_page,
};
use crate::hub::parts::approval::token_of;
use crate::journal::{AUDIT_DONE, AuditEntry, hash_of};
use crate::render::EVIDENCE_DATA;
use std::collections::{HashMap, HashSet};

/// What was checked of a file that has no fault.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verified {
    /// Entries whose hash was computed again.
    pub entries: usize,
    /// Entries without what their hash covers.
    pub withheld: usize,
    /// Approvals whose token was computed again from what was shown.
    pub approvals: usize,
    /// Approvals without what was shown.
    pub not_shown: usize,
    /// Answers among the entries that succeeded, and whose approvals are not in the file.
    pub unknown: usize,
    /// Whether the file is a page, which was compared with its JSON.
    pub is_page: bool,
    /// Number and hash of the last entry whose hash was computed again; 0 and empty if there is none.
    pub last: (i64, String),
    /// Whether the wanted hash was computed for an entry; true if none is wanted.
    pub seen: bool,
    /// What this does not prove, in sentences.
    pub not_proven: Vec<String>,
}

/// Checks a file, JSON or HTML: that each entry has the hash of its content and of the entry before it, that what is said to
/// have been shown is what each token is the digest of, that each answer is one that the entries have, and that a page is the
/// one of its JSON, byte for byte.
///
/// # Errors
/// A sentence that says what is wrong, and at which byte of the file.
pub fn verify_evidence(text: &str, seen: Option<&str>) -> Result<Verified, String> {
    let (before, after) = EVIDENCE_DATA;
    let is_page = text.trim_start().starts_with('<');
    let (from, json) = match text.find(before).filter(|_| is_page) {
        Some(at) => {
            let from = at + before.len();
            let rest = &text[from..];
            let end = rest.find(after).ok_or("the file is cut off")?;
            (from, &rest[..end])
        }
        None => (0, text),
    };
    let evidence: Evidence = serde_json::from_str(json).map_err(|error| {
        let lines = json
            .split_inclusive('\n')
            .take(error.line().saturating_sub(1));
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
        is_page,
        not_proven: not_proven(&evidence),
        ..Verified::default()
    };
    let entries = Entries::check(&evidence, &place, &mut verified)?;
    verified.seen = seen.is_none_or(|seen| entries.hashes.contains(seen));
    let mut tokens = HashSet::new();
    for approval in &evidence.approvals {
        let token = &approval.token;
        let wrong = |what: &str| Err(format!("{}approval {token}: {what}", place(token)));
        if !tokens.insert(token.as_str()) {
            return wrong("it is there twice");
        }
        match &approval.shown {
            Some(shown) => {
                let conversation = &evidence.conversation;
                let computed = token_of(conversation, &shown.calls, &shown.content, &shown.text);
                if computed != *token {
                    return wrong(
                        "what is said to have been shown is not what its token is the digest of",
                    );
                }
                verified.approvals += 1;
            }
            None => verified.not_shown += 1,
        }
        if let Err(what) = entries.check_answers(approval) {
            return wrong(what);
        }
    }
    let is_unknown = |entry: &&EntryEvidence| {
        let is_answer = answer_of(&entry.action).is_some() && entry.about > 0;
        is_answer && entry.outcome == AUDIT_DONE && !tokens.contains(&*entry.digest)
    };
    verified.unknown = evidence.entries.iter().filter(is_unknown).count();
    if evidence.not_proven != verified.not_proven {
        let why = "what it says that it does not prove is not what it does not prove";
        return Err(format!("{}{why}", place("not_proven")));
    }
    if is_page {
        compare(text, &evidence_page(&evidence))?;
    }
    Ok(verified)
}

/// Compares a page with the one that is made of its JSON.
fn compare(text: &str, made: &str) -> Result<(), String> {
    if text == made {
        return Ok(());
    }
    let bytes = text.bytes().zip(made.bytes());
    let at = bytes.take_while(|(own, made)| own == made).count();
    let before = &text.as_bytes()[..at];
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    Err(format!(
        "byte {at} (line {line}): the page is not the one that is made of its JSON. It was changed, or saved by a program that \
         writes pages in its own way"
    ))
}

/// The entries of a file, checked.
struct Entries<'e> {
    by_number: HashMap<i64, &'e EntryEvidence>,
    /// Numbers of the entries with an outcome, by the number of the entry that it belongs to.
    ended: HashMap<i64, i64>,
    /// The hashes that were computed.
    hashes: HashSet<&'e str>,
    /// What amendments ask for, by what the entries call them.
    amendments: HashMap<String, &'e str>,
}

impl<'e> Entries<'e> {
    fn check(
        evidence: &'e Evidence,
        place: &impl Fn(&str) -> String,
        verified: &mut Verified,
    ) -> Result<Self, String> {
        let approvals = evidence.approvals.iter();
        let amendments = approvals.filter_map(|approval| approval.unchecked.amendment.as_ref());
        let mut own = Self {
            by_number: HashMap::new(),
            ended: HashMap::new(),
            hashes: HashSet::new(),
            amendments: amendments
                .map(|made| (format!("amendment {}", made.number), &*made.text))
                .collect(),
        };
        let mut last: Option<&EntryEvidence> = None;
        for entry in &evidence.entries {
            let number = entry.number;
            let wrong = |what: &str| {
                let hash = entry.whole.as_ref().map(|whole| place(&whole.hash));
                let at = hash.unwrap_or_default();
                Err(format!("{at}entry {number}: {what}"))
            };
            if number <= last.map_or(0, |last| last.number) {
                return wrong("it is not in its place");
            }
            let adjacent = last.filter(|last| last.number + 1 == number);
            match &entry.whole {
                Some(whole) => {
                    let before = match (adjacent, &whole.before) {
                        (Some(last), None) => last.whole.as_ref().map(|last| &*last.hash),
                        (None, None) if number == 1 => Some(""),
                        (None, Some(before)) if number > 1 => Some(&**before),
                        _ => None,
                    };
                    let Some(before) = before else {
                        return wrong("it does not follow the entry before it");
                    };
                    let content = AuditEntry {
                        at: entry.at,
                        person: whole.person,
                        name: entry.name.clone(),
                        address: whole.address.clone(),
                        action: entry.action.clone(),
                        conversation: evidence.conversation.clone(),
                        digest: entry.digest.clone(),
                        detail: whole.detail.clone(),
                        outcome: entry.outcome.clone(),
                        about: entry.about,
                    };
                    if hash_of(before, number, &content) != whole.hash {
                        return wrong("it does not match its hash");
                    }
                    own.hashes.insert(&whole.hash);
                    verified.entries += 1;
                    verified.last = (number, whole.hash.clone());
                }
                None => verified.withheld += 1,
            }
            if entry.about > 0 {
                own.ended.entry(entry.about).or_insert(number);
            }
            if let Some(begun) = own.by_number.get(&entry.about)
                && (&begun.action, &begun.digest, &begun.name)
                    != (&entry.action, &entry.digest, &entry.name)
            {
                return wrong("it is the outcome of something else");
            }
            own.by_number.insert(number, entry);
            last = Some(entry);
        }
        Ok(own)
    }

    /// Checks that the log has these answers to this approval.
    fn check_answers(&self, approval: &ApprovalEvidence) -> Result<(), &'static str> {
        let about = |number: i64| {
            let entry = self.by_number.get(&number).copied();
            let entry = entry.ok_or("its answer is not among the entries")?;
            match entry.digest == approval.token && entry.about == 0 {
                true => Ok(entry),
                false => Err("its answer is to something else"),
            }
        };
        if let Some(first) = &approval.first {
            let entry = about(first.entry)?;
            if (&*entry.action, &entry.name) != (FIRST, &first.by) {
                return Err("somebody else approved first");
            }
        }
        let Some(answer) = &approval.answer else {
            return Ok(());
        };
        let entry = about(answer.entry)?;
        if answer_of(&entry.action) != Some((answer.approved, answer.means)) {
            return Err("it was answered differently");
        }
        if entry.name != answer.by {
            return Err("somebody else answered");
        }
        let whole = entry.whole.as_ref();
        if whole.is_some_and(|whole| whole.detail != answer.detail) {
            return Err("it was answered in another way");
        }
        if self.ended.get(&answer.entry) != answer.ended.as_ref() {
            return Err("its outcome is not the one among the entries");
        }
        let shown = approval.shown.as_ref().map(|shown| &shown.text);
        if let Some(asked) = self.amendments.get(&answer.detail)
            && answer.means == AnswerMeans::Amendment
            && shown.is_some_and(|shown| !shown.contains(*asked))
        {
            return Err("it was answered by an amendment that asks for something else");
        }
        let Some(second) = answer.second else {
            return Ok(());
        };
        let second = about(second)?;
        let Some(first) = &approval.first else {
            return Err("it has a second approval without a first one");
        };
        let is_second = (&*second.action, &second.name) == (SECOND, &answer.by)
            && second.number > first.entry
            && first.by != answer.by
            && answer.means == AnswerMeans::Person;
        match is_second {
            true => Ok(()),
            false => Err("somebody else approved second"),
        }
    }
}
