//! Followers and subscribers: everything once, in order, or an honest gap.

use super::*;
use crate::conversation::Actor;
use crate::hub::{Filter, MOST_FRAMES};
use futures_util::future::join_all;
use proptest::prelude::*;

/// Rows are folded anew only when they change, so the last event of a talk must be one that shows.
fn shows_last(count: i64) -> i64 {
    count / 4 * 4
}

#[tokio::test(start_paused = true)]
async fn a_page_begins_where_the_authors_of_its_rows_are_stored() {
    let house = house(Runtime::Stopped).await;
    let handle = house.handle().await;
    let newest = *handle.newest.borrow();
    // Stored, and its author is not yet.
    let stored = vec![entry(&says(0, "hello"))];
    let appended = house.catalogue.journal.append(ID, stored, false, 0).await;
    assert!(appended.expect("a healthy journal").seq > newest);
    let view = house.reader.open(ID).await.expect("it is there");
    assert_eq!(view.rows.len(), 1);
    assert_eq!(view.seq, newest, "what follows brings the row again");
}

#[tokio::test]
async fn a_follower_gets_what_was_missed_and_what_happens() {
    let house = live_house().await;
    let seen = house.reader.open(ID).await.expect("it is there");
    let mut follower = house
        .reader
        .follow(me(), ID, seen.seq)
        .await
        .expect("it is there");
    assert_eq!(follower.verdict(), Verdict::Ok);
    let mut tab = Tab {
        seq: seen.seq,
        ..Tab::default()
    };
    house.fake.emit([runs(2, "ls"), prints(3, 2, "a.txt")]);
    assert!(tab.read_up_to(4, &mut follower).await);
    let second = house
        .reader
        .follow(me(), ID, seen.seq)
        .await
        .expect("it is there");
    let frames: Vec<_> = second.take(2).collect().await;
    let mut late = Tab {
        seq: seen.seq,
        ..Tab::default()
    };
    assert_eq!(late.take(&frames[0]), Some(Verdict::Ok));
    late.take(&frames[1]);
    assert_eq!(late.in_order(), tab.in_order());
}

