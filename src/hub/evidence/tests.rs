//! Evidence that was changed.
//!
//! Long because all tests share one file with everything that can be in one.

use super::verify::{Verified, verify_evidence};
use super::{
    About, AmendmentEvidence, AnswerEvidence, AnswerMeans, ApprovalAbout, ApprovalEvidence,
    EVIDENCE_FORMAT, EntryEvidence, Evidence, FirstEvidence, RanEvidence, ShownEvidence,
    WholeEntry, evidence_json, evidence_page, limits,
};
use crate::hub::parts::approval::token_of;
use crate::journal::{AuditEntry, TOUCHED, hash_of};
use crate::people::Proof;

const AT: i64 = 1_763_694_245_678;
/// A page of the present format.
const PAGE: &str = "src/hub/evidence/format-1.html";

/// What a passkey of the person 3 has signed for "make deploy".
const PROOF: &str = r#"{"place":"box.lan","credential":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","publicKey":{"type_":"ES256","key":{"EC_EC2":{"curve":"SECP256R1","x":"GsJX6Io-L8XbbrTx2PgfdpZORLqH1e5OU1G-TYnR1yk","y":"8YagG5lML632e59fpTWY1P_vP-sJ9XGNZRygmClb6i0"}}},"shown":"c4451543c4deea673701e1c95a45660568ca980cb8918c24dc118f203dbf18fc","nonce":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8","authenticatorData":"VWZZHCeMK5zNJmdsajmrHO043wR0NEWHKsmX9dPbX70FAAAAAA","clientDataJSON":"eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoicU0zeTJ2b29iZTVkeE5HYXItWjVqMkhGOG9GbVZZVWpnVHJNeU4tTktxQSIsIm9yaWdpbiI6Imh0dHBzOi8vYm94LmxhbiIsImNyb3NzT3JpZ2luIjpmYWxzZX0","signature":"MEUCIQCRMhhqHS-eulknReUKP9R9hOQ9YWNtu6SKMYBCGG5jmQIgXWtJG2Yfc0R_GmkrCYCiWV4BJlrUL468q8QGrnQg0to"}"#;

/// Puts a log together.
#[derive(Default)]
struct Log {
    entries: Vec<EntryEvidence>,
    hash: String,
    number: i64,
}

impl Log {
    /// An entry; returns its number.
    fn add(&mut self, (action, name, detail): (&str, &str, &str), digest: &str, about: i64) -> i64 {
        let entry = AuditEntry {
            at: AT + self.number * 1_000,
            person: 3,
            name: name.to_owned(),
            address: "192.0.2.7".to_owned(),
            action: action.to_owned(),
            conversation: "abc".to_owned(),
            digest: digest.to_owned(),
            detail: detail.to_owned(),
            outcome: if about == 0 { "begun" } else { "done" }.to_owned(),
            about,
        };
        let number = self.number + 1;
        let last = self.entries.last().map(|last| last.number);
        let hash = hash_of(&self.hash, number, &entry);
        let is_first = last != Some(self.number) && number > 1;
        let before = std::mem::replace(&mut self.hash, hash);
        self.number = number;
        self.entries.push(EntryEvidence {
            number,
            at: entry.at,
            name: entry.name,
            action: entry.action,
            digest: entry.digest,
            outcome: entry.outcome,
            about,
            whole: Some(WholeEntry {
                before: is_first.then_some(before),
                hash: self.hash.clone(),
                person: entry.person,
                address: entry.address,
                detail: entry.detail,
            }),
        });
        number
    }

    fn add_done(&mut self, what: (&str, &str, &str), digest: &str) -> (i64, i64) {
        let begun = self.add(what, digest, 0);
        (begun, self.add(what, digest, begun))
    }

    /// An entry about another conversation.
    fn skip(&mut self) {
        self.number += 1;
        self.hash = hash_of(&self.hash, self.number, &AuditEntry::default());
    }
}

fn shown(text: &str) -> ShownEvidence {
    ShownEvidence {
        calls: "[[\"7\",\"f\"]]".to_owned(),
        content: "c0".repeat(32),
        text: text.to_owned(),
    }
}

