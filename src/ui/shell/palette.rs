//! The command palette: a field that finds pages, conversations and actions by name. Actions are the items of the menus of
//! the page: what a page offers is offered here.
//!
//! Its code is loaded only when it is opened. The server finds the conversations.

use super::{own_pages::pages_of_reader, text};
use crate::{
    api::{ConversationSummary, ListAsk, ListView, list_conversations, lower_case, query_of},
    people::Right,
    store::{after_layout, elements, link, may, use_go},
    ui::parts::{self, composes, varying},
};
use leptos::{ev, html, prelude::*};
use web_sys::HtmlElement;

/// Most lines that are shown.
const MOST: usize = 12;

/// The name of a page and its address, or of an action and [`ACTION`] with its number.
type Place = (String, String);

/// Begins what stands for the address of an action.
const ACTION: char = '!';

/// What can be pressed on the page: the reader's choices, and what can be done with the conversation.
const PRESSED: &str =
    ".you button.menu__item, .conversation__head .menu__item, .conversation__controls > button";
/// What gets the focus instead: only a press that was aimed at it decides on an action.
const FOCUSED: &str = ".approval .button--approve, .approval .button--danger";

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
    let focused: Vec<HtmlElement> = elements(document().query_selector_all(FOCUSED)).collect();
    let first_pressed = focused.len();
    let pressed = elements(document().query_selector_all(PRESSED));
    let pressed: Vec<HtmlElement> = focused.into_iter().chain(pressed).collect();
    // With the first of them, words are needed: there are more pages than lines.
    let mut named = actions(&pressed, first_pressed);
    named.extend(pages_of_reader().map(|(path, name)| (name.to_owned(), link(path))));
    let named = StoredValue::new(named);
    let pressed = StoredValue::new_local(pressed);
    let found = Memo::new(move |_| {
        let listed = read.value().with(|listed| match listed {
            Some(Ok(list)) => base.with_value(|base| places(list, base)),
            _ => Vec::new(),
        });
        let all = pages.get_value().into_iter().chain(listed);
        wanted.with(|wanted| {
            let mut found = matching(all, wanted);
            if !wanted.trim().is_empty() {
                found.extend(matching(named.get_value().into_iter(), wanted));
            }
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
    let choose = move |address: &str| {
        open.set(false);
        let action = address
            .strip_prefix(ACTION)
            .and_then(|at| at.parse::<usize>().ok());
        match action.and_then(|at| pressed.with_value(|all| all.get(at).cloned())) {
            Some(element) if element.matches(FOCUSED).unwrap_or(false) => after_layout(move || {
                let _ = element.focus();
            }),
            // Behind the palette, which must be closed: an action may open a dialog.
            Some(element) => after_layout(move || element.click()),
            None => go(address),
        }
    };
    let choose = Callback::new(move |address: String| choose(&address));
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
                    choose.run(address);
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
        let lines = lines.map(|(number, place)| line(place, number, at, choose));
        lines.collect_view()
    };
    any_view! {
        <dialog
            class="dialog dialog--top"
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
                {varying(current)}
            </span>
            <nav aria-label=text::found()>{varying(lines)}</nav>
        </dialog>
    }
}

/// A line that leads to a place or does something; `at` is the number of the current line.
fn line(
    (name, address): Place,
    number: usize,
    at: RwSignal<usize>,
    choose: Callback<String>,
) -> impl IntoView {
    let current = move || (at.try_get() == Some(number)).then_some("true");
    // A link can be opened in a tab of its own; an action cannot.
    let href = (!address.starts_with(ACTION)).then(|| address.clone());
    let role = href.is_none().then_some("button");
    view! {
        <a
            class="menu__item"
            href=href
            role=role
            tabindex=role.map(|_| "0")
            aria-current=current
            on:click=move |event: ev::MouseEvent| {
                if role.is_some() || !(event.ctrl_key() || event.meta_key()) {
                    event.prevent_default();
                    choose.run(address.clone());
                }
            }
        >
            {name}
        </a>
    }
}

/// Their names, with that of the group that they are in; the first ones get the focus.
fn actions(pressed: &[HtmlElement], first_pressed: usize) -> Vec<Place> {
    let named = pressed.iter().enumerate().filter_map(|(at, element)| {
        let name = element.text_content()?.trim().to_owned();
        let group = element.closest("[role=group]").ok().flatten();
        let group = group.and_then(|group| group.get_attribute("aria-label"));
        let name = match group {
            _ if name.is_empty() => return None,
            _ if at < first_pressed => text::go_to_button(name),
            Some(group) => text::in_group(group, name),
            None => name,
        };
        Some((name, format!("{ACTION}{at}")))
    });
    named.collect()
}

/// The pages that the reader may open.
fn pages() -> Vec<Place> {
    let talks = may(Right::Operate);
    let all = [
        (true, parts::text::inbox(), "inbox"),
        (talks, parts::text::new_conversation(), "new"),
        (true, parts::text::all_conversations(), ""),
        (true, parts::text::search(), "search"),
        (true, parts::text::insight(), "insight"),
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
    let wanted = lower_case(wanted.trim());
    let found = all.filter(|(name, _)| lower_case(name).contains(&wanted));
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
