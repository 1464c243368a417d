//! Saying something to the agent: the field, what goes with it, and messages on their way.

mod attachments;
mod field;
mod outbox;
mod words;

pub use attachments::how_far;
pub use field::Composer;
pub use outbox::Outbox;
