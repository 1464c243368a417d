//! A secret that was made just now: shown this once.

use super::{CopyButton, ErrorNote};
use crate::api::ApiError;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;

/// What `action` has made, or a plain form before the page was drawn.
#[component]
pub fn Made<F>(
    /// Makes it.
    action: ServerAction<F>,
    /// What a plain form has made, or empty.
    made: String,
) -> impl IntoView
where
    F: ServerFn<Output = String, Error = ApiError> + Clone + Send + Sync + 'static,
{
    let at_first = Some(Ok(made)).filter(|made| *made != Ok(String::new()));
    view! {
        <div role="status">
            {move || match action.value().get().or_else(|| at_first.clone()) {
                None => ().into_any(),
                Some(Err(error)) => view! { <ErrorNote error/> }.into_any(),
                Some(Ok(text)) => {
                    view! {
                        <div class="notice notice--good">
                            <strong class="notice__title">"Copy it now: it is shown this once"</strong>
                            <p class="notice__text mono">{text.clone()}</p>
                            <CopyButton text class="button button--small"/>
                        </div>
                    }
                        .into_any()
                }
            }}
        </div>
    }
    .into_any()
}
