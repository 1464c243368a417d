//! Where the time and the money went: of one conversation, and over all. The server draws plots and tables.

mod conversation;
mod overall;
mod text;

pub use conversation::InsightPage;
pub use overall::OverallPage;
