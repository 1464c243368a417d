//! What is taken away, and what that may weigh.

use super::*;
use crate::live::{SecretKind, Secrets};

#[tokio::test]
async fn a_conversation_can_be_taken_away_as_markdown_and_as_json() {
    let house = house(Runtime::Stopped).await;
    house.fake.emit(talk(8));
    house.reader.open(ID).await.expect("it is there");
    let markdown = house
        .exports
        .markdown(ID, Secrets::Keep)
        .await
        .expect("healthy");
    let markdown = taken(markdown).await.concat();
    assert!(
        markdown.contains("## You\n\n> Please look at number 4"),
        "{markdown}"
    );
    assert!(markdown.contains("cat notes/5.txt"), "{markdown}");
    let json = house
        .exports
        .trajectory(ID, Secrets::Keep)
        .await
        .expect("healthy");
    let json = taken(json).await.concat();
    let events: Vec<serde_json::Value> = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(events.len(), 8);
}

#[tokio::test]
async fn an_export_is_never_whole_in_memory() {
    const EVENT: usize = 600_000;
    let house = house(Runtime::Stopped).await;
    let long = "word ".repeat(EVENT / 5);
    house.fake.emit((0..20).map(|id| says(id, &long)));
    let handle = house.handle().await;
    let mut newest = handle.newest.clone();
    let all = newest.wait_for(|newest| *newest == 20).await;
    drop(all.expect("the handle stays open"));
    for pieces in [
        taken(
            house
                .exports
                .trajectory(ID, Secrets::Keep)
                .await
                .expect("healthy"),
        )
        .await,
        taken(
            house
                .exports
                .markdown(ID, Secrets::Mask)
                .await
                .expect("healthy"),
        )
        .await,
    ] {
        let sizes: Vec<usize> = pieces.iter().map(String::len).collect();
        assert!(sizes.iter().sum::<usize>() > 20 * EVENT, "{sizes:?}");
        assert!(sizes.iter().all(|size| *size < 6 << 20), "{sizes:?}");
        assert!(pieces.len() > 3, "{sizes:?}");
    }
}

#[tokio::test]
async fn secrets_are_masked_in_every_format_and_shown_before_by_their_beginnings() {
    const TOKEN: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123";
    let house = house(Runtime::Stopped).await;
    house.fake.emit([
        says(0, &format!("Use {TOKEN} please")),
        runs(
            1,
            &format!("export A_TOKEN=x; curl -H 'Authorization: Bearer abcd1234' # {TOKEN}"),
        ),
    ]);
    house.reader.open(ID).await.expect("it is there");
    let hub = &house.hub;
    for secrets in [Secrets::Mask, Secrets::Keep] {
        for text in [
            taken(hub.exports.trajectory(ID, secrets).await.expect("healthy")).await,
            taken(hub.exports.markdown(ID, secrets).await.expect("healthy")).await,
            taken(hub.exports.html(ID, secrets).await.expect("healthy")).await,
        ] {
            let text = text.concat();
            let is_masked = secrets == Secrets::Mask;
            assert_eq!(
                text.contains("[masked:repository-token]"),
                is_masked,
                "{text}"
            );
            assert_eq!(!text.contains(TOKEN), is_masked, "{text}");
            assert_eq!(!text.contains("abcd1234"), is_masked, "{text}");
        }
    }
    let view = hub.exports.view(ID).await.expect("healthy");
    assert!(view.whole);
    let seen: Vec<(SecretKind, &str, usize)> = view
        .secrets
        .iter()
        .map(|secret| (secret.kind, &*secret.start, secret.count))
        .collect();
    // The event of a command has it twice: as an argument, and in words.
    let wanted = [
        (SecretKind::RepositoryToken, "ghp_", 3),
        (SecretKind::Named, "", 2),
        (SecretKind::Authorization, "ab", 2),
    ];
    assert_eq!(seen, wanted);
    assert!(view.secrets.iter().all(|secret| secret.row.is_some()));
}

#[tokio::test]
async fn a_secret_in_a_title_is_masked_like_any_other() {
    const TOKEN: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123";
    let house = house(Runtime::Stopped).await;
    let hub = &house.hub;
    let file = r#"[{"id":0,"source":"user","action":"message","args":{"content":"Hello"}}]"#;
    let imported = hub.catalogue.import(me(), "a.json", file.into()).await;
    let id = &imported.expect("it is a trajectory")[0];
    let title = format!("Use {TOKEN}");
    hub.commands
        .rename(me(), id, &title)
        .await
        .expect("it is there");
    for secrets in [Secrets::Mask, Secrets::Keep] {
        for text in [
            hub.exports.file_name(id, secrets).await.expect("healthy"),
            taken(hub.exports.markdown(id, secrets).await.expect("healthy"))
                .await
                .concat(),
            taken(hub.exports.html(id, secrets).await.expect("healthy"))
                .await
                .concat(),
        ] {
            assert_eq!(
                text.contains("ghp_abcdef"),
                secrets == Secrets::Keep,
                "{text}"
            );
        }
    }
    let view = hub.exports.view(id).await.expect("healthy");
    assert!(!view.title.contains("ghp_abcdef"), "{}", view.title);
}

#[tokio::test]
async fn the_file_that_replays_a_conversation_has_all_its_rows() {
    let house = house(Runtime::Stopped).await;
    house.fake.emit(talk(40));
    house.reader.open(ID).await.expect("it is there");
    let html = taken(
        house
            .exports
            .html(ID, Secrets::Mask)
            .await
            .expect("healthy"),
    )
    .await;
    let html = html.concat();
    let rows = house
        .reader
        .rows(ID, None, None, 10_000)
        .await
        .expect("healthy")
        .rows;
    assert_eq!(html.matches("<article").count(), rows.len());
    assert!(html.starts_with("<!DOCTYPE html>") && html.trim_end().ends_with("</html>"));
}

#[tokio::test]
async fn exports_that_are_read_slowly_do_not_stop_others() {
    let house = house(Runtime::Stopped).await;
    house.fake.emit(talk(40));
    house.reader.open(ID).await.expect("it is there");
    let hub = &house.hub;
    // As many as are rendered at a time stop in the middle.
    let mut stalled = Vec::new();
    for _ in 0..2 {
        let stream = hub.exports.html(ID, Secrets::Mask).await.expect("healthy");
        let mut stream = Box::pin(stream);
        for _ in 0..2 {
            assert!(stream.next().await.is_some_and(|piece| piece.is_ok()));
        }
        stalled.push(stream);
    }
    let other = hub.exports.html(ID, Secrets::Mask).await.expect("healthy");
    let other = tokio::time::timeout(Duration::from_secs(20), taken(other)).await;
    assert!(
        other
            .expect("it does not wait")
            .concat()
            .contains("</html>")
    );
    drop(stalled);
}
