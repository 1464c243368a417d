//! A new conversation: what to do, and where.

mod form;
mod page;
mod suggestions;
mod text;

pub use form::MessageForm;
pub use page::NewPage;
pub use suggestions::FewSuggestions;