/// Approvals by two people, by a rule, by an amendment of what was rejected, and with a passkey, and what nobody answered in time;
/// entries about something else are between.
fn evidence() -> Evidence {
    let texts = [
        "make \"<x>\"",
        "ls",
        "rm -r x",
        "rm x",
        "make deploy",
        "make x",
    ];
    let shown = texts.map(|text| shown(&format!("### Run\n\n```\n{text}\n```")));
    let token = |at: usize| {
        let ShownEvidence {
            calls,
            content,
            text,
        } = &shown[at];
        token_of("abc", calls, content, text)
    };
    let mut log = Log::default();
    let approval = |at: usize, answer: AnswerEvidence| ApprovalEvidence {
        token: token(at),
        shown: Some(shown[at].clone()),
        first: None,
        answer: Some(answer),
        unchecked: ApprovalAbout {
            asked_at: AT - 1_000,
            state: "approved".to_owned(),
            ..ApprovalAbout::default()
        },
    };
    let answer = |by: &str, (entry, ended): (i64, i64)| AnswerEvidence {
        entry,
        ended: Some(ended),
        second: None,
        touch: None,
        approved: true,
        means: AnswerMeans::Person,
        by: by.to_owned(),
        detail: String::new(),
    };

    let begun = log.add(("approve", "ada", ""), &token(0), 0);
    let (first, _) = log.add_done(("first approval", "ada", ""), &token(0));
    log.add(("approve", "ada", ""), &token(0), begun);
    log.skip();
    let begun = log.add(("approve", "bob", ""), &token(0), 0);
    let (second, _) = log.add_done(("second approval", "bob", "after ada"), &token(0));
    let ended = log.add(("approve", "bob", ""), &token(0), begun);
    let mut two = approval(0, answer("bob", (begun, ended)));
    two.first = Some(FirstEvidence {
        entry: first,
        touch: None,
        by: "ada".to_owned(),
    });
    two.answer.as_mut().expect("it has one").second = Some(second);
    two.unchecked.ran.push(RanEvidence {
        row: 7,
        text: "### Run\n\n```\nmake \"<x>\"\n```".to_owned(),
        cut: true,
    });

    let rule = "rule 3: “ls” with any arguments";
    let ends = log.add_done(("approve by rule", "ada", rule), &token(1));
    let mut by_rule = answer("ada", ends);
    (by_rule.means, by_rule.detail) = (AnswerMeans::Rule, rule.to_owned());
    let by_rule = approval(1, by_rule);

    let ends = log.add_done(("amend", "ada", ""), &token(2));
    let mut rejected = answer("ada", ends);
    rejected.approved = false;
    let mut rejected = approval(2, rejected);
    rejected.unchecked.state = "rejected".to_owned();
    rejected.unchecked.amendment = Some(AmendmentEvidence {
        number: 5,
        text: "rm x".to_owned(),
        made_at: AT,
        expires_at: AT + 600_000,
    });
    log.skip();
    log.skip();
    let ends = log.add_done(("approve as amended", "ada", "amendment 5"), &token(3));
    let mut amended = answer("ada", ends);
    (amended.means, amended.detail) = (AnswerMeans::Amendment, "amendment 5".to_owned());
    let mut amended = approval(3, amended);
    amended.unchecked.as_amended = Some(true);
    let begun = log.add(("approve", "cyd", ""), &token(4), 0);
    let touch = log.add((TOUCHED, "cyd", PROOF), &token(4), 0);
    log.add((TOUCHED, "cyd", ""), &token(4), touch);
    let ended = log.add(("approve", "cyd", ""), &token(4), begun);
    let mut touched = approval(4, answer("cyd", (begun, ended)));
    touched.answer.as_mut().expect("it has one").touch = Some(touch);

    let late = "nobody answered in 20 minutes";
    log.add_done(("escalate", "Handrail", "to bea"), &token(5));
    let ends = log.add_done(("reject unanswered", "Handrail", late), &token(5));
    let mut unanswered = answer("Handrail", ends);
    (unanswered.means, unanswered.detail) = (AnswerMeans::Deadline, late.to_owned());
    unanswered.approved = false;
    let mut unanswered = approval(5, unanswered);
    unanswered.unchecked.state = "rejected".to_owned();
    unanswered.unchecked.reason = late.to_owned();
    // A repetition of another answer.
    log.add_done(("approve", "eve", "from notification"), &token(0));

    let mut evidence = Evidence {
        format: EVIDENCE_FORMAT.to_owned(),
        conversation: "abc".to_owned(),
        approvals: vec![two, by_rule, rejected, amended, touched, unanswered],
        entries: log.entries,
        not_proven: Vec::new(),
        unchecked: About {
            title: "Tidy up".to_owned(),
            made_at: AT + 90_000,
            complete: true,
            ..About::default()
        },
    };
    evidence.not_proven = limits::not_proven(&evidence);
    evidence
}