#[tokio::test]
async fn a_cursor_from_the_future_is_a_gap_and_nothing_follows() {
    let house = live_house().await;
    let follower = house
        .reader
        .follow(me(), ID, 1_000)
        .await
        .expect("it is there");
    assert_eq!(follower.verdict(), Verdict::Gap);
    let frames: Vec<_> = follower.collect().await;
    assert_eq!(frames.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn following_at_the_very_moment_of_an_append_misses_nothing() {
    let house = Arc::new(house(Runtime::Running).await);
    let last = shows_last(400);
    let tabs = (0..40).map(|number| {
        let house = Arc::clone(&house);
        tokio::spawn(async move {
            // Each starts when a different part of the log is there.
            let handle = house.handle().await;
            let _watching = handle.watching.clone();
            handle
                .newest
                .clone()
                .wait_for(|seq| *seq >= number * 8)
                .await
                .expect("it stays open");
            loop {
                let seen = house.reader.open(ID).await.expect("it is there");
                let mut tab = Tab {
                    seq: seen.seq,
                    ..Tab::default()
                };
                // A changed row of an older page is left out, as in the browser.
                let first = seen.rows.first().filter(|_| seen.older);
                let first = first.map_or((0, 0), |row| (row.pos, row.id));
                tab.rows = seen.rows.into_iter().map(|row| (row.id, row)).collect();
                let mut follower = house
                    .reader
                    .follow(me(), ID, tab.seq)
                    .await
                    .expect("it is there");
                if tab.read_up_to(last, &mut follower).await {
                    tab.rows.retain(|_, row| (row.pos, row.id) >= first);
                    return tab.in_order();
                }
            }
        })
    });
    let tabs: Vec<_> = tabs.collect();
    for chunk in talk(last).chunks(3) {
        house.fake.emit(chunk.iter().cloned());
        tokio::task::yield_now().await;
    }
    let tabs = join_all(tabs).await;
    let all = house.rows().await;
    for tab in tabs {
        let tab = tab.expect("no follower panics");
        assert_eq!(tab, all[all.len() - tab.len()..]);
    }
}

#[tokio::test]
async fn a_slow_reader_is_told_gap_and_the_others_go_on() {
    let house = live_house().await;
    let mut slow = house.reader.follow(me(), ID, 0).await.expect("it is there");
    let mut quick = house.reader.follow(me(), ID, 0).await.expect("it is there");
    let mut tab = Tab::default();
    let rounds = i64::try_from(MOST_FRAMES).expect("it is small") + 10;
    for round in 0..rounds {
        house.fake.emit([says(2 + round, "more")]);
        assert!(
            tab.read_up_to(3 + round, &mut quick).await,
            "the quick one was told gap"
        );
    }
    let first = slow.next().await.expect("it is told");
    assert_eq!(Tab::default().take(&first), Some(Verdict::Gap));
    assert_eq!(slow.next().await, None);
    assert_eq!(tab.rows.len(), house.rows().await.len());
}

#[tokio::test]
async fn what_arrives_twice_and_out_of_order_is_seen_once() {
    let house = house(Runtime::Running).await;
    house.fake.stutter();
    house.fake.emit(talk(40));
    let mut follower = house.reader.follow(me(), ID, 0).await.expect("it is there");
    let mut tab = Tab::default();
    assert!(tab.read_up_to(40, &mut follower).await);
    assert_eq!(tab.in_order(), house.rows().await);
    assert_eq!(tab.rows.len(), 30);
}

#[tokio::test]
async fn a_subscriber_gets_what_its_filter_takes_from_the_past_and_the_present() {
    let house = house(Runtime::Running).await;
    house.fake.emit(talk(600));
    let filter = Filter {
        kinds: vec!["message".to_owned()],
        from: vec![Actor::Human],
    };
    let events = house
        .reader
        .events(ID, 0, filter)
        .await
        .expect("it is there");
    let mut events = Box::pin(events);
    for number in 0..150 {
        let event = events
            .next()
            .await
            .expect("it stays open")
            .expect("a healthy journal");
        assert_eq!(event.seq, number * 4 + 1);
    }
    house.fake.emit([answers(600, "no"), says(601, "yes")]);
    let event = events
        .next()
        .await
        .expect("it stays open")
        .expect("a healthy journal");
    assert_eq!(
        (event.kind(), event.source(), event.seq),
        ("message", "human", 602)
    );
}

#[tokio::test]
async fn who_follows_a_deleted_conversation_is_told() {
    let house = live_house().await;
    let mut follower = house.reader.follow(me(), ID, 0).await.expect("it is there");
    house.commands.delete(me(), ID).await.expect("it is there");
    let mut last = None;
    while let Some(frame) = follower.next().await {
        last = Some(serde_json::from_slice(&frame).expect("frames are JSON"));
    }
    assert_eq!(
        last,
        Some(FromServer::Gone {
            conversation: ID.to_owned()
        })
    );
    assert!(matches!(
        house.reader.open(ID).await,
        Err(HubError::NotFound(_))
    ));
}

#[tokio::test]
async fn the_list_follows_what_happens_in_a_conversation() {
    let house = live_house().await;
    let mut list = house.list.follow_list(me());
    house.fake.emit([
        state(2, "awaiting_user_confirmation"),
        asks(3, "rm -rf build"),
    ]);
    loop {
        let frame = list.next().await.expect("the list stays");
        if let FromServer::Summary { summary } =
            serde_json::from_slice(&frame).expect("frames are JSON")
            && summary.waiting == 1
        {
            assert!(summary.needs_you());
            assert!(
                summary.excerpt.contains("rm -rf build"),
                "{}",
                summary.excerpt
            );
            return;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Tabs that come, go and come back at any moment have seen, in the end, what the journal has.
    #[test]
    fn tabs_that_come_and_go_see_what_the_journal_has(
        chunks in proptest::collection::vec(1..12_usize, 10..30),
        stays in proptest::collection::vec(1..6_usize, 12),
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let house = Arc::new(house(Runtime::Running).await);
            let events = talk(shows_last(chunks.iter().sum::<usize>() as i64).max(4));
            let last = i64::try_from(events.len()).expect("it is short");
            let tabs: Vec<_> = stays
                .chunks(3)
                .map(|stays| tokio::spawn(come_and_go(Arc::clone(&house), stays.to_vec(), last)))
                .collect();
            let mut rest = events.as_slice();
            for count in chunks {
                let (now, later) = rest.split_at(count.min(rest.len()));
                house.fake.emit(now.iter().cloned());
                rest = later;
                tokio::task::yield_now().await;
            }
            house.fake.emit(rest.iter().cloned());
            for tab in join_all(tabs).await {
                assert_eq!(tab.expect("no follower panics"), house.rows().await);
            }
        });
    }
}

/// Follows for a few frames at a time, comes back where it left off, and stays in the end.
async fn come_and_go(house: Arc<House>, stays: Vec<usize>, last: i64) -> Vec<String> {
    let mut tab = Tab::default();
    for stay in stays {
        let mut follower = house
            .reader
            .follow(me(), ID, tab.seq)
            .await
            .expect("it is there");
        for _ in 0..stay {
            let frame = follower.next().await.expect("it stays open");
            assert_ne!(tab.take(&frame), Some(Verdict::Gap));
            if tab.seq == last {
                return tab.in_order();
            }
        }
    }
    let mut follower = house
        .reader
        .follow(me(), ID, tab.seq)
        .await
        .expect("it is there");
    assert!(tab.read_up_to(last, &mut follower).await);
    tab.in_order()
}
