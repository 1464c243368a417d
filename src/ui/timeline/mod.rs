//! The timeline: the events of a conversation, row by row.
//!
//! A row is one card, chosen by one `match` in `row.rs`; a step consists of blocks, chosen by one `match` in
//! `block.rs`. Their HTML is rendered and sanitized by the server's `render` layer.

mod address;
mod alive;
mod block;
mod block_code;
mod block_diff;
mod block_file;
mod block_terminal;
mod card_chips;
mod card_message;
mod card_notice;
mod card_step;
mod drafts;
mod fold_contents;
mod folds;
mod more;
mod past;
mod quote;
mod record;
mod row;
mod scroller;
mod since;
mod still;
mod tasks;
pub(crate) mod text;
mod view;

pub use address::{Past, behind, row_address};
pub use alive::DoingNow;
pub use block::BlockView;
pub use block_diff::{DiffBlock, diff_stat, runs};
pub use block_file::FileBlock;
pub use card_message::{class_of, who_of};
pub use card_step::StepInFull;
pub use more::{KeptQuery, provide_whole};
pub use past::{PastRows, static_rows};
pub use record::{outcome, refused};
pub use row::RowCard;
pub use still::StillRows;
pub use tasks::TaskList;
pub use view::Timeline;
