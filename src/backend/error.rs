//! What can go wrong between us and a backend.

use thiserror::Error;

/// Why a backend did not do what it was asked.
///
/// The texts name no key and no URL with a query: they are shown to people and logged.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum BackendError {
    /// Nobody answers there.
    #[error("the backend cannot be reached: {0}")]
    Unreachable(String),
    /// An order was sent, and the connection was lost before it was answered.
    #[error("the connection was lost before the backend answered: {0}")]
    CutOff(String),
    /// It did not answer in time.
    #[error("the backend did not answer within {0} seconds")]
    Timeout(u64),
    /// The key is missing or wrong.
    #[error("the backend does not accept our key")]
    Unauthorized,
    /// It has no such thing.
    #[error("the backend does not know {0}")]
    NotFound(String),
    /// It asks us to wait.
    #[error("the backend is asked too often; it wants {0} seconds of rest")]
    RateLimited(u64),
    /// It has no settings yet, or no key for its model.
    #[error("the backend is not set up: {0}")]
    NotSetUp(String),
    /// The conversation's runtime is not up, which this needs.
    #[error("the conversation is not running")]
    NotRunning,
    /// It refuses, and says why.
    #[error("the backend refuses: {0}")]
    Refused(String),
    /// It answered something that makes no sense (HTML, a proxy's page, another product).
    #[error("the backend answered something unexpected: {0}")]
    Unexpected(String),
    /// It cannot do that.
    #[error("this backend cannot do that")]
    Unsupported,
    /// What we were given makes no sense; nothing was sent.
    #[error("{0}")]
    Invalid(String),
}
