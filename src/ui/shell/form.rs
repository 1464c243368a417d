//! A form that calls a server function: as a plain form without JavaScript, in place with it.

use crate::store::Call;
use crate::ui::parts::{ErrorNote, varying};
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

/// A form of one button that does something to a conversation, and what went wrong.
#[component]
pub fn CallButton<T>(
    /// The server call.
    action: Call<T>,
    /// The id of the conversation.
    id: String,
    label: &'static str,
    /// The argument `order`, if the call has one.
    #[prop(optional)]
    order: &'static str,
    #[prop(default = "button button--small")] class: &'static str,
) -> impl IntoView
where
    T: Clone + DeserializeOwned + Send + Sync + 'static,
{
    let error = move || action.value().get().and_then(Result::err);
    view! {
        <ServerForm action>
            <input type="hidden" name="id" value=id />
            <button
                class=class
                name=(!order.is_empty()).then_some("order")
                value=(!order.is_empty()).then_some(order)
                aria-busy=move || action.pending().get().then_some("true")
            >
                {label}
            </button>
        </ServerForm>
        {varying(move || error().map(|error| view! { <ErrorNote error /> }))}
    }
    .into_any()
}
