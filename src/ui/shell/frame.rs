//! The frame of every page: a sidebar with the ways to all pages, the list and the reader's menu; the page; toasts. A phone
//! has the ways and the menu at the bottom.
//!
//! Long because it has all parts of the frame, which are laid out together.

use super::{
    appearance::AppearanceItems,
    head::{Head, Page},
    own_pages::pages_of_reader,
    shortcuts::{Shortcuts, ShortcutsItem},
    text,
};
use crate::ui::parts::varying;
use crate::{
    people::Right,
    store::{Link, ListChange, OFFLINE, link, may, me, use_live, use_offline, waiting_at_first},
    ui::parts::{self, EmptyState, Icon, Menu, Time, Toasts, localise_times},
};
use leptos::prelude::*;
use leptos_router::hooks::use_location;
use std::collections::HashSet;

/// The server counts pending approvals up to this.
const MOST_COUNTED: usize = 100;

/// The frame around the pages. Pages about conversations have the list as a sidebar.
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
    localise_times();
    let path = use_location().pathname;
    let shortcuts = RwSignal::new(false);
    let root = link("");
    let page = Memo::new(move |_| {
        let path = path.get();
        page_name(path.strip_prefix(root.as_str()).unwrap_or_default())
    });
    // Visitors of a shared link see one conversation and no list.
    let reads = may(Right::Read);
    let with_list = Memo::new(move |_| {
        reads
            && matches!(
                page.get(),
                "list" | "inbox" | "conversation" | "new" | "search" | "insight" | "missing"
            )
    });
    // The list stays when it is left: it is there at once when the reader comes back.
    let mounted = Memo::new(move |was: Option<&bool>| was == Some(&true) || with_list.get());
    any_view! {
        <a class="skip-link" href="#main" rel="external">
            {text::skip_link()}
        </a>
        <div class="app" data-page=move || page.get()>
            <div class="sidebar">
                <Ways page />
                {varying(move || {
                    mounted
                        .get()
                        .then(|| {
                            view! {
                                <aside
                                    class="app__list"
                                    aria-label=parts::text::conversations()
                                    hidden=move || !with_list.get()
                                >
                                    {list()}
                                </aside>
                            }
                        })
                })}
                {varying(move || matches!(page.get(), "settings" | "account").then(|| view! { <OwnPages /> }))}
                // These pages do not load the program, and most of its items need it.
                {varying(move || (page.get() != "auth").then(|| view! { <You shortcuts /> }))}
            </div>
            <main class="app__main" id="main" tabindex="-1">
                <ConnectionBanner />
                {children()}
            </main>
        </div>
        <Toasts />
        <Shortcuts open=shortcuts />
    }
}

/// The name of a page, from its path without the base path. Pages about one conversation look like a search: beside the list.
fn page_name(path: &str) -> &'static str {
    match path.split('/').next() {
        None | Some("") => "list",
        Some("c")
            if path.ends_with("/sharing")
                || path.ends_with("/insight")
                || path.ends_with("/rule") =>
        {
            "search"
        }
        Some("c") => "conversation",
        Some("new") => "new",
        Some("inbox") => "inbox",
        Some("search") => "search",
        Some("settings") => "settings",
        Some("insight") => "insight",
        Some("people" | "account" | "audit" | "install" | "notifications" | "rules" | "share") => {
            "account"
        }
        Some(name) if is_auth_page(name) => "auth",
        Some(_) => "missing",
    }
}

/// Whether a page precedes authentication: its readers may not be allowed to see the other pages.
pub fn is_auth_page(name: &str) -> bool {
    matches!(
        name,
        "login"
            | "second-factor"
            | "passkey"
            | "invitation"
            | "set-up"
            | "link"
            | "not-allowed"
            | "offline"
    )
}

