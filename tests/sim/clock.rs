//! The clock of a run. It continues across all lives of Handrail, each of which has its own runtime.

use handrail_sim_os as os;
use std::cell::Cell;
use std::time::Duration;
use tokio::time::Instant;

thread_local! {
    /// The start of this life, in nanoseconds of the run and as tokio's time.
    static LIFE: Cell<Option<(u64, Instant)>> = const { Cell::new(None) };
}

/// The start time of each run, in milliseconds since the Unix epoch: in the year of the recordings.
const BEGIN: i64 = 1_795_255_200_000;

/// Starts a life of Handrail. Call it inside its runtime.
pub fn live() {
    LIFE.set(Some((os::clock(), Instant::now())));
}

/// Ends a life, after its runtime was dropped.
pub fn died() {
    sync();
    LIFE.set(None);
}

/// Sets the thread's clock to tokio's.
fn sync() {
    if let Some((begun, at)) = LIFE.get() {
        let since = u64::try_from(at.elapsed().as_nanos()).expect("runs are short");
        os::clock_is(begun + since);
    }
}

/// Nanoseconds since the run began.
pub fn now() -> u64 {
    sync();
    os::clock()
}

/// Milliseconds since the Unix epoch.
pub fn millis() -> i64 {
    millis_of(now())
}

/// A time in nanoseconds since the run began, in milliseconds since the Unix epoch.
pub fn millis_of(nanos: u64) -> i64 {
    BEGIN + i64::try_from(nanos / 1_000_000).expect("runs are short")
}

/// Waits; other tasks that wait for the same moment run, too.
pub async fn pass(milliseconds: u64) {
    // In small steps, so that the system clock follows.
    let mut left = milliseconds;
    while left > 0 {
        let step = left.min(100);
        tokio::time::sleep(Duration::from_millis(step)).await;
        sync();
        left -= step;
    }
}
