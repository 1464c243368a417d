//! A newly created secret, shown only once.

use super::{CopyButton, ErrorNote, text, varying};
use crate::store::Call;
use leptos::prelude::*;

/// The secret that `action` has created, or that a submit without JavaScript created before the page was rendered.
#[component]
pub fn OneTimeSecret(
    /// The action that creates the secret.
    action: Call<String>,
    /// The secret created without JavaScript, or empty.
    secret: String,
) -> impl IntoView {
    let at_first = Some(Ok(secret)).filter(|secret| *secret != Ok(String::new()));
    view! {
        <div role="status">
            {varying(move || match action.value().get().or_else(|| at_first.clone()) {
                None => ().into_any(),
                Some(Err(error)) => view! { <ErrorNote error/> }.into_any(),
                Some(Ok(text)) => {
                    view! {
                        <div class="notice notice--good">
                            <strong class="notice__title">{text::copy_now()}</strong>
                            <p class="notice__text mono">{text.clone()}</p>
                            <CopyButton text class="button button--small"/>
                        </div>
                    }
                        .into_any()
                }
            })}
        </div>
    }
    .into_any()
}
