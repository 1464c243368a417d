//! What is told to a page: the plain shapes that hub, server functions and browser share.
//!
//! No logic and no I/O, compiled for both sides. The hub answers in these shapes, `api` hands them on,
//! the page shows them; whoever writes a page imports them from `crate::api`.

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
    InboxItem, ListView, OutboxState, OutboxView, RowsView, SessionView,
};
pub use workspace::{FileEntry, FileShown};
