//! The pages outside a session: set-up, login with its second factor, invitations, shared links and "not allowed".
//!
//! They are plain forms without WASM: an unauthenticated client receives none of the application's code.

mod invitation;
mod link;
mod log_in;
mod not_allowed;
mod passkey_form;
mod register;
mod second_factor;
mod set_up;
mod text;

pub use invitation::InvitationPage;
pub use link::LinkPage;
pub use log_in::LogInPage;
pub use not_allowed::NotAllowedPage;
pub(in crate::ui) use passkey_form::why_no_passkeys;
pub use register::RegisterPage;
pub use second_factor::SecondFactorPage;
pub use set_up::SetUpPage;

use crate::store::link;
use leptos::prelude::*;

/// The reason for a refusal. The server provides it as a context.
#[derive(Debug, Clone, Default)]
pub struct Said(pub String);

/// The label of the alternative login method (single sign-on). The server provides it as a context.
#[derive(Debug, Clone)]
pub struct OtherWay(pub String);

/// The error of the previous attempt.
#[component]
fn Refusal() -> impl IntoView {
    let Said(text) = use_context().unwrap_or_default();
    (!text.is_empty()).then(|| {
        view! {
            <div class="notice notice--bad" role="alert">
                <p class="notice__text">{text}</p>
            </div>
        }
    })
}

/// The way back to the beginning of a login.
#[component]
fn StartAgain() -> impl IntoView {
    any_view! {
        <p>
            <a class="button button--quiet" href=link("login")>{text::start_again()}</a>
        </p>
    }
}
