//! The list of conversations: who needs you first, then the newest.
//!
//! It stands beside every conversation on a desktop and is the home page of a phone. What is asked of it
//! (a search, "really delete?") is in the URL of the home page, so it works without a script.

mod delete;
mod groups;
mod page;
mod rehearsal;
mod row;

pub use page::ConversationList;
pub use rehearsal::RehearsalNotice;
