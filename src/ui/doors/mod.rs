//! The pages before the others: setting up, logging in, and being told no.
//!
//! They are plain forms and load no program: who is not let in gets none of it.

mod link;
mod log_in;
mod not_allowed;
mod set_up;

pub use link::LinkPage;
pub use log_in::LogInPage;
pub use not_allowed::NotAllowedPage;
pub use set_up::SetUpPage;

use leptos::prelude::*;

/// Why somebody was not let in. The server provides it as a context.
#[derive(Debug, Clone, Default)]
pub struct Said(pub String);

/// With what people can log in beside a password. The server provides it as a context.
#[derive(Debug, Clone)]
pub struct OtherWay(pub String);

/// What was wrong the last time.
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
