//! The link of a conversation to its backend, step by step and without any input or output.

use crate::backend::{ConnectionState, Runtime};
use crate::hub::parts::link::{Demand, Found, Link, LinkAction, LinkEvent, Report, Unread};
use std::time::{Duration, Instant};

const NOBODY: Demand = Demand {
    watched: false,
    busy: false,
    sending: false,
};
const WATCHED: Demand = Demand {
    watched: true,
    ..NOBODY
};

/// A link and a clock of its own.
struct Bench {
    link: Link,
    now: Instant,
    demand: Demand,
}

impl Bench {
    fn new(runtime: Runtime, demand: Demand) -> Self {
        Self {
            link: Link::new(runtime),
            now: Instant::now(),
            demand,
        }
    }

    fn on(&mut self, event: LinkEvent) -> Vec<LinkAction> {
        self.link.on(event, self.demand, self.now)
    }

    fn after(&mut self, seconds: u64) -> Vec<LinkAction> {
        self.now += Duration::from_secs(seconds);
        self.on(LinkEvent::Reconcile)
    }

    fn found(&mut self, number: u64, runtime: Runtime) -> Vec<LinkAction> {
        let described = Report {
            runtime,
            changed: false,
            busy: false,
        };
        self.on(LinkEvent::Checked(number, Found::Known(described)))
    }

    /// A connection that is live; its number.
    fn live(&mut self) -> u64 {
        assert_eq!(self.on(LinkEvent::Reconcile), [check(1)]);
        assert_eq!(self.found(1, Runtime::Running), [connect(2)]);
        self.on(LinkEvent::ConnectionIs(ConnectionState::Live));
        2
    }
}

fn check(number: u64) -> LinkAction {
    let urgent = false;
    LinkAction::Check { number, urgent }
}

fn connect(number: u64) -> LinkAction {
    let urgent = false;
    LinkAction::Connect { number, urgent }
}

fn backfill(number: u64) -> LinkAction {
    LinkAction::Backfill { number }
}

fn refused() -> ConnectionState {
    ConnectionState::Refused {
        why: "no".to_owned(),
        code: String::new(),
    }
}

#[test]
fn the_backend_is_asked_before_a_connection_is_made() {
    let mut bench = Bench::new(Runtime::Running, WATCHED);
    bench.live();
    assert_eq!(bench.link.state(), ConnectionState::Live);
    // Lost: the sandbox may have been stopped, and a connection that comes back would start it.
    let lost = ConnectionState::Reconnecting {
        attempt: 1,
        why: String::new(),
        retry_in: 1,
    };
    let actions = bench.on(LinkEvent::ConnectionIs(lost));
    assert_eq!(actions, [check(3), LinkAction::ForgetDrafts]);
    let actions = bench.found(3, Runtime::Stopped);
    assert_eq!(actions, [LinkAction::Disconnect, backfill(4)]);
    assert_eq!(bench.link.state(), ConnectionState::Idle);
}

#[test]
fn a_stopped_conversation_is_read_once_and_not_connected() {
    let mut bench = Bench::new(Runtime::Stopped, WATCHED);
    assert_eq!(bench.on(LinkEvent::Reconcile), [check(1)]);
    assert_eq!(bench.found(1, Runtime::Stopped), [backfill(2)]);
    let actions = bench.on(LinkEvent::Backfilled(2, Ok(())));
    assert_eq!(actions, [LinkAction::BackendAsked]);
    assert!(bench.after(60).is_empty());
    // The list says that something has happened there.
    let changed = Report {
        runtime: Runtime::Stopped,
        changed: true,
        busy: false,
    };
    assert_eq!(bench.on(LinkEvent::Listed(changed)), [backfill(3)]);
}

#[test]
fn a_connection_that_is_wanted_does_not_wait_for_the_history() {
    let mut bench = Bench::new(Runtime::Running, NOBODY);
    assert_eq!(bench.on(LinkEvent::Reconcile), [check(1)]);
    assert_eq!(bench.found(1, Runtime::Running), [backfill(2)]);
    bench.demand = WATCHED;
    let actions = bench.on(LinkEvent::Reconcile);
    assert_eq!(actions, [LinkAction::StopBackfill, connect(3)]);
    assert!(!bench.link.is_backfilling(2));
}