/// The links to the pages.
#[component]
fn Ways(page: Memo<&'static str>) -> impl IntoView {
    let current = move |name: &'static str| (page.get() == name).then_some("page");
    let reads = may(Right::Read);
    let inside = Memo::new(move |_| reads && page.get() != "auth");
    any_view! {
        // An installed app has no button of the browser for it.
        <a class="button button--quiet back" href=link("") aria-label=text::back() data-back="">
            "‹"
        </a>
        {varying(move || match inside.get() {
            false => any_view! {
                <header class="home">
                    <a class="brand" href=link("")>"Handrail"</a>
                </header>
            },
            true => any_view! {
                <nav class="nav" aria-label=text::navigation()>
                    <a class="nav__link brand" href=link("") aria-current=move || current("list")>
                        <Icon name="list" />
                        <span class="nav__wide">"Handrail"</span>
                        <span class="nav__narrow">{text::list()}</span>
                    </a>
                    {may(Right::Operate)
                        .then(|| {
                            view! {
                                <a class="nav__link nav__new" href=link("new") aria-current=move || current("new")>
                                    <Icon name="plus" />
                                    <span class="visually-hidden">{parts::text::new_conversation()}</span>
                                </a>
                            }
                        })}
                    <a class="nav__link nav__inbox" href=link("inbox") aria-current=move || current("inbox")>
                        <Icon name="inbox" />
                        {parts::text::inbox()}
                        <Waiting />
                    </a>
                    <a class="nav__link" href=link("insight") aria-current=move || current("insight")>
                        <Icon name="chart" />
                        {parts::text::usage()}
                    </a>
                    // A phone has it in the menu.
                    {may(Right::Own)
                        .then(|| {
                            view! {
                                <a class="nav__link nav__wide" href=link("settings") aria-current=move || current("settings")>
                                    {parts::text::settings()}
                                </a>
                            }
                        })}
                </nav>
            },
        })}
    }
}

/// The number of pending approvals, if there are any.
#[component]
fn Waiting() -> impl IntoView {
    let waiting = waiting();
    Effect::new(move || say_of_page("data-waiting", Some(&waiting.get().to_string())));
    varying(move || {
        let count = match waiting.get() {
            0 => return None,
            count if count < MOST_COUNTED => count.to_string(),
            _ => text::at_least(MOST_COUNTED - 1),
        };
        Some(view! { <span class="count">{count}</span> })
    })
}

/// The number of conversations with pending approvals: the server's count until the list's live updates arrive.
fn waiting() -> Memo<usize> {
    let waiting = RwSignal::new(None::<HashSet<String>>);
    let live = use_live();
    Effect::new(move |_| {
        live.follow_list(move |change| {
            waiting.update(|waiting| {
                let waiting = waiting.get_or_insert_default();
                match change {
                    ListChange::Summary(one) if one.calls() => drop(waiting.insert(one.id)),
                    ListChange::Summary(one) => drop(waiting.remove(&one.id)),
                    ListChange::Gone(id) => drop(waiting.remove(&id)),
                    // The server sends them again.
                    ListChange::Again => waiting.clear(),
                }
            });
        });
    });
    let at_first = waiting_at_first();
    Memo::new(move |_| waiting.with(|waiting| waiting.as_ref().map_or(at_first, HashSet::len)))
}

/// The reader's menu: the account, what an owner manages, appearance and keys. Visitors of a shared link have only these.
#[component]
fn You(shortcuts: RwSignal<bool>) -> impl IntoView {
    let name = me().name;
    let (reads, named) = (may(Right::Read), !name.is_empty());
    let label = match reads {
        true if named => name,
        true => text::you().to_owned(),
        false => text::appearance().to_owned(),
    };
    any_view! {
        <Menu label icon="user" class="menu menu--up you">
            <nav aria-label=text::account()>{own_pages("menu__item")}</nav>
            <ShortcutsItem open=shortcuts />
            <hr class="menu__rule" />
            <AppearanceItems />
            {named
                .then(|| {
                    view! {
                        <hr class="menu__rule" />
                        <form method="post" action=link("logout")>
                            <button class="menu__item">{text::log_out()}</button>
                        </form>
                    }
                })}
        </Menu>
    }
}

/// The pages about the reader and about what an owner manages, beside one of them.
#[component]
fn OwnPages() -> impl IntoView {
    any_view! {
        <nav class="own-pages" aria-label=text::own_pages()>
            {own_pages("nav__link")}
        </nav>
    }
}

