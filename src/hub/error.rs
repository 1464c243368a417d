//! Why the hub did not do something, and what a person is told about it.

use crate::backend::BackendError;
use crate::journal::JournalError;
use crate::live::ApiErrorKind;
use jiff::Timestamp;
use thiserror::Error;

/// Why the hub did not do something.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HubError {
    /// There is no such conversation, row, event or message.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// What was asked makes no sense; the text is a sentence for people.
    #[error("{0}")]
    Invalid(String),
    /// The runtime is not up.
    #[error("the conversation is stopped")]
    Stopped,
    /// The line to the backend is not up: nothing was sent.
    #[error("there is no line to the backend")]
    LineDown,
    /// What was answered is not what waits now.
    #[error("the answer is not about what waits")]
    Superseded,
    /// Somebody has answered otherwise.
    #[error("it was answered before")]
    AnsweredBefore {
        /// They said yes.
        approved: bool,
        /// When, milliseconds since the Unix epoch.
        at: i64,
        /// Who; empty when that is not known.
        by: String,
    },
    /// The conversation lives on a backend that is not in use any more.
    #[error("its backend {0} is not in use any more")]
    Elsewhere(String),
    /// An answer is needed first.
    #[error("something waits for an answer")]
    AnswerFirst,
    /// It was not sent, and this is why.
    #[error("it was not sent: {0}")]
    NotSent(String),
    /// It was sent and nothing came back.
    #[error("it may or may not have arrived: {0}")]
    Indeterminate(String),
    /// The connection was given on the command line.
    #[error("the connection is fixed")]
    Fixed,
    /// The backend did not do it.
    #[error("the backend did not do it")]
    Backend(#[source] BackendError),
    /// The journal did not do it.
    #[error("the journal failed")]
    Journal(#[source] JournalError),
    /// The conversation was closed meanwhile, or the server ends.
    #[error("it was closed meanwhile")]
    Closed,
}

impl From<BackendError> for HubError {
    fn from(error: BackendError) -> Self {
        Self::Backend(error)
    }
}

impl From<JournalError> for HubError {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

impl HubError {
    /// The kind of trouble, and a whole sentence that says what to do.
    pub fn for_people(&self) -> (ApiErrorKind, String) {
        use ApiErrorKind as Kind;
        match self {
            Self::NotFound(what) => (
                Kind::NotFound,
                format!("There is no such {what}. It may have been deleted; go back to the list."),
            ),
            Self::Invalid(text) => (Kind::Invalid, text.clone()),
            Self::Stopped => (
                Kind::Conflict,
                "This conversation is stopped. Start it, then try again.".to_owned(),
            ),
            Self::LineDown => (
                Kind::BackendAway,
                "Nothing was sent: the line to the backend is down. Try again when it is back.".to_owned(),
            ),
            Self::Superseded => (
                Kind::Conflict,
                "Nothing was sent: what waits has changed since you looked. Look again, then answer.".to_owned(),
            ),
            Self::AnsweredBefore { approved, at, by } => {
                let (word, when) = (if *approved { "approved" } else { "rejected" }, moment(*at));
                (
                    Kind::Conflict,
                    match by.as_str() {
                        "" => format!("Nothing was sent: this was already {word} at {when}. The first answer counts."),
                        by => format!(
                            "Nothing was sent: {by} has already {word} this, at {when}. The first answer counts."
                        ),
                    },
                )
            }
            Self::Elsewhere(label) => (
                Kind::BackendAway,
                format!("{label} is not among the backends any more. Add it again to go on here."),
            ),
            Self::AnswerFirst => (
                Kind::Conflict,
                "Something waits for your answer. Approve or reject it first, or stop the agent.".to_owned(),
            ),
            Self::NotSent(why) => (
                Kind::BackendAway,
                format!("Nothing was sent: {}. Try again.", why.trim_end_matches('.')),
            ),
            Self::Indeterminate(why) => (
                Kind::Indeterminate,
                format!(
                    "It may or may not have arrived: {}. Watch what the agent does before you try again.",
                    why.trim_end_matches('.')
                ),
            ),
            Self::Fixed => (
                Kind::Conflict,
                "The backend was given when Handrail was started. Start it without that option to choose here.".to_owned(),
            ),
            Self::Backend(error) => backend_for_people(error),
            Self::Journal(_) => (
                Kind::Internal,
                "Handrail cannot read or write its own data. Is the disk full? The server's log says more.".to_owned(),
            ),
            Self::Closed => (
                Kind::Connection,
                "This was closed while you were waiting. Reload the page.".to_owned(),
            ),
        }
    }
}

/// A sentence for what a backend answered.
pub(super) fn backend_for_people(error: &BackendError) -> (ApiErrorKind, String) {
    use ApiErrorKind as Kind;
    match error {
        BackendError::Unreachable(why) => (
            Kind::BackendAway,
            format!(
                "The backend cannot be reached ({why}). Is it running? Its address is in the settings."
            ),
        ),
        BackendError::CutOff(why) => (
            Kind::Indeterminate,
            format!(
                "The connection was lost before the backend answered ({why}): it may or may not have been done. Look, \
                 then try again."
            ),
        ),
        BackendError::Timeout(seconds) => (
            Kind::BackendAway,
            format!(
                "The backend did not answer within {seconds} seconds. A running command can keep it busy; try again."
            ),
        ),
        BackendError::Unauthorized => (
            Kind::BackendRefuses,
            "The backend does not accept our key. Put the right one into the settings.".to_owned(),
        ),
        BackendError::NotFound(what) => (
            Kind::NotFound,
            format!("The backend does not know {what} (any more)."),
        ),
        BackendError::RateLimited(seconds) => (
            Kind::BackendAway,
            match seconds {
                0 | 1 => "The backend is asked too often. Try again in a moment.".to_owned(),
                _ => format!("The backend is asked too often. Try again in {seconds} seconds."),
            },
        ),
        BackendError::NotSetUp(what) => (
            Kind::BackendRefuses,
            format!("The backend is not set up yet: {what}, then try again."),
        ),
        BackendError::NotRunning => HubError::Stopped.for_people(),
        BackendError::Refused(why) => (Kind::BackendRefuses, format!("The backend refuses: {why}")),
        BackendError::Unexpected(what) => (
            Kind::BackendAway,
            format!("The backend answered something unexpected: {what}. Its own log may say more."),
        ),
        BackendError::Unsupported => (Kind::Invalid, "This backend cannot do that.".to_owned()),
        BackendError::Invalid(text) => (Kind::Invalid, text.clone()),
    }
}

/// A moment for people, UTC.
fn moment(at: i64) -> String {
    Timestamp::from_millisecond(at).map_or_else(
        |_| "an unknown time".to_owned(),
        |time| format!("{} UTC", time.strftime("%H:%M:%S")),
    )
}
