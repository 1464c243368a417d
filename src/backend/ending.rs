//! Why a connection ended: for decisions in the code, and as text for users. Each protocol has some of these ends.

use super::BackendError;
use thiserror::Error;

/// Why a connection ended, or could not be opened; the texts are for users.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum End {
    #[error("OpenHands cannot be reached ({0}).")]
    Unreachable(String),
    /// The conversation's state could not be requested.
    #[error("The conversation could not be looked up: {0}.")]
    Unasked(String),
    #[error("OpenHands rejected the API key.")]
    Unauthorized,
    #[error("OpenHands no longer has this conversation.")]
    Unknown,
    /// The conversation is not running, and joining it would start it (0.x).
    #[error("The sandbox is not running.")]
    Asleep,
    /// The server does not have this kind of WebSocket, or a proxy does not let it through.
    #[error("The live connection could not be opened ({0}).")]
    NoSocket(String),
    /// No response after the handshake; 0.62 does this if the key is missing.
    #[error("OpenHands does not respond. Its API key may be missing.")]
    NoAnswer,
    /// The server rejected the connection.
    #[error("OpenHands refused: {why}")]
    Refused { why: String, code: String },
    #[error("An event is too large for the connection to OpenHands.")]
    TooLarge,
    #[error("OpenHands is stopping or restarting.")]
    Stopping,
    #[error("OpenHands closed the connection.")]
    Disconnected,
    #[error("The connection was interrupted ({0}).")]
    Broken(String),
    /// The connection was silent and the server failed the health check.
    #[error("OpenHands no longer responds.")]
    Silent,
    /// The server has fewer events than it sent before.
    #[error("OpenHands has lost part of this conversation.")]
    Lost,
    /// A write timed out.
    #[error("OpenHands no longer accepts data.")]
    WriteStalled,
    /// Handrail's own receiver did not keep up.
    #[error("Handrail could not keep up.")]
    ConsumerStalled,
    /// An acknowledgement timed out; the replay will show whether the command arrived.
    #[error("OpenHands did not confirm what was sent.")]
    AckMissing,
    /// A user retried before the connection was up.
    #[error("OpenHands did not answer in time.")]
    GivenUp,
}

impl End {
    /// Whether a retry helps only after someone has fixed the cause.
    pub(super) fn is_lasting(&self) -> bool {
        matches!(self, Self::Unauthorized | Self::Unknown)
    }

    /// A rejection without a code.
    pub(super) fn refused(why: &str) -> Self {
        let (why, code) = (why.to_owned(), String::new());
        Self::Refused { why, code }
    }
}

/// The end of an attempt whose request failed.
impl From<BackendError> for End {
    fn from(error: BackendError) -> Self {
        match error {
            BackendError::Unauthorized => Self::Unauthorized,
            BackendError::NotFound(_) => Self::Unknown,
            BackendError::Unreachable(why) => Self::Unreachable(why),
            error => Self::Unasked(error.to_string()),
        }
    }
}
