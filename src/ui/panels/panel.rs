//! The frame of a panel: title, buttons, content.

use super::text;
use crate::ui::parts::{self, named_icon};
use leptos::prelude::*;

/// The frame.
#[component]
pub fn Frame(
    title: &'static str,
    /// Buttons beside the title.
    #[prop(optional, into)]
    tools: ViewFnOnce,
    children: Children,
) -> impl IntoView {
    any_view! {
        <section class="panel" aria-label=title>
            <header class="panel__head">
                <h2 class="panel__title">{title}</h2>
                <span class="grow"></span>
                {tools.run()}
                <a class="button button--quiet button--small panel__close" href="?" data-noscroll="">
                    {named_icon("x", parts::text::close())}
                </a>
            </header>
            <div class="panel__body" tabindex="0" role="region" aria-label=text::content_of(title)>
                {children()}
            </div>
        </section>
    }
}

/// Reloads the content. Without JavaScript it reloads the page.
#[component]
pub fn Refresh(#[prop(into)] again: Callback<()>) -> impl IntoView {
    let click = move |event: leptos::ev::MouseEvent| {
        event.prevent_default();
        again.run(());
    };
    view! {
        <a class="button button--quiet button--small" href="" rel="external" on:click=click>
            {text::refresh()}
        </a>
    }
}
