//! Retention: rules delete what nobody uses, and nothing else.

use super::*;
use crate::backend::ConversationInfo;
use crate::clock::now;
use crate::conversation::Status;
use crate::journal::AuditFilter;
use crate::live::{RetentionRule, RetentionRun, RetentionView};

const DAY: i64 = 24 * 60 * 60 * 1000;

fn rule(days: u32) -> RetentionRule {
    RetentionRule {
        days,
        ..RetentionRule::default()
    }
}

fn unused(id: &str, days: i64, runtime: Runtime, status: Status) -> ConversationInfo {
    ConversationInfo {
        id: id.to_owned(),
        runtime,
        status: Some(status),
        updated_at: now() - days * DAY,
        ..ConversationInfo::default()
    }
}

/// A hub with conversations of which two are unused for 30 days.
async fn full_house() -> House {
    let house = house(Runtime::Running).await;
    house
        .fake
        .only(unused("old", 90, Runtime::Stopped, Status::Stopped));
    for info in [
        unused("older", 100, Runtime::Running, Status::Idle),
        unused("pinned", 90, Runtime::Stopped, Status::Stopped),
        unused("works", 90, Runtime::Running, Status::Running),
        unused("new", 1, Runtime::Stopped, Status::Stopped),
    ] {
        house.fake.add(info);
    }
    house.fake.emit([says(0, "hello")]);
    house.backends.poll_list("Rehearsal").await;
    pin(&house, "pinned").await;
    house.list.lines_written().await;
    house
}

async fn add(house: &House, rule: RetentionRule) {
    let added = house.policies.deletions.add(me(), rule).await;
    added.expect("a rule");
}

async fn run(house: &House, seen: Option<usize>) -> HubResult<RetentionRun> {
    house.policies.deletions.run(me(), seen).await
}

async fn pin(house: &House, id: &str) {
    let pinned = house.catalogue.pin(me(), id, true).await;
    pinned.expect("healthy");
}

async fn view(house: &House) -> RetentionView {
    house.policies.deletions.view().await.expect("healthy")
}

async fn listed(house: &House) -> Vec<String> {
    let list = house.catalogue.page(me(), "").await.expect("healthy");
    let mut ids: Vec<_> = list.conversations.into_iter().map(|one| one.id).collect();
    ids.sort();
    ids
}

#[tokio::test(start_paused = true)]
async fn what_would_be_deleted_is_said_before_and_nothing_else_goes() {
    let house = full_house().await;
    add(&house, rule(30)).await;
    let shown = view(&house).await;
    let ids: Vec<_> = shown
        .plan
        .conversations
        .iter()
        .map(|(id, ..)| id.as_str())
        .collect();
    assert_eq!(
        (ids, shown.count, shown.automatic),
        (vec!["older", "old"], 2, false)
    );
    assert_eq!(listed(&house).await.len(), 5, "nothing was deleted");
    let refused = run(&house, Some(1)).await;
    assert!(matches!(refused, Err(HubError::Invalid(_))), "{refused:?}");
    let run = run(&house, Some(2)).await.expect("healthy");
    assert_eq!((run.deleted, run.failed), (2, 0));
    assert_eq!(listed(&house).await, ["new", "pinned", "works"]);
    house.backends.poll_list("Rehearsal").await;
    assert_eq!(
        listed(&house).await,
        ["new", "pinned", "works"],
        "OpenHands has them no longer"
    );
    assert_eq!(view(&house).await.ran.map(|ran| ran.deleted), Some(2));
    let journal = &house.catalogue.journal;
    let all = AuditFilter::default();
    let (entries, _) = journal.audit_after(all, 0, 100).await.expect("healthy");
    let count = |name: &str| {
        let named = entries.iter().filter(|one| one.entry.action == name);
        named.count()
    };
    assert_eq!((count("apply retention"), count("delete")), (2, 4));
    let audit = journal.verify_audit(None).await.expect("healthy");
    assert!(audit.broken_at.is_none() && audit.entries as usize == entries.len());
}

#[tokio::test(start_paused = true)]
async fn what_is_used_between_the_look_and_the_run_stays() {
    let house = full_house().await;
    add(&house, rule(30)).await;
    house.fake.shut("delete");
    let hub = house.hub.clone();
    let running = tokio::spawn(async move { hub.policies.deletions.run(me(), None).await });
    soon(|| (house.fake.waiting_at("delete") > 0).then_some(())).await;
    // The first one is being deleted; meanwhile somebody pins the second.
    pin(&house, "old").await;
    house.fake.unshut("delete");
    let run = running.await.expect("it ends").expect("healthy");
    assert_eq!(run.deleted, 1);
    assert_eq!(listed(&house).await, ["new", "old", "pinned", "works"]);
}

#[tokio::test(start_paused = true)]
async fn a_size_deletes_the_oldest_until_the_rest_fits() {
    let house = full_house().await;
    for id in ["old", "older"] {
        let entries = (0..40).map(|at| entry(&says(at, &"long ".repeat(20_000))));
        let journal = &house.catalogue.journal;
        let appended = journal.append(id, entries.collect(), true, 1).await;
        appended.expect("healthy");
    }
    let used = house.catalogue.journal.used_bytes().await.expect("healthy");
    assert!(used > 8_000_000, "{used}");
    let above = |megabytes| RetentionRule {
        megabytes,
        ..rule(30)
    };
    add(&house, above(7)).await;
    let shown = view(&house).await;
    assert_eq!(shown.plan.conversations[0].0, "older");
    assert_eq!(
        (shown.count, shown.plan.bytes > 3_000_000),
        (1, true),
        "{shown:?}"
    );
    let changed = house.policies.deletions.remove(me(), 1).await;
    changed.expect("there is one");
    add(&house, above(100)).await;
    assert_eq!(view(&house).await.count, 0);
}

#[tokio::test(start_paused = true)]
async fn rules_are_applied_each_day_only_after_an_owner_has_turned_that_on() {
    let house = full_house().await;
    add(&house, rule(30)).await;
    tokio::time::sleep(Duration::from_secs(2 * 86_400)).await;
    assert_eq!(listed(&house).await.len(), 5);
    let changed = house.policies.deletions.set_automatic(me(), true).await;
    changed.expect("healthy");
    let waiting = async {
        while listed(&house).await.len() > 3 {
            tokio::time::sleep(Duration::from_secs(60)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(3_600), waiting).await;
    waited.expect("it is applied");
    // Another rule is not applied before it was seen.
    add(&house, rule(20)).await;
    assert!(!view(&house).await.automatic);
    let refused = house.policies.deletions.add(me(), rule(0)).await;
    assert!(matches!(refused, Err(HubError::Invalid(_))));
}

#[tokio::test(start_paused = true)]
async fn what_its_backend_does_not_delete_stays_and_is_counted() {
    let house = full_house().await;
    add(&house, rule(95)).await;
    house.fake.refuses_deletions();
    let run = run(&house, None).await.expect("healthy");
    assert_eq!((run.deleted, run.failed), (0, 1));
    assert_eq!(listed(&house).await.len(), 5);
}
