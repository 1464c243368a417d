//! Sends a user's commands in the protocol of 0.x, each at most once.
//!
//! A command is confirmed by the acknowledgement of its Socket.IO packet, which 0.62 sends after it has accepted the
//! action. No command is ever resent automatically: a message that the agent reads twice, or an approval that meets
//! another action, is worse than a command that the user has to repeat.

use super::socket::{Emit, MOST_EMITTED, Sent};
use super::stored;
use crate::backend::http::Rest;
use crate::backend::json::numbers;
use crate::backend::replies::{CUT_OFF, NOT_CONNECTED, ReplyGuard};
use crate::backend::{Command, Delivery, Order, Runtime};
use crate::request_id::within;
use crate::wire::v0::{AgentState, UserAction};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot, watch};

const LOADING: &str = "The agent is still starting.";

/// What a connection can carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// Nothing: there is no connection.
    Down,
    /// Commands but no messages, because the agent is still starting.
    Loading,
    /// Everything.
    Up,
}

/// The Socket.IO event for commands, decided in advance, never by trying both: before 0.30 there is only `oh_action`.
pub(super) fn event_name(version: Option<&str>) -> &'static str {
    match numbers(version.unwrap_or_default()) {
        Some((0, ..30)) => "oh_action",
        _ => UserAction::EVENT,
    }
}

/// Translates a command. 0.x has no field for the reason of a rejection (`Capabilities::reject_reason`).
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

/// Sends commands over a connection one by one while it is polled.
///
/// A message to an agent that is still starting is stored and never answered (`docs/protocol/v0.md` section 4), so it is
/// rejected. If the sandbox was `starting` when the connection began, this is checked before the first message.
pub(super) async fn serve(
    orders: &mut mpsc::Receiver<Order>,
    event: &'static str,
    emits: mpsc::Sender<Emit>,
    link: watch::Receiver<Link>,
    mut starting: Option<(Arc<Rest>, String)>,
) -> std::convert::Infallible {
    while let Some(order) = orders.recv().await {
        // If the caller has stopped waiting, it was told so and may have retried.
        if order.done.is_closed() {
            continue;
        }
        let asker = ReplyGuard(Some(order.done));
        let says = matches!(order.command, Command::Say { .. });
        let mut lacking = match *link.borrow() {
            Link::Down => Some(NOT_CONNECTED),
            Link::Loading if says => Some(LOADING),
            Link::Loading | Link::Up => None,
        };
        if says
            && lacking.is_none()
            && let Some((rest, id)) = &starting
        {
            match stored::conversation(rest, id).await {
                Ok(Some(info)) if info.runtime == Runtime::Running => starting = None,
                _ => lacking = Some(LOADING),
            }
        }
        asker.tell(match lacking {
            Some(why) => Delivery::NotYet(why.to_owned()),
            None => within(order.request, send(order.command, event, &emits)).await,
        });
    }
    std::future::pending().await
}

async fn send(command: Command, event: &'static str, emits: &mpsc::Sender<Emit>) -> Delivery {
    let (done, outcome) = oneshot::channel();
    let data = json!(action(command));
    if emits.send(Emit { event, data, done }).await.is_err() {
        return Delivery::NotYet(NOT_CONNECTED.to_owned());
    }
    match outcome.await {
        Ok(Sent::Acknowledged) => Delivery::Confirmed,
        Ok(Sent::NoAnswer) => Delivery::Unknown("OpenHands did not confirm it in time.".to_owned()),
        Ok(Sent::Held(why)) => Delivery::NotYet(why),
        Ok(Sent::TooLarge) => Delivery::NotSent(format!(
            "It is larger than the {} MiB that OpenHands accepts.",
            (MOST_EMITTED >> 20) + 1
        )),
        Err(_) => Delivery::Unknown(CUT_OFF.to_owned()),
    }
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
            assert_eq!(event_name(version), name, "{version:?}");
        }
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
