//! Why a command failed, and whether its outcome is known.

use crate::backend::{BackendError, Delivery};

pub(super) const WAITS: &str = "An action needs approval.";

/// Why a command was not, or not completely, executed.
#[derive(Debug)]
pub(super) enum Refusal {
    /// A call is pending, whose event is about to arrive.
    NotNow,
    /// A permanent reason, as text for users.
    Not(String),
    /// A message was stored, but no run reads it: the reason, as text for users.
    Unread(String),
    Backend(BackendError),
}

impl Refusal {
    /// The error of a request before the command: nothing was sent.
    pub(super) fn before(error: BackendError) -> Self {
        match error {
            BackendError::Unreachable(_) | BackendError::Held(_) => Self::Backend(error),
            error => Self::Not(error.to_string()),
        }
    }

    /// The same for the run that was to read a stored message. The hub starts a run when it sees the message.
    pub(super) fn unread(self) -> Self {
        let cause = match self {
            Self::NotNow => WAITS.to_owned(),
            Self::Not(why) | Self::Unread(why) => why,
            Self::Backend(error) => error.to_string(),
        };
        let why = "The message is stored, but the agent could not be started to read it";
        Self::Unread(format!("{why}: {cause}"))
    }
}

impl From<BackendError> for Refusal {
    fn from(error: BackendError) -> Self {
        Self::Backend(error)
    }
}

/// The outcome of a command that failed with this error.
pub(super) fn delivery(error: BackendError) -> Delivery {
    match error {
        BackendError::Unreachable(_) | BackendError::Held(_) => Delivery::NotYet(error.to_string()),
        BackendError::CutOff(_) | BackendError::Timeout(_) | BackendError::Unexpected(_) => {
            Delivery::Unknown(error.to_string())
        }
        error => Delivery::NotSent(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unread_message_is_explained_in_plain_words() {
        let timeout = BackendError::Timeout(30);
        for (refusal, cause) in [
            (Refusal::NotNow, WAITS),
            (
                Refusal::Not("Resume it later.".to_owned()),
                "Resume it later.",
            ),
            (timeout.into(), "OpenHands did not answer within 30 seconds"),
        ] {
            let Refusal::Unread(why) = refusal.unread() else {
                panic!("the message counts as read");
            };
            let said = "The message is stored, but the agent could not be started to read it";
            assert_eq!(why, format!("{said}: {cause}"));
        }
    }
}
