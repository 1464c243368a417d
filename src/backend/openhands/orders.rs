//! Orders of a person, said in the protocol of 0.x, each sent at most once.
//!
//! An order is confirmed by the acknowledgement of the Socket.IO packet, which 0.62 sends after it has taken
//! the action in. Nothing is ever sent again by itself: a message that the agent reads twice, or a yes that
//! meets another question, is worse than one that a person has to repeat.

use super::socket::{Emit, MOST_EMITTED, Sent};
use crate::backend::held::{Asker, CUT_OFF, NOT_CONNECTED};
use crate::backend::{Command, Delivery, Order};
use crate::wire::v0::{AgentState, UserAction};
use futures_util::future::BoxFuture;
use serde_json::json;
use tokio::sync::{mpsc, oneshot, watch};

const LOADING: &str = "The agent is still starting; it would never answer this.";

/// What a connection can carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// Nothing.
    Down,
    /// Orders, but no messages: the agent still starts.
    Loading,
    /// Everything.
    Up,
}

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
            Self::Auto | Self::UserAction => UserAction::EVENT,
        }
    }
}

/// An order in the words of the protocol. A reason of a rejection has no place in 0.x
/// (`Capabilities::reject_reason`).
pub(super) fn action(command: Command) -> UserAction {
    let agent_state = match command {
        Command::Say {
            text: content,
            images: image_urls,
            files: file_urls,
        } => {
            return UserAction::Message {
                content,
                image_urls,
                file_urls,
            };
        }
        Command::Approve { .. } => AgentState::UserConfirmed,
        Command::Reject { .. } => AgentState::UserRejected,
        Command::Pause => AgentState::Paused,
        Command::Resume => AgentState::Running,
        Command::Stop => AgentState::Stopped,
    };
    UserAction::ChangeAgentState { agent_state }
}

/// Sends orders over a connection, one after the other, for as long as it is polled.
///
/// A message that reaches an agent which still starts is stored and never answered (`protocol/v0.md`
/// section 4), so it is held back. `is_running` is asked once if the runtime was starting when we came.
pub(super) async fn serve(
    orders: &mut mpsc::Receiver<Order>,
    event: &'static str,
    emits: mpsc::Sender<Emit>,
    link: watch::Receiver<Link>,
    mut is_running: Option<impl Fn() -> BoxFuture<'static, bool>>,
) -> std::convert::Infallible {
    while let Some(order) = orders.recv().await {
        // Who does not wait any more has been told something, and may have asked again.
        if order.done.is_closed() {
            continue;
        }
        let asker = Asker(Some(order.done));
        let says = matches!(order.command, Command::Say { .. });
        match *link.borrow() {
            Link::Down => {
                asker.tell(Delivery::NotYet(NOT_CONNECTED.to_owned()));
                continue;
            }
            Link::Loading if says => {
                asker.tell(Delivery::NotYet(LOADING.to_owned()));
                continue;
            }
            Link::Loading | Link::Up => {}
        }
        if says && let Some(ask) = &is_running {
            if !ask().await {
                asker.tell(Delivery::NotYet(LOADING.to_owned()));
                continue;
            }
            is_running = None;
        }
        let (done, outcome) = oneshot::channel();
        let data = json!(action(order.command));
        if emits.send(Emit { event, data, done }).await.is_err() {
            asker.tell(Delivery::NotYet(NOT_CONNECTED.to_owned()));
            continue;
        }
        asker.tell(match outcome.await {
            Ok(Sent::Acknowledged) => Delivery::Confirmed,
            Ok(Sent::NoAnswer) => {
                Delivery::Unknown("The backend did not confirm it in time.".to_owned())
            }
            Ok(Sent::TooLarge) => Delivery::NotSent(format!(
                "It is larger than the {} MiB that the backend takes.",
                (MOST_EMITTED >> 20) + 1
            )),
            Err(_) => Delivery::Unknown(CUT_OFF.to_owned()),
        });
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
            (Command::Approve { keys: Vec::new() }, "user_confirmed"),
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
                json!(action(command)),
                json!({"action": "change_agent_state", "args": {"agent_state": state}})
            );
        }
    }
}
