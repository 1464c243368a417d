//! Errors of the hub, and their texts for users.

use crate::backend::{BackendError, Difference};
use crate::clock::now;
use crate::journal::JournalError;
use crate::live::ApiErrorKind;
use thiserror::Error;

/// Why the hub did not execute a request. Its text is a full sentence for the user.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HubError {
    /// There is no such conversation, row, event or message.
    #[error("{}", not_found(.0))]
    NotFound(&'static str),
    /// The arguments are invalid; the text is a sentence for users.
    #[error("{0}")]
    Invalid(String),
    /// The sandbox is not running.
    #[error("The sandbox is stopped. Start it, then try again.")]
    Stopped,
    /// The sandbox no longer exists.
    #[error(
        "The sandbox of this conversation no longer exists, so its agent cannot continue. Start a new conversation."
    )]
    SandboxGone,
    /// There is no connection to the backend: nothing was sent.
    #[error(
        "Nothing was sent: disconnected from OpenHands. Try again when the connection is back."
    )]
    Disconnected,
    /// The answer is to another action than the pending one.
    #[error("Nothing was sent: the pending action has changed. Review it again.")]
    Superseded,
    /// The approval needs a touch of a passkey of its author.
    #[error(
        "Nothing was sent: approving this needs a touch of your own passkey, on the page, in a browser with JavaScript. \
         Rejecting needs none."
    )]
    NeedsTouch,
    /// The touch that came with it was too late, or its passkey was used elsewhere meanwhile.
    #[error("Nothing was sent: this touch is out of date. Touch again.")]
    OldTouch,
    /// The answer came before anyone can have read the action.
    #[error(
        "Nothing was sent: you saw the action for less than a second. Review it, then try again."
    )]
    TooSoon,
    /// Another user has already answered differently.
    #[error("Nothing was sent: {} The first decision counts.", earlier(*approved, *at, by))]
    AnsweredBefore {
        /// Whether that answer was an approval.
        approved: bool,
        /// Its time, in milliseconds since the Unix epoch.
        at: i64,
        /// Its user; empty if unknown.
        by: String,
    },
    /// The conversation's backend is no longer in use.
    #[error("{0} is no longer among the backends. Add it again to continue here.")]
    Elsewhere(String),
    /// The conversation was imported.
    #[error(
        "This conversation was imported. It can be read, renamed and deleted, but no agent works in it."
    )]
    Imported,
    /// Too many messages of the conversation have not arrived yet.
    #[error(
        "Nothing was sent: too many messages of this conversation are waiting. Wait until they have arrived, or discard \
         those that failed."
    )]
    OutboxFull,
    /// A pending approval must be answered first.
    #[error("An action needs approval. Approve or reject it first, or stop the agent.")]
    AnswerFirst,
    /// The request was not sent, for this reason.
    #[error("Nothing was sent. {} Try again.", sentence(.0))]
    NotSent(String),
    /// The request was sent without a response.
    #[error(
        "This may not have gone through. {} Check what the agent does before you try again.",
        sentence(.0)
    )]
    Indeterminate(String),
    /// The backend has stored something else than it was asked to.
    #[error("{}", not_stored(.0))]
    NotStored(Vec<Difference>),
    /// Another user has changed the same data meanwhile.
    #[error(
        "Nothing was saved: someone else has changed the {0} since you opened them. Reload the page, then make your \
         change again."
    )]
    Changed(&'static str),
    /// The user exceeds a rate limit.
    #[error(
        "Nothing was done: you have made too many changes in a short time. Wait a few seconds, then try again."
    )]
    TooMuch,
    /// The connection was given on the command line.
    #[error(
        "The backends are set by --backend. Start Handrail without that option to change them here."
    )]
    Fixed,
    /// The backend failed; [`HubError::for_people`] has details.
    #[error("the request to OpenHands failed")]
    Backend(#[from] BackendError),
    /// The journal failed; [`HubError::for_people`] has details.
    #[error("the journal failed")]
    Journal(#[from] JournalError),
    /// The conversation was closed meanwhile, or the server ends.
    #[error("The conversation was closed while you were waiting. Reload the page.")]
    Closed,
}

/// The result of a request to the hub; its module says which errors all requests have in common.
pub type HubResult<T = ()> = Result<T, HubError>;

/// Told when nothing can be stored.
pub const DISK_FULL: &str = "Handrail could not store this: the disk is full, nearly full, or cannot be written. Everything can still be read. \
                             Free some space on the machine that Handrail runs on, then try again.";

/// What people are told while the database cannot be reached.
pub const DATABASE_AWAY: &str = "Handrail cannot reach its database, or all connections to it are in use. Nothing was stored. Try again in a \
                                 moment.";

/// What people are told if the database was lost while it stored something.
pub const DATABASE_LOST: &str = "Handrail lost the connection to its database while it stored this, and cannot tell whether it was stored. Reload the \
                                 page and check before you try again.";

impl HubError {
    /// The kind of the error, and a full sentence that says what to do.
    pub fn for_people(&self) -> (ApiErrorKind, String) {
        use ApiErrorKind as Kind;
        let kind = match self {
            Self::NotFound(_) => Kind::NotFound,
            Self::NeedsTouch | Self::OldTouch => Kind::Forbidden,
            Self::Invalid(_) => Kind::Invalid,
            Self::Disconnected | Self::NotSent(_) | Self::Elsewhere(_) => Kind::BackendAway,
            Self::Indeterminate(_) => Kind::Indeterminate,
            Self::NotStored(_) => Kind::BackendRefuses,
            Self::Closed => Kind::Connection,
            Self::Stopped
            | Self::SandboxGone
            | Self::Superseded
            | Self::TooSoon
            | Self::AnsweredBefore { .. }
            | Self::AnswerFirst
            | Self::OutboxFull
            | Self::Imported
            | Self::Changed(_)
            | Self::TooMuch
            | Self::Fixed => Kind::Conflict,
            Self::Backend(error) => return backend_for_people(error),
            Self::Journal(JournalError::TooSlow) => {
                let text = "The search took too long. Use fewer or less common words.";
                return (Kind::Conflict, text.to_owned());
            }
            Self::Journal(JournalError::Away(_)) => return (Kind::Away, DATABASE_AWAY.to_owned()),
            Self::Journal(JournalError::Indeterminate(_)) => {
                return (Kind::Indeterminate, DATABASE_LOST.to_owned());
            }
            Self::Journal(JournalError::Full(_)) => return (Kind::Full, DISK_FULL.to_owned()),
            Self::Journal(_) => {
                let text = "Handrail cannot read or write its data. The disk may be full. The server log has details.";
                return (Kind::Internal, text.to_owned());
            }
        };
        (kind, self.to_string())
    }
}

pub(super) fn backend_for_people(error: &BackendError) -> (ApiErrorKind, String) {
    use ApiErrorKind as Kind;
    use BackendError as Error;
    let kind = match error {
        Error::Unreachable(_)
        | Error::Held(_)
        | Error::Timeout(_)
        | Error::RateLimited(_)
        | Error::Unexpected(_) => Kind::BackendAway,
        Error::CutOff(_) => Kind::Indeterminate,
        Error::Unauthorized | Error::NotSetUp(_) | Error::Refused(_) => Kind::BackendRefuses,
        Error::NotFound(_) => Kind::NotFound,
        Error::NotRunning => Kind::Conflict,
        Error::Unsupported | Error::Invalid(_) => Kind::Invalid,
    };
    let text = match error {
        Error::Unreachable(why) => format!(
            "OpenHands cannot be reached ({why}). Check that it is running and that its address in Settings is right."
        ),
        Error::Held(why) => format!("Nothing was sent: {why}. Try again in a moment."),
        Error::CutOff(why) => format!(
            "The connection was lost before OpenHands answered ({why}). This may not have gone through. Check before \
             you try again."
        ),
        Error::Timeout(seconds) => format!(
            "OpenHands did not answer within {seconds} seconds. A running command can keep it busy. Try again."
        ),
        Error::Unauthorized => {
            "OpenHands rejected the API key. Enter the right one in Settings.".to_owned()
        }
        Error::NotFound(what) => {
            format!("OpenHands could not find {what}. It may have been deleted.")
        }
        Error::RateLimited(0 | 1) => {
            "Too many requests to OpenHands. Try again in a moment.".to_owned()
        }
        Error::RateLimited(seconds) => {
            format!("Too many requests to OpenHands. Try again in {seconds} seconds.")
        }
        Error::NotSetUp(what) => {
            format!("OpenHands is not set up yet: {what}, then try again.")
        }
        Error::NotRunning => HubError::Stopped.to_string(),
        Error::Refused(why) => format!("OpenHands refused: {why}"),
        Error::Unexpected(what) => {
            format!("Unexpected response: {what}. The OpenHands log may have details.")
        }
        Error::Unsupported => "This version of OpenHands does not support that.".to_owned(),
        Error::Invalid(text) => text.clone(),
    };
    (kind, text)
}

/// What a backend has stored differently from what was saved, in whole sentences.
pub(super) fn not_stored(differences: &[Difference]) -> String {
    let all = differences.iter().map(Difference::to_string);
    let all = all.collect::<Vec<_>>().join(", ");
    let more = match differences.iter().any(Difference::is_about_approvals) {
        true => " New conversations ask for approval as it is stored, not as you wanted.",
        false => "",
    };
    format!("OpenHands has stored something else than you saved: {all}.{more}")
}

/// A reason from the middle of a sentence, as a sentence of its own.
pub(super) fn sentence(reason: &str) -> String {
    let reason = reason.trim();
    let is_ended = reason.ends_with(['.', '?', '!']);
    let end = if is_ended { "" } else { "." };
    let mut letters = reason.chars();
    match letters.next() {
        Some(first) => format!("{}{}{end}", first.to_uppercase(), letters.as_str()),
        None => String::new(),
    }
}

fn not_found(what: &str) -> String {
    let next = match what {
        "conversation" => "Go back to the list.",
        _ => "Reload the page.",
    };
    format!("The {what} was not found. It may have been deleted. {next}")
}

/// The earlier answer: its user and its age.
fn earlier(approved: bool, at: i64, by: &str) -> String {
    let word = if approved { "approved" } else { "rejected" };
    let when = ago(now().saturating_sub(at) / 1000);
    match by {
        "" => format!("this was already {word} {when}."),
        by => format!("{by} already {word} this {when}."),
    }
}

/// An age in seconds, in words.
fn ago(seconds: i64) -> String {
    match seconds {
        ..5 => "a moment ago".to_owned(),
        5..90 => format!("{seconds} seconds ago"),
        90..5400 => format!("{} minutes ago", (seconds + 30) / 60),
        5400..172_800 => format!("{} hours ago", (seconds + 1800) / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}
