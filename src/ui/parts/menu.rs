//! A menu that opens without JavaScript: `<details>`. Menus share a name, so opening one closes the others.

use super::{Icon, in_field};
use crate::store::drawn;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, EventTarget, HtmlDetailsElement, HtmlElement, Node};

/// A button with a menu (`children`: `.menu__item`s, or a small form).
///
/// With JavaScript arrow keys walk through it, and it also closes on Escape, on a tap outside and after a choice. A choice that only toggles something
/// (`aria-pressed`) leaves it open, so that the user can try out settings.
#[component]
pub fn Menu(
    /// The text of the button.
    #[prop(into)]
    label: String,
    /// The accessible name of the button; empty if `label` suffices.
    #[prop(into, optional)]
    name: String,
    /// The name of an icon before the text.
    #[prop(optional)]
    icon: &'static str,
    #[prop(default = "menu menu--end")] class: &'static str,
    #[prop(default = "button button--quiet")] button: &'static str,
    /// Whether it is open at first, with the focus on its button; its id is `menu` then.
    #[prop(optional)]
    open: bool,
    children: Children,
) -> impl IntoView {
    let menu = NodeRef::<html::Details>::new();
    let summary = NodeRef::<html::Summary>::new();
    // The focus goes back to the button: a dialog that a choice opens returns it there.
    let leave = move || {
        if let Some(menu) = menu.get_untracked() {
            menu.set_open(false);
        }
        // If the summary cannot be focused, the focus stays where it is.
        let _ = summary.get_untracked().map(|summary| summary.focus());
    };
    Effect::new(move |_| {
        if open && let (Some(menu), Some(summary)) = (menu.get_untracked(), summary.get_untracked())
        {
            // An element that is inserted does not close the menu that is open: it would be closed itself.
            menu.set_open(true);
            // As above.
            let _ = summary.focus();
        }
        let outside = window_event_listener(leptos::ev::pointerdown, move |event| {
            if let Some(menu) = menu.get_untracked()
                && menu.open()
                && !menu.contains(as_node(event.target()).as_ref())
            {
                menu.set_open(false);
            }
        });
        on_cleanup(move || outside.remove());
    });
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Escape" {
            leave();
        } else if let Some(menu) = menu.get_untracked()
            && !in_field(&event)
            && walk(&menu, &event.key())
        {
            event.prevent_default();
        }
    };
    let on_click = move |event: leptos::ev::MouseEvent| {
        if chosen(event.target()).is_some_and(|item| !item.has_attribute("aria-pressed")) {
            leave();
        }
    };
    let name = (!name.is_empty()).then_some(name);
    any_view! {
        <details class=class name="menu" id=open.then_some("menu") open=open node_ref=menu on:keydown=on_key>
            <summary class=button aria-label=name node_ref=summary>
                {(!icon.is_empty()).then(|| view! { <Icon name=icon/> })}
                <span class="menu__label">{label}</span>
            </summary>
            // Before the item handles the click: a dialog that it opens must find the focus on the button.
            <div class="menu__list" on:click:capture=on_click>
                {children()}
            </div>
        </details>
    }
}

/// Moves the focus among the items with the arrow keys, Home and End; the arrow keys open the menu, too. Whether it did.
fn walk(menu: &HtmlDetailsElement, key: &str) -> bool {
    let is_arrow = matches!(key, "ArrowDown" | "ArrowUp");
    let is_end = matches!(key, "Home" | "End") && menu.open();
    if !(is_arrow || is_end) {
        return false;
    }
    menu.set_open(true);
    let items = menu.query_selector_all(".menu__list :is(a, button, input, select)");
    let items: Vec<HtmlElement> = drawn(items).collect();
    let focused = document().active_element();
    let at = items
        .iter()
        .position(|item| focused.as_ref() == Some(item.as_ref()));
    let item = items.get(next(key, at, items.len()));
    item.is_some_and(|item| item.focus().is_ok())
}

/// The place of `count` that a key leads to from `at`; the ends meet.
fn next(key: &str, at: Option<usize>, count: usize) -> usize {
    let last = count.saturating_sub(1);
    match (key, at) {
        ("ArrowDown", Some(at)) if at < last => at + 1,
        ("ArrowUp", Some(at)) if at > 0 => at - 1,
        ("ArrowUp" | "End", _) => last,
        _ => 0,
    }
}

/// The menu item that was clicked.
fn chosen(target: Option<EventTarget>) -> Option<HtmlElement> {
    let element: Element = target?.dyn_into().ok()?;
    element.closest(".menu__item").ok()??.dyn_into().ok()
}

fn as_node(target: Option<EventTarget>) -> Option<Node> {
    target?.dyn_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrow_keys_walk_through_a_menu_in_a_ring() {
        for (key, at, to) in [
            ("ArrowDown", None, 0),
            ("ArrowDown", Some(0), 1),
            ("ArrowDown", Some(2), 0),
            ("ArrowUp", None, 2),
            ("ArrowUp", Some(0), 2),
            ("ArrowUp", Some(2), 1),
            ("Home", Some(1), 0),
            ("End", Some(1), 2),
        ] {
            assert_eq!(next(key, at, 3), to, "{key} {at:?}");
        }
    }
}