#[test]
fn each_failure_is_followed_by_a_longer_pause() {
    let mut bench = Bench::new(Runtime::Running, WATCHED);
    bench.on(LinkEvent::Reconcile);
    let mut pauses = Vec::new();
    for number in 1..8 {
        let failed = Found::Failed("away".to_owned());
        bench.on(LinkEvent::Checked(number, failed));
        let ConnectionState::Reconnecting { attempt, .. } = bench.link.state() else {
            panic!("{:?}", bench.link.state());
        };
        assert_eq!(u64::from(attempt), number);
        let mut seconds = 0;
        while bench.after(1).is_empty() {
            seconds += 1;
        }
        pauses.push(seconds + 1);
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
}

#[test]
fn after_a_success_the_pauses_start_anew() {
    let mut bench = Bench::new(Runtime::Running, WATCHED);
    bench.on(LinkEvent::Reconcile);
    for number in 1..6 {
        let failed = Found::Failed("away".to_owned());
        bench.on(LinkEvent::Checked(number, failed));
        assert_eq!(bench.after(60), [check(number + 1)]);
    }
    assert_eq!(bench.found(6, Runtime::Running), [connect(7)]);
    bench.on(LinkEvent::ConnectionIs(ConnectionState::Live));
    bench.on(LinkEvent::ConnectionEnded(7));
    assert_eq!(bench.after(1), [check(8)], "the backend was there");
}

#[test]
fn a_refusal_lasts_until_a_person_or_the_sandbox_changes_it() {
    let mut bench = Bench::new(Runtime::Running, WATCHED);
    let number = bench.live();
    bench.on(LinkEvent::ConnectionIs(refused()));
    bench.on(LinkEvent::ConnectionEnded(number));
    assert_eq!(bench.link.state(), refused());
    assert!(bench.after(3600).is_empty());
    assert_eq!(bench.on(LinkEvent::Retry), [check(3)]);
    // Once is enough.
    assert!(bench.on(LinkEvent::Retry).is_empty());
}

#[test]
fn a_history_whose_events_could_not_be_stored_is_not_complete() {
    let mut bench = Bench::new(Runtime::Stopped, NOBODY);
    bench.on(LinkEvent::Reconcile);
    assert_eq!(bench.found(1, Runtime::Stopped), [backfill(2)]);
    let actions = bench.on(LinkEvent::NotStored);
    assert_eq!(
        actions,
        [LinkAction::StopBackfill, LinkAction::BackendAsked]
    );
    assert!(!bench.link.is_backfilling(2), "what it says does not count");
    assert!(bench.on(LinkEvent::Backfilled(2, Ok(()))).is_empty());
    assert_eq!(bench.after(1), [backfill(3)]);
}

#[test]
fn a_history_that_cannot_be_read_keeps_nobody_from_a_connection() {
    let mut bench = Bench::new(Runtime::Running, NOBODY);
    bench.on(LinkEvent::Reconcile);
    assert_eq!(bench.found(1, Runtime::Running), [backfill(2)]);
    let unread = Unread {
        why: "an internal error".to_owned(),
        lasting: true,
    };
    bench.on(LinkEvent::Backfilled(2, Err(unread)));
    assert!(bench.link.unread().is_some());
    assert_eq!(bench.after(1), [check(3)]);
    assert_eq!(bench.found(3, Runtime::Running), [connect(4)]);
}

#[test]
fn an_answer_from_before_the_start_does_not_count() {
    let mut bench = Bench::new(Runtime::Stopped, WATCHED);
    assert_eq!(bench.on(LinkEvent::Reconcile), [check(1)]);
    assert!(bench.on(LinkEvent::Started).is_empty());
    assert_eq!(bench.found(1, Runtime::Stopped), [check(2)]);
    assert_eq!(bench.link.runtime(), Runtime::Starting);
    assert_eq!(bench.found(2, Runtime::Starting), [connect(3)]);
    // A starting sandbox is asked about every two seconds.
    assert!(bench.after(1).is_empty());
    assert_eq!(bench.after(1), [check(4)]);
}

#[test]
fn a_connection_that_nobody_needs_is_kept_for_half_a_minute() {
    let mut bench = Bench::new(Runtime::Running, WATCHED);
    bench.live();
    bench.demand = NOBODY;
    assert!(bench.after(0).is_empty());
    assert!(bench.after(29).is_empty());
    bench.demand = WATCHED;
    assert!(bench.after(10).is_empty());
    bench.demand = NOBODY;
    assert!(bench.after(1).is_empty());
    assert_eq!(bench.after(30), [LinkAction::Disconnect]);
}

#[test]
fn an_end_that_was_not_foreseen_is_a_failure_and_an_old_one_is_nothing() {
    let mut bench = Bench::new(Runtime::Running, WATCHED);
    let number = bench.live();
    assert!(bench.on(LinkEvent::ConnectionEnded(number - 1)).is_empty());
    let actions = bench.on(LinkEvent::ConnectionEnded(number));
    assert_eq!(actions, [LinkAction::Disconnect, LinkAction::BackendAsked]);
    assert_eq!(bench.after(1), [check(3)]);
}
