//! People: one's own account, who sees a conversation, and for owners everybody's accounts and the audit.
//!
//! Each form works without a script; with one, what was done shows in place.

mod account;
mod audit;
mod devices;
mod everybody;
mod links;
mod person;
mod sharing;
mod tokens;

pub use account::AccountPage;
pub use audit::AuditPage;
pub use everybody::PeoplePage;
pub use sharing::SharingPage;

use crate::api::ApiError;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

/// Runs `then` each time that `action` worked. In the browser only.
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
