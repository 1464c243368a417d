//! The command palette: a field that finds pages and conversations by name.
//!
//! Its code is loaded only when it is opened. The server finds the conversations.

use super::text;
use crate::{
    api::{ConversationSummary, ListAsk, ListView, list_conversations, query_of},
    people::Right,
    store::{link, may, use_go},
    ui::parts::{self, composes},
};
use leptos::{ev, html, prelude::*};

/// Most lines that are shown.
const MOST: usize = 12;

/// The name of a page and its address.
type Place = (String, String);

/// The open palette.
#[component]
pub fn Palette(open: RwSignal<bool>) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    let wanted = RwSignal::new(String::new());
    let at = RwSignal::new(0_usize);
    let read = Action::new(|wanted: &String| list_conversations(ListAsk::from(wanted.as_str())));
    let pages = StoredValue::new(pages());
    let base = StoredValue::new(link("c/"));
    let search = StoredValue::new(link("search"));
    let found = Memo::new(move |_| {
        let listed = read.value().with(|listed| match listed {
            Some(Ok(list)) => base.with_value(|base| places(list, base)),
            _ => Vec::new(),
        });
        let all = pages.get_value().into_iter().chain(listed);
        wanted.with(|wanted| {
            let mut found = matching(all, wanted);
            found.extend(search.with_value(|search| searching(search, wanted)));
            found
        })
    });
    Effect::new(move |_| {
        read.dispatch(String::new());
    });
    Effect::new(move |_| {
        if let Some(dialog) = dialog.get() {
            let _ = dialog.show_modal();
        }
    });
    let go = use_go(true);
    let on_key = move |event: ev::KeyboardEvent| {
        if composes(&event) {
            return;
        }
        let last = found.with_untracked(Vec::len).saturating_sub(1);
        match event.key().as_str() {
            "ArrowDown" => at.update(|at| *at = (*at + 1).min(last)),
            "ArrowUp" => at.update(|at| *at = at.saturating_sub(1)),
            "Enter" => {
                let chosen = found.with_untracked(|found| found.get(at.get_untracked()).cloned());
                if let Some((_, address)) = chosen {
                    go(&address);
                    open.set(false);
                }
            }
            _ => return,
        }
        event.prevent_default();
    };
    let current = move || {
        let name = found.with(|found| found.get(at.get()).map(|(name, _)| name.clone()));
        name.unwrap_or_else(|| text::nothing_found().to_owned())
    };
    let lines = move || {
        let lines = found.get().into_iter().enumerate();
        let lines = lines.map(|(number, place)| line(place, number, at, open));
        lines.collect_view()
    };
    view! {
        <dialog
            class="dialog"
            node_ref=dialog
            aria-label=text::go_to()
            on:close=move |_| open.set(false)
        >
            <input
                class="input"
                type="text"
                autocomplete="off"
                aria-label=text::go_to()
                placeholder=text::go_to_placeholder()
                on:input:target=move |event| {
                    let text = event.target().value();
                    wanted.set(text.clone());
                    at.set(0);
                    // Lines of the answer before stay until this one is there.
                    read.dispatch(text);
                }
                on:keydown=on_key
            />
            <span class="visually-hidden" role="status">
                {current}
            </span>
            <nav aria-label=text::found()>{lines}</nav>
        </dialog>
    }
    .into_any()
}

/// A line that leads to a place; `at` is the number of the current line.
fn line(
    (name, address): Place,
    number: usize,
    at: RwSignal<usize>,
    open: RwSignal<bool>,
) -> impl IntoView {
    let current = move || (at.get() == number).then_some("true");
    view! {
        <a class="menu__item" href=address aria-current=current on:click=move |_| open.set(false)>
            {name}
        </a>
    }
}

/// The pages that the reader may open.
fn pages() -> Vec<Place> {
    let (talks, owns) = (may(Right::Operate), may(Right::Own));
    let all = [
        (true, parts::text::inbox(), "inbox"),
        (talks, parts::text::new_conversation(), "new"),
        (true, parts::text::all_conversations(), ""),
        (true, parts::text::search(), "search"),
        (true, parts::text::insight(), "insight"),
        (owns, parts::text::settings(), "settings"),
        (owns, text::people(), "people"),
    ];
    let allowed = all.into_iter().filter(|(allowed, ..)| *allowed);
    let places = allowed.map(|(_, name, path)| (name.to_owned(), link(path)));
    places.collect()
}

/// The conversations of a page that have a title; `base` is their common part of the address.
fn places(list: &ListView, base: &str) -> Vec<Place> {
    let conversations = list.conversations.iter();
    let named = conversations.filter(|one| !one.title.is_empty());
    let place = |one: &ConversationSummary| (one.title.clone(), format!("{base}{}", one.id));
    named.map(place).collect()
}

/// The search for the words, if there are any.
fn searching(search: &str, wanted: &str) -> Option<Place> {
    let wanted = wanted.trim();
    let address = format!("{search}{}", query_of([("q", wanted)]));
    (!wanted.is_empty()).then(|| (text::search_for(wanted), address))
}

/// The first places whose name contains `wanted`, ignoring case.
fn matching(all: impl Iterator<Item = Place>, wanted: &str) -> Vec<Place> {
    let wanted = wanted.trim().to_lowercase();
    let found = all.filter(|(name, _)| name.to_lowercase().contains(&wanted));
    found.take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_can_be_searched_for() {
        assert_eq!(searching("/search", "  "), None);
        let found = searching("/search", " a&b ").expect("there are words");
        assert_eq!(found.1, "/search?q=a%26b");
    }

    #[test]
    fn places_are_found_by_a_part_of_their_name_and_bounded() {
        let place = |name: &str| (name.to_owned(), String::new());
        let all = || ["Inbox", "Fix the parser"].into_iter().map(place);
        assert_eq!(matching(all(), " PARS "), [place("Fix the parser")]);
        assert!(matching(all(), "no such").is_empty());
        assert_eq!(
            matching(std::iter::repeat_n(place("a"), 100), "").len(),
            MOST
        );
    }
}
