//! Checks evidence, with nothing but the file.
//!
//! Long because entries and answers are checked by the same maps: what one finds, the other relies on.

use super::answers::{FIRST, SECOND, answer_of, counts_alone, touch_of};
use super::limits::not_proven;
use super::{
    AnswerMeans, ApprovalEvidence, EVIDENCE_FORMAT, EntryEvidence, Evidence, evidence_page,
};
use crate::hub::parts::approval::token_of;
use crate::journal::{AUDIT_DONE, AuditEntry, TOUCHED, hash_of, hash_of_shown};
use crate::people::Proof;
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
        let wrong = |what: &str| Err(format!("{}approval {token:?}: {what}", place(token)));
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
    /// Those with which something began, by their digest, oldest first.
    begun: HashMap<&'e str, Vec<&'e EntryEvidence>>,
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
            begun: HashMap::new(),
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
            match entry.about {
                0 => own.begun.entry(&entry.digest).or_default().push(entry),
                about => drop(own.ended.entry(about).or_insert(number)),
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

    /// The entries with which something began that is about this approval.
    fn begun(&self, approval: &ApprovalEvidence) -> impl Iterator<Item = &'e EntryEvidence> {
        let all = self.begun.get(&*approval.token);
        all.into_iter().flatten().copied()
    }

    fn is_done(&self, entry: &EntryEvidence) -> bool {
        let end = self.ended.get(&entry.number);
        end.is_some_and(|end| self.by_number[end].outcome == AUDIT_DONE)
    }

    /// Checks that the log has these answers to this approval, and no other one that counts.
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
            let is_touch = |own: &&EntryEvidence| {
                own.action == TOUCHED && (own.at, &own.name) == (entry.at, &entry.name)
            };
            let mut touches = self.begun(approval).filter(is_touch);
            let touch = touches.find(|touch| self.is_done(touch));
            self.check_touch(approval, first.touch, touch)?;
        }
        let Some(answer) = &approval.answer else {
            let firsts = self.begun(approval).filter(|entry| entry.action == FIRST);
            let firsts: HashSet<&str> = firsts.map(|entry| &*entry.name).collect();
            let counted = |entry: &EntryEvidence| {
                counts_alone(&entry.action, firsts.contains(&*entry.name)) && self.is_done(entry)
            };
            return match self.begun(approval).any(counted) {
                true => Err("the entries have an answer that it does not have"),
                false => Ok(()),
            };
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
        // What a person's answer is stored with stands between its entries.
        let between = answer.entry..answer.ended.unwrap_or(i64::MAX);
        let is_its = |own: &&EntryEvidence| {
            let is_by_person = answer.means == AnswerMeans::Person && own.name == answer.by;
            is_by_person && between.contains(&own.number)
        };
        let with = || self.begun(approval).filter(is_its);
        let touched = touch_of(answer.approved);
        let mut touches = with().filter(|own| own.action == touched);
        self.check_touch(
            approval,
            answer.touch,
            touches.find(|own| self.is_done(own)),
        )?;
        let second = with().find(|own| own.action == SECOND);
        match (second, answer.second, &approval.first) {
            (None, None, _) => Ok(()),
            (_, Some(_), None) => Err("it has a second approval without a first one"),
            (Some(_), None, _) => Err("it was the second of two approvals"),
            (Some(second), Some(number), Some(first))
                if second.number == number && number > first.entry && first.by != answer.by =>
            {
                Ok(())
            }
            _ => Err("somebody else approved second"),
        }
    }

    /// Checks that an answer has the signature that the entries have, and that a passkey has signed exactly this.
    fn check_touch(
        &self,
        approval: &ApprovalEvidence,
        said: Option<i64>,
        found: Option<&EntryEvidence>,
    ) -> Result<(), &'static str> {
        if said != found.map(|entry| entry.number) {
            return Err("what a passkey has signed for it is not the one among the entries");
        }
        let Some((entry, whole)) = found.and_then(|own| Some((own, own.whole.as_ref()?))) else {
            return Ok(());
        };
        let proof: Proof = serde_json::from_str(&whole.detail)
            .map_err(|_| "what a passkey has signed for it cannot be read")?;
        let is_amended = entry.action != TOUCHED;
        if proof.check(whole.person, &approval.token).is_err()
            || proof.amended.is_some() != is_amended
        {
            return Err("its signature is not one for it");
        }
        match &approval.shown {
            Some(shown) if hash_of_shown(&shown.text) != proof.shown => {
                Err("a passkey has signed another text")
            }
            _ => Ok(()),
        }
    }
}
