//! The users of Handrail, their clicks, and the responses to them.

use handrail::hub::HubError;
use handrail::people::{Caller, Credential, Role};
use std::sync::{Arc, Mutex};
use tokio::task::AbortHandle;

/// All users: name and role.
pub const PEOPLE: [(&str, Role); 4] = [
    ("ada", Role::Owner),
    ("bob", Role::Operator),
    ("cyd", Role::Operator),
    ("vic", Role::Viewer),
];

/// The session of a user.
pub fn caller(person: usize) -> Caller {
    let (name, role) = PEOPLE[person];
    let number = i64::try_from(person).expect("few people") + 1;
    Caller {
        person: number,
        name: name.to_owned(),
        role,
        address: "there".to_owned(),
        credential: Credential::Login(number),
    }
}

/// What a user requested.
#[derive(Debug, Clone)]
pub enum What {
    Say {
        client_id: String,
        text: String,
    },
    Answer {
        token: String,
        yes: bool,
    },
    /// Asks for the command with this mark instead.
    Amend {
        mark: String,
    },
    Settle {
        client_id: String,
        again: bool,
    },
    Share {
        name: String,
        shared: bool,
    },
    Delete,
    Steer,
    Start,
    Stop,
    /// An owner adds, changes or removes a backend.
    Edit,
    Create {
        text: String,
    },
}

/// Refused because the command was not delivered.
pub const NOT_SENT: &str = "not sent";

/// The outcome that a user was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    Done,
    /// Refused: nothing has happened and nothing will.
    Refused(&'static str),
    /// The outcome is unknown.
    Unsure(&'static str),
}

impl Reply {
    pub fn of(outcome: &Result<(), HubError>) -> Self {
        match outcome {
            Ok(()) => Self::Done,
            Err(HubError::Indeterminate(_)) => Self::Unsure("indeterminate"),
            Err(HubError::Closed) => Self::Unsure("closed"),
            Err(HubError::Journal(_)) => Self::Unsure("journal"),
            Err(HubError::Backend(_)) => Self::Unsure("backend"),
            Err(HubError::Superseded) => Self::Refused("superseded"),
            Err(HubError::TooSoon) => Self::Refused("too soon"),
            Err(HubError::Disconnected) => Self::Refused("connection down"),
            Err(HubError::AnsweredBefore { .. }) => Self::Refused("answered before"),
            Err(HubError::NotSent(_)) => Self::Refused(NOT_SENT),
            Err(HubError::Stopped) => Self::Refused("stopped"),
            Err(HubError::AnswerFirst) => Self::Refused("answer first"),
            Err(HubError::NotFound(_)) => Self::Refused("not found"),
            Err(HubError::TooMuch) => Self::Refused("too much"),
            Err(HubError::Invalid(_)) => Self::Refused("invalid"),
            Err(_) => Self::Unsure("other"),
        }
    }
}

/// One click.
pub struct Click {
    pub person: usize,
    pub at: usize,
    pub what: What,
    /// The time of the click.
    pub when: u64,
    pub reply: Arc<Mutex<Option<Reply>>>,
    pub task: AbortHandle,
    /// Whether the user got a response, or no longer waits for one.
    pub over: bool,
}

impl Click {
    pub fn reply(&self) -> Option<Reply> {
        *self.reply.lock().expect("the lock is not poisoned")
    }
}
