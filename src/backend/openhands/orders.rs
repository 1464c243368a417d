//! Orders of a person, said in the protocol of 0.x, each sent at most once.
//!
//! An order is confirmed by the acknowledgement of the Socket.IO packet, which 0.62 sends after it has taken
//! the action in. Nothing is ever sent again by itself: a message that the agent reads twice, or a yes that
//! meets another question, is worse than one that a person has to repeat.

use super::socket::{Emit, MOST_EMITTED, Sent};
use crate::backend::{Command, Delivery, Order};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};

/// Which Socket.IO event carries an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OrderEvent {
    /// By the version that the server says: `oh_action` before 0.30, else `oh_user_action`.
    #[default]
    Auto,
    /// `oh_user_action`: 0.30 and later.
    UserAction,
    /// `oh_action`: the only name before 0.30, an alias since.
    Action,
}

impl OrderEvent {
    /// The name on the wire. It is decided before anything is sent, never by trying both.
    pub(super) fn name(self, version: Option<&str>) -> &'static str {
        let old = || {
            let mut numbers = version
                .unwrap_or_default()
                .split('.')
                .map(str::parse::<u32>);
            matches!((numbers.next(), numbers.next()), (Some(Ok(0)), Some(Ok(minor))) if minor < 30)
        };
        match self {
            Self::Action => "oh_action",
            Self::Auto if old() => "oh_action",
            Self::Auto | Self::UserAction => "oh_user_action",
        }
    }
}

/// The payload of an order. A reason of a rejection has no place in 0.x (`Capabilities::reject_reason`).
pub(super) fn payload(command: Command) -> Value {
    let state =
        |name: &str| json!({ "action": "change_agent_state", "args": { "agent_state": name } });
    match command {
        Command::Say {
            text,
            images,
            files,
        } => {
            json!({ "action": "message", "args": { "content": text, "image_urls": images, "file_urls": files } })
        }
        Command::Approve => state("user_confirmed"),
        Command::Reject { .. } => state("user_rejected"),
        Command::Pause => state("paused"),
        Command::Resume => state("running"),
        Command::Stop => state("stopped"),
    }
}

/// Whoever waits for the outcome of what was sent: hears that nobody knows it if we are dropped over it.
struct Asker(Option<oneshot::Sender<Delivery>>);

impl Asker {
    fn tell(mut self, delivery: Delivery) {
        if let Some(done) = self.0.take() {
            let _ = done.send(delivery);
        }
    }
}

impl Drop for Asker {
    fn drop(&mut self) {
        if let Some(done) = self.0.take() {
            let _ = done.send(Delivery::Unknown(
                "The connection was lost before the backend confirmed it.".to_owned(),
            ));
        }
    }
}

/// Answers every order while there is no connection.
pub(super) async fn decline(orders: &mut mpsc::Receiver<Order>) -> std::convert::Infallible {
    while let Some(order) = orders.recv().await {
        not_connected(order);
    }
    std::future::pending().await
}

/// Answers what is left when the line ends.
pub(super) fn decline_rest(orders: &mut mpsc::Receiver<Order>) {
    orders.close();
    while let Ok(order) = orders.try_recv() {
        not_connected(order);
    }
}

fn not_connected(order: Order) {
    let _ = order.done.send(Delivery::NotSent(
        "The backend is not connected.".to_owned(),
    ));
}

/// Sends orders over a connection, one after the other, for as long as it is polled.
pub(super) async fn serve(
    orders: &mut mpsc::Receiver<Order>,
    event: &'static str,
    emits: mpsc::Sender<Emit>,
    is_up: watch::Receiver<bool>,
) -> std::convert::Infallible {
    while let Some(order) = orders.recv().await {
        // Who does not wait any more has been told something, and may have asked again.
        if order.done.is_closed() {
            continue;
        }
        if !*is_up.borrow() {
            not_connected(order);
            continue;
        }
        let asker = Asker(Some(order.done));
        let (done, outcome) = oneshot::channel();
        if emits
            .send(Emit {
                event,
                data: payload(order.command),
                done,
            })
            .await
            .is_err()
        {
            asker.tell(Delivery::NotSent(
                "The backend is not connected.".to_owned(),
            ));
            continue;
        }
        match outcome.await {
            Ok(Sent::Acknowledged) => asker.tell(Delivery::Confirmed),
            Ok(Sent::NoAnswer) => asker.tell(Delivery::Unknown(
                "The backend did not confirm it in time.".to_owned(),
            )),
            Ok(Sent::TooLarge) => asker.tell(Delivery::NotSent(format!(
                "It is larger than the {} MiB that the backend takes.",
                (MOST_EMITTED >> 20) + 1
            ))),
            Err(_) => drop(asker),
        }
    }
    std::future::pending().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_event_follows_the_version() {
        for (version, name) in [
            (None, "oh_user_action"),
            (Some("0.62.0"), "oh_user_action"),
            (Some("1.6.0"), "oh_user_action"),
            (Some("0.29.1"), "oh_action"),
            (Some("dev"), "oh_user_action"),
        ] {
            assert_eq!(OrderEvent::Auto.name(version), name, "{version:?}");
        }
        assert_eq!(OrderEvent::Action.name(Some("0.62.0")), "oh_action");
    }

    #[test]
    fn states_are_asked_for_in_lower_case() {
        for (command, state) in [
            (Command::Approve, "user_confirmed"),
            (
                Command::Reject {
                    reason: Some("no".to_owned()),
                },
                "user_rejected",
            ),
            (Command::Pause, "paused"),
            (Command::Resume, "running"),
            (Command::Stop, "stopped"),
        ] {
            assert_eq!(
                payload(command),
                json!({"action": "change_agent_state", "args": {"agent_state": state}})
            );
        }
    }

    #[tokio::test]
    async fn an_order_that_is_cut_off_is_unknown_and_not_silent() {
        let (done, outcome) = oneshot::channel();
        drop(Asker(Some(done)));
        assert!(matches!(outcome.await, Ok(Delivery::Unknown(_))));
    }
}
