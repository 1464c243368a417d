//! One conversation: head, panels, timeline, and at its foot what a person answers with.

mod announce;
mod banners;
mod controls;
mod dialogs;
mod head;
mod here;
mod page;
mod pinned;

pub use page::ConversationPage;
