//! Replies to commands whose outcome the connection decides.

use super::{Delivery, Order};
use tokio::sync::{mpsc, oneshot};

/// Reply when nothing was sent.
pub(in crate::backend) const NOT_CONNECTED: &str = "Not connected to OpenHands.";
/// Reply when a command was sent and its outcome is unknown.
pub(in crate::backend) const CUT_OFF: &str =
    "The connection was lost before OpenHands confirmed it.";

/// The reply channel of a sent command. Dropped without a reply, it sends [`Delivery::Unknown`].
pub(in crate::backend) struct ReplyGuard(pub Option<oneshot::Sender<Delivery>>);

impl ReplyGuard {
    /// Sends the outcome.
    pub fn tell(mut self, delivery: Delivery) {
        if let Some(done) = self.0.take() {
            let _ = done.send(delivery);
        }
    }
}

impl Drop for ReplyGuard {
    fn drop(&mut self) {
        if let Some(done) = self.0.take() {
            let _ = done.send(Delivery::Unknown(CUT_OFF.to_owned()));
        }
    }
}

/// Rejects all commands while there is no connection.
pub(in crate::backend) async fn decline(
    orders: &mut mpsc::Receiver<Order>,
) -> std::convert::Infallible {
    while let Some(order) = orders.recv().await {
        not_connected(order);
    }
    std::future::pending().await
}

/// Rejects the commands that are left when the connection ends.
pub(in crate::backend) fn decline_rest(orders: &mut mpsc::Receiver<Order>) {
    orders.close();
    while let Ok(order) = orders.try_recv() {
        not_connected(order);
    }
}

fn not_connected(order: Order) {
    let _ = order.done.send(Delivery::NotYet(NOT_CONNECTED.to_owned()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_order_that_is_cut_off_is_unknown_and_not_silent() {
        let (done, outcome) = oneshot::channel();
        drop(ReplyGuard(Some(done)));
        assert!(matches!(outcome.await, Ok(Delivery::Unknown(_))));
    }
}
