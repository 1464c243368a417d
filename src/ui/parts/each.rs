//! A list whose entries keep their place in the document while others come and go.

use leptos::prelude::*;

/// Draws an entry for each key. One type for all lists with such keys: `For` compiles anew for each type of entry.
#[component]
pub fn Each(
    /// The keys, in their order.
    #[prop(into)]
    keys: Signal<Vec<String>>,
    /// Draws the entry of a key; called once for each.
    draw: Callback<String, AnyView>,
) -> impl IntoView {
    any_view! { <For each=move || keys.get() key=String::clone children=move |key| draw.run(key) /> }
}
