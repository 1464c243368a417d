//! Backends: the servers that run the agents, behind one trait.
//!
//! [`Backend`] separates the rest of Handrail from the protocols. The code above it uses
//! [`crate::conversation::LogItem`]s and [`Command`]s. [`Capabilities`] say what a backend supports; the pages hide the
//! rest. The browser uses only the plain data of `facts.rs` and `settings.rs`.
//!
//! Invariant: only `openhands/socket.rs` uses `rust_socketio`.
//!
//! # Errors
//! Methods fail with [`BackendError`]: `Unreachable`, `Timeout`, `RateLimited`, `Unauthorized` and `Unexpected` for
//! every request, `Refused` with the backend's reason, `NotFound` for what does not exist, `CutOff` for a command of
//! unknown outcome, `Invalid` for an id or path that is not safe in a URL, `Unsupported` without the capability.

mod facts;
mod settings;

#[cfg(feature = "ssr")]
pub mod agent_server;
#[cfg(feature = "ssr")]
pub mod app_server;
#[cfg(feature = "ssr")]
mod attempts;
#[cfg(feature = "ssr")]
mod differences;
#[cfg(feature = "ssr")]
mod dto;
#[cfg(feature = "ssr")]
mod ending;
#[cfg(feature = "ssr")]
mod error;
#[cfg(feature = "ssr")]
mod find;
#[cfg(feature = "ssr")]
mod http;
#[cfg(feature = "ssr")]
mod json;
#[cfg(feature = "ssr")]
mod large;
#[cfg(feature = "ssr")]
mod live_stream;
#[cfg(feature = "ssr")]
mod losses;
#[cfg(feature = "ssr")]
pub mod openhands;
#[cfg(feature = "ssr")]
mod outlet;
#[cfg(feature = "ssr")]
mod permit;
#[cfg(feature = "ssr")]
mod places;
#[cfg(feature = "ssr")]
mod polls;
#[cfg(feature = "ssr")]
mod replies;
#[cfg(feature = "ssr")]
mod secrets;
#[cfg(all(test, feature = "ssr"))]
mod tests;
#[cfg(feature = "ssr")]
mod timing;
#[cfg(feature = "ssr")]
mod traits;

pub use facts::{
    Archive, Capabilities, ChangedFile, Commit, ConnectionState, Eviction, Microagent, Profile,
    Protocol, Runtime,
};
#[cfg(feature = "ssr")]
pub use handrail_rehearsal as rehearsal;
pub use settings::{McpServer, Options, Secret, SecretName, Settings};

#[cfg(all(test, feature = "ssr"))]
pub(crate) use http::goes_first;
#[cfg(feature = "ssr")]
pub use {
    differences::Difference,
    error::{Answer, BackendError},
    find::find,
    http::{
        Connection, for_guess, for_order, for_reader, is_blocked, outgoing_client, with_shared_tls,
    },
    live_stream::{
        Command, Delivery, LiveStream, LookUp, Order, ReceivedEvent, Recorded, ResumePoint, room,
    },
    permit::Permit,
    traits::{
        Backend, ChangedText, ConversationApi, ConversationInfo, ConversationPage, FileText,
        HistoryPage, NewConversation, Probe, SettingsApi, Upload, WorkspaceApi,
    },
};
