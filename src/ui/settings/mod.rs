//! Settings: of the backend (model, keys, tools, secrets), and of the line to it.
//!
//! Keys are write-only: a page learns whether one is stored and never what it is. Each form works
//! without a script; with one, what was saved shows in place and nothing half typed elsewhere is lost.

mod connection;
mod key;
mod mcp;
mod model;
mod page;
mod report;
mod secrets;

pub use connection::ConnectionPage;
pub use page::SettingsPage;
