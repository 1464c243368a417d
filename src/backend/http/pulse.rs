//! Health checks for silent connections.
//!
//! A network that drops all packets closes no connection, and Engine.IO's own pings notice this only after 45 s. A
//! silent connection therefore sends the server an HTTP request; all connections share the response. If the server
//! responds and only the silent connection is dead, the pings still detect it.

use super::call::{Call, TimeoutClass};
use super::rest::Rest;
use super::shared::LIST_FRESH;
use crate::backend::{Answer, BackendError};
use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, time::timeout};

/// Silence before a health check. With its timeout below the 10 s in which users should hear of a lost connection.
pub(in crate::backend) const SILENCE: Duration = Duration::from_secs(4);

/// Completes when the connection has been silent for `silence` and the server does not respond to a health check.
pub(in crate::backend) async fn stops(
    rest: &Arc<Rest>,
    silence: Duration,
    mut activity: watch::Receiver<()>,
) {
    loop {
        match timeout(silence, activity.changed()).await {
            Ok(Ok(())) => {}
            // The connection has ended on its own.
            Ok(Err(_)) => return std::future::pending().await,
            Err(_) => tokio::select! {
                answer = alive(rest) => if answer.is_err() {
                    return;
                },
                Ok(()) = activity.changed() => {}
            },
        }
    }
}

/// Whether the server responds. Any response counts, because not every version has this route.
pub(in crate::backend) async fn alive(rest: &Arc<Rest>) -> Answer<()> {
    let call = Call::get(&["alive"]).within(TimeoutClass::Brief);
    match rest.shared(call, LIST_FRESH).await {
        Err(error @ (BackendError::Timeout(_) | BackendError::Unreachable(_))) => Err(error),
        _ => Ok(()),
    }
}
