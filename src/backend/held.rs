//! What every line that is held does, whatever its protocol: waiting between attempts, and answering orders.

use super::{Delivery, Order};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Nothing was sent.
pub(in crate::backend) const NOT_CONNECTED: &str = "The backend is not connected.";
/// It was sent, and nobody knows what became of it.
pub(in crate::backend) const CUT_OFF: &str =
    "The connection was lost before the backend confirmed it.";

/// Whoever waits for the outcome of what was sent: hears that nobody knows it if we are dropped over it.
pub(in crate::backend) struct Asker(pub Option<oneshot::Sender<Delivery>>);

impl Asker {
    /// Tells them what became of it.
    pub fn tell(mut self, delivery: Delivery) {
        if let Some(done) = self.0.take() {
            let _ = done.send(delivery);
        }
    }
}

impl Drop for Asker {
    fn drop(&mut self) {
        if let Some(done) = self.0.take() {
            let _ = done.send(Delivery::Unknown(CUT_OFF.to_owned()));
        }
    }
}

/// Answers every order while there is no connection.
pub(in crate::backend) async fn decline(
    orders: &mut mpsc::Receiver<Order>,
) -> std::convert::Infallible {
    while let Some(order) = orders.recv().await {
        not_connected(order);
    }
    std::future::pending().await
}

/// Answers what is left when the line ends.
pub(in crate::backend) fn decline_rest(orders: &mut mpsc::Receiver<Order>) {
    orders.close();
    while let Ok(order) = orders.try_recv() {
        not_connected(order);
    }
}

fn not_connected(order: Order) {
    let _ = order.done.send(Delivery::NotYet(NOT_CONNECTED.to_owned()));
}

/// How long to wait before the next attempt: doubled each time, with jitter, so that many lines do not come
/// back in step.
pub(in crate::backend) fn backoff((least, most): (Duration, Duration), attempt: u32) -> Duration {
    let full = least
        .saturating_mul(1 << attempt.saturating_sub(1).min(16))
        .min(most);
    full.mul_f64(rand::random_range(0.5..1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_order_that_is_cut_off_is_unknown_and_not_silent() {
        let (done, outcome) = oneshot::channel();
        drop(Asker(Some(done)));
        assert!(matches!(outcome.await, Ok(Delivery::Unknown(_))));
    }
}
