//! Events and actions of the link.

use crate::backend::{ConnectionState, Runtime};

#[derive(Debug, Clone, Copy, Default)]
pub struct Demand {
    pub watched: bool,
    /// The agent is at work.
    pub busy: bool,
    /// Something is to be sent.
    pub sending: bool,
}

#[derive(Debug)]
pub enum LinkEvent {
    /// Time has passed, or the demand is another one.
    Reconcile,
    Checked(u64, Found),
    Listed(Report),
    Backfilled(u64, Result<(), Unread>),
    ConnectionIs(ConnectionState),
    ConnectionEnded(u64),
    NotConnected,
    /// What arrived could not be stored.
    NotStored,
    /// The agent of a starting sandbox has reported a status.
    AgentSpoke,
    RuntimeIs(Runtime),
    /// A person has started the sandbox: answers that are under way are outdated.
    Started,
    /// An assumed success may be wrong: ask the backend now.
    Recheck,
    /// A person wants the link tried now.
    Retry,
    /// A person has ordered something and waits for the connection.
    Hurry,
}

/// The backend's information about a conversation.
#[derive(Debug)]
pub enum Found {
    Known(Report),
    /// It does not know the conversation.
    Gone,
    /// It could not be asked, and why.
    Failed(String),
}

/// How the backend describes a conversation.
#[derive(Debug, Clone, Copy)]
pub struct Report {
    pub runtime: Runtime,
    /// It has changed since we knew it.
    pub changed: bool,
    /// Something happens there of which only a connection tells.
    pub busy: bool,
}

/// Why a history could not be read.
#[derive(Debug)]
pub struct Unread {
    pub why: String,
    /// A retry soon will not help.
    pub lasting: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub enum LinkAction {
    /// Ask the backend how the conversation is.
    Check {
        number: u64,
        urgent: bool,
    },
    Backfill {
        number: u64,
    },
    StopBackfill,
    Connect {
        number: u64,
        urgent: bool,
    },
    /// Let go of the connection.
    Disconnect,
    /// Have the connection try at once.
    Nudge,
    /// Drop the drafts of the lost connection.
    ForgetDrafts,
    /// Report that the backend was asked, whatever the outcome.
    BackendAsked,
}
