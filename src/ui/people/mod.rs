//! Accounts: the user's own account, the sharing of a conversation, and for owners all accounts and the audit log.
//!
//! Each form works without JavaScript; with it, the result appears in place.

mod account;
mod audit;
mod audit_words;
mod devices;
mod everybody;
mod links;
mod person;
mod sharing;
mod text;
mod tokens;

pub use account::AccountPage;
pub use audit::AuditPage;
pub use everybody::PeoplePage;
pub use sharing::SharingPage;

use crate::api::ApiError;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

/// Runs `then` after each success of `action`. Browser only.
fn after<F>(action: ServerAction<F>, then: impl Fn() + 'static)
where
    F: ServerFn<Error = ApiError> + Clone + Send + Sync + 'static,
    F::Output: Clone + Send + Sync + 'static,
{
    Effect::new(move |_| {
        if matches!(action.value().get(), Some(Ok(_))) {
            then();
        }
    });
}
