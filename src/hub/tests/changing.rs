//! Two people who change the same thing at once lose neither change.

use super::*;
use crate::backend::{McpServer, Settings};
use crate::people::{Audience, Role};

fn servers(house: &House) -> Vec<String> {
    let address = |server: McpServer| match server {
        McpServer::Http { url, .. } | McpServer::Sse { url, .. } => url,
        McpServer::Stdio { name, .. } => name,
    };
    let settings = house.fake.stored_settings().expect("they were set");
    settings.mcp.into_iter().map(address).collect()
}

#[tokio::test]
async fn of_two_people_who_are_given_a_conversation_at_once_both_have_it() {
    let house = house(Runtime::Stopped).await;
    for name in ["ada", "bob"] {
        let made = house
            .catalogue
            .journal
            .add_person(name, "viewer", String::new(), false, 1);
        made.await.expect("a healthy journal").expect("it is free");
    }
    house.reader.open(ID).await.expect("it is there");
    for _ in 0..20 {
        let with = |name| {
            house
                .commands
                .share_with(me(), ID, name, Some(Role::Viewer))
        };
        let (ada, bob) = tokio::join!(with("ada"), with("bob"));
        assert!(ada.is_ok() && bob.is_ok(), "{ada:?} {bob:?}");
        let names = |house: &House| -> Vec<String> {
            let sharing = house.sharings.of(ID);
            sharing.with.into_iter().map(|share| share.name).collect()
        };
        assert_eq!(names(&house), ["ada", "bob"]);
        let without = |name| house.commands.unshare(me(), ID, name);
        let (first, closed, second) = tokio::join!(
            without("ada"),
            house.commands.share(me(), ID, Audience::Creator),
            without("bob")
        );
        assert!(first.is_ok() && closed.is_ok() && second.is_ok());
        assert_eq!(names(&house), [""; 0]);
        assert_eq!(house.sharings.of(ID).audience, Audience::Creator);
        house
            .commands
            .share(me(), ID, Audience::Some)
            .await
            .expect("it is there");
    }
}

#[tokio::test]
async fn of_two_mcp_servers_that_are_added_at_once_both_are_there() {
    let house = house(Runtime::Stopped).await;
    house.fake.set_settings(Settings::default());
    house.catalogue.backends.polled_once().await;
    house.fake.shut("save_settings");
    let add = |address: &'static str| {
        let hub = house.hub.clone();
        tokio::spawn(async move {
            hub.backends
                .add_mcp_server(me(), "", "http", address, "", "")
                .await
        })
    };
    let (first, second) = (add("http://a"), add("http://b"));
    soon(|| (house.fake.waiting_at("save_settings") > 0).then_some(())).await;
    // If both have read before either saves, the second overwrites the first: each gets every chance to.
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    house.fake.unshut("save_settings");
    for adding in [first, second] {
        adding.await.expect("it ends").expect("it is added");
    }
    let mut servers = servers(&house);
    servers.sort();
    assert_eq!(servers, ["http://a", "http://b"]);
    let (first, second) = tokio::join!(
        house.backends.remove_mcp_server(me(), "", "http://a"),
        house.backends.remove_mcp_server(me(), "", "http://b")
    );
    assert!(first.is_ok() && second.is_ok());
    assert_eq!(self::servers(&house), [""; 0]);
}

#[tokio::test]
async fn settings_that_another_person_has_changed_since_are_not_overwritten() {
    let house = house(Runtime::Stopped).await;
    house.fake.set_settings(Settings::default());
    house.catalogue.backends.polled_once().await;
    let seen = house
        .backends
        .settings("")
        .await
        .expect("they are there")
        .seen;
    let settings = |model: &str| Settings {
        model: model.to_owned(),
        ..Settings::default()
    };
    let first = house
        .backends
        .save_settings(me(), "", settings("first"), &seen)
        .await;
    let now = first.expect("they are as they were seen").seen;
    let second = house
        .backends
        .save_settings(me(), "", settings("second"), &seen)
        .await;
    assert!(matches!(second, Err(HubError::Changed(_))), "{second:?}");
    let stored = house.fake.stored_settings().expect("they are set");
    assert_eq!(stored.model, "first");
    // The user who changed them may change them again, and MCP servers do not count as changes of the form.
    let added = house
        .backends
        .add_mcp_server(me(), "", "http", "http://a", "", "")
        .await;
    added.expect("there is none");
    let third = house
        .backends
        .save_settings(me(), "", settings("third"), &now)
        .await;
    third.expect("they are as they were left");
    assert_eq!(servers(&house), ["http://a"]);
}

