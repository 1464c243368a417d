//! The time of day, and how long the machine has been running.

#[cfg(feature = "ssr")]
use std::time::Duration;
use std::time::SystemTime;

/// Milliseconds since the Unix epoch.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}

/// How long the machine has been running: never set, and it goes on while the machine sleeps.
#[cfg(all(feature = "ssr", target_os = "linux"))]
pub(crate) fn running() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Duration::try_from(time).unwrap_or_default()
}

/// How long this has been asked for: never set.
#[cfg(all(feature = "ssr", not(target_os = "linux")))]
pub(crate) fn running() -> Duration {
    static FIRST: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    FIRST.elapsed()
}
