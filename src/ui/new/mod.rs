//! A new conversation: what to do, and where.

mod budgets;
mod form;
mod page;
mod rules;
mod suggestions;
mod text;

pub use form::MessageForm;
pub use page::NewPage;
pub use rules::Rule;
pub use suggestions::FewSuggestions;
