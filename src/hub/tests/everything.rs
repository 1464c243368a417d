//! Backends of which everything is followed.

use super::super::following::AT_ONCE;
use super::*;
use crate::backend::ConversationInfo;
use crate::conversation::Status;
use crate::journal::AuditFilter;
use crate::live::{BackendView, SearchAsk};

const LABEL: &str = "Rehearsal";

/// A conversation whose agent does nothing now.
fn idle(id: &str, updated_at: i64) -> ConversationInfo {
    ConversationInfo {
        id: id.to_owned(),
        runtime: Runtime::Running,
        status: Some(Status::Idle),
        updated_at,
        ..ConversationInfo::default()
    }
}

/// How many events the journal has of a conversation.
async fn recorded(hub: &Hub, id: &str) -> i64 {
    let known = hub.catalogue.journal.conversation(id).await;
    known.expect("healthy").map_or(0, |known| known.seq)
}

async fn is_recorded(hub: &Hub, id: &str) {
    let waiting = async {
        while recorded(hub, id).await < 2 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(60), waiting).await;
    waited.unwrap_or_else(|_| panic!("{id} is not recorded"));
}

async fn follow(hub: &Hub, everything: bool) {
    let chosen = hub.backends.follow_everything(me(), LABEL, everything);
    chosen.await.expect("it is in use");
}

async fn view(hub: &Hub) -> BackendView {
    let list = hub.catalogue.page(me(), "").await.expect("healthy");
    list.backends[0].clone()
}

/// A hub whose backend has a conversation that worked while nobody looked.
async fn unseen() -> House {
    let house = house(Runtime::Running).await;
    house.fake.only(idle("quick", 1));
    house
        .fake
        .emit([says(0, "a needle"), state(1, "awaiting_user_input")]);
    house.backends.poll_list(LABEL).await;
    house
}

#[tokio::test(start_paused = true)]
async fn what_nobody_opens_is_recorded_where_everything_is_followed() {
    let house = unseen().await;
    tokio::time::sleep(Duration::from_secs(120)).await;
    assert_eq!(recorded(&house, "quick").await, 0);
    follow(&house, true).await;
    is_recorded(&house, "quick").await;
    let needle = SearchAsk {
        q: "needle".to_owned(),
        ..SearchAsk::default()
    };
    let found = house.search.search(me(), &needle).await.expect("healthy");
    assert_eq!(found.hits.len(), 1);
    // What changes between two polls is read afterwards, without a connection that would keep the sandbox up.
    let (connections, _) = house.fake.connections();
    house.fake.emit([says(2, "later")]);
    house.fake.only(idle("quick", 2));
    let waiting = async {
        while recorded(&house, "quick").await < 3 {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    };
    let polled = tokio::time::timeout(Duration::from_secs(15), waiting).await;
    polled.expect("its list is read every ten seconds, though nobody looks at it");
    assert_eq!(house.fake.connections(), (connections, 0));
}

#[tokio::test(start_paused = true)]
async fn a_short_run_that_has_ended_is_read_and_an_old_one_is_not() {
    let house = unseen().await;
    follow(&house, true).await;
    is_recorded(&house, "quick").await;
    let stopped = |id: &str, updated_at| ConversationInfo {
        runtime: Runtime::Stopped,
        ..idle(id, updated_at)
    };
    house.fake.add(stopped("old", 5));
    house
        .fake
        .add(stopped("short", crate::clock::now() + 1_000));
    is_recorded(&house, "short").await;
    assert_eq!(recorded(&house, "old").await, 0);
}

#[tokio::test(start_paused = true)]
async fn what_is_followed_at_once_is_bounded_and_the_rest_takes_its_turn() {
    let house = unseen().await;
    let ids: Vec<String> = (0..AT_ONCE + 20).map(|id| format!("many{id}")).collect();
    for id in &ids {
        house.fake.add(idle(id, 1));
    }
    follow(&house, true).await;
    assert_eq!(house.backends.actors.open_on(LABEL), AT_ONCE);
    assert_eq!(view(&house).await.unfollowed, 21);
    let waiting = async {
        while view(&house).await.unfollowed > 0 {
            assert!(house.backends.actors.open_on(LABEL) <= AT_ONCE);
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(300), waiting).await;
    waited.expect("actors that nothing needs end");
    for id in &ids {
        is_recorded(&house, id).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_choice_is_kept_and_audited() {
    let house = unseen().await;
    follow(&house, true).await;
    follow(&house, true).await;
    let House { hub, fake, folder } = house;
    hub.shutdown().await;
    drop(hub);
    let hub = reopened(&fake, folder.path()).await;
    assert!(hub.backends.views().await.expect("healthy")[0].everything);
    follow(&hub, false).await;
    assert!(!hub.backends.views().await.expect("healthy")[0].everything);
    let all = AuditFilter::default();
    let entries = hub.catalogue.journal.audit_after(all, 0, 100).await;
    let (entries, _) = entries.expect("healthy");
    let actions: Vec<_> = entries.into_iter().map(|one| one.entry.action).collect();
    let count = |name: &str| actions.iter().filter(|action| **action == *name).count();
    // Each has an entry before and one with its outcome.
    assert_eq!(count("follow everything"), 2, "{actions:?}");
    assert_eq!(count("stop following everything"), 2, "{actions:?}");
    let unknown = hub.backends.follow_everything(me(), "nowhere", true).await;
    assert!(matches!(unknown, Err(HubError::NotFound(_))), "{unknown:?}");
}
