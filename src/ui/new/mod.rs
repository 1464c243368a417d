//! A new conversation: what shall be done, and where.

mod form;
mod page;
mod suggestions;

pub use form::MessageForm;
pub use page::NewPage;
