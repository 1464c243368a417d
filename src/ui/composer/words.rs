//! Tells the user what will happen to a message before it is sent.

use super::text;
use crate::{
    api::SessionView,
    backend::{ConnectionState, Runtime},
    conversation::Status,
    ui::parts,
};

/// What the button of the composer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sending {
    /// Sends the message.
    Plain,
    /// Also rejects the pending action.
    Rejects,
    /// Also starts the sandbox.
    Starts,
}

impl Sending {
    /// `starts`: whether the backend can start a sandbox.
    pub(super) fn of(session: &SessionView, starts: bool) -> Self {
        let approval = session.approval.as_ref();
        if approval.is_some_and(|approval| !approval.answering) {
            return Self::Rejects;
        }
        // Without a connection it is not certain that the sandbox is stopped, except that a stopped one has none.
        let stopped = matches!(session.runtime, Runtime::Stopped | Runtime::Paused)
            && session.connection == ConnectionState::Idle;
        if starts && stopped {
            Self::Starts
        } else {
            Self::Plain
        }
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Plain => text::send(),
            Self::Rejects => text::reject_with_reason(),
            Self::Starts => text::start_and_send(),
        }
    }
}

/// One short sentence beside the button, if the button does not say it.
pub(super) fn what_happens(session: &SessionView) -> &'static str {
    if session.approval.is_some() {
        return "";
    }
    match (session.runtime, &session.connection) {
        (Runtime::Stopped | Runtime::Paused | Runtime::Error, _) => return text::sandbox_down(),
        (Runtime::Starting, _) => return parts::text::sandbox_starting(),
        (Runtime::Preparing, _) => return parts::text::sandbox_preparing(),
        (_, ConnectionState::Reconnecting { .. } | ConnectionState::Refused { .. }) => {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::ApprovalView;

    #[test]
    fn the_button_says_what_else_it_does_if_that_is_certain() {
        let stopped = SessionView::default();
        assert_eq!(Sending::of(&stopped, true), Sending::Starts);
        assert_eq!(Sending::of(&stopped, false), Sending::Plain);
        let connecting = SessionView {
            connection: ConnectionState::Connecting,
            ..SessionView::default()
        };
        assert_eq!(Sending::of(&connecting, true), Sending::Plain);
        let mut waiting = SessionView {
            runtime: Runtime::Running,
            connection: ConnectionState::Live,
            ..SessionView::default()
        };
        assert_eq!(Sending::of(&waiting, true), Sending::Plain);
        waiting.approval = Some(ApprovalView {
            token: String::new(),
            rows: Vec::new(),
            caution: None,
            answering: false,
            ruled: false,
            amend: None,
            care: None,
            escalation: None,
            touch: false,
        });
        assert_eq!(Sending::of(&waiting, true), Sending::Rejects);
    }
}
