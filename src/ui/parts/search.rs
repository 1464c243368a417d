//! A search form: a plain form that opens its page with `?q=`; with JavaScript the page is not reloaded.

use crate::store::use_go;
use leptos::{ev::SubmitEvent, html::Input, prelude::*};

/// A search field; the children are its buttons.
#[component]
pub fn SearchForm(
    /// The URL of the result page.
    address: String,
    /// The name of the search landmark, which must differ from the field's label.
    place: &'static str,
    /// The label of the field.
    label: &'static str,
    /// The placeholder of the field.
    placeholder: &'static str,
    /// The current search text.
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
    any_view! {
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
}