/// Checks a file that nobody has changed.
fn checked(text: &str) -> Verified {
    verify_evidence(text, None).expect("nobody has changed it")
}

/// Whether a hash counts as seen.
fn has_seen(text: &str, hash: &str) -> bool {
    let verified = verify_evidence(text, Some(hash));
    verified.expect("nobody has changed it").seen
}

#[test]
fn a_file_is_checked_as_json_and_as_a_page() {
    let evidence = evidence();
    let last = evidence.entries.last().expect("there are some");
    let whole = last.whole.as_ref().expect("it is whole");
    let good = Verified {
        entries: 24,
        approvals: 6,
        last: (last.number, whole.hash.clone()),
        not_proven: evidence.not_proven.clone(),
        seen: true,
        ..Verified::default()
    };
    assert_eq!(checked(&evidence_json(&evidence)), good);
    let is_page = true;
    assert_eq!(
        checked(&evidence_page(&evidence)),
        Verified { is_page, ..good }
    );
}

#[test]
fn a_page_of_this_format_stays_as_it_is() {
    // Whoever changes the page gives it another format, and keeps this one for the files that people have.
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let made = evidence_page(&evidence());
    if std::env::var_os("HANDRAIL_WRITE_EVIDENCE").is_some() {
        std::fs::write(&path, &made).expect("it can be written");
        panic!("{PAGE} was written: a page is compared without HANDRAIL_WRITE_EVIDENCE");
    }
    let page = std::fs::read_to_string(&path).expect("it is in the repository");
    assert!(page == made, "the page of {EVIDENCE_FORMAT} has changed");
    assert_eq!((checked(&page).approvals, checked(&page).entries), (6, 24));
}

#[test]
fn a_hash_is_seen_only_where_it_was_computed() {
    let mut evidence = evidence();
    let last = evidence.entries.len() - 1;
    let withheld = evidence.entries[last].whole.take().expect("it was whole");
    evidence.not_proven = limits::not_proven(&evidence);
    let json = evidence_json(&evidence);
    let wholes = evidence
        .entries
        .iter()
        .filter_map(|entry| entry.whole.as_ref());
    let (mut computed, mut others) = (0, 0);
    for whole in wholes {
        assert!(has_seen(&json, &whole.hash));
        computed += 1;
        // What the file says of entries that it does not have.
        if let Some(before) = &whole.before {
            assert!(!has_seen(&json, before));
            others += 1;
        }
    }
    assert_eq!((computed, others), (23, 2));
    assert!(!has_seen(&json, &withheld.hash) && !has_seen(&json, ""));
}

#[test]
fn a_changed_byte_of_the_page_is_found() {
    let page = evidence_page(&evidence());
    assert_eq!(checked(&page).approvals, 6);
    let data = page.find("<script").expect("it has its JSON");
    let mut tried = 0;
    let places = page.char_indices().filter(|(_, letter)| letter.is_ascii());
    // Another test changes every byte of the JSON.
    for (at, letter) in places.filter(|(at, _)| *at < data || at % 7 == 0) {
        let mut changed = page.clone();
        changed.replace_range(at..=at, if letter == 'x' { "y" } else { "x" });
        tried += 1;
        let verified = verify_evidence(&changed, None);
        assert!(verified.is_err(), "byte {at}: {verified:?}");
    }
    assert!(tried > data, "{tried}");
    for changed in [
        page.replace("Second approval", "Approved"),
        page.replace("</main>", "<p>And so on.</p></main>"),
        page.replace("</style>", "article{display:none}</style>"),
        page.replacen("<h2>", "<h2 hidden>", 1),
        format!("{page} "),
        format!("\n{page}"),
    ] {
        assert_ne!(changed, page);
        let wrong = verify_evidence(&changed, None).expect_err("it was changed");
        assert!(wrong.contains("byte ") && wrong.contains("JSON"), "{wrong}");
    }
}

