//! What the screen knows: the state that pages read, and the live line which keeps it true.
//!
//! Nothing here is invented in the browser. A store begins as the picture that the server drew and
//! changes only by what comes down the live line; a click asks the server and waits for its effect.

mod base;
mod browser;
mod conversation;
mod draft;
mod fetched;
mod line;
mod live;
mod me;
mod rows;
mod upload;

pub use base::{link, provide_base, use_go};
pub use browser::{after_layout, now, random_id, remember, remembered, set_cookie};
pub use conversation::{ConversationStore, use_conversation};
pub use draft::Draft;
pub use fetched::{Fetched, Json, fetched};
pub use live::{Link, ListChange, Live, provide_live, use_live};
pub use me::{Waiting, draw_now, drawn_at, may, me, provide_me, waiting_at_first};
pub use rows::{Entry, RowKey, Rows};
pub use upload::{Attachment, Progress, read_as_data_url, upload};
