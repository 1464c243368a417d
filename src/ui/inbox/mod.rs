//! All pending approvals, across all conversations: the start page on a phone.
//!
//! Each item can be answered here: it is the same card, with the same token of exactly the shown content, as in its
//! conversation.

mod budgets;
mod item;
mod page;
mod text;

pub use page::InboxPage;
