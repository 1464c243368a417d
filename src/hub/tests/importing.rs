//! Files that become conversations.
//!
//! Long because each form of a file has its test.

use super::*;
use crate::live::{ConversationSummary, SearchAsk, Secrets};
use crate::render::{CardView, RowView, StepState};
use bytes::Bytes;
use serde_json::json;

const NAME: &str = "C:\\exports\\My talk.json";

fn file(events: &[serde_json::Value]) -> Bytes {
    serde_json::to_vec(events).expect("plain data").into()
}

/// The id of the one conversation of a file.
async fn import(hub: &Hub, name: &str, file: Bytes) -> String {
    let ids = hub.catalogue.import(me(), name, file).await;
    let mut ids = ids.expect("it is a trajectory");
    assert_eq!(ids.len(), 1, "{ids:?}");
    ids.remove(0)
}

async fn listed(hub: &Hub) -> Vec<ConversationSummary> {
    let list = hub
        .catalogue
        .page(me(), "")
        .await
        .expect("a healthy journal");
    let all = list.conversations.into_iter();
    all.filter(ConversationSummary::is_imported).collect()
}

async fn exported(hub: &Hub, id: &str) -> String {
    let stream = hub
        .exports
        .trajectory(id, Secrets::Keep)
        .await
        .expect("healthy");
    taken(stream).await.concat()
}

#[tokio::test]
async fn an_import_can_be_read_and_listed_and_nothing_is_asked_about_it() {
    let house = house(Runtime::Stopped).await;
    let hub = &house.hub;
    hub.catalogue.backends.polled_once().await;
    let id = import(hub, NAME, file(&talk(8))).await;
    let view = hub.reader.open(&id).await.expect("it is there");
    assert!(view.backend.imported);
    assert_eq!(view.session.connection, ConnectionState::Idle);
    assert_eq!(view.session.runtime, Runtime::Stopped);
    assert_eq!(view.session.title, "My talk");
    assert!(!view.rows.is_empty());
    let again = import(hub, NAME, file(&talk(8))).await;
    assert_ne!(id, again);
    assert_eq!(listed(hub).await.len(), 2);
    let ask = SearchAsk {
        q: "number 4".to_owned(),
        conversation: id.clone(),
        ..SearchAsk::default()
    };
    let found = hub.search.search(me(), &ask).await.expect("healthy");
    assert!(!found.hits.is_empty());
    // It is the same after a restart.
    hub.shutdown().await;
    let hub = reopened(&house.fake, house.folder.path()).await;
    assert_eq!(listed(&hub).await.len(), 2);
    assert_eq!(
        hub.reader.open(&id).await.expect("it is there").rows.len(),
        view.rows.len()
    );
}

#[tokio::test]
async fn what_is_exported_imported_and_exported_again_is_equal() {
    let house = house(Runtime::Stopped).await;
    house.fake.emit(talk(40));
    house.reader.open(ID).await.expect("it is there");
    let hub = &house.hub;
    let first = exported(hub, ID).await;
    let id = import(hub, "a.json", first.clone().into()).await;
    assert_eq!(exported(hub, &id).await, first);
    let rows = async |id: &str| {
        let page = hub
            .reader
            .rows(id, None, None, 10_000)
            .await
            .expect("healthy");
        page.rows.iter().map(text).collect::<Vec<_>>()
    };
    assert_eq!(rows(&id).await, rows(ID).await);
}

