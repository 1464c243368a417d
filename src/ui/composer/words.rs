//! Tells the user what will happen to a message before it is sent.

use super::text;
use crate::{
    api::SessionView,
    backend::{LineState, Runtime},
    conversation::Status,
    ui::parts,
};

/// One short sentence beside the Send button.
pub(super) fn what_happens(session: &SessionView) -> &'static str {
    if session.approval.is_some() {
        return text::rejects();
    }
    match (session.runtime, &session.line) {
        (Runtime::Stopped | Runtime::Error, _) => return text::sandbox_down(),
        (Runtime::Starting, _) => return parts::text::sandbox_starting(),
        (_, LineState::Reconnecting { .. } | LineState::Refused { .. }) => {
            return text::disconnected();
        }
        _ => {}
    }
    match session.status {
        Status::Running | Status::Confirmed | Status::UserRejected => text::reads_later(),
        Status::Paused | Status::Stopped => text::resumes(),
        Status::Error | Status::Stuck | Status::RateLimited => text::retries(),
        _ => "",
    }
}
