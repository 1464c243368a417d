//! The audit log: nothing in it can be changed unnoticed, and no action stays without an outcome.

use super::super::{AuditEntry, AuditFilter, AuditedAction, Journal};
use super::{journal, journal_in, tamper};
use crate::journal::engine::Value;

/// What keeps others from changing an entry.
const TRIGGER: &str = "DROP TRIGGER audit_is_not_changed";
/// The columns that the hash covers, beside the number.
const COLUMNS: [&str; 10] = [
    "at",
    "person",
    "name",
    "address",
    "action",
    "conversation",
    "digest",
    "detail",
    "outcome",
    "about",
];

fn begun(action: &str) -> AuditEntry {
    AuditEntry {
        at: 1,
        person: 2,
        name: "ada".to_owned(),
        address: "192.0.2.1".to_owned(),
        action: action.to_owned(),
        outcome: "begun".to_owned(),
        ..AuditEntry::default()
    }
}

async fn actions(journal: &Journal) -> Vec<AuditedAction> {
    let actions = journal.audited_actions(AuditFilter::default(), 10).await;
    actions.expect("healthy")
}

#[tokio::test]
async fn a_change_of_any_field_of_an_entry_is_noticed() {
    let (journal, _folder) = journal().await;
    for action in ["pause", "approve", "stop"] {
        journal.note(begun(action)).await.expect("healthy");
    }
    tamper(&journal, TRIGGER).await;
    let attacker = journal.database.connection().await;
    for column in COLUMNS {
        let change = |with: &str| {
            let change = format!("UPDATE audit SET {column} = {with} WHERE number = 2");
            attacker.execute_batch(&change).expect("it is SQL");
        };
        let value = format!("SELECT {column} FROM audit WHERE number = 2");
        let value: Value = attacker.one(&value, []).expect("it is SQL");
        let is_text = matches!(value, Value::Text(_));
        change(if is_text { "'changed'" } else { "99" });
        let state = journal.verify_audit(None).await.expect("healthy");
        assert_eq!(state.broken_at, Some(2), "{column}");
        let back = format!("UPDATE audit SET {column} = ?1 WHERE number = 2");
        attacker.execute(&back, [value]).expect("it is SQL");
        let state = journal.verify_audit(None).await.expect("healthy");
        assert_eq!(state.broken_at, None, "{column}");
    }
}

#[tokio::test]
async fn the_hashes_are_those_that_every_version_computes() {
    let (journal, _folder) = journal().await;
    for action in ["approve", "stop"] {
        journal.note(begun(action)).await.expect("healthy");
    }
    // Computed by Python's hashlib: of the second entry, and through it of the first one.
    let hash = "70b6d16ae7fdd5cb99b71839e41a0a33a6ab71a958f6b9fa3e3e1e5860fff8b8";
    let head = journal.audit_head().await.expect("healthy");
    assert_eq!(head, (2, hash.to_owned()));
}

#[tokio::test]
async fn an_action_that_a_crash_interrupted_gets_its_outcome_once() {
    let (journal, folder) = journal().await;
    let done = journal.note(begun("pause")).await.expect("healthy");
    let outcome = AuditEntry {
        outcome: "done".to_owned(),
        about: done,
        ..begun("pause")
    };
    journal.note(outcome).await.expect("healthy");
    journal.note(begun("approve")).await.expect("healthy");
    drop(journal);
    for _ in 0..2 {
        let journal = journal_in(folder.path()).await;
        let outcomes: Vec<_> = actions(&journal)
            .await
            .into_iter()
            .map(|action| action.ended.map(|(_, outcome)| outcome))
            .collect();
        let interrupted = outcomes[0]
            .as_deref()
            .is_some_and(|text| text.starts_with("unknown"));
        assert!(interrupted, "{outcomes:?}");
        assert_eq!(outcomes[1].as_deref(), Some("done"));
        assert_eq!(journal.audit_head().await.expect("healthy").0, 4);
    }
}

#[tokio::test]
async fn an_entry_that_was_replaced_together_with_its_hash_is_noticed_at_the_next_one() {
    let journal_with = async |actions: [&str; 3]| {
        let (journal, folder) = journal().await;
        for action in actions {
            journal.note(begun(action)).await.expect("healthy");
        }
        (journal, folder)
    };
    let (journal, _folder) = journal_with(["pause", "approve", "stop"]).await;
    let (other, _other) = journal_with(["pause", "reject", "stop"]).await;
    let other = other
        .audit(AuditFilter::default(), 3)
        .await
        .expect("healthy");
    let hash = &other[1].hash;
    tamper(&journal, TRIGGER).await;
    tamper(
        &journal,
        &format!("UPDATE audit SET action = 'reject', hash = '{hash}' WHERE number = 2"),
    )
    .await;
    let state = journal.verify_audit(None).await.expect("healthy");
    assert_eq!((state.entries, state.broken_at), (3, Some(3)));
}

#[tokio::test]
async fn an_entry_with_nuls_is_as_it_was_written() {
    let (journal, _folder) = journal().await;
    let text = |name: &str| format!("{name}\0\u{FDD0}0\u{FFFD}");
    let entry = AuditEntry {
        name: text("name"),
        address: text("address"),
        action: text("action"),
        conversation: text("conversation"),
        digest: text("digest"),
        detail: text("detail"),
        outcome: text("outcome"),
        ..begun("")
    };
    journal.note(entry.clone()).await.expect("healthy");
    journal.note(begun("stop")).await.expect("healthy");
    let state = journal.verify_audit(None).await.expect("healthy");
    assert_eq!((state.entries, state.broken_at), (2, None));
    let kept = journal.audit(AuditFilter::default(), 9).await;
    assert_eq!(kept.expect("healthy")[1].entry, entry);
}