/// Links of this class to these pages.
fn own_pages(class: &'static str) -> impl IntoView {
    let path = use_location().pathname;
    let pages = pages_of_reader().map(|(page, name)| {
        let address = link(page);
        let own = address.clone();
        let current = move || path.with(|path| *path == own).then_some("page");
        view! {
            <a class=class href=address aria-current=current>
                {name}
            </a>
        }
    });
    pages.collect_view()
}

/// Sets or removes an attribute of the document, for style sheets, tests and the script of the page (`worker/page.js`).
fn say_of_page(name: &str, value: Option<&str>) {
    if let Some(page) = document().document_element() {
        // Only a malformed attribute name fails.
        let _ = match value {
            Some(value) => page.set_attribute(name, value),
            None => page.remove_attribute(name),
        };
    }
}

/// A banner that the page is out of date: at once without a network, else after a grace period.
#[component]
fn ConnectionBanner() -> impl IntoView {
    let live = use_live();
    let down = use_offline();
    // `data-live` on the document says whether the page receives live updates.
    Effect::new(move || {
        let link = live.link().get();
        let up = if link == Link::Up { "true" } else { "false" };
        say_of_page("data-live", Some(up));
        match link {
            Link::Opening => {}
            Link::Up => say_of_page(OFFLINE, None),
            Link::Down => say_of_page(OFFLINE, Some("")),
        }
    });
    any_view! {
        <div role="status">
            {varying(move || {
                down.get()
                    .then(|| {
                        view! {
                            <div class="banner banner--warning">
                                <span class="banner__text">
                                    {text::offline()} " " {text::last_update()} " " <Time at=live.last_frame_at() />
                                </span>
                                <button
                                    type="button"
                                    class="button button--small"
                                    on:click=move |_| live.retry()
                                >
                                    {parts::text::retry_now()}
                                </button>
                            </div>
                        }
                    })
            })}
            // Unsent messages of other conversations: `worker/page.js` fills it.
            <div id="kept-messages"></div>
        </div>
    }
}

/// The page beside the list when no conversation is selected.
#[component]
pub fn Home() -> impl IntoView {
    let waiting = waiting();
    any_view! {
        <Head title=parts::text::conversations() />
        <h1 class="visually-hidden">{parts::text::conversations()}</h1>
        {varying(move || view! { <Beside waiting=waiting.get() /> })}
    }
}

/// What a reader may want to do first: the approvals that wait, or a new conversation.
#[component]
fn Beside(
    /// The number of conversations with pending approvals.
    waiting: usize,
) -> impl IntoView {
    let title = match waiting {
        0 => text::none_waiting().to_owned(),
        count => text::some_waiting(count),
    };
    let inbox = link("inbox");
    let (pick, keys) = match may(Right::Operate) {
        true => (text::pick(), text::pick_keys()),
        false => (text::pick_to_read(), text::pick_keys_to_read()),
    };
    view! {
        <EmptyState title text=pick>
            {(waiting > 0)
                .then(|| {
                    view! {
                        <a class="button button--primary" href=inbox>
                            {text::review()}
                        </a>
                    }
                })}
            <p class="muted" data-needs-script>
                {keys}
            </p>
        </EmptyState>
    }
}

/// The page for unknown URLs.
#[component]
pub fn NotFound() -> impl IntoView {
    any_view! {
        <Page title=text::page_not_found() class="page">
            <p>
                <a class="button" href=link("")>
                    {parts::text::all_conversations()}
                </a>
            </p>
        </Page>
    }
}

#[cfg(test)]
mod tests {
    use super::page_name;

    #[test]
    fn a_path_names_its_page() {
        assert_eq!(page_name(""), "list");
        assert_eq!(page_name("c/abc"), "conversation");
        assert_eq!(page_name("c/abc/sharing"), "search");
        assert_eq!(page_name("c/abc/insight"), "search");
        assert_eq!(page_name("insight"), "insight");
        assert_eq!(page_name("settings/connection"), "settings");
        assert_eq!(page_name("people"), "account");
        assert_eq!(page_name("search"), "search");
        assert_eq!(page_name("login"), "auth");
        assert_eq!(page_name("else/where"), "missing");
    }
}
