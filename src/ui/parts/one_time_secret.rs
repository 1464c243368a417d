//! A newly created secret, shown only once.

use super::{CopyButton, ErrorNote, text, varying};
use crate::store::{Call, after_layout};
use leptos::{html, prelude::*};

/// The secret that `action` has created, or that a submit without JavaScript created before the page was rendered.
#[component]
pub fn OneTimeSecret(
    /// The action that creates the secret.
    action: Call<String>,
    /// The secret created without JavaScript, or empty.
    secret: String,
) -> impl IntoView {
    let at_first = Some(Ok(secret)).filter(|secret| *secret != Ok(String::new()));
    let shown = NodeRef::<html::Div>::new();
    // It may be below the end of the screen, and is not shown again.
    action.on_success(move || {
        after_layout(move || {
            if let Some(shown) = shown.get_untracked() {
                shown.scroll_into_view_with_bool(false);
                let _ = shown.focus();
            }
        });
    });
    any_view! {
        <div role="status" tabindex="-1" node_ref=shown>
            {varying(move || match action.value().get().or_else(|| at_first.clone()) {
                None => ().into_any(),
                Some(Err(error)) => any_view! { <ErrorNote error/> },
                Some(Ok(text)) => {
                    any_view! {
                        <div class="notice notice--good">
                            <strong class="notice__title">{text::copy_now()}</strong>
                            <p class="notice__text mono">{text.clone()}</p>
                            <CopyButton text class="button button--small"/>
                        </div>
                    }
                }
            })}
        </div>
    }
}
