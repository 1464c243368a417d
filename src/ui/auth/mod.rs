//! The pages outside a session: set-up, login, shared links and "not allowed".
//!
//! They are plain forms without WASM: an unauthenticated client receives none of the application's code.

mod link;
mod log_in;
mod not_allowed;
mod set_up;
mod text;

pub use link::LinkPage;
pub use log_in::LogInPage;
pub use not_allowed::NotAllowedPage;
pub use set_up::SetUpPage;

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
