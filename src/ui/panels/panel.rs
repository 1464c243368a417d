//! The frame of a view: title, buttons, what is in it.

use super::{
    browser::BrowserPanel, changes::ChangesPanel, files::FilesPanel, info::InfoPanel,
    tabs::panel_name, tasks::TasksPanel, terminal::TerminalPanel,
};
use crate::ui::aside::{Aside, later};
use crate::ui::parts::Icon;
use leptos::prelude::*;

/// The view that the address names; nothing beside the timeline if it names none.
#[component]
pub fn Panel() -> impl IntoView {
    let name = panel_name();
    move || match name.get() {
        "timeline" => ().into_any(),
        name => later(Aside::Panel(name)).into_any(),
    }
}

/// A view by its word in the address.
pub fn panel(name: &str) -> AnyView {
    match name {
        "terminal" => view! { <TerminalPanel/> }.into_any(),
        "files" => view! { <FilesPanel/> }.into_any(),
        "changes" => view! { <ChangesPanel/> }.into_any(),
        "browser" => view! { <BrowserPanel/> }.into_any(),
        "tasks" => view! { <TasksPanel/> }.into_any(),
        "info" => view! { <InfoPanel/> }.into_any(),
        _ => ().into_any(),
    }
}

/// The frame.
#[component]
pub fn Frame(
    title: &'static str,
    /// Buttons beside the title.
    #[prop(optional, into)]
    tools: ViewFnOnce,
    children: Children,
) -> impl IntoView {
    view! {
        <section class="panel" aria-label=title>
            <header class="panel__head">
                <h2 class="panel__title">{title}</h2>
                <span class="grow"></span>
                {tools.run()}
                <a class="button button--quiet button--small panel__close" href="?" data-noscroll="">
                    <Icon name="x"/>
                    " Close"
                </a>
            </header>
            <div class="panel__body" tabindex="0" role="region" aria-label=format!("{title}, content")>
                {children()}
            </div>
        </section>
    }
    .into_any()
}

/// Asks again. Without a script it loads the page again, which is the same.
#[component]
pub fn Refresh(#[prop(into)] again: Callback<()>) -> impl IntoView {
    let click = move |event: leptos::ev::MouseEvent| {
        event.prevent_default();
        again.run(());
    };
    view! {
        <a class="button button--quiet button--small" href="" rel="external" on:click=click>
            "Refresh"
        </a>
    }
}
