//! A search: a plain form that asks its page for `?q=`, without loading it where a script runs.

use crate::store::use_go;
use leptos::{ev::SubmitEvent, html::Input, prelude::*};

/// A field for what is sought; the children are its buttons.
#[component]
pub fn SearchForm(
    /// The page that finds it.
    address: String,
    /// Where it searches: what the landmark is called, in other words than its field.
    place: &'static str,
    /// What the field is called.
    label: &'static str,
    /// What can be sought.
    placeholder: &'static str,
    /// What is sought now.
    #[prop(into)]
    text: Signal<String>,
    children: Children,
) -> impl IntoView {
    let go = use_go(false);
    let input = NodeRef::<Input>::new();
    let action = address.clone();
    let search = move |event: SubmitEvent| {
        let Some(input) = input.get_untracked() else {
            return;
        };
        event.prevent_default();
        let text = js_sys::encode_uri_component(&input.value());
        go(&format!("{address}?q={text}"));
    };
    view! {
        <form class="search" role="search" method="get" action=action aria-label=place on:submit=search>
            <input
                class="input"
                type="search"
                name="q"
                aria-label=label
                placeholder=placeholder
                value=move || text.get()
                node_ref=input
            />
            {children()}
        </form>
    }
    .into_any()
}
