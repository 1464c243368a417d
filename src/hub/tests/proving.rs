//! Evidence of what people, rules, amendments and deadlines have answered: whom the file names, and what it keeps to itself.
//!
//! Long because all tests share the helpers that read a file.

use super::*;
use crate::hub::{evidence_json, evidence_page, verify_evidence};
use crate::journal::{ApprovalState, AuditEntry, AuditFilter, Claim, NewAnswer, Verdict as Judged};
use crate::live::{Decision, Secrets};
use crate::people::Reach;
use serde_json::{Value, json};

const SECRET: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123";

impl House {
    /// The file as text, JSON and HTML.
    async fn files(&self, by: &Caller, secrets: Secrets) -> (String, String) {
        let made = |form| self.exports.evidence(by, ID, secrets, form);
        let (json, page) = (made(evidence_json).await, made(evidence_page).await);
        (json.expect("healthy"), page.expect("healthy"))
    }

    /// The file with secrets masked, which holds what it says: so many approvals and entries can be checked.
    async fn evidence(&self, by: &Caller, approvals: usize, entries: usize) -> Value {
        let (json, page) = self.files(by, Secrets::Mask).await;
        for text in [&json, &page] {
            let verified = verify_evidence(text, None).expect("nobody has changed it");
            assert_eq!((verified.approvals, verified.entries), (approvals, entries));
        }
        serde_json::from_str(&json).expect("JSON")
    }

    async fn answers(&self, by: &Caller, token: &str, decision: Decision) {
        let answered = self.commands.answer(by, ID, token, decision, "");
        answered.await.expect("it counts");
    }
}

/// The approval with this token.
fn of<'v>(evidence: &'v Value, token: &str) -> &'v Value {
    let all = evidence["approvals"].as_array().expect("a list");
    let found = all.iter().find(|approval| approval["token"] == token);
    found.unwrap_or_else(|| panic!("{token}: {evidence:#}"))
}

/// The time of the entry with this number.
fn time_of(evidence: &Value, number: &Value) -> i64 {
    let all = evidence["entries"].as_array().expect("a list");
    let found = all.iter().find(|entry| entry["number"] == *number);
    found.expect("it is there")["at"].as_i64().expect("a time")
}

#[tokio::test]
async fn the_file_names_who_answered_and_not_who_repeats_it() {
    let house = live_house().await;
    let (ada, bob) = (
        person(&house, "ada", "approver").await,
        person(&house, "bob", "operator").await,
    );
    let token = house.ask("make").await;
    house.answers(&ada, &token, Decision::Approve).await;
    house.answers(&bob, &token, Decision::Approve).await;
    house.carry_out("make", true).await;
    let evidence = house.evidence(me(), 1, 4).await;
    assert_eq!(of(&evidence, &token)["answer"]["by"], "ada");
}

#[tokio::test]
async fn both_approvers_are_named_with_their_times() {
    let house = live_house().await;
    house.authority(super::approving::TWO).await;
    let (ada, bob) = (
        person(&house, "ada", "approver").await,
        person(&house, "bob", "operator").await,
    );
    let token = house.asks_high("make deploy").await;
    house.answers(&ada, &token, Decision::Approve).await;
    tokio::time::sleep(Duration::from_millis(3)).await;
    house.answers(&bob, &token, Decision::Approve).await;
    house.carry_out("make deploy", true).await;
    let evidence = house.evidence(me(), 1, 8).await;
    let approval = of(&evidence, &token);
    assert_eq!(approval["first"]["by"], "ada");
    assert_eq!(approval["answer"]["by"], "bob");
    assert!(approval["answer"]["second"].is_number(), "{approval:#}");
    let times = [&approval["first"]["entry"], &approval["answer"]["second"]];
    let times = times.map(|number| time_of(&evidence, number));
    assert!(times[0] < times[1], "{times:?}");
    let (_, page) = house.files(me(), Secrets::Mask).await;
    assert!(
        page.contains("First approval") && page.contains("by ada"),
        "{page}"
    );
}

