//! A menu that opens without JavaScript: `<details>`. Menus share a name, so opening one closes the others.

use super::Icon;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, EventTarget, HtmlElement, Node};

/// A button with a menu (`children`: `.menu__item`s, or a small form).
///
/// With JavaScript it also closes on Escape, on a tap outside and after a choice. A choice that only toggles something
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
        }
    };
    let on_click = move |event: leptos::ev::MouseEvent| {
        if chosen(event.target()).is_some_and(|item| !item.has_attribute("aria-pressed")) {
            leave();
        }
    };
    let name = (!name.is_empty()).then_some(name);
    view! {
        <details class=class name="menu" node_ref=menu on:keydown=on_key>
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
    .into_any()
}

/// The menu item that was clicked.
fn chosen(target: Option<EventTarget>) -> Option<HtmlElement> {
    let element: Element = target?.dyn_into().ok()?;
    element.closest(".menu__item").ok()??.dyn_into().ok()
}

fn as_node(target: Option<EventTarget>) -> Option<Node> {
    target?.dyn_into().ok()
}
