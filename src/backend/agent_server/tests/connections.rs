//! Live connections under faults: every event arrives exactly once, at its position.

use super::*;
use crate::conversation::Drafts;
use serde_json::json;

/// Number of events of a conversation, read without a live connection.
async fn all(backend: &AgentServer, id: &str) -> usize {
    let mut resume = holding(None);
    let kept = Kept::default();
    loop {
        let page = backend.history(id, resume).await.unwrap();
        for event in page.events {
            if let Some(pos) = event.item.pos {
                kept.0.lock().unwrap().insert(pos, event);
            }
        }
        if !page.more {
            return kept.positions().len();
        }
        resume = kept.resume_point();
    }
}

#[tokio::test]
async fn a_connection_brings_the_whole_log_in_order_and_pages_bring_the_same() {
    let (_rehearsal, backend, id) = create_conversation("[[scenario:long:150]]").await;
    let mut connection = hold_from(&backend, &id, holding(None));
    connection.live().await;
    let kept = Kept::default();
    kept.status(&mut connection, Status::Finished).await;
    let count = all(&backend, &id).await;
    assert!(count > 300, "several pages");
    let wanted = count;
    kept.until(&mut connection, move |kept| kept.len() == wanted)
        .await;
    let expected: Vec<i64> = (0..).take(count).collect();
    assert_eq!(kept.positions(), expected);
}

#[tokio::test]
async fn sockets_that_drop_and_a_server_that_restarts_lose_and_double_nothing() {
    let (rehearsal, backend, id) = create_conversation("[[scenario:long:60]]").await;
    let mut connection = hold_from(&backend, &id, holding(None));
    let kept = Kept::default();
    for drops in 1..5 {
        kept.until(&mut connection, |kept| kept.len() > drops * 20)
            .await;
        rehearsal.faults().inject(&Fault::DropSockets);
    }
    rehearsal.restart(Memory::default());
    connection.live().await;
    connection.order(say("[[scenario:hello]]")).await;
    kept.status(&mut connection, Status::Finished).await;
    let count = all(&backend, &id).await;
    kept.until(&mut connection, move |kept| kept.len() == count)
        .await;
    assert_eq!(kept.positions(), (0..).take(count).collect::<Vec<i64>>());
}

#[tokio::test]
async fn stored_events_that_cannot_be_read_are_told_and_the_socket_does_alone() {
    let (rehearsal, backend, id) = create_conversation("[[scenario:hello]]").await;
    rehearsal.faults().inject(&Fault::Rest {
        kind: RestFault::ServerError,
        path: "events/search".to_owned(),
        times: 0,
    });
    let mut connection = hold_from(&backend, &id, holding(None));
    connection.live().await;
    assert!(
        connection
            .unread
            .borrow()
            .as_ref()
            .is_some_and(|why| why.contains("Internal Server Error"))
    );
    let kept = Kept::default();
    kept.status(&mut connection, Status::Finished).await;
    rehearsal.faults().inject(&Fault::Clear);
    let read = timeout(LONG, connection.unread.wait_for(Option::is_none)).await;
    drop(read.expect("it is read again").unwrap());
}

#[tokio::test]
async fn a_page_that_never_comes_holds_no_event_of_the_socket_back() {
    let (rehearsal, backend, id) = create_conversation("[[scenario:hello]]").await;
    let mut connection = hold_from(&backend, &id, holding(None));
    let kept = Kept::default();
    kept.status(&mut connection, Status::Finished).await;
    rehearsal.faults().inject(&Fault::Rest {
        kind: RestFault::Hang,
        path: "events/search".to_owned(),
        times: 0,
    });
    // By now a page request is in flight.
    tokio::time::sleep(2 * quick().silence).await;
    // Bypass Handrail, which would read stored events first.
    let address = format!("http://{}/api/conversations/{id}/events", rehearsal.addr());
    let text = json!({ "type": "text", "text": "[[scenario:hello]]" });
    let said = reqwest::Client::new()
        .post(address)
        .header("X-Session-API-Key", KEY)
        .json(&json!({ "role": "user", "content": [text], "run": true }))
        .send();
    assert!(said.await.unwrap().status().is_success());
    kept.status(&mut connection, Status::Finished).await;
}

#[tokio::test]
async fn a_server_with_the_older_socket_alone_brings_the_same() {
    let rehearsal = rehearse().await;
    let timing = Timing {
        session_since: (999, 0),
        ..quick()
    };
    let backend = bridge(&rehearsal, timing);
    let id = create(&backend, "[[scenario:tools]]").await;
    let mut connection = hold_from(&backend, &id, holding(None));
    let kept = Kept::default();
    kept.status(&mut connection, Status::Finished).await;
    connection.order(say("[[scenario:hello]]")).await;
    kept.status(&mut connection, Status::Finished).await;
    let count = all(&backend, &id).await;
    kept.until(&mut connection, move |kept| kept.len() == count)
        .await;
    assert_eq!(kept.positions(), (0..).take(count).collect::<Vec<i64>>());
}

#[tokio::test]
async fn what_the_model_writes_arrives_in_pieces_on_both_sockets() {
    for session_since in [(1, 45), (999, 0)] {
        let rehearsal = rehearse().await;
        let timing = Timing {
            session_since,
            ..quick()
        };
        let backend = bridge(&rehearsal, timing);
        let id = create(&backend, "[[scenario:hello]]").await;
        let mut connection = hold_from(&backend, &id, holding(None));
        let kept = Kept::default();
        kept.status(&mut connection, Status::Finished).await;
        let mut seen = Vec::new();
        // A WebSocket that is still connecting misses the first text, so ask until one is received completely.
        while !seen.iter().any(|text| kept.said().contains(text)) {
            connection.order(say("[[scenario:hello]]")).await;
            kept.status(&mut connection, Status::Finished).await;
            let mut drafts = Drafts::default();
            while let Ok(piece) = connection.pieces.try_recv() {
                drafts.take(piece);
                seen.extend(drafts.iter().map(|draft| draft.text.clone()));
            }
        }
    }
}

