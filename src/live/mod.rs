//! Data sent to pages: plain types shared by hub, server functions and browser.
//!
//! No logic and no I/O; compiled for both sides. The hub produces these types, `api` passes them on, and the pages show
//! them. Pages import them from `crate::api`.

mod frames;
mod orders;
mod settings;
mod trouble;
mod views;
mod workspace;

pub use frames::{FromBrowser, FromServer, Verdict};
pub use orders::{Decision, Steering};
pub use settings::{ConnectionReport, ConnectionView, SettingsView};
pub use trouble::ApiErrorKind;
pub use views::{
    ApprovalView, BackendView, ConversationSummary, ConversationView, DraftView, HereView,
    InboxItem, ListView, OutboxState, OutboxView, RowsView, SessionView, UNREAD, for_visitors,
};
pub use workspace::{FileEntry, FileShown};
