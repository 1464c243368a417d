//! The state that pages read, and the live connection that keeps it up to date.
//!
//! Nothing here originates in the browser. A store starts with the server's snapshot and
//! changes only through the live connection; a click sends a request and waits for its effect.

mod base;
mod browser;
mod call;
mod conversation;
mod derived;
mod draft;
mod fetched;
mod line;
mod live;
mod me;
pub mod push;
mod rows;
mod upload;

pub use base::{link, provide_base, use_go};
pub use browser::{after_layout, now, random_id, remember, remembered, set_cookie};
pub use call::Call;
pub use conversation::{ConversationStore, use_conversation};
pub use derived::Derived;
pub use draft::Draft;
pub use fetched::{Fetched, Json, fetched, provide_fetched};
pub use live::{Link, ListChange, Live, provide_live, use_live, use_offline};
pub use me::{OFFLINE, PendingCount, draw_now, drawn_at, may, me, provide_me, waiting_at_first};
pub use rows::{Entry, RowKey, Rows};
pub use upload::{Attachment, Progress, read_as_data_url, upload};
