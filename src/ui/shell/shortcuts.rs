//! Keys: what they do, and the page that says so.
//!
//! No single key approves or rejects anything: `a` and `r` only bring the focus there, so that a stray
//! key never lets an action run.

use crate::store::{link, use_go};
use leptos::{ev, html::Dialog, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

/// What each key does, for the page that lists them.
const KEYS: [(&str, &str); 10] = [
    ("Ctrl or Cmd + Enter", "Send the message"),
    ("Enter", "Send the message (on a computer)"),
    ("Shift + Enter", "New line"),
    ("m", "Go to the message field"),
    ("a", "Go to Approve; Enter then approves"),
    ("r", "Go to the reason for rejecting"),
    ("/", "Search"),
    ("n", "New conversation"),
    ("End", "Go to the newest row"),
    ("?", "This page"),
];

/// Where a key brings the focus.
const PLACES: [(&str, &str); 4] = [
    ("m", ".composer__text"),
    ("a", ".approval .button--approve"),
    ("r", ".approval__reason"),
    ("/", ".search input[type=search]"),
];

/// Whether typing goes into a field: then no key is a short cut.
pub fn in_field(event: &KeyboardEvent) -> bool {
    let element = event
        .target()
        .and_then(|target| target.dyn_into::<HtmlElement>().ok());
    element.is_some_and(|element| {
        matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT")
            || element.is_content_editable()
    })
}

/// Listens to the keys, and holds the page that lists them.
#[component]
pub(super) fn Shortcuts() -> impl IntoView {
    let dialog = NodeRef::<Dialog>::new();
    let go = use_go(true);
    let new = link("new");
    Effect::new(move || {
        let (go, new) = (go.clone(), new.clone());
        let keys = window_event_listener(ev::keydown, move |event| {
            if event.ctrl_key() || event.meta_key() || event.alt_key() || in_field(&event) {
                return;
            }
            let key = event.key();
            match key.as_str() {
                "?" => show(dialog),
                "n" => go(&new),
                key => {
                    let place = PLACES.iter().find(|(name, _)| *name == key);
                    if !place.is_some_and(|(_, selector)| focus(selector)) {
                        return;
                    }
                }
            }
            event.prevent_default();
        });
        on_cleanup(move || keys.remove());
    });
    view! {
        <dialog class="dialog" id="shortcuts" node_ref=dialog aria-labelledby="shortcuts-title">
            <form method="dialog">
                <h2 class="dialog__title" id="shortcuts-title">
                    "Keys"
                </h2>
                <dl class="facts">
                    {KEYS
                        .map(|(key, does)| {
                            view! {
                                <div class="facts__row">
                                    <dt>
                                        <kbd class="key">{key}</kbd>
                                    </dt>
                                    <dd>{does}</dd>
                                </div>
                            }
                        })
                        .collect_view()}
                </dl>
                <div class="dialog__actions">
                    <button class="button">"Close"</button>
                </div>
            </form>
        </dialog>
    }
    .into_any()
}

/// The menu item that opens the page of keys.
#[component]
pub(super) fn ShortcutsItem() -> impl IntoView {
    let open = |_| {
        let dialog = document().get_element_by_id("shortcuts");
        if let Some(dialog) =
            dialog.and_then(|element| element.dyn_into::<web_sys::HtmlDialogElement>().ok())
        {
            let _ = dialog.show_modal();
        }
    };
    view! {
        <button type="button" class="menu__item" on:click=open>
            "Keys"
        </button>
    }
    .into_any()
}

fn show(dialog: NodeRef<Dialog>) {
    if let Some(dialog) = dialog.get_untracked() {
        let _ = dialog.show_modal();
    }
}

fn focus(selector: &str) -> bool {
    let Ok(Some(element)) = document().query_selector(selector) else {
        return false;
    };
    element
        .dyn_into::<HtmlElement>()
        .is_ok_and(|element| element.focus().is_ok())
}
