//! Eviction: which connections lose their slots, and which keep them.

use super::*;
use tokio::time::{advance, sleep};

const MOST: Most = Most { all: 6, of_one: 3 };

fn at(address: &str) -> IpAddr {
    address.parse().unwrap()
}

fn is_gone(guard: &SlotGuard) -> bool {
    guard.slot.gone.is_cancelled()
}

#[tokio::test(start_paused = true)]
async fn who_is_waited_for_too_long_has_to_go_and_who_is_answered_stays() {
    let slots = Slots::new(Most {
        all: 100,
        of_one: 100,
    });
    let all: Vec<(Phase, SlotGuard)> = [
        Phase::Handshake,
        Phase::Head,
        Phase::Idle,
        Phase::Busy,
        Phase::Live,
    ]
    .into_iter()
    .map(|phase| {
        let guard = slots.enter(at("192.0.2.1"), false).unwrap();
        guard.slot.is(phase);
        (phase, guard)
    })
    .collect();
    for (seconds, gone) in [(9, 0), (12, 1), (17, 2), (74, 2), (77, 3), (36_000, 3)] {
        let passed = all[0].1.slot.since().elapsed();
        sleep(Duration::from_secs(seconds) - passed).await;
        let now: Vec<Phase> = all
            .iter()
            .filter(|(_, one)| is_gone(one))
            .map(|(phase, _)| *phase)
            .collect();
        assert_eq!(now.len(), gone, "{seconds}: {now:?}");
    }
    let (_, busy) = &all[3];
    busy.slot.takes(false);
    sleep(Duration::from_secs(50)).await;
    busy.slot.takes(false);
    assert!(!is_gone(busy));
    sleep(Duration::from_secs(12)).await;
    assert!(is_gone(busy), "it takes nothing of its answer");
}

#[tokio::test(start_paused = true)]
async fn who_holds_many_goes_for_who_holds_few() {
    let slots = Slots::new(MOST);
    let honest = slots.enter(at("192.0.2.9"), false).unwrap();
    let mut many = Vec::new();
    for one in 0..3 {
        advance(Duration::from_millis(1)).await;
        // Addresses of one /64 count as one.
        many.push(slots.enter(at(&format!("2001:db8::{one}")), false).unwrap());
    }
    let fourth = slots.enter(at("2001:db8::ffff:1"), false);
    assert!(
        fourth.is_some() && is_gone(&many[0]),
        "the oldest of its own goes"
    );
    let more: Vec<SlotGuard> = (1..3)
        .filter_map(|last| slots.enter(at(&format!("198.51.100.{last}")), false))
        .collect();
    assert_eq!(more.len(), 2);
    // All six slots are taken now.
    let seventh = slots.enter(at("203.0.113.1"), false);
    assert!(seventh.is_some() && is_gone(&many[1]));
    assert!(!is_gone(&honest) && !more.iter().any(is_gone));
}

#[tokio::test(start_paused = true)]
async fn nobody_who_is_answered_goes_for_another_and_a_seat_that_is_left_is_free() {
    let slots = Slots::new(MOST);
    let mut all: Vec<SlotGuard> = (0..6)
        .map(|_| slots.enter(at("127.0.0.1"), true).unwrap())
        .collect();
    all.iter().for_each(|one| one.slot.is(Phase::Busy));
    all[5].slot.is(Phase::Live);
    all[5].slot.is(Phase::Idle);
    assert!(slots.enter(at("192.0.2.9"), false).is_none());
    all.pop();
    assert!(slots.enter(at("192.0.2.9"), false).is_some());
    assert!(!all.iter().any(is_gone));
}
