//! Tells the service manager (systemd's `Type=notify`) when the server is ready, alive and stopping. Without one, nothing
//! is told.

use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Tells that the server is ready, then that it is alive as often as the watchdog wants it, and that it stops once
/// `stopping` is cancelled. A server whose tasks are stuck is not alive.
pub async fn run(stopping: CancellationToken) {
    ready(stopping).await;
    tell("STOPPING=1");
}

/// Tells that the server is ready and then that it is alive, until `ended` is cancelled.
pub async fn ready(ended: CancellationToken) {
    tell("READY=1");
    let alive = async {
        let Some(interval) = watchdog() else {
            return std::future::pending::<()>().await;
        };
        loop {
            tell("WATCHDOG=1");
            tokio::time::sleep(interval).await;
        }
    };
    ended.run_until_cancelled(alive).await;
}

/// Half of the time after which the watchdog takes this process for dead; `None` without a watchdog.
fn watchdog() -> Option<Duration> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let is_ours = number("WATCHDOG_PID").is_none_or(|id| id == u64::from(std::process::id()));
    let limit = number("WATCHDOG_USEC").filter(|limit| is_ours && *limit > 1)?;
    Some(Duration::from_micros(limit / 2))
}

#[cfg(target_os = "linux")]
fn tell(state: &str) {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::net::{SocketAddr, UnixDatagram};
    let Some(name) = std::env::var_os("NOTIFY_SOCKET") else {
        return;
    };
    let told = || {
        let address = match name.as_bytes().strip_prefix(b"@") {
            Some(name) => SocketAddr::from_abstract_name(name)?,
            None => SocketAddr::from_pathname(&name)?,
        };
        UnixDatagram::unbound()?.send_to_addr(state.as_bytes(), &address)
    };
    if let Err(error) = told() {
        tracing::warn!(%error, state, "the service manager cannot be told");
    }
}

#[cfg(not(target_os = "linux"))]
fn tell(_state: &str) {}
