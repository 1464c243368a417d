//! Evidence of what people, rules and amendments have answered: whom the file names, and what it keeps to itself.

use super::*;
use crate::hub::{evidence_json, evidence_page, verify_evidence};
use crate::journal::{AuditEntry, AuditFilter};
use crate::live::{Decision, Secrets};
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
    event["args"]["password"] = json!("hunter2 battery");
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
            !text.contains(SECRET) && !text.contains("hunter2"),
            "{text}"
        );
    }
    let (json, page) = house.files(me(), Secrets::Keep).await;
    for text in [&json, &page] {
        assert!(text.contains(SECRET) && text.contains("hunter2"), "{text}");
        let verified = verify_evidence(text, None).expect("nobody has changed it");
        assert_eq!((verified.approvals, verified.entries), (1, 2));
    }
}
