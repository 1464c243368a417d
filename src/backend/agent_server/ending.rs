//! Why a socket ended, in a form that decides and in words for people (`protocol/v1.md` section 5).

use std::fmt;

/// Why a socket ended, or never came to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// Nobody there.
    Unreachable(String),
    /// It could not be asked how the conversation is.
    Unasked(String),
    /// The server does not have this kind of socket, or something before it lets none through.
    NoSocket(String),
    /// The key is wrong.
    Unauthorized,
    /// There is no such conversation.
    Unknown,
    /// A frame is larger than the server sends.
    TooLarge,
    /// Too many sockets, or we were too slow.
    Refused(String),
    /// The server stops.
    Stopping,
    /// The server ended it.
    Closed,
    /// It broke.
    Broken(String),
    /// Nothing came for a while, and the server does not answer questions either.
    Silent,
    /// The server has fewer events than it had told.
    Lost,
    /// It was not up yet when a person asked for a new attempt.
    GivenUp,
}

/// For people.
impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(why) => write!(f, "The backend cannot be reached ({why})."),
            Self::Unasked(why) => write!(f, "The conversation cannot be looked up: {why}."),
            Self::NoSocket(why) => write!(f, "The backend opens no live connection ({why})."),
            Self::Unauthorized => write!(f, "The backend does not accept our key."),
            Self::Unknown => write!(f, "The backend does not know this conversation any more."),
            Self::TooLarge => write!(
                f,
                "What the backend has to send is too large for its own connection."
            ),
            Self::Refused(why) => write!(f, "The backend refuses: {why}"),
            Self::Stopping => write!(f, "The backend is being stopped or restarted."),
            Self::Closed => write!(f, "The backend ended the connection."),
            Self::Broken(why) => write!(f, "The connection broke ({why})."),
            Self::Silent => write!(f, "The backend does not answer any more."),
            Self::GivenUp => write!(f, "The backend did not answer in time."),
            Self::Lost => write!(f, "The backend has lost part of this conversation."),
        }
    }
}

impl End {
    /// What a code and its reason mean.
    pub(super) fn closed(code: u16, reason: &str) -> Self {
        match (code, reason) {
            (4001, _) => Self::Unauthorized,
            (4004, _) => Self::Unknown,
            (1012, _) => Self::Stopping,
            (1013, "frame_too_large") => Self::TooLarge,
            (1013, "slow_consumer") => Self::Refused("it says that Handrail did not keep up.".to_owned()),
            (1013, reason) if reason.contains("credential") => Self::Refused(
                "this conversation needs credentials that it has not been given; open it in the client that began it."
                    .to_owned(),
            ),
            (1013, _) => Self::Refused("too many connections to this conversation are open.".to_owned()),
            (1000 | 1001, _) => Self::Closed,
            (code, reason) => {
                let reason: String = reason.chars().take(200).collect();
                Self::Broken(format!("{code} {reason}").trim_end().to_owned())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_is_told_apart() {
        assert_eq!(
            End::closed(4001, "Authentication failed"),
            End::Unauthorized
        );
        assert_eq!(End::closed(4004, "Conversation not found"), End::Unknown);
        assert_eq!(End::closed(1012, ""), End::Stopping);
        assert_eq!(End::closed(1013, "frame_too_large"), End::TooLarge);
        assert!(matches!(
            End::closed(1013, "Too many connections for this conversation"),
            End::Refused(_)
        ));
        assert_eq!(
            End::closed(1011, "subscribe_failed"),
            End::Broken("1011 subscribe_failed".to_owned())
        );
    }
}
