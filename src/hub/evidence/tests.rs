//! Evidence that was changed.

use super::verify::{Verified, verify_evidence};
use super::{
    About, AnswerEvidence, ApprovalAbout, ApprovalEvidence, EVIDENCE_FORMAT, EntryEvidence,
    Evidence, PrivateEvidence, ShownEvidence, evidence_page,
};
use crate::hub::parts::approval::token_of;
use crate::journal::{AuditEntry, hash_of};

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
    let token = |shown: &ShownEvidence| token_of("abc", &shown.calls, &shown.content, &shown.text);
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