#[tokio::test]
async fn an_amendment_is_there_with_its_text_and_what_ran_for_it() {
    let house = live_house().await;
    let ada = person(&house, "ada", "approver").await;
    let first = house.ask("rm -rf build").await;
    house.amends(&ada, &first, "rm -rf build/tmp").await;
    house.reads("rm -rf build", "rm -rf build/tmp").await;
    let asked = house.asks(|id| asks(id, "rm -rf build/tmp")).await;
    assert_eq!(asked, None, "nobody is asked");
    house.carry_out("rm -rf build/tmp", true).await;
    let evidence = house.evidence(me(), 2, 4).await;
    let rejected = of(&evidence, &first);
    assert_eq!(rejected["answer"]["by"], "ada");
    assert_eq!(rejected["answer"]["approved"], false);
    let amendment = &rejected["unchecked"]["amendment"];
    assert_eq!(amendment["text"], "rm -rf build/tmp");
    let approved = &evidence["approvals"][1];
    assert_eq!(approved["answer"]["means"], "amendment");
    assert_eq!(approved["answer"]["by"], "ada");
    assert_eq!(
        approved["answer"]["detail"],
        format!("amendment {}", amendment["number"])
    );
    assert_eq!(approved["unchecked"]["as_amended"], true);
    let (_, page) = house.files(me(), Secrets::Mask).await;
    assert!(page.contains("Asked for instead"), "{page}");
}

#[tokio::test]
async fn a_rule_is_named_by_its_number_and_what_it_allows() {
    let house = live_house().await;
    let number = house
        .rule(super::ruling::about("pytest", crate::rules::Rest::Anything))
        .await;
    assert_eq!(house.asks(|id| asks(id, "pytest -q")).await, None);
    house.carry_out("pytest -q", true).await;
    // Whoever may read gets its words, too.
    let vera = person(&house, "vera", "viewer").await;
    for (by, entries) in [(me(), 4), (&vera, 0)] {
        let evidence = house.evidence(by, 1, entries).await;
        let answer = &evidence["approvals"][0]["answer"];
        assert_eq!(answer["means"], "rule");
        assert_eq!(
            answer["detail"],
            format!("rule {number}: “pytest” with any arguments")
        );
    }
}

#[tokio::test]
async fn others_than_owners_get_no_hash_by_which_an_address_could_be_guessed() {
    let house = live_house().await;
    let vera = person(&house, "vera", "viewer").await;
    let token = house.ask("make").await;
    house.answers(me(), &token, Decision::Approve).await;
    house.carry_out("make", true).await;
    let journal = &house.catalogue.journal;
    let all = journal.audit(AuditFilter::default(), 100).await;
    let hashes: Vec<String> = all
        .expect("healthy")
        .into_iter()
        .map(|record| record.hash)
        .collect();
    assert_eq!(hashes.len(), 2);
    house.evidence(&vera, 1, 0).await;
    let (json, page) = house.files(&vera, Secrets::Mask).await;
    for text in [json, page] {
        assert!(!hashes.iter().any(|hash| text.contains(hash)), "{text}");
        assert!(text.contains(&token), "{text}");
    }
}

#[tokio::test]
async fn a_secret_of_an_outcome_is_masked_and_no_hash_confirms_a_guess_of_it() {
    let house = live_house().await;
    let token = house.ask("make").await;
    house.answers(me(), &token, Decision::Approve).await;
    house.carry_out("make", true).await;
    let journal = &house.catalogue.journal;
    let mut entry = AuditEntry {
        at: crate::clock::now(),
        name: "local".to_owned(),
        action: "rename".to_owned(),
        conversation: ID.to_owned(),
        outcome: "begun".to_owned(),
        ..AuditEntry::default()
    };
    entry.about = journal.note(entry.clone()).await.expect("healthy");
    entry.outcome = format!("Nothing was sent: https://x:{SECRET}@github.com");
    journal.note(entry.clone()).await.expect("healthy");
    // What follows at once has the hash before it in its own.
    entry.about = 0;
    entry.outcome = "begun".to_owned();
    journal.note(entry).await.expect("healthy");
    let all = journal
        .audit(AuditFilter::default(), 2)
        .await
        .expect("healthy");
    let evidence = house.evidence(me(), 1, 3).await;
    assert_eq!(evidence["entries"].as_array().map(Vec::len), Some(5));
    let (json, page) = house.files(me(), Secrets::Mask).await;
    for text in [&json, &page] {
        assert!(
            !text.contains(SECRET) && text.contains("[masked:"),
            "{text}"
        );
        assert!(
            !all.iter().any(|record| text.contains(&record.hash)),
            "{text}"
        );
    }
    let (json, _) = house.files(me(), Secrets::Keep).await;
    assert!(json.contains(SECRET), "{json}");
    let verified = verify_evidence(&json, None).expect("nobody has changed it");
    assert_eq!((verified.approvals, verified.entries), (1, 5));
}

