//! The composer: the message field, its attachments, and the outbox.

mod attachments;
mod field;
mod outbox;
mod text;
mod words;

pub use attachments::how_far;
pub use field::Composer;
pub use outbox::Outbox;
