//! The list of conversations: first the ones that need a user, then the others day by day.
//!
//! It is a sidebar on a desktop and the home page on a phone. Its state (a search, a filter, an order, a choice)
//! is in the URL of the home page, so it works without JavaScript.

mod asked;
mod confirm;
mod groups;
mod older;
mod page;
mod rehearsal;
mod row;
mod row_actions;
mod text;
mod tools;

pub use confirm::{ArchiveItem, ConfirmDialog};
#[cfg(all(debug_assertions, feature = "ssr"))]
pub use groups::LooseRows;
pub use page::ConversationList;
pub use rehearsal::RehearsalNotice;
pub use row_actions::RowActions;
