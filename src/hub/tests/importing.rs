//! Files that become conversations.

use super::*;
use crate::journal::Journal;
use crate::live::{ConversationSummary, SearchAsk, Secrets};
use bytes::Bytes;

const NAME: &str = "C:\\exports\\My talk.json";

fn file(events: &[serde_json::Value]) -> Bytes {
    serde_json::to_vec(events).expect("plain data").into()
}

async fn listed(hub: &Hub) -> Vec<ConversationSummary> {
    let list = hub.list(me(), "").await.expect("a healthy journal");
    let all = list.conversations.into_iter();
    all.filter(ConversationSummary::is_imported).collect()
}

async fn exported(hub: &Hub, id: &str) -> String {
    let stream = hub.trajectory(id, Secrets::Keep).await.expect("healthy");
    taken(stream).await.concat()
}

#[tokio::test]
async fn an_import_can_be_read_and_listed_and_nothing_is_asked_about_it() {
    let house = house(Runtime::Stopped).await;
    let hub = &house.hub;
    hub.polled_once().await;
    let id = hub
        .import(me(), NAME, file(&talk(8)))
        .await
        .expect("it is a trajectory");
    let view = hub.open(&id).await.expect("it is there");
    assert!(view.backend.imported);
    assert_eq!(view.session.connection, ConnectionState::Idle);
    assert_eq!(view.session.runtime, Runtime::Stopped);
    assert_eq!(view.session.title, "My talk");
    assert!(!view.rows.is_empty());
    let again = hub
        .import(me(), NAME, file(&talk(8)))
        .await
        .expect("it is a trajectory");
    assert_ne!(id, again);
    assert_eq!(listed(hub).await.len(), 2);
    let ask = SearchAsk {
        q: "number 4".to_owned(),
        conversation: id.clone(),
        ..SearchAsk::default()
    };
    let found = hub.search(me(), &ask).await.expect("healthy");
    assert!(!found.hits.is_empty());
    // It is the same after a restart.
    hub.shutdown().await;
    let journal = journal_in(house.folder.path()).await;
    let hub = Hub::new(journal, One(house.fake.clone()), "/", Duration::ZERO).await;
    let hub = hub.expect("a healthy journal");
    assert_eq!(listed(&hub).await.len(), 2);
    assert_eq!(
        hub.open(&id).await.expect("it is there").rows.len(),
        view.rows.len()
    );
}

#[tokio::test]
async fn what_is_exported_imported_and_exported_again_is_equal() {
    let house = house(Runtime::Stopped).await;
    house.fake.emit(talk(40));
    house.hub.open(ID).await.expect("it is there");
    let hub = &house.hub;
    let first = exported(hub, ID).await;
    let id = hub
        .import(me(), "a.json", first.clone().into())
        .await
        .expect("it is ours");
    assert_eq!(exported(hub, &id).await, first);
    let rows = async |id: &str| {
        let page = hub.rows(id, None, None, 10_000).await.expect("healthy");
        page.rows.iter().map(text).collect::<Vec<_>>()
    };
    assert_eq!(rows(&id).await, rows(ID).await);
}

#[tokio::test]
async fn an_import_is_renamed_and_deleted_here_and_can_do_nothing_else() {
    let house = house(Runtime::Stopped).await;
    let hub = &house.hub;
    let id = &hub
        .import(me(), NAME, file(&talk(8)))
        .await
        .expect("it is a trajectory");
    hub.rename(me(), id, "Another name")
        .await
        .expect("it is renamed");
    assert_eq!(listed(hub).await[0].title, "Another name");
    let known = hub
        .journal()
        .conversation(id)
        .await
        .expect("healthy")
        .expect("there");
    assert_eq!(known.meta.title, "Another name");
    let refused = |outcome: Result<(), HubError>| {
        assert!(matches!(outcome, Err(HubError::Imported)), "{outcome:?}")
    };
    refused(hub.say(me(), id, "", "Hello", Vec::new(), Vec::new()).await);
    refused(hub.steer(me(), id, crate::live::Steering::Resume).await);
    refused(
        hub.answer(me(), id, "x", crate::live::Decision::Approve, "")
            .await,
    );
    refused(hub.start(me(), id).await);
    refused(hub.stop(me(), id).await);
    refused(hub.fork(me(), id).await.map(drop));
    refused(hub.ask(me(), id, "Why?").await.map(drop));
    refused(hub.list_files(id, "").await.map(drop));
    hub.retry(id).await.expect("it has no effect");
    assert_eq!(
        hub.open(id).await.expect("it is there").session.connection,
        ConnectionState::Idle
    );
    hub.delete(me(), id).await.expect("it is deleted");
    assert!(listed(hub).await.is_empty());
    assert_eq!(hub.journal().conversation(id).await.expect("healthy"), None);
}

#[tokio::test]
async fn of_a_broken_file_and_of_an_interrupted_import_nothing_is_kept() {
    let house = house(Runtime::Stopped).await;
    let count = async |journal: &Journal| journal.ids().await.expect("healthy").len();
    house.hub.polled_once().await;
    let before = count(house.hub.journal()).await;
    let mut broken = file(&talk(300)).to_vec();
    broken.truncate(broken.len() - 10);
    let refused = house.hub.import(me(), NAME, broken.into()).await;
    assert!(
        matches!(&refused, Err(HubError::Invalid(why)) if why.contains("(event 300)")),
        "{refused:?}"
    );
    assert_eq!(count(house.hub.journal()).await, before);
    // The server ended in the middle.
    let id = house
        .hub
        .import(me(), NAME, file(&talk(8)))
        .await
        .expect("it is a trajectory");
    let journal = house.hub.journal();
    let mut meta = journal
        .conversation(&id)
        .await
        .expect("healthy")
        .expect("there")
        .meta;
    meta.runtime = "importing".to_owned();
    journal.describe(vec![meta]).await.expect("healthy");
    house.hub.shutdown().await;
    let journal = journal_in(house.folder.path()).await;
    let hub = Hub::new(journal, One(house.fake.clone()), "/", Duration::ZERO).await;
    let hub = hub.expect("a healthy journal");
    assert!(listed(&hub).await.is_empty());
    assert!(matches!(hub.open(&id).await, Err(HubError::NotFound(_))));
}
