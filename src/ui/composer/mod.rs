//! The composer: the message field, its attachments, and the outbox.

mod again;
mod attachments;
mod field;
mod names;
mod naming;
mod outbox;
mod text;
mod words;

pub use again::Again;
pub use attachments::how_far;
pub use field::Composer;
pub use names::Names;
pub use outbox::Outbox;
