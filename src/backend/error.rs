//! Errors of requests to a backend.

use thiserror::Error;

/// The result of a backend call.
pub type Answer<T> = Result<T, BackendError>;

/// Why a request to a backend failed.
///
/// The texts contain no key and no URL with a query, because they are shown to users and logged.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum BackendError {
    /// No connection could be made.
    #[error("OpenHands cannot be reached: {0}")]
    Unreachable(String),
    /// Nothing was sent, for this reason.
    #[error("nothing was sent: {0}")]
    Held(String),
    /// A command was sent, and the connection was lost before the response: it may or may not have run.
    #[error("the connection was lost before OpenHands answered: {0}")]
    CutOff(String),
    /// No response within this many seconds.
    #[error("OpenHands did not answer within {0} seconds")]
    Timeout(u64),
    /// The session API key is missing or wrong.
    #[error("OpenHands rejected the API key")]
    Unauthorized,
    /// The object does not exist.
    #[error("OpenHands could not find {0}")]
    NotFound(String),
    /// The backend rejected the request with 429, and asks to wait for this many seconds.
    #[error("too many requests; wait {0} s")]
    RateLimited(u64),
    /// The backend has no settings yet, or no key for its model.
    #[error("OpenHands is not set up: {0}")]
    NotSetUp(String),
    /// The request needs the conversation's sandbox, which is not running.
    #[error("the sandbox is not running")]
    NotRunning,
    /// The backend rejected the request, for this reason.
    #[error("OpenHands refused: {0}")]
    Refused(String),
    /// The response cannot be interpreted (HTML, a proxy's error page, another product).
    #[error("unexpected response: {0}")]
    Unexpected(String),
    /// The backend does not support this request.
    #[error("this version of OpenHands does not support that")]
    Unsupported,
    /// The arguments are invalid; nothing was sent.
    #[error("{0}")]
    Invalid(String),
}

impl BackendError {
    pub(super) fn unexpected(what: impl Into<String>) -> Self {
        Self::Unexpected(what.into())
    }

    pub(super) fn invalid(why: impl Into<String>) -> Self {
        Self::Invalid(why.into())
    }

    /// Its kind, as metrics name it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "unreachable",
            Self::Held(_) => "held",
            Self::CutOff(_) => "cut_off",
            Self::Timeout(_) => "timeout",
            Self::Unauthorized => "unauthorized",
            Self::NotFound(_) => "not_found",
            Self::RateLimited(_) => "rate_limited",
            Self::NotSetUp(_) => "not_set_up",
            Self::NotRunning => "not_running",
            Self::Refused(_) => "refused",
            Self::Unexpected(_) => "unexpected",
            Self::Unsupported => "unsupported",
            Self::Invalid(_) => "invalid",
        }
    }

    /// Whether a retry is pointless: the stored data is unreadable, or the backend refuses to return it.
    pub fn is_lasting(&self) -> bool {
        matches!(self, Self::Unexpected(_) | Self::Refused(_))
    }
}

/// The object that was asked for; `None` if it does not exist.
pub(super) fn if_found<T>(answer: Answer<T>) -> Answer<Option<T>> {
    match answer {
        Ok(found) => Ok(Some(found)),
        Err(BackendError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
