//! The frame of every page: top bar, the list at the side, the page, toasts.

use super::{
    head::Head,
    look::LookItems,
    shortcuts::{Shortcuts, ShortcutsItem},
};
use crate::{
    store::{Link, link, use_live},
    ui::parts::{EmptyState, Menu, Toasts},
};
use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// The frame around the pages. The list stands beside all but the settings.
#[component]
pub fn Frame<List, ListView>(
    /// The list of conversations.
    list: List,
    /// The pages.
    children: Children,
) -> impl IntoView
where
    List: Fn() -> ListView + Send + Sync + 'static,
    ListView: IntoView + 'static,
{
    let path = use_location().pathname;
    let root = link("");
    let page = Memo::new(move |_| {
        let path = path.get();
        page_name(path.strip_prefix(root.as_str()).unwrap_or_default())
    });
    let with_list = Memo::new(move |_| page.get() != "settings");
    view! {
        <a class="skip-link" href="#main" rel="external">
            "Skip to content"
        </a>
        <div class="app" data-page=move || page.get()>
            <TopBar page />
            {move || {
                with_list
                    .get()
                    .then(|| {
                        view! {
                            <aside class="app__list" aria-label="Conversations">
                                {list()}
                            </aside>
                        }
                    })
            }}
            <main class="app__main" id="main" tabindex="-1">
                <LineBanner />
                {children()}
            </main>
        </div>
        <Toasts />
        <Shortcuts />
    }
    .into_any()
}

/// The word for a path without its base.
fn page_name(path: &str) -> &'static str {
    match path.split('/').next() {
        None | Some("") => "list",
        Some("c") => "conversation",
        Some("new") => "new",
        Some("settings") => "settings",
        Some(_) => "missing",
    }
}

#[component]
fn TopBar(page: Memo<&'static str>) -> impl IntoView {
    let current = move |name: &'static str| (page.get() == name).then_some("page");
    view! {
        <header class="top-bar">
            <a class="top-bar__brand" href=link("")>
                "Handrail"
            </a>
            <nav class="nav" aria-label="Main">
                <a class="nav__link" href=link("") aria-current=move || current("list")>
                    "Conversations"
                </a>
                <a class="nav__link" href=link("new") aria-current=move || current("new")>
                    "New"
                </a>
                <a class="nav__link" href=link("settings") aria-current=move || current("settings")>
                    "Settings"
                </a>
            </nav>
            <Menu label="View">
                <LookItems />
                <hr class="menu__rule" />
                <ShortcutsItem />
            </Menu>
        </header>
    }
    .into_any()
}

/// Says that the page is not up to date, once it has lasted.
#[component]
fn LineBanner() -> impl IntoView {
    let live = use_live();
    let down = Memo::new(move |_| live.link().get() == Link::Down);
    // Whether the page follows what happens, said in the document: style sheets and tests look there.
    Effect::new(move || {
        let up = live.link().get() == Link::Up;
        if let Some(page) = document().document_element() {
            // Only a malformed name is refused.
            let _ = page.set_attribute("data-live", if up { "true" } else { "false" });
        }
    });
    view! {
        <div role="status">
            {move || {
                down.get()
                    .then(|| {
                        view! {
                            <div class="banner banner--warning">
                                <span class="banner__text">
                                    "No connection to Handrail. What you see may be old; trying again…"
                                </span>
                                <button
                                    type="button"
                                    class="button button--small"
                                    on:click=move |_| live.retry()
                                >
                                    "Retry now"
                                </button>
                            </div>
                        }
                    })
            }}
        </div>
    }
    .into_any()
}

/// What stands beside the list when nothing is chosen.
#[component]
pub fn Home() -> impl IntoView {
    view! {
        <Head title="Conversations" />
        <h1 class="visually-hidden">"Conversations"</h1>
        <EmptyState title="Choose a conversation" text="Or begin a new one: the agent starts with your first message." />
    }
    .into_any()
}

/// There is no such page.
#[component]
pub fn NotFound() -> impl IntoView {
    view! {
        <Head title="Not found" />
        <div class="page">
            <h1 class="page__title">"There is no such page"</h1>
            <p>
                <a class="button" href=link("")>
                    "All conversations"
                </a>
            </p>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::page_name;

    #[test]
    fn a_path_names_its_page() {
        assert_eq!(page_name(""), "list");
        assert_eq!(page_name("c/abc"), "conversation");
        assert_eq!(page_name("settings/connection"), "settings");
        assert_eq!(page_name("else/where"), "missing");
    }
}
