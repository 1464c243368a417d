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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::evidence::{
        About, AnswerEvidence, ApprovalAbout, PrivateEvidence, ShownEvidence, evidence_page,
    };

    fn linked(entry: AuditEntry, number: i64, before: &str) -> EntryEvidence {
        EntryEvidence {
            number,
            before: before.to_owned(),
            hash: hash_of(before, number, &entry),
            at: entry.at,
            name: entry.name,
            action: entry.action,
            digest: entry.digest,
            outcome: entry.outcome,
            about: entry.about,
            private: Some(PrivateEvidence {
                person: entry.person,
                address: entry.address,
                detail: entry.detail,
            }),
        }
    }

    /// An approval between whose entries another conversation has one, and one by a rule.
    fn evidence() -> Evidence {
        let shown = |text: &str| ShownEvidence {
            calls: "[[\"7\",\"f\"]]".to_owned(),
            content: "c0".repeat(32),
            text: text.to_owned(),
        };
        let (one, two) = (shown("### Run\n\nmake \"<x>\""), shown("### Run\n\nls"));
        let token =
            |shown: &ShownEvidence| token_of("abc", &shown.calls, &shown.content, &shown.text);
        let entry = |action: &str, digest: &str, outcome: &str, about| AuditEntry {
            at: 1_763_694_245_678,
            person: 3,
            name: "ada".to_owned(),
            address: "192.0.2.7".to_owned(),
            action: action.to_owned(),
            conversation: "abc".to_owned(),
            digest: digest.to_owned(),
            detail: "d".to_owned(),
            outcome: outcome.to_owned(),
            about,
        };
        let first = linked(entry("approve", &token(&one), "begun", 0), 1, "");
        let second = linked(
            entry("approve", &token(&one), "done", 1),
            3,
            &"ab".repeat(32),
        );
        let third = linked(
            entry("approve by rule", &token(&two), "begun", 0),
            4,
            &second.hash,
        );
        let approval = |shown: ShownEvidence, entry, ended, by_rule| ApprovalEvidence {
            token: token(&shown),
            shown: Some(shown),
            answer: Some(AnswerEvidence {
                entry,
                ended,
                approved: true,
                by_rule,
                by: "ada".to_owned(),
            }),
            unchecked: ApprovalAbout::default(),
        };
        Evidence {
            format: EVIDENCE_FORMAT.to_owned(),
            conversation: "abc".to_owned(),
            approvals: vec![
                approval(one, 1, Some(3), false),
                approval(two, 4, None, true),
            ],
            entries: vec![first, second, third],
            unchecked: About::default(),
        }
    }

    #[test]
    fn a_file_is_checked_as_json_and_as_a_page() {
        let evidence = evidence();
        let json = serde_json::to_string_pretty(&evidence).expect("plain data");
        let good = Verified {
            entries: 3,
            approvals: 2,
            seen: true,
            ..Verified::default()
        };
        assert_eq!(verify_evidence(&json, None), Ok(good));
        assert_eq!(verify_evidence(&evidence_page(&evidence), None), Ok(good));
        let seen = verify_evidence(&json, Some(&evidence.entries[1].before));
        assert_eq!(seen, Ok(good));
        let unseen = verify_evidence(&json, Some("0"));
        assert!(unseen.is_ok_and(|verified| !verified.seen));
    }

    #[test]
    fn every_changed_byte_of_a_checked_field_is_found() {
        let evidence = evidence();
        let json = serde_json::to_string(&evidence).expect("plain data");
        let good = verify_evidence(&json, None).expect("it is good");
        // What no hash covers stands in objects of this name.
        let mut free = vec![false; json.len()];
        for (at, name) in json.match_indices("\"unchecked\":") {
            let (mut depth, from) = (0, at + name.len());
            for (offset, byte) in json[from..].bytes().enumerate() {
                depth += i32::from(byte == b'{') - i32::from(byte == b'}');
                free[from + offset] = true;
                if depth == 0 {
                    break;
                }
            }
        }
        let mut tried = 0;
        for at in (0..json.len()).filter(|at| !free[*at]) {
            for new in [
                b'0',
                b'1',
                b'9',
                b'a',
                b'Z',
                b'"',
                b' ',
                b'\\',
                b'{',
                json.as_bytes()[at] ^ 1,
            ] {
                let mut bytes = json.clone().into_bytes();
                if std::mem::replace(&mut bytes[at], new) == new {
                    continue;
                }
                let Ok(changed) = String::from_utf8(bytes) else {
                    continue;
                };
                tried += 1;
                let verified = verify_evidence(&changed, None);
                // A blank more or less says the same.
                let is_same =
                    serde_json::from_str::<Evidence>(&changed).is_ok_and(|read| read == evidence);
                assert!(
                    is_same || verified != Ok(good),
                    "byte {at} as {:?}: {verified:?}\n{}",
                    new as char,
                    &changed[at.saturating_sub(60)..(at + 20).min(changed.len())]
                );
            }
        }
        assert!(tried > 10_000, "{tried}");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let mut evidence = evidence();
        evidence.entries[1].name = "eve".to_owned();
        let json = serde_json::to_string_pretty(&evidence).expect("plain data");
        let wrong = verify_evidence(&json, None).expect_err("it was changed");
        let at = json.find(&evidence.entries[1].hash).expect("it is there") - 1;
        assert_eq!(
            wrong,
            format!("byte {at}: entry 3: it does not match its hash")
        );
        let cut = verify_evidence(&json[..40], None).expect_err("it was cut off");
        assert!(
            cut.starts_with("byte ") && cut.contains("no evidence"),
            "{cut}"
        );
    }
}
