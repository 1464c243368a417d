//! Approval requests that nobody answers, and touches: what the statements do, with either engine.

use super::super::{
    Approval, Around, AuditEntry, AuditFilter, Claim, Journal, NewAnswer, NewTouch, PasskeyRecord,
    Question, ShownRecord, TOUCHED, Unanswered, Verdict, hash_of_shown,
};
use super::*;

/// What is shown of each request.
const SHOWN: &str = "make deploy";

/// A conversation in a repository.
async fn in_repository(journal: &Journal, id: &str, repository: &str) {
    let meta = ConversationMeta {
        id: id.to_owned(),
        backend: "b".to_owned(),
        repository: Some(repository.to_owned()),
        ..ConversationMeta::default()
    };
    journal.describe(vec![meta]).await.expect("healthy");
}

async fn ask(journal: &Journal, id: &str, token: &str, at: i64) -> Approval {
    let question = Question {
        token: token.to_owned(),
        question: token.to_owned(),
        shown: SHOWN.to_owned(),
        rating: "high".to_owned(),
    };
    journal.ask(id, question, at).await.expect("healthy")
}

async fn facts(journal: &Journal, id: &str, token: &str) -> Option<Unanswered> {
    let facts = journal.unanswered(id, token, Around::default());
    facts.await.expect("healthy")
}

async fn since(journal: &Journal, id: &str) -> i64 {
    facts(journal, id, "t").await.expect("it waits").since
}

fn entry_at(at: i64, action: &str) -> AuditEntry {
    AuditEntry {
        at,
        action: action.to_owned(),
        ..AuditEntry::default()
    }
}

/// Tells these deputies.
async fn tell(journal: &Journal, to: &[&str], at: i64) -> bool {
    let to: Vec<String> = to.iter().map(|name| (*name).to_owned()).collect();
    let entry = entry_at(at, "escalate");
    let told = journal.escalate(ID, "t", Around::default(), entry, |_| Some(to));
    told.await.expect("healthy").is_some()
}

#[tokio::test]
async fn a_setting_has_what_it_is_for_wait_anew() {
    let (journal, _folder) = journal().await;
    in_repository(&journal, "shop", "acme/Shop").await;
    for id in [ID, "shop"] {
        ask(&journal, id, "t", 10).await;
    }
    let keep = async |stored: &str, repository: Option<&str>, now| {
        let kept = journal.keep_escalations(stored, repository, now);
        kept.await.expect("healthy");
    };
    keep("[1]", Some("ACME/shop"), 20).await;
    assert_eq!(
        (since(&journal, ID).await, since(&journal, "shop").await),
        (10, 20)
    );
    assert!(tell(&journal, &["bea"], 25).await);
    keep("[2]", None, 30).await;
    assert_eq!(
        (since(&journal, ID).await, since(&journal, "shop").await),
        (30, 30)
    );
    let known = facts(&journal, ID, "t").await.expect("it waits");
    assert_eq!((known.escalated, known.escalations.as_str()), (None, "[2]"));
    // What nobody can answer goes on to wait for ever.
    let never = super::super::NEVER;
    journal.wait_anew(ID, "t", never).await.expect("healthy");
    keep("[3]", None, 40).await;
    assert_eq!(
        (since(&journal, ID).await, since(&journal, "shop").await),
        (never, 40)
    );
}

#[tokio::test]
async fn times_move_with_the_clock_but_not_when_deputies_were_told() {
    let (journal, _folder) = journal().await;
    ask(&journal, ID, "t", 100).await;
    assert!(tell(&journal, &["bea"], 200).await);
    journal.shift_waits(1_000).await.expect("healthy");
    journal.shift_waits(-50).await.expect("healthy");
    let known = facts(&journal, ID, "t").await.expect("it waits");
    let told = known.escalated.expect("she was told");
    assert_eq!(
        (known.since, told.at, told.to),
        (1_050, 200, vec!["bea".to_owned()])
    );
    journal.all_wait_anew(2_000).await.expect("healthy");
    journal.all_wait_anew(2_000).await.expect("healthy");
    assert_eq!(since(&journal, ID).await, 2_000);
    // What is asked anew waits from then on.
    journal.nothing_asked(ID).await.expect("healthy");
    assert_eq!(facts(&journal, ID, "t").await, None);
    ask(&journal, ID, "t", 3_000).await;
    assert_eq!(since(&journal, ID).await, 3_000);
}

