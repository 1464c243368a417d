//! Older pages of the list: while the reader scrolls, by a link, and by the same link without JavaScript.

use super::asked::{open_in, query_with};
use super::text;
use crate::api::{ConversationSummary, ListAsk, Position, list_conversations};
use crate::store::{link, on_scroll, use_query};
use crate::ui::parts::{self, ErrorNote, varying};
use leptos::html;
use leptos::prelude::*;
use leptos_router::hooks::use_location;
use std::collections::HashSet;
use web_sys::MouseEvent;

/// The next page is fetched when its link is this close to the window, in pixels.
const NEAR: f64 = 600.0;

/// The link to the next page, which adds it to the list; and the open conversation, wherever it stands.
#[component]
pub(super) fn Older(
    /// What the list was asked for.
    ask: ListAsk,
    shown: RwSignal<Vec<ConversationSummary>>,
    /// Those that were deleted or hidden meanwhile: a page that was read before may have them.
    hidden: StoredValue<HashSet<String>>,
    older: RwSignal<Option<Position>>,
    pinned: RwSignal<HashSet<String>>,
) -> impl IntoView {
    let (home, query, path) = (link(""), use_query(), use_location().pathname);
    let is_later_page = !ask.before.is_empty();
    let ask = StoredValue::new(ask);
    let read = Action::new(|ask: &ListAsk| {
        let ask = ask.clone();
        async move {
            let is_page = ask.open.is_empty();
            (is_page, list_conversations(ask).await)
        }
    });
    let trouble = RwSignal::new(None);
    let count = RwSignal::new(0);
    Effect::new(move |_| match read.value().get() {
        Some((is_page, Ok(page))) => {
            trouble.set(None);
            let before = shown.with_untracked(Vec::len);
            pinned.update(|pinned| pinned.extend(page.pinned));
            shown.update(|all| {
                let known = all.iter().map(|one| one.id.clone());
                let known: HashSet<String> = known.chain(hidden.get_value()).collect();
                let new = page.conversations.into_iter();
                // What is there has come by the live connection, and is not older.
                all.extend(new.filter(|one| !known.contains(&one.id)));
            });
            if is_page {
                older.set(Position::read(&page.older));
                count.set(shown.with_untracked(Vec::len) - before);
            }
        }
        Some((true, Err(error))) => trouble.set(Some(error)),
        Some((false, Err(_))) | None => {}
    });
    let load = move || {
        let place = older.get_untracked();
        if let Some(place) = place.filter(|_| !read.pending().get_untracked()) {
            let before = place.in_address();
            read.dispatch(ListAsk {
                before,
                ..ask.get_value()
            });
        }
    };
    let node = NodeRef::<html::A>::new();
    Effect::new(move |_| {
        on_scroll(move || {
            let Some(node) = node.get_untracked() else {
                return;
            };
            let place = node.get_bounding_client_rect();
            let height = window()
                .inner_height()
                .ok()
                .and_then(|height| height.as_f64());
            // A hidden list has no size.
            if place.height() > 0.0 && place.top() < height.unwrap_or_default() + NEAR {
                load();
            }
        });
    });
    let conversations = StoredValue::new(link("c/"));
    Effect::new(move |before: Option<()>| {
        let open = conversations.with_value(|base| path.with(|path| open_in(path, base)));
        let is_there = shown.with_untracked(|all| all.iter().any(|one| one.id == open));
        // The first page has it already.
        if before.is_some() && !open.is_empty() && !is_there {
            read.dispatch(ListAsk {
                open,
                ..ask.get_value()
            });
        }
    });
    let address = {
        let home = home.clone();
        move || {
            let place = older.get().map(|place| place.in_address());
            let query = query_with(query.get(), "before", &place.unwrap_or_default());
            format!("{home}{query}")
        }
    };
    let newest = is_later_page.then(|| {
        let address = move || format!("{home}{}", query_with(query.get(), "before", ""));
        view! {
            <a class="button" href=address>
                {text::newest()}
            </a>
        }
    });
    let is_there = Memo::new(move |_| older.with(Option::is_some));
    let address = StoredValue::new(address);
    any_view! {
        {varying(move || trouble.get().map(|error| view! { <ErrorNote error/> }))}
        <div class="cluster conversation-list__older">
            {newest}
            {varying(move || {
                is_there
                    .get()
                    .then(|| {
                        view! {
                            <a
                                class="button"
                                href=move || address.with_value(|address| address())
                                node_ref=node
                                aria-busy=move || read.pending().get().then_some("true")
                                on:click=move |event: MouseEvent| {
                                    event.prevent_default();
                                    load();
                                }
                            >
                                {parts::text::older()}
                            </a>
                        }
                    })
            })}
        </div>
        <span class="visually-hidden" role="status">
            {varying(move || {
                let count = count.get();
                (count > 0).then(|| text::more_shown(count))
            })}
        </span>
    }
}
