//! The state that pages read, and the live connection that keeps it up to date.
//!
//! A store starts with the server's snapshot. Live frames change it, and loaded pages of rows extend it; only drafts
//! and display choices originate here.

mod base;
mod browser;
mod call;
mod connection;
mod conversation;
mod derived;
mod draft;
mod fetched;
mod live;
mod me;
pub mod push;
mod query;
mod rows;
mod upload;

pub use base::{link, provide_base, use_go};
pub use browser::{
    after_layout, drawn, elements, is_focus_lost, now, on_scroll, random_id, remember, remembered,
    set_cookie,
};
pub use call::Call;
pub use connection::{Link, ListChange};
pub use conversation::{ConversationStore, use_conversation};
pub use derived::Derived;
pub use draft::Draft;
pub use fetched::{Fetched, Json, fetched, provide_fetched};
pub use live::{Live, provide_live, use_live, use_offline};
pub use me::{OFFLINE, PendingCount, draw_now, drawn_at, may, me, provide_me, waiting_at_first};
pub use query::{Query, use_query};
pub use rows::{Entry, RowKey, Rows};
pub use upload::{Attachment, Progress, read_as_data_url, upload};