#[test]
fn every_changed_byte_of_a_checked_field_is_found() {
    let evidence = evidence();
    let json = serde_json::to_string(&evidence).expect("plain data");
    let good = checked(&json);
    assert_eq!((good.approvals, good.entries), (6, 24));
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
        for new in [b'1', b'"', json.as_bytes()[at] ^ 1] {
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
                is_same || verified.as_ref() != Ok(&good),
                "byte {at} as {:?}: {verified:?}\n{}",
                new as char,
                String::from_utf8_lossy(&changed.as_bytes()[at.saturating_sub(60)..][..80])
            );
        }
    }
    assert!(tried > 10_000, "{tried}");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let mut evidence = evidence();
    evidence.entries[1].name = "eve".to_owned();
    let json = evidence_json(&evidence);
    let wrong = verify_evidence(&json, None).expect_err("it was changed");
    let whole = evidence.entries[1].whole.as_ref().expect("it is whole");
    let at = json.find(&whole.hash).expect("it is there") - 1;
    assert_eq!(
        wrong,
        format!("byte {at}: entry 2: it does not match its hash")
    );
    let cut = verify_evidence(&json[..40], None).expect_err("it was cut off");
    assert!(
        cut.starts_with("byte ") && cut.contains("no evidence"),
        "{cut}"
    );
}

#[test]
fn what_an_approval_says_of_its_answer_is_compared_with_the_entries() {
    fn answer(evidence: &mut Evidence, at: usize) -> &mut AnswerEvidence {
        evidence.approvals[at].answer.as_mut().expect("it has one")
    }
    type Change = fn(&mut Evidence);
    let changes: [(&str, Change); 17] = [
        ("its answer is to something else", |all| {
            answer(all, 1).entry = 1
        }),
        ("its answer is not among the entries", |all| {
            answer(all, 1).entry = 99
        }),
        ("it was answered differently", |all| {
            answer(all, 1).means = AnswerMeans::Person;
        }),
        ("it was answered differently", |all| {
            answer(all, 2).approved = true
        }),
        ("somebody else answered", |all| {
            answer(all, 0).by = "eve".to_owned()
        }),
        ("it was answered in another way", |all| {
            answer(all, 1).detail = "rule 4: anything".to_owned();
        }),
        ("its outcome is not the one", |all| {
            answer(all, 0).ended = None
        }),
        ("somebody else approved first", |all| {
            all.approvals[0].first.as_mut().expect("it has one").by = "eve".to_owned();
        }),
        ("second approval without a first", |all| {
            all.approvals[0].first = None
        }),
        ("somebody else approved second", |all| {
            let first = all.approvals[0].first.as_ref().expect("it has one").entry;
            answer(all, 0).second = Some(first);
        }),
        ("have an answer that it does not have", |all| {
            all.approvals[1].answer = None;
        }),
        ("have an answer that it does not have", |all| {
            (all.approvals[0].first, all.approvals[0].answer) = (None, None);
        }),
        ("it was the second of two", |all| {
            all.approvals[0].first = None;
            answer(all, 0).second = None;
        }),
        ("it was the second of two", |all| {
            answer(all, 0).second = None
        }),
        ("signed for it is not the one", |all| {
            answer(all, 4).touch = None
        }),
        ("asks for something else", |all| {
            let asked = all.approvals[2].unchecked.amendment.as_mut();
            asked.expect("it has one").text = "rm y".to_owned();
        }),
        ("it does not prove", |all| drop(all.not_proven.pop())),
    ];
    for (words, change) in changes {
        let mut evidence = evidence();
        change(&mut evidence);
        let wrong = verify_evidence(&evidence_json(&evidence), None);
        let wrong = wrong.expect_err("it was changed");
        assert!(wrong.contains(words), "{wrong}, not: {words}");
    }
}

