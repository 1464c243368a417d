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
    any_view! {
        <form class=class method="post" action=action.address() on:submit=submit>
            {children()}
        </form>
    }
}

/// A form of one button.
#[component]
pub fn CallButton<T>(
    /// The server call.
    action: Call<T>,
    /// Its arguments, by name.
    fields: Vec<(&'static str, String)>,
    label: &'static str,
    /// The accessible name, if the label does not say what it is about.
    #[prop(optional, into)]
    name: String,
    /// Whether the form says what went wrong.
    #[prop(optional)]
    says: bool,
    #[prop(default = "button button--small")] class: &'static str,
) -> impl IntoView
where
    T: Clone + DeserializeOwned + Send + Sync + 'static,
{
    let error = move || action.value().get().and_then(Result::err);
    let error = move || {
        error()
            .filter(|_| says)
            .map(|error| view! { <ErrorNote error /> })
    };
    let fields = fields.into_iter();
    let fields =
        fields.map(|(name, value)| view! { <input type="hidden" name=name value=value /> });
    let fields = fields.collect_view();
    any_view! {
        <ServerForm action>
            {fields}
            <button
                class=class
                aria-label=(!name.is_empty()).then_some(name)
                aria-busy=move || action.pending().get().then_some("true")
            >
                {label}
            </button>
        </ServerForm>
        {varying(error)}
    }
}