#[tokio::test]
async fn an_answer_that_was_not_sent_is_none() {
    let house = live_house().await;
    let token = house.ask("make").await;
    house.fake.obey(Obedience::Refuses);
    let refused = house.answer(&token, Decision::Approve).await;
    assert!(matches!(refused, Err(HubError::NotSent(_))), "{refused:?}");
    let evidence = house.evidence(me(), 1, 2).await;
    let approval = of(&evidence, &token);
    assert_eq!(approval["answer"], json!(null));
    assert_eq!(approval["unchecked"]["state"], "open");
}

#[tokio::test]
async fn a_secret_of_an_action_is_masked_wherever_it_stands() {
    let house = live_house().await;
    let command = format!("git push https://x:{SECRET}@github.com");
    let mut event = asks(house.fake.next_id() + 1, &command);
    event["args"]["password"] = json!("hunter\"2 battery");
    let token = house.asks(|_| event).await.expect("people are asked");
    house.answers(me(), &token, Decision::Approve).await;
    house.carry_out(&command, true).await;
    let evidence = house.evidence(me(), 0, 2).await;
    let approval = of(&evidence, &token);
    assert_eq!(approval["shown"], json!(null));
    let masked = approval["unchecked"]["masked_text"].as_str();
    assert!(
        masked.is_some_and(|text| text.contains("git push")),
        "{approval:#}"
    );
    assert!(
        approval["unchecked"]["ran"][0]["text"].is_string(),
        "{approval:#}"
    );
    let (json, page) = house.files(me(), Secrets::Mask).await;
    for text in [&json, &page] {
        assert!(
            !text.contains(SECRET) && !text.contains("hunter") && !text.contains("battery"),
            "{text}"
        );
    }
    let (json, page) = house.files(me(), Secrets::Keep).await;
    for text in [&json, &page] {
        assert!(text.contains(SECRET) && text.contains("hunter"), "{text}");
        let verified = verify_evidence(text, None).expect("nobody has changed it");
        assert_eq!((verified.approvals, verified.entries), (1, 2));
    }
}

#[tokio::test]
async fn what_is_not_read_to_its_end_is_not_shown_where_secrets_are_masked() {
    let house = live_house().await;
    let id = house.fake.next_id();
    let mut second = asks(id + 1, "make two");
    second["args"]["password"] = json!("correct battery");
    let wait = state(id + 2, "awaiting_user_confirmation");
    house.fake.emit([asks(id, "make one"), second, wait]);
    let both = house.until(|session| {
        let rows = session.approval.as_ref().map(|approval| &approval.rows);
        rows.is_some_and(|rows| rows.len() == 2)
    });
    let token = both.await.approval.expect("it waits").token;
    house.answers(me(), &token, Decision::Approve).await;
    house.fake.emit([
        steers(id + 3, "user_confirmed"),
        prints(id + 4, id, &"x".repeat(5 << 20)),
        state(id + 5, "running"),
    ]);
    house.until(|session| session.approval.is_none()).await;
    let evidence = house.evidence(me(), 0, 2).await;
    let approval = of(&evidence, &token);
    assert_eq!(approval["shown"], json!(null));
    assert_eq!(approval["unchecked"]["masked_text"], json!(null));
    assert!(!evidence.to_string().contains("correct battery"));
    let (json, _) = house.files(me(), Secrets::Keep).await;
    assert!(json.contains("correct battery"), "{json}");
}

