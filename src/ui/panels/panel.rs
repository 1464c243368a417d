//! The frame of a panel: title, buttons, content.

use super::{
    browser::BrowserPanel, changes::ChangesPanel, files::FilesPanel, info::InfoPanel,
    model::ModelPanel, tabs::panel_name, tasks::TasksPanel, terminal::TerminalPanel, text,
};
use crate::ui::lazy::{Lazy, later};
use crate::ui::parts::{self, Icon, varying};
use leptos::prelude::*;
use std::time::Duration;

/// The name of the panel on the page. It follows the URL one frame later, so that the chosen tab is highlighted at once,
/// however long the panel takes to draw.
pub fn drawn_panel() -> ReadSignal<&'static str> {
    let name = panel_name();
    let (drawn, draw) = signal(name.get_untracked());
    Effect::new(move |was: Option<&str>| {
        let name = name.get();
        let changed = was.is_some_and(|was| was != name);
        if changed {
            request_animation_frame(move || {
                // The conversation may have been closed meanwhile.
                let draw = move || {
                    draw.try_set(name);
                };
                set_timeout(draw, Duration::ZERO);
            });
        }
        name
    });
    drawn
}

/// A panel by its name; nothing for the timeline.
#[component]
pub fn Panel(name: ReadSignal<&'static str>) -> impl IntoView {
    varying(move || match name.get() {
        "timeline" => ().into_any(),
        name => later(Lazy::Panel(name)).into_any(),
    })
}

/// A panel by its name in the URL.
pub fn panel(name: &str) -> AnyView {
    match name {
        "terminal" => view! { <TerminalPanel/> }.into_any(),
        "files" => view! { <FilesPanel/> }.into_any(),
        "changes" => view! { <ChangesPanel/> }.into_any(),
        "browser" => view! { <BrowserPanel/> }.into_any(),
        "tasks" => view! { <TasksPanel/> }.into_any(),
        "info" => view! { <InfoPanel/> }.into_any(),
        "model" => view! { <ModelPanel/> }.into_any(),
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
                    " "
                    {parts::text::close()}
                </a>
            </header>
            <div class="panel__body" tabindex="0" role="region" aria-label=text::content_of(title)>
                {children()}
            </div>
        </section>
    }
    .into_any()
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
