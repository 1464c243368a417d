//! The frame of every page: top bar, the list at the side, the page, toasts.

use super::{
    head::Head,
    look::LookItems,
    shortcuts::{Shortcuts, ShortcutsItem},
};
use crate::{
    people::Right,
    store::{Link, ListChange, link, may, me, use_live, waiting_at_first},
    ui::parts::{EmptyState, Menu, Toasts},
};
use leptos::prelude::*;
use leptos_router::hooks::use_location;
use std::collections::HashSet;

/// The frame around the pages. The list stands beside those that are about conversations.
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
    // Visitors see one conversation, and no list of others.
    let reads = may(Right::Read);
    let with_list = Memo::new(move |_| {
        reads
            && matches!(
                page.get(),
                "list" | "inbox" | "conversation" | "new" | "missing"
            )
    });
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
        Some("c") if path.ends_with("/sharing") => "account",
        Some("c") => "conversation",
        Some("new") => "new",
        Some("inbox") => "inbox",
        Some("settings") => "settings",
        Some("people" | "account" | "audit") => "account",
        Some(name) if is_door(name) => "door",
        Some(_) => "missing",
    }
}

/// Whether a page of this name stands before the others: who sees it may not see them.
pub fn is_door(name: &str) -> bool {
    matches!(name, "login" | "set-up" | "link" | "not-allowed")
}

#[component]
fn TopBar(page: Memo<&'static str>) -> impl IntoView {
    let reads = may(Right::Read);
    let inside = Memo::new(move |_| reads && page.get() != "door");
    view! {
        <header class="top-bar">
            <a class="top-bar__brand" href=link("")>
                "Handrail"
            </a>
            {move || inside.get().then(|| view! { <Ways page /> })}
            <Menu label="View">
                <LookItems />
                <hr class="menu__rule" />
                <ShortcutsItem />
            </Menu>
        </header>
    }
    .into_any()
}

/// Where one can go.
#[component]
fn Ways(page: Memo<&'static str>) -> impl IntoView {
    let current = move |name: &'static str| (page.get() == name).then_some("page");
    let (talks, owns) = (may(Right::Operate), may(Right::Own));
    let named = !me().name.is_empty();
    let waiting = waiting();
    view! {
        <nav class="nav" aria-label="Main">
            <a class="nav__link" href=link("") aria-current=move || current("list")>
                "Conversations"
            </a>
            <a class="nav__link" href=link("inbox") aria-current=move || current("inbox")>
                "Inbox"
                {move || {
                    let count = waiting.get();
                    (count > 0).then(|| view! { <span class="count">{count}</span> })
                }}
            </a>
            {talks
                .then(|| {
                    view! {
                        <a class="nav__link nav__link--wide" href=link("new") aria-current=move || current("new")>
                            "New"
                        </a>
                    }
                })}
            {owns
                .then(|| {
                    // On a phone it is in the menu of who has one.
                    let class = if named { "nav__link nav__link--wide" } else { "nav__link" };
                    view! {
                        <a class=class href=link("settings") aria-current=move || current("settings")>
                            "Settings"
                        </a>
                    }
                })}
        </nav>
        <Mine />
    }
    .into_any()
}

/// In how many conversations something waits for an answer: what the server counted, until the list is heard.
fn waiting() -> Memo<usize> {
    let waiting = RwSignal::new(None::<HashSet<String>>);
    let live = use_live();
    Effect::new(move |_| {
        live.follow_list(move |change| {
            waiting.update(|waiting| {
                let waiting = waiting.get_or_insert_default();
                match change {
                    ListChange::Summary(one) if one.waiting > 0 => drop(waiting.insert(one.id)),
                    ListChange::Summary(one) => drop(waiting.remove(&one.id)),
                    ListChange::Gone(id) => drop(waiting.remove(&id)),
                    // The list is sent anew.
                    ListChange::Again => waiting.clear(),
                }
            });
        });
    });
    let at_first = waiting_at_first();
    Memo::new(move |_| waiting.with(|heard| heard.as_ref().map_or(at_first, HashSet::len)))
}

/// One's own account, for who has one.
#[component]
fn Mine() -> impl IntoView {
    let me = me();
    let people = may(Right::Own).then(|| {
        view! {
            <a class="menu__item menu__item--narrow" href=link("settings")>
                "Settings"
            </a>
            <a class="menu__item" href=link("people")>
                "People"
            </a>
            <a class="menu__item" href=link("audit")>
                "Audit"
            </a>
        }
    });
    (!me.name.is_empty()).then(|| {
        view! {
            <Menu label=me.name>
                <a class="menu__item" href=link("account")>
                    "Account"
                </a>
                {people}
                <hr class="menu__rule" />
                <form method="post" action=link("logout")>
                    <button class="menu__item">"Log out"</button>
                </form>
            </Menu>
        }
    })
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
        assert_eq!(page_name("c/abc/sharing"), "account");
        assert_eq!(page_name("settings/connection"), "settings");
        assert_eq!(page_name("people"), "account");
        assert_eq!(page_name("login"), "door");
        assert_eq!(page_name("else/where"), "missing");
    }
}