#[tokio::test]
async fn a_backup_with_fewer_events_is_told_once_and_gone_on_from() {
    let (rehearsal, backend, id) = create_conversation("[[scenario:tools]]").await;
    let kept = Kept::default();
    let mut connection = hold_from(&backend, &id, holding(None));
    kept.status(&mut connection, Status::Finished).await;
    let before = kept.newest().unwrap();
    rehearsal.restart(Memory::First(6));
    let is_notice = |event: &ReceivedEvent| matches!(event.item.body, Body::Lost { .. });
    drop(connection);
    let mut connection = hold_from(&backend, &id, kept.resume_point());
    kept.until(&mut connection, |kept| kept.values().any(is_notice))
        .await;
    assert_eq!(kept.newest(), Some(before + 1), "behind all that was");
    connection.live().await;
    connection.order(say("[[scenario:hello]]")).await;
    kept.status(&mut connection, Status::Finished).await;
    drop(connection);
    // The notice is not repeated, and later events are not lost.
    let newest = kept.newest().unwrap();
    let mut connection = hold_from(&backend, &id, kept.resume_point());
    connection.live().await;
    connection.order(say("[[scenario:hello]]")).await;
    kept.status(&mut connection, Status::Finished).await;
    let notices = kept
        .0
        .lock()
        .unwrap()
        .values()
        .filter(|event| is_notice(event))
        .count();
    assert_eq!(notices, 1);
    let positions = kept.positions();
    let behind: Vec<i64> = positions
        .iter()
        .copied()
        .filter(|pos| *pos > newest)
        .collect();
    assert_eq!(
        behind,
        (newest + 1..).take(behind.len()).collect::<Vec<i64>>()
    );
}

#[tokio::test]
async fn a_wrong_key_and_an_unknown_conversation_are_refused_for_good() {
    let (rehearsal, backend, id) = create_conversation("[[scenario:hello]]").await;
    let address = Connection::at(&format!("http://{}", rehearsal.addr()), None).unwrap();
    let keyless = AgentServer::with_timing(address, quick(), false).unwrap();
    let refused = |state: &ConnectionState| matches!(state, ConnectionState::Refused { .. });
    hold_from(&keyless, &id, holding(None)).until(refused).await;
    let unknown = "00000000-0000-4000-a000-000000000000";
    hold_from(&backend, unknown, holding(None))
        .until(refused)
        .await;
}

#[tokio::test]
async fn times_have_the_zone_of_the_server() {
    let (_rehearsal, backend, id) = create_conversation("[[scenario:hello]]").await;
    let mut connection = hold_from(&backend, &id, holding(None));
    let kept = Kept::default();
    kept.status(&mut connection, Status::Finished).await;
    let kept = kept.0.lock().unwrap();
    assert!(kept.values().all(|event| event.item.at.zoned));
}

#[tokio::test]
async fn the_list_is_as_it_is_after_every_change() {
    let (_rehearsal, backend, first) = create_conversation("[[scenario:hello]]").await;
    let second = create(&backend, "[[scenario:hello]]").await;
    let ids = async || {
        let page = backend.conversations(None).await.unwrap();
        let mut ids: Vec<String> = page.results.into_iter().map(|info| info.id).collect();
        ids.sort();
        ids
    };
    let mut both = vec![first.clone(), second.clone()];
    both.sort();
    assert_eq!(ids().await, both);
    backend.rename(&first, "Another title").await.unwrap();
    let page = backend.conversations(None).await.unwrap();
    assert!(
        page.results
            .iter()
            .any(|info| info.title == "Another title")
    );
    backend.delete(&second).await.unwrap();
    assert_eq!(ids().await, [first]);
}

#[tokio::test]
async fn what_is_nested_on_purpose_hides_nothing_behind_it() {
    let (_rehearsal, backend, id) = create_conversation("[[scenario:hostile]]").await;
    let mut connection = hold_from(&backend, &id, holding(None));
    let kept = Kept::default();
    kept.status(&mut connection, Status::AwaitingConfirmation)
        .await;
    let count = all(&backend, &id).await;
    kept.until(&mut connection, move |kept| kept.len() == count)
        .await;
    assert_eq!(kept.positions(), (0..).take(count).collect::<Vec<i64>>());
}

#[tokio::test]
async fn every_conversation_that_an_address_can_name_is_listed_and_the_others_are_counted() {
    let (rehearsal, backend, id) = create_conversation("[[scenario:hello]]").await;
    for id in ["nightly_build-7", "a b"] {
        let address = format!("http://{}/api/conversations", rehearsal.addr());
        let made = reqwest::Client::new()
            .post(address)
            .header("x-session-api-key", KEY)
            .json(&serde_json::json!({ "conversation_id": id }))
            .send();
        assert!(made.await.unwrap().status().is_success());
    }
    // The second read finds no changes and the same number.
    for _ in 0..2 {
        let page = backend.conversations(None).await.unwrap();
        let mut ids: Vec<String> = page.results.into_iter().map(|info| info.id).collect();
        ids.sort();
        let mut expected = vec![id.clone(), "nightly_build-7".to_owned()];
        expected.sort();
        assert_eq!((ids, page.left_out), (expected, 1));
    }
}
