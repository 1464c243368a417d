//! What happens to a message, said before it is sent.

use crate::{
    api::SessionView,
    backend::{LineState, Runtime},
    conversation::Status,
};

/// One short sentence beside the button.
pub(super) fn what_happens(session: &SessionView) -> &'static str {
    if session.approval.is_some() {
        return "Rejects what waits, with this as the reason";
    }
    match (session.runtime, &session.line) {
        (Runtime::Stopped | Runtime::Error, _) => return "The runtime is down: start it to send",
        (Runtime::Starting, _) => return "The runtime is being started",
        (_, LineState::Reconnecting { .. } | LineState::Refused { .. }) => {
            return "The line to the backend is down: it may fail";
        }
        _ => {}
    }
    match session.status {
        Status::Running | Status::Confirmed | Status::UserRejected => "Read after this step",
        Status::Paused => "The agent goes on with this",
        Status::Error | Status::Stuck | Status::Stopped | Status::RateLimited => {
            "The agent tries again with this"
        }
        _ => "",
    }
}
