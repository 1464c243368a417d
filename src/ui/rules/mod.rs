//! Rules: the page of all of them, and the page that makes one from a pending approval.
//!
//! Both work without JavaScript: what is chosen is a link, and what is done is a form.

mod book;
mod make;
mod text;

pub use book::RulesPage;
pub use make::RulePage;

use crate::rules::Scope;

/// Where a rule applies, in words.
fn scope_in_words(scope: &Scope) -> String {
    match scope {
        Scope::Conversation(_) => text::in_conversation().to_owned(),
        Scope::Own => text::in_own().to_owned(),
        Scope::Repository(name) => text::in_repository(name),
        Scope::All => text::in_all().to_owned(),
    }
}
