//! The line to a backend: what Handrail can ask of whatever runs the agents.
//!
//! [`Backend`] is the seam between us and a protocol. Everything above it speaks
//! [`crate::conversation::LogItem`]s and [`Command`]s; what a backend cannot do it says in its
//! [`Capabilities`], and the page hides it. The plain facts (`facts.rs`, `settings.rs`) are known to the
//! browser too; the rest is the server's.
//!
//! Invariant: `rust_socketio` is named in `openhands/socket.rs` only.

mod facts;
mod settings;

#[cfg(feature = "ssr")]
pub mod agent_server;
#[cfg(feature = "ssr")]
mod error;
#[cfg(feature = "ssr")]
mod find;
#[cfg(feature = "ssr")]
mod held;
#[cfg(feature = "ssr")]
mod http;
#[cfg(feature = "ssr")]
mod line;
#[cfg(feature = "ssr")]
mod losses;
#[cfg(feature = "ssr")]
pub mod openhands;
#[cfg(feature = "ssr")]
pub mod rehearsal;
#[cfg(all(test, feature = "ssr"))]
mod rig;
#[cfg(feature = "ssr")]
mod seam;

pub use facts::{
    Archive, Capabilities, ChangedFile, Commit, LineState, Microagent, Profile, Protocol, Runtime,
};
pub use settings::{McpServer, Options, Secret, SecretName, Settings};

#[cfg(feature = "ssr")]
pub use {
    error::BackendError,
    find::find,
    http::Connection,
    line::{Arrived, Command, Delivery, Line, LookUp, Order, Past, Recorded},
    seam::{
        Answer, Backend, ChangedText, ConversationInfo, ConversationPage, FileText, HistoryPage,
        NewConversation, Probe, Upload,
    },
};
