//! Settings: of the backend (model, keys, tools, secrets), and of the connection to it.
//!
//! Keys are write-only: a page learns whether a key is stored, never its value. Each form works without JavaScript;
//! with it, saved values appear in place and half-typed input in other forms is kept.

mod authority;
mod budgets;
mod connection;
mod deputies;
mod key;
mod limits;
mod mcp;
mod model;
mod nodes;
mod page;
mod report;
mod retention;
mod secrets;
mod stored;
mod text;
mod touches;

pub use authority::ApproversPage;
pub use budgets::BudgetsPage;
pub use connection::ConnectionPage;
pub use nodes::NodesPage;
pub use page::SettingsPage;
pub use retention::RetentionPage;
