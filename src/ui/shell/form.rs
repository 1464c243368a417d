//! A form that calls a server function: as a plain form without JavaScript, in place with it.

use crate::store::Call;
use leptos::{ev::SubmitEvent, prelude::*};
use serde::de::DeserializeOwned;

/// A form that calls a server function; the names of its inputs are those of the arguments.
#[component]
pub fn ServerForm<T>(
    /// The server call.
    action: Call<T>,
    /// The class of the form.
    #[prop(optional)]
    class: &'static str,
    /// Runs after the call was sent; only with JavaScript.
    #[prop(optional)]
    on_sent: Option<Callback<()>>,
    /// The inputs and buttons.
    children: Children,
) -> impl IntoView
where
    T: DeserializeOwned + Send + Sync + 'static,
{
    let submit = move |event: SubmitEvent| {
        if event.default_prevented() {
            return;
        }
        event.prevent_default();
        action.submit(&event);
        if let Some(on_sent) = on_sent {
            on_sent.run(());
        }
    };
    view! {
        <form class=class method="post" action=action.address() on:submit=submit>
            {children()}
        </form>
    }
    .into_any()
}