#[test]
fn what_cannot_be_checked_is_said() {
    let mut all = evidence();
    // An answer whose approval is taken out, and an entry that is withheld.
    all.approvals.remove(1);
    all.approvals[0].shown = None;
    all.entries.last_mut().expect("there are some").whole = None;
    all.unchecked.complete = false;
    all.not_proven = limits::not_proven(&all);
    let verified = checked(&evidence_json(&all));
    let counts = (verified.approvals, verified.not_shown, verified.unknown);
    assert_eq!(counts, (4, 1, 1));
    assert_eq!((verified.entries, verified.withheld), (23, 1));
    let said = verified.not_proven.join("\n");
    for words in [
        "no signature",
        "nothing was left out",
        "\"unchecked\"",
        "cannot be checked: 1 of 24",
        "needs them: 2",
        "secrets: 1 of 5",
        "not whose it is",
        "This is not all",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(evidence_page(&all).contains("What this file does not prove"));
}

#[test]
fn an_entry_behind_one_that_is_withheld_has_no_hash_either() {
    let mut evidence = evidence();
    evidence.entries[1].whole = None;
    evidence.not_proven = limits::not_proven(&evidence);
    let wrong = verify_evidence(&evidence_json(&evidence), None).expect_err("it says too much");
    assert!(wrong.contains("entry 3: it does not follow"), "{wrong}");
}

#[test]
fn a_signature_for_something_else_is_found() {
    type Change = fn(&mut Proof);
    let changes: [(&str, Change); 5] = [
        ("cannot be read", |proof| proof.signature = String::new()),
        ("not one for it", |proof| proof.nonce.push('A')),
        ("not one for it", |proof| proof.shown = "0".repeat(64)),
        ("not one for it", |proof| {
            proof.place = "evil.lan".to_owned()
        }),
        ("not one for it", |proof| {
            proof.amended = Some("0".repeat(64))
        }),
    ];
    for (words, change) in changes {
        let mut proof: Proof = serde_json::from_str(PROOF).expect("JSON");
        change(&mut proof);
        let detail = match proof.signature.as_str() {
            "" => "{}".to_owned(),
            _ => serde_json::to_string(&proof).expect("plain data"),
        };
        let mut evidence = evidence();
        let touch = evidence.approvals[4].answer.as_ref();
        let touch = touch.and_then(|answer| answer.touch);
        // Whoever changes it computes all hashes again.
        let mut last: Option<(i64, String)> = None;
        for entry in &mut evidence.entries {
            let whole = entry.whole.as_mut().expect("it is whole");
            if Some(entry.number) == touch {
                whole.detail = detail.clone();
            }
            let content = AuditEntry {
                at: entry.at,
                person: whole.person,
                name: entry.name.clone(),
                address: whole.address.clone(),
                action: entry.action.clone(),
                conversation: "abc".to_owned(),
                digest: entry.digest.clone(),
                detail: whole.detail.clone(),
                outcome: entry.outcome.clone(),
                about: entry.about,
            };
            let before = last.filter(|(number, _)| number + 1 == entry.number);
            let before = before.map(|(_, hash)| hash).or(whole.before.clone());
            whole.hash = hash_of(&before.unwrap_or_default(), entry.number, &content);
            last = Some((entry.number, whole.hash.clone()));
        }
        let wrong = verify_evidence(&evidence_json(&evidence), None);
        let wrong = wrong.expect_err("another thing was signed");
        assert!(wrong.contains(words), "{wrong}, not: {words}");
    }
}

/// The facts of an approval on the page.
fn read(evidence: &Evidence, at: usize) -> String {
    let mut one = evidence.clone();
    one.approvals = vec![evidence.approvals[at].clone()];
    evidence_page(&one)
}

#[test]
fn a_page_says_who_touched_who_was_told_and_that_something_was_not_sent() {
    let mut all = evidence();
    assert!(read(&all, 4).contains("by cyd with a passkey (entry "));
    let late = read(&all, 5);
    assert!(late.contains("Deputies") && late.contains("to bea, "));
    let json = late.find("application/json").expect("it carries the JSON");
    assert!(!late[..json].contains("Reason"), "the deadline says it");
    // What eve repeats has no effect; the entry of a first approval is none, nor is an attempt that was refused.
    assert!(read(&all, 0).contains("by eve, "));
    let mut by_first = all.clone();
    let last_two = by_first.entries.iter_mut().rev().take(2);
    last_two.for_each(|entry| entry.name = "ada".to_owned());
    assert!(!read(&by_first, 0).contains("Repeated"));
    for entry in &mut all.entries {
        if entry.name == "eve" && entry.about > 0 {
            entry.outcome = "Nothing was sent".to_owned();
        }
        if entry.name == "cyd" && entry.about > 0 && entry.action == "approve" {
            entry.outcome = "Nothing was sent".to_owned();
        }
    }
    assert!(!read(&all, 0).contains("Repeated"));
    assert!(!read(&all, 4).contains("Not sent"));
    all.approvals[4].unchecked.state = "superseded".to_owned();
    assert!(read(&all, 4).contains("Not sent: approval"));
}
