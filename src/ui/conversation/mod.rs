//! The page of one conversation: header, panels, timeline, and at the bottom the approval card and the composer.

mod announce;
mod banners;
mod controls;
mod dialogs;
mod facts;
mod head;
mod here;
mod page;
mod pinned;
mod text;

pub use dialogs::{DeleteDialog, RenameDialog};
pub use facts::{cost, facts};
pub use page::ConversationPage;
