//! A disk that is full for a while costs time and no events.

use super::*;
use rusqlite::Connection;

/// Lets nothing be added to the table of events, or lets it again.
fn disk_is_full(house: &House, full: bool) {
    fails(house, if full { Some("true") } else { None });
}

/// Lets no event be added for which this holds, or lets all again.
fn fails(house: &House, condition: Option<&str>) {
    let database = Connection::open(house.folder.path().join("handrail.db")).expect("it is there");
    database
        .busy_timeout(Duration::from_secs(5))
        .expect("it can be set");
    let change = match condition {
        Some(condition) => format!(
            "CREATE TRIGGER full BEFORE INSERT ON event WHEN {condition}
             BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        ),
        None => "DROP TRIGGER full".to_owned(),
    };
    database.execute_batch(&change).expect("it is SQL");
}

/// Waits until this many events are stored.
async fn stored(house: &House, count: i64) {
    let mut newest = house.handle().await.newest.clone();
    let waiting = newest.wait_for(|newest| *newest >= count);
    let found = tokio::time::timeout(Duration::from_secs(60), waiting).await;
    drop(
        found
            .expect("it is read again")
            .expect("the handle stays open"),
    );
}

#[tokio::test(start_paused = true)]
async fn history_that_could_not_be_stored_is_read_again() {
    let house = house(Runtime::Stopped).await;
    house.fake.emit(talk(40));
    disk_is_full(&house, true);
    assert_eq!(house.reader.open(ID).await.expect("it is there").seq, 0);
    disk_is_full(&house, false);
    stored(&house, 40).await;
    // How far the history is complete is stored behind its last event.
    let complete = async {
        loop {
            let kept = house.catalogue.journal.conversation(ID).await;
            let kept = kept.expect("a healthy journal").expect("it is known");
            if let Some(complete_to) = kept.complete_to {
                return (kept.seq, complete_to);
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let kept = tokio::time::timeout(Duration::from_secs(60), complete).await;
    assert_eq!(kept.expect("it is complete"), (40, 39));
}

#[tokio::test(start_paused = true)]
async fn what_a_connection_brought_and_could_not_be_stored_is_read_again_though_nobody_watches() {
    let house = live_house().await;
    disk_is_full(&house, true);
    house.fake.emit([answers(2, "lost?")]);
    house
        .until(|session| {
            session
                .notice
                .as_ref()
                .is_some_and(|notice| notice.text.contains("disk"))
        })
        .await;
    disk_is_full(&house, false);
    stored(&house, 3).await;
    assert_eq!(house.rows().await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_comes_after_events_that_could_not_be_stored_is_stored_after_them() {
    let house = live_house().await;
    fails(&house, Some("NEW.raw LIKE '%the first%'"));
    let first = [answers(2, "the first")].into_iter();
    house
        .fake
        .emit(first.chain((3..600).map(|id| answers(id, "a later one"))));
    let is_said = |session: &SessionView| {
        session
            .notice
            .as_ref()
            .is_some_and(|notice| notice.text.contains("disk"))
    };
    house.until(is_said).await;
    fails(&house, None);
    stored(&house, 600).await;
    let kept = house.catalogue.journal.events(ID, 0, 1_000).await;
    let kept = kept.expect("a healthy journal");
    let ids: Vec<i64> = kept
        .iter()
        .filter_map(|event| {
            serde_json::from_str::<serde_json::Value>(&event.raw).ok()?["id"].as_i64()
        })
        .collect();
    assert_eq!(ids, (0..600).collect::<Vec<_>>());
}