#[tokio::test]
async fn a_call_without_a_result_does_not_run_in_an_import() {
    let house = house(Runtime::Stopped).await;
    let hub = &house.hub;
    let run = json!({"id": 1, "timestamp": "2025-11-20T10:00:01", "source": "agent", "action": "run",
        "args": {"command": "sleep 99"}});
    let flat = [
        json!({"action": "run", "command": "ls"}),
        json!({"observation": "run", "content": "a b", "exit_code": 0}),
        json!({"action": "run_ipython", "code": "1"}),
    ];
    let flat = file(&flat);
    for (file, states) in [
        (file(&[run]), vec![StepState::Unknown]),
        (flat, vec![StepState::Done, StepState::Unknown]),
    ] {
        let id = import(hub, "a.json", file).await;
        let view = hub.reader.open(&id).await.expect("it is there");
        let state = |row: &RowView| match &row.card {
            CardView::Step(step) => Some(step.state),
            _ => None,
        };
        let found: Vec<StepState> = view.rows.iter().filter_map(state).collect();
        assert_eq!(found, states);
        let stream = hub.exports.markdown(&id, Secrets::Keep).await;
        let text = taken(stream.expect("healthy")).await.concat();
        assert!(
            text.contains("Outcome unknown") && !text.contains("Running"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn an_import_is_renamed_and_deleted_here_and_can_do_nothing_else() {
    let house = house(Runtime::Stopped).await;
    let hub = &house.hub;
    let id = &import(hub, NAME, file(&talk(8))).await;
    hub.commands
        .rename(me(), id, "Another name")
        .await
        .expect("it is renamed");
    assert_eq!(listed(hub).await[0].title, "Another name");
    let known = hub
        .catalogue
        .journal
        .conversation(id)
        .await
        .expect("healthy")
        .expect("there");
    assert_eq!(known.meta.title, "Another name");
    let refused = |outcome: Result<(), HubError>| {
        assert!(matches!(outcome, Err(HubError::Imported)), "{outcome:?}")
    };
    refused(
        hub.commands
            .say(me(), id, "", "Hello", Vec::new(), Vec::new())
            .await,
    );
    refused(
        hub.commands
            .steer(me(), id, crate::live::Steering::Resume)
            .await,
    );
    refused(
        hub.commands
            .answer(me(), id, "x", crate::live::Decision::Approve, "")
            .await,
    );
    refused(hub.commands.start(me(), id).await);
    refused(hub.commands.stop(me(), id).await);
    refused(hub.commands.fork(me(), id).await.map(drop));
    refused(hub.commands.ask(me(), id, "Why?").await.map(drop));
    refused(hub.workspace.list_files(id, "").await.map(drop));
    hub.commands.retry(id).await.expect("it has no effect");
    assert_eq!(
        hub.reader
            .open(id)
            .await
            .expect("it is there")
            .session
            .connection,
        ConnectionState::Idle
    );
    hub.commands.delete(me(), id).await.expect("it is deleted");
    assert!(listed(hub).await.is_empty());
    assert_eq!(
        hub.catalogue
            .journal
            .conversation(id)
            .await
            .expect("healthy"),
        None
    );
}

#[tokio::test]
async fn of_a_broken_file_and_of_an_interrupted_import_nothing_is_kept() {
    let house = house(Runtime::Stopped).await;
    house.catalogue.backends.polled_once().await;
    let mut broken = file(&talk(300)).to_vec();
    broken.truncate(broken.len() - 10);
    let refused = house.catalogue.import(me(), NAME, broken.into()).await;
    assert!(
        matches!(&refused, Err(HubError::Invalid(why)) if why.contains("(event 300)")),
        "{refused:?}"
    );
    let kept = house.catalogue.journal.unfinished_imports().await;
    assert_eq!(kept.expect("healthy"), [""; 0]);
    // The server ended in the middle.
    let id = import(&house.hub, NAME, file(&talk(8))).await;
    let journal = &house.catalogue.journal;
    let mut meta = journal
        .conversation(&id)
        .await
        .expect("healthy")
        .expect("there")
        .meta;
    meta.runtime = "importing".to_owned();
    journal.describe(vec![meta]).await.expect("healthy");
    house.hub.shutdown().await;
    let hub = reopened(&house.fake, house.folder.path()).await;
    assert!(listed(&hub).await.is_empty());
    assert!(matches!(
        hub.reader.open(&id).await,
        Err(HubError::NotFound(_))
    ));
}

/// The texts of all rows.
async fn rows(hub: &Hub, id: &str) -> Vec<String> {
    let page = hub
        .reader
        .rows(id, None, None, 10_000)
        .await
        .expect("healthy");
    page.rows.iter().map(text).collect()
}

fn said(id: i64, text: &str) -> serde_json::Value {
    json!({"id": id, "source": "user", "action": "message", "args": {"content": text}})
}

#[tokio::test]
async fn ids_that_start_again_cost_no_event_and_results_stay_with_their_commands() {
    let house = house(Runtime::Stopped).await;
    let part = |name: &str| {
        [
            said(0, name),
            json!({"id": 1, "source": "agent", "action": "run", "args": {"command": format!("ls {name}")}}),
            json!({"id": 2, "source": "agent", "observation": "run", "cause": 1, "content": format!("out {name}"),
                "extras": {"metadata": {"exit_code": 0}}}),
        ]
    };
    let hub = &house.hub;
    let id = import(hub, NAME, file(&[part("one"), part("two")].concat())).await;
    let events: Vec<serde_json::Value> =
        serde_json::from_str(&exported(hub, &id).await).expect("JSON");
    assert_eq!(events.len(), 6);
    let markdown = hub
        .exports
        .markdown(&id, Secrets::Keep)
        .await
        .expect("healthy");
    let markdown = taken(markdown).await.concat();
    let places: Vec<_> = ["ls one", "out one", "ls two", "out two"]
        .map(|text| markdown.find(text))
        .into();
    assert!(
        places.iter().all(Option::is_some) && places.is_sorted(),
        "{places:?}: {markdown}"
    );
    // What was numbered anew can be imported again as it is.
    let first = exported(hub, &id).await;
    let again = import(hub, NAME, first.clone().into()).await;
    assert_eq!(exported(hub, &again).await, first);
}

#[tokio::test]
async fn each_line_of_an_evaluation_becomes_a_conversation() {
    let house = house(Runtime::Stopped).await;
    let line = |name: &str| {
        json!({"instance_id": name, "metadata": {}, "history": [said(0, name)], "error": null})
            .to_string()
    };
    let hub = &house.hub;
    let text = [line("demo-1"), line("demo-2"), line("demo-3")].join("\n");
    let ids = hub
        .catalogue
        .import(me(), "output.jsonl", text.into())
        .await
        .expect("it is an evaluation");
    assert_eq!(ids.len(), 3);
    for (id, name) in ids.iter().zip(["demo-1", "demo-2", "demo-3"]) {
        let rows = rows(hub, id).await;
        assert!(rows.len() == 1 && rows[0].contains(name), "{rows:?}");
    }
    let mut titles: Vec<String> = listed(hub).await.into_iter().map(|one| one.title).collect();
    titles.sort();
    assert_eq!(titles, ["demo-1", "demo-2", "demo-3"]);
}

#[tokio::test]
async fn an_event_with_half_a_character_and_no_number_is_imported_with_the_others() {
    let house = house(Runtime::Stopped).await;
    let text = r#"[{"id":0,"source":"user","action":"message","args":{"content":"List"}},
        {"id":1,"source":"agent","action":"message","args":{"content":"caf\udce9.txt","score":NaN}},
        {"id":2,"source":"user","action":"message","args":{"content":"Thanks"}}]"#;
    let id = import(&house.hub, NAME, text.into()).await;
    let rows = rows(&house.hub, &id).await;
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert!(rows[1].contains("caf\u{fffd}.txt"), "{rows:?}");
}
