//! Whether the other end still lives, when it says nothing.
//!
//! A network that swallows everything closes no connection, and Engine.IO's own pings notice it only after 45 s. So a
//! silent line asks the server a plain question over a connection of its own; all lines share the answer. A server that
//! answers that and has lost only our one connection is still found by the pings.

use super::call::{Call, Patience};
use super::rest::Rest;
use super::shared::LIST_FRESH;
use crate::backend::BackendError;
use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, time::timeout};

/// How long a line may be silent before it asks. With the time for the answer this is under the 10 s in which people
/// should hear of it.
pub(in crate::backend) const SILENCE: Duration = Duration::from_secs(4);

/// Ends when the line has been silent for `silence` and the server then does not answer either.
pub(in crate::backend) async fn stops(
    rest: &Arc<Rest>,
    silence: Duration,
    mut heard: watch::Receiver<()>,
) {
    loop {
        match timeout(silence, heard.changed()).await {
            Ok(Ok(())) => {}
            // The connection has ended by itself.
            Ok(Err(_)) => return std::future::pending().await,
            Err(_) => tokio::select! {
                answer = alive(rest) => if answer.is_err() {
                    return;
                },
                Ok(()) = heard.changed() => {}
            },
        }
    }
}

/// Whether the server answers at all. What it answers does not matter: not every version knows the route.
pub(in crate::backend) async fn alive(rest: &Arc<Rest>) -> Result<(), BackendError> {
    let call = Call {
        patience: Patience::Brief,
        ..Call::get(&["alive"])
    };
    match rest.shared(call, LIST_FRESH).await {
        Err(error @ (BackendError::Timeout(_) | BackendError::Unreachable(_))) => Err(error),
        _ => Ok(()),
    }
}
