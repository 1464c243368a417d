//! Everything that waits for a yes or a no, over all conversations: the page that a phone begins with.
//!
//! Each item can be decided on as it stands here: it is the same card, with the same token of exactly what
//! is shown, as in its conversation.

mod item;
mod page;

pub use page::InboxPage;
