//! Keyboard shortcuts.
//!
//! No single key approves or rejects anything: `a` and `r` only move the focus to the buttons, so that a stray key
//! never approves an action.

use super::text;
use crate::{
    people::Right,
    store::{ListChange, drawn, link, may, use_go, use_live},
    ui::{
        lazy::{Lazy, dialog, later},
        parts::{in_field, varying},
    },
};
use leptos::{ev, prelude::*};
use leptos_router::hooks::use_location;
use std::collections::BTreeSet;

/// Keys that move the focus, with the selectors of their targets.
const PLACES: [(&str, &str); 4] = [
    ("m", ".composer__text"),
    ("a", ".approval .button--approve"),
    ("r", ".approval .button--danger"),
    ("/", "main .search input[type=search]"),
];

/// Handles the shortcuts; `open` says whether they are listed.
#[component]
pub(super) fn Shortcuts(open: RwSignal<bool>) -> impl IntoView {
    let go = use_go(true);
    // There the message field gets the focus (`ui/new/form.rs`).
    let (new, search) = (link("new#first-message"), link("search"));
    let pending = pending();
    let palette = RwSignal::new(false);
    let (reads, operates) = (may(Right::Read), may(Right::Operate));
    Effect::new(move || {
        let (go, new, search) = (go.clone(), new.clone(), search.clone());
        let keys = window_event_listener(ev::keydown, move |event| {
            let held = event.ctrl_key() || event.meta_key();
            let others = event.shift_key() || event.alt_key();
            if reads && held && !others && event.key().eq_ignore_ascii_case("k") {
                event.prevent_default();
                palette.set(true);
                return;
            }
            if held || event.alt_key() || in_field(&event) {
                return;
            }
            let key = event.key();
            match key.as_str() {
                "?" => open.set(true),
                "n" if operates => go(&new),
                "p" => go(&pending()),
                key => {
                    let place = PLACES.iter().find(|(name, _)| *name == key);
                    if !place.is_some_and(|(_, selector)| focus(selector)) {
                        if key != "/" || !reads {
                            return;
                        }
                        // This page has no field that searches everything.
                        go(&search);
                    }
                }
            }
            event.prevent_default();
        });
        on_cleanup(move || keys.remove());
    });
    any_view! {
        {varying(move || palette.get().then(|| later(Lazy::Palette(palette))))}
        {dialog(open, Lazy::Shortcuts(open))}
    }
}

/// The address of the next pending approval after the one that is shown, by turns; of the inbox if none is known.
fn pending() -> impl Fn() -> String + Copy {
    let waiting = StoredValue::new(BTreeSet::<String>::new());
    let path = use_location().pathname;
    let (reads, live) = (may(Right::Read), use_live());
    Effect::new(move |_| {
        if reads {
            live.follow_list(move |change| {
                waiting.update_value(|waiting| match change {
                    ListChange::Summary(one) if one.waiting > 0 => drop(waiting.insert(one.id)),
                    ListChange::Summary(one) => drop(waiting.remove(&one.id)),
                    ListChange::Gone(id) => drop(waiting.remove(&id)),
                    ListChange::Again => waiting.clear(),
                });
            });
        }
    });
    let addresses = StoredValue::new((link("c/"), link("inbox")));
    move || {
        let shown = path.get_untracked();
        addresses.with_value(|(conversation, inbox)| {
            let shown = shown.strip_prefix(conversation.as_str());
            let next = waiting.with_value(|waiting| next(waiting, shown.unwrap_or_default()));
            next.map_or_else(|| inbox.clone(), |id| format!("{conversation}{id}"))
        })
    }
}

/// The first of these after `shown`, and after the last one the first.
fn next(waiting: &BTreeSet<String>, shown: &str) -> Option<String> {
    let mut after = waiting.iter().filter(|id| id.as_str() > shown);
    after.next().or_else(|| waiting.first()).cloned()
}

/// The menu item that opens the dialog.
#[component]
pub(super) fn ShortcutsItem(open: RwSignal<bool>) -> impl IntoView {
    any_view! {
        <button type="button" class="menu__item" data-needs-script on:click=move |_| open.set(true)>
            {text::keyboard_shortcuts()}
        </button>
    }
}

/// Focuses the first of these elements that is shown.
fn focus(selector: &str) -> bool {
    let mut shown = drawn(document().query_selector_all(selector));
    shown.next().is_some_and(|element| element.focus().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pending_approvals_are_visited_by_turns() {
        let waiting = BTreeSet::from(["a", "c"].map(str::to_owned));
        assert_eq!(next(&waiting, "").as_deref(), Some("a"));
        assert_eq!(next(&waiting, "b").as_deref(), Some("c"));
        assert_eq!(next(&waiting, "c").as_deref(), Some("a"));
        assert_eq!(next(&BTreeSet::new(), "c"), None);
    }
}
