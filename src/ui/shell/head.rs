//! The title of the document.

use leptos::prelude::*;
use leptos_meta::Title;

/// Sets the title; `waiting` answers are counted in front of it, where a tab shows it.
#[component]
pub fn Head(
    /// What the page is about.
    #[prop(into)]
    title: Signal<String>,
    /// How many answers are needed.
    #[prop(optional, into)]
    waiting: Signal<u32>,
) -> impl IntoView {
    let text = move || {
        let count = match waiting.get() {
            0 => String::new(),
            count => format!("({count}) "),
        };
        format!("{count}{} · Handrail", title.get())
    };
    view! { <Title text /> }
}
