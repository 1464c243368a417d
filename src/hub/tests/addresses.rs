//! Addresses of backends: what may be a secret is not stored, and what was stored before is not shown.

use super::*;
use crate::journal::{AuditFilter, ConversationMeta};

const SECRET: &str = "hunter2";

/// All that is shown or stored of backends and audited actions, in one text.
async fn everything(hub: &Hub) -> String {
    let connections = hub.backends.views().await.expect("healthy");
    let list = hub.catalogue.page(me(), "").await.expect("healthy");
    let kept = hub
        .catalogue
        .journal
        .setting("backends")
        .await
        .expect("healthy");
    let audit = hub
        .catalogue
        .journal
        .audit(AuditFilter::default(), 1_000)
        .await;
    let audit = audit.expect("healthy");
    let ready = hub.ready().await.backends;
    format!("{connections:?} {list:?} {kept:?} {audit:?} {ready:?}")
}

#[tokio::test]
async fn an_address_with_a_secret_is_refused_before_it_stands_anywhere() {
    let House {
        hub,
        folder: _folder,
        ..
    } = house(Runtime::Running).await;
    for address in [
        "http://me:hunter2@box:3000",
        "http://hunter2@box:3000",
        "http://box:3000/?key=hunter2",
        "http://box:3000/#hunter2",
        " http://box:3000?hunter2 ",
        "http://me:hunter2@bo x:3000",
    ] {
        let saved = hub.backends.save(me(), "", false, address, "").await;
        let tested = hub.backends.test(me(), address, "").await.map(drop);
        for refused in [saved, tested] {
            let (_, text) = refused.expect_err(address).for_people();
            assert!(!text.contains(SECRET), "{text}");
        }
        let shown = everything(&hub).await;
        assert!(!shown.contains(SECRET), "{address}: {shown}");
    }
    let address = "http://me:hunter2@box:3000";
    let refused = hub.backends.save(me(), "", false, address, "").await;
    let (_, text) = refused.expect_err("it is refused").for_people();
    assert!(text.contains("session API key in the key field"), "{text}");
}

#[tokio::test]
async fn an_address_of_the_link_is_not_saved_however_it_is_spelled() {
    let House {
        hub,
        folder: _folder,
        ..
    } = house(Runtime::Running).await;
    let before = everything(&hub).await;
    for host in [
        "169.254.169.254",
        "0xa9fea9fe",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:a9fe:a9fe::1]",
    ] {
        let address = format!("http://{host}/");
        let saved = hub.backends.save(me(), "", false, &address, "").await;
        let (_, text) = saved.expect_err(host).for_people();
        assert!(text.contains("addresses are blocked"), "{text}");
    }
    assert_eq!(everything(&hub).await, before);
}

#[tokio::test]
async fn an_address_with_a_secret_that_was_stored_before_is_not_shown_after_the_start() {
    let folder = TempDir::new().expect("a temporary folder");
    let journal = journal_in(folder.path()).await;
    let old = r#"[{"address":"http://me:hunter2@box:3000/a?key=hunter2","key":"k"},
        {"address":"http://me:hunter2@bo x"},{"rehearsal":true}]"#;
    journal
        .keep_setting("backends", old)
        .await
        .expect("healthy");
    let labels = ["box:3000/a?key=hunter2", "gone:3000/#hunter2"];
    let meta = labels.iter().map(|rest| ConversationMeta {
        id: format!("id{}", rest.len()),
        backend: format!("OpenHands at http://me:hunter2@{rest}"),
        ..ConversationMeta::default()
    });
    journal.describe(meta.collect()).await.expect("healthy");
    let fake = Fake::new(Runtime::Running);
    let hub = Hub::new(journal, One(fake), "/", Duration::ZERO)
        .await
        .expect("it starts");
    let shown = everything(&hub).await;
    assert!(!shown.contains(SECRET), "{shown}");
    let connections = hub.backends.views().await.expect("healthy");
    let addresses: Vec<&str> = connections.iter().map(|one| one.address.as_str()).collect();
    assert_eq!(addresses, ["http://box:3000/a", ""]);
    assert!(connections[0].key_set, "the key stays");
    let labels = hub
        .catalogue
        .journal
        .backend_labels()
        .await
        .expect("healthy");
    let ours = "OpenHands at http://box:3000/a".to_owned();
    assert!(labels.contains(&ours), "{labels:?}");
    assert!(!format!("{labels:?}").contains(SECRET), "{labels:?}");
}

/// Makes nothing: every address is refused.
struct Refusing;

impl Backends for Refusing {
    fn fixed(&self) -> Vec<Target> {
        Vec::new()
    }
    fn connect(&self, _: &Target) -> BoxFuture<'_, Result<Arc<dyn Backend>, BackendError>> {
        let refused = BackendError::Invalid("Addresses of the link are never asked.".to_owned());
        std::future::ready(Err(refused)).boxed()
    }
}

#[tokio::test]
async fn a_kept_backend_whose_address_is_refused_now_is_named_and_does_not_keep_us_from_starting() {
    let folder = TempDir::new().expect("a temporary folder");
    let journal = journal_in(folder.path()).await;
    let old = r#"[{"address":"http://[64:ff9b::a9fe:a9fe]","protocol":"socket_io"}]"#;
    journal
        .keep_setting("backends", old)
        .await
        .expect("healthy");
    let hub = Hub::new(journal, Refusing, "/", Duration::ZERO)
        .await
        .expect("it starts");
    let connections = hub.backends.views().await.expect("healthy");
    let trouble = connections[0].trouble.clone().unwrap_or_default();
    assert!(trouble.contains("never asked"), "{connections:?}");
}

#[tokio::test]
async fn a_server_without_a_model_is_connected_and_it_is_said_what_is_missing() {
    let house = house(Runtime::Running).await;
    let lacking = "No model is set up. Choose one in Settings.";
    house.fake.lacks(lacking);
    let address = "http://127.0.0.1:3000";
    let report = house.backends.test(me(), address, "").await;
    let report = report.expect("it answers");
    assert!(report.good, "{report:?}");
    assert!(report.text.starts_with("Found Fake"), "{report:?}");
    assert_eq!(report.missing.as_deref(), Some(lacking));
}