#[tokio::test]
async fn what_nobody_answers_is_rejected_once_and_nothing_else() {
    let (journal, _folder) = journal().await;
    ask(&journal, ID, "t", 10).await;
    let reject = async |may: bool| {
        let by = ("Handrail", "nobody answered");
        let entry = entry_at(20, "reject unanswered");
        let claimed =
            journal.claim_unanswered(ID, "t", by, entry, move |facts| may && facts.since == 10);
        claimed.await.expect("healthy").is_some()
    };
    assert!(!reject(false).await);
    assert!(reject(true).await);
    assert!(!reject(true).await);
    assert!(!tell(&journal, &["bea"], 30).await, "it is over");
    let answered = journal.approval(ID, "t").await.expect("healthy");
    let answered = answered.expect("it is there");
    assert_eq!(
        (answered.approved, answered.answered_by.as_str()),
        (Some(false), "Handrail")
    );
    let entries = journal.audit(AuditFilter::default(), 10).await;
    assert_eq!(entries.expect("healthy").len(), 1);
}

#[tokio::test]
async fn an_approval_keeps_a_touch_that_holds_and_no_other() {
    let (journal, _folder) = journal().await;
    let ada = journal.add_person("ada", "approver", String::new(), false, 1);
    let person = ada.await.expect("healthy").expect("it is free");
    assert!(journal.passkey_holders().await.expect("healthy").is_empty());
    let record = PasskeyRecord {
        number: 0,
        id: vec![1],
        handle: vec![1],
        name: "a key".to_owned(),
        place: "box.lan".to_owned(),
        credential: "state 1".to_owned(),
        created_at: 1,
        used_at: None,
    };
    let added = journal.add_passkey(person, record, Vec::new(), None);
    added.await.expect("healthy");
    assert!(
        journal
            .passkey_holders()
            .await
            .expect("healthy")
            .contains(&person)
    );
    let passkey = journal.passkeys(person).await.expect("healthy")[0].number;
    ask(&journal, ID, "t", 10).await;
    let shown = ShownRecord {
        token: "t".to_owned(),
        calls: String::new(),
        content: String::new(),
        shown: SHOWN.to_owned(),
    };
    journal.keep_shown(ID, shown).await.expect("healthy");
    let answer = |until| NewAnswer {
        approved: true,
        reason: String::new(),
        by: "ada".to_owned(),
        entry: AuditEntry {
            at: 20,
            person,
            ..AuditEntry::default()
        },
        amendment: None,
        touch: Some(NewTouch {
            person,
            token: "t".to_owned(),
            shown: hash_of_shown(SHOWN),
            amended: String::new(),
            until,
            passkey,
            before: "state 1".to_owned(),
            after: "state 2".to_owned(),
            proof: "{}".to_owned(),
        }),
    };
    let claim = async |until, verdict: Verdict, holds: bool| {
        let claimed = journal.claim(ID, "t", answer(until), move |standing| {
            assert_eq!(standing.touch, Some(holds));
            assert!(standing.by.as_ref().is_some_and(|by| by.has_passkey));
            verdict
        });
        claimed.await.expect("healthy")
    };
    let touched = async || {
        let filter = AuditFilter {
            action: TOUCHED.to_owned(),
            ..AuditFilter::default()
        };
        journal.audit(filter, 10).await.expect("healthy").len()
    };
    assert_eq!(claim(19, Verdict::Touch, false).await, Claim::Untouched);
    // A judge who asks for none: a touch that does not hold leaves nothing behind.
    let first = claim(19, Verdict::First, false).await;
    assert!(matches!(first, Claim::First(_)), "{first:?}");
    assert_eq!(touched().await, 0);
    let first = claim(20, Verdict::First, true).await;
    assert!(matches!(first, Claim::First(_)), "{first:?}");
    assert_eq!(touched().await, 2);
    let standing = journal.standing(ID, "t").await.expect("healthy");
    assert!(standing.is_some_and(|one| one.first_touched));
    // Asked anew, nobody has approved it, with or without a touch.
    journal.nothing_asked(ID).await.expect("healthy");
    ask(&journal, ID, "t", 30).await;
    let standing = journal.standing(ID, "t").await.expect("healthy");
    let standing = standing.expect("it waits");
    assert_eq!((standing.first, standing.first_touched), (None, false));
}
