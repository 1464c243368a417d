//! Eviction: which connections lose their seats, and which keep them.

use super::*;
use tokio::time::{advance, sleep};

const MOST: Most = Most { all: 6, of_one: 3 };

fn at(address: &str) -> IpAddr {
    address.parse().unwrap()
}

fn is_gone(taking: &Taking) -> bool {
    taking.seat.gone.is_cancelled()
}

#[tokio::test(start_paused = true)]
async fn who_is_waited_for_too_long_has_to_go_and_who_is_answered_stays() {
    let seats = Seats::new(Most {
        all: 100,
        of_one: 100,
    });
    let all: Vec<(Phase, Taking)> = [
        Phase::Handshake,
        Phase::Head,
        Phase::Idle,
        Phase::Busy,
        Phase::Live,
    ]
    .into_iter()
    .map(|phase| {
        let taking = seats.enter(at("192.0.2.1"), false).unwrap();
        taking.seat.is(phase);
        (phase, taking)
    })
    .collect();
    for (seconds, gone) in [(9, 0), (12, 1), (17, 2), (74, 2), (77, 3), (36_000, 3)] {
        let passed = all[0].1.seat.since().elapsed();
        sleep(Duration::from_secs(seconds) - passed).await;
        let now: Vec<Phase> = all
            .iter()
            .filter(|(_, one)| is_gone(one))
            .map(|(phase, _)| *phase)
            .collect();
        assert_eq!(now.len(), gone, "{seconds}: {now:?}");
    }
    let (_, busy) = &all[3];
    busy.seat.takes(false);
    sleep(Duration::from_secs(50)).await;
    busy.seat.takes(false);
    assert!(!is_gone(busy));
    sleep(Duration::from_secs(12)).await;
    assert!(is_gone(busy), "it takes nothing of its answer");
}

#[tokio::test(start_paused = true)]
async fn who_holds_many_goes_for_who_holds_few() {
    let seats = Seats::new(MOST);
    let honest = seats.enter(at("192.0.2.9"), false).unwrap();
    let mut many = Vec::new();
    for one in 0..3 {
        advance(Duration::from_millis(1)).await;
        // Addresses of one /64 count as one.
        many.push(seats.enter(at(&format!("2001:db8::{one}")), false).unwrap());
    }
    let fourth = seats.enter(at("2001:db8::ffff:1"), false);
    assert!(
        fourth.is_some() && is_gone(&many[0]),
        "the oldest of its own goes"
    );
    let more: Vec<Taking> = (1..3)
        .filter_map(|last| seats.enter(at(&format!("198.51.100.{last}")), false))
        .collect();
    assert_eq!(more.len(), 2);
    // All six seats are taken now.
    let seventh = seats.enter(at("203.0.113.1"), false);
    assert!(seventh.is_some() && is_gone(&many[1]));
    assert!(!is_gone(&honest) && !more.iter().any(is_gone));
}

#[tokio::test(start_paused = true)]
async fn nobody_who_is_answered_goes_for_another_and_a_seat_that_is_left_is_free() {
    let seats = Seats::new(MOST);
    let mut all: Vec<Taking> = (0..6)
        .map(|_| seats.enter(at("127.0.0.1"), true).unwrap())
        .collect();
    all.iter().for_each(|one| one.seat.is(Phase::Busy));
    all[5].seat.is(Phase::Live);
    all[5].seat.is(Phase::Idle);
    assert!(seats.enter(at("192.0.2.9"), false).is_none());
    all.pop();
    assert!(seats.enter(at("192.0.2.9"), false).is_some());
    assert!(!all.iter().any(is_gone));
}