#[tokio::test]
async fn what_a_backend_does_not_store_is_said_and_is_an_error_if_it_is_about_approvals() {
    let house = house(Runtime::Stopped).await;
    house.fake.set_settings(Settings::default());
    house.catalogue.backends.polled_once().await;
    let wanted = Settings {
        model: "m".to_owned(),
        confirmation: true,
        ..Settings::default()
    };
    let save = async || {
        let saved = house
            .backends
            .save_settings(me(), "", wanted.clone(), "")
            .await;
        saved.expect("the backend takes it")
    };
    let same = save().await;
    assert!(same.trouble.is_empty() && !same.refused);
    house
        .fake
        .alters(|settings| settings.base_url = "http://x".to_owned());
    let other = save().await;
    assert!(other.trouble.contains("Base URL is “http://x”") && !other.refused);
    house
        .fake
        .alters(|settings| settings.analyzer = "llm".to_owned());
    let refused = save().await;
    assert!(refused.trouble.contains("Risk analyzer is “llm”") && refused.refused);
    // The next save request is compared with what is stored now.
    let again = house
        .backends
        .save_settings(me(), "", wanted.clone(), &refused.seen);
    again.await.expect("they are as they were left");
    house.fake.alters(|settings| settings.mcp.clear());
    let added = house
        .backends
        .add_mcp_server(me(), "", "http", "http://a", "", "");
    assert!(matches!(added.await, Err(HubError::NotStored(_))));
}

#[tokio::test(start_paused = true)]
async fn tags_that_another_person_has_changed_since_are_not_overwritten() {
    let house = house(Runtime::Stopped).await;
    house.reader.open(ID).await.expect("it is there");
    let tag = |tags, seen| house.commands.set_tags(me(), ID, tags, Some(seen));
    let (first, second) = tokio::join!(tag("urgent", ""), tag("team=infra", ""));
    assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
    let (had, lacks) = if first.is_ok() {
        ("urgent", "team=infra")
    } else {
        ("team=infra", "urgent")
    };
    tag(&format!("{had}\n{lacks}"), had)
        .await
        .expect("it was seen");
    let session = house.until(|session| session.tags.0.len() == 2).await;
    let labels: Vec<_> = session.tags.labels().collect();
    assert_eq!(labels, ["team=infra", "urgent"]);
}

#[tokio::test]
async fn of_two_backends_that_are_added_at_once_both_are_kept() {
    let house = house(Runtime::Stopped).await;
    house.catalogue.backends.polled_once().await;
    let add = |address| house.backends.save(me(), "", false, address, "");
    add("http://first").await.expect("it is an address");
    let label = "OpenHands at http://first";
    let (removed, added) = tokio::join!(house.backends.remove(me(), label), add("http://second"));
    assert!(removed.is_ok() && added.is_ok(), "{removed:?} {added:?}");
    let kept = house.catalogue.journal.setting("backends").await;
    let kept = kept.expect("a healthy journal").expect("it was kept");
    assert!(
        kept.contains("http://second") && !kept.contains("http://first"),
        "{kept}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_orderly_stop_waits_for_what_was_asked_of_the_backend() {
    let house = live_house().await;
    house.fake.shut("rename");
    // It takes longer than who asks is kept waiting.
    house
        .commands
        .rename(me(), ID, "Another")
        .await
        .expect("it goes on");
    assert_eq!(house.fake.titles(), [""]);
    let fake = house.fake.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        fake.unshut("rename");
    });
    house.hub.shutdown().await;
    assert_eq!(house.fake.titles(), ["Another"]);
}

#[tokio::test(start_paused = true)]
async fn a_double_click_creates_one_conversation_and_a_later_click_another_one() {
    let house = house(Runtime::Stopped).await;
    house.catalogue.backends.polled_once().await;
    let create = |text: &'static str| {
        let hub = house.hub.clone();
        async move {
            let new = crate::backend::NewConversation::saying(text);
            hub.commands
                .create(me(), "", new)
                .await
                .expect("it is made")
        }
    };
    let (first, second) = tokio::join!(create("demo"), create("demo"));
    assert_eq!((house.fake.created(), first), (1, second));
    create("another demo").await;
    assert_eq!(house.fake.created(), 2);
    tokio::time::sleep(Duration::from_secs(1)).await;
    create("demo").await;
    assert_eq!(house.fake.created(), 3);
}
