//! A conversation that was deleted stays deleted, unless the backend has it again.

use super::*;
use crate::backend::ConversationInfo;

fn label(house: &House) -> String {
    house.catalogue.backends.connected()[0].target.label()
}

/// Ids of the list as it is known.
async fn listed(hub: &Hub) -> Vec<String> {
    let list = hub
        .catalogue
        .page(me(), "")
        .await
        .expect("a healthy journal");
    list.conversations.into_iter().map(|one| one.id).collect()
}

#[tokio::test(start_paused = true)]
async fn a_list_that_was_read_before_a_deletion_brings_nothing_back() {
    for runtime in [Runtime::Stopped, Runtime::Running] {
        let house = house(runtime).await;
        house.catalogue.backends.polled_once().await;
        house.fake.runtime_is(runtime);
        house.fake.shut("conversations");
        let (hub, label) = (house.hub.clone(), label(&house));
        let polling = tokio::spawn(async move { hub.backends.poll_list(&label).await });
        soon(|| (house.fake.waiting_at("conversations") > 0).then_some(())).await;
        house.commands.delete(me(), ID).await.expect("it is there");
        house.fake.unshut("conversations");
        polling.await.expect("it ends");
        assert_eq!(listed(&house.hub).await, [""; 0], "{runtime:?}");
        let known = house.catalogue.journal.conversation(ID).await;
        assert_eq!(known.expect("a healthy journal"), None);
        let opened = house.reader.open(ID).await;
        assert!(matches!(opened, Err(HubError::NotFound(_))));
        // Nor after a restart.
        house.hub.shutdown().await;
        let journal = journal_in(house.folder.path()).await;
        let hub = Hub::new(journal, One(house.fake.clone()), "/", Duration::ZERO).await;
        assert_eq!(listed(&hub.expect("a healthy journal")).await, [""; 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_deletion_that_takes_long_is_missed_by_no_list() {
    let house = house(Runtime::Stopped).await;
    house.catalogue.backends.polled_once().await;
    house.fake.shut("delete");
    let hub = house.hub.clone();
    let deleting = tokio::spawn(async move { hub.commands.delete(me(), ID).await });
    soon(|| (house.fake.waiting_at("delete") > 0).then_some(())).await;
    house.fake.shut("conversations");
    let (hub, label) = (house.hub.clone(), label(&house));
    let polling = tokio::spawn(async move { hub.backends.poll_list(&label).await });
    soon(|| (house.fake.waiting_at("conversations") > 0).then_some(())).await;
    house.fake.unshut("delete");
    deleting.await.expect("it ends").expect("it is deleted");
    house.fake.unshut("conversations");
    polling.await.expect("it ends");
    assert_eq!(listed(&house.hub).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_conversation_that_the_backend_has_again_comes_back() {
    let house = house(Runtime::Stopped).await;
    house.catalogue.backends.polled_once().await;
    house.commands.delete(me(), ID).await.expect("it is there");
    assert_eq!(listed(&house.hub).await, [""; 0]);
    house.fake.add(ConversationInfo {
        id: ID.to_owned(),
        runtime: Runtime::Stopped,
        ..ConversationInfo::default()
    });
    house.backends.poll_list(&label(&house)).await;
    assert_eq!(listed(&house.hub).await, [ID]);
    house.reader.open(ID).await.expect("it is there");
}