#[tokio::test]
async fn what_was_kept_back_is_not_told_as_sent() {
    let house = live_house().await;
    let token = house.ask("make").await;
    let journal = &house.catalogue.journal;
    let mut entry = AuditEntry {
        at: crate::clock::now(),
        name: "ada".to_owned(),
        action: "approve".to_owned(),
        conversation: ID.to_owned(),
        digest: token.clone(),
        outcome: "begun".to_owned(),
        ..AuditEntry::default()
    };
    entry.about = journal.note(entry.clone()).await.expect("healthy");
    let answer = NewAnswer {
        approved: true,
        reason: String::new(),
        by: "ada".to_owned(),
        entry: entry.clone(),
        amendment: None,
        touch: None,
    };
    let claimed = journal.claim(ID, &token, answer, |_| Judged::Send);
    assert_eq!(claimed.await.expect("healthy"), Claim::Won);
    let kept_back = journal.resolve_answer(ID, &token, ApprovalState::Superseded);
    kept_back.await.expect("healthy");
    entry.outcome = "Nothing was sent: something else waits.".to_owned();
    journal.note(entry).await.expect("healthy");
    let evidence = house.evidence(me(), 1, 2).await;
    let approval = of(&evidence, &token);
    assert_eq!(approval["answer"]["by"], "ada");
    assert_eq!(approval["unchecked"]["ran"], json!([]));
    let (_, page) = house.files(me(), Secrets::Mask).await;
    assert!(
        page.contains("Not sent: approval") && !page.contains("Approved"),
        "{page}"
    );
}

#[tokio::test]
async fn a_deadline_says_what_it_waited_for_and_who_was_told() {
    let house = live_house().await;
    person(&house, "bea", "approver").await;
    house.escalates("bea", 5, Some(20)).await;
    let token = house.ask("make deploy").await;
    house.minutes_pass(5).await;
    house.minutes_pass(15).await;
    house.ordered(1).await;
    house.carry_out("make deploy", false).await;
    let evidence = house.evidence(me(), 1, 4).await;
    let answer = &of(&evidence, &token)["answer"];
    assert_eq!(answer["means"], "deadline");
    assert_eq!(answer["approved"], false);
    assert_eq!(answer["detail"], "nobody answered in 20 minutes");
    let (_, page) = house.files(me(), Secrets::Mask).await;
    assert!(
        page.contains("Deputies") && page.contains("to bea, "),
        "{page}"
    );
}

#[tokio::test]
async fn a_touch_is_told_to_everybody_and_its_signature_is_checked() {
    let house = live_house().await;
    let ada = house.with_passkey("ada").await;
    let vera = person(&house, "vera", "viewer").await;
    house.touches(Reach::All).await;
    let token = house.ask("make deploy").await;
    let touch = house.touch(&ada, &token).await;
    house
        .approves_touching(&ada.0, &token, touch)
        .await
        .expect("it is hers");
    house.carry_out("make deploy", true).await;
    let amended = house.ask("make all").await;
    let mut touch = house.touch(&ada, &amended).await;
    touch.amended = "make one".to_owned();
    let asked = house
        .commands
        .amend(&ada.0, ID, &amended, "make one", Some(touch));
    asked.await.expect("it is hers");
    house.carry_out("make all", false).await;
    let evidence = house.evidence(&vera, 2, 0).await;
    for (token, action) in [
        (&token, "approve with passkey"),
        (&amended, "amend with passkey"),
    ] {
        let touch = &of(&evidence, token)["answer"]["touch"];
        let entries = evidence["entries"].as_array().expect("a list");
        let entry = entries.iter().find(|entry| entry["number"] == *touch);
        assert_eq!(entry.expect("it is there")["action"], action);
    }
    // Nothing has signed it here.
    let (json, page) = house.files(me(), Secrets::Mask).await;
    assert!(page.contains("by ada with a passkey (entry "), "{page}");
    let wrong = verify_evidence(&json, None).expect_err("there is no signature");
    assert!(wrong.contains("what a passkey has signed"), "{wrong}");
}
