//! A menu that opens without a script: `<details>`. Menus share a name, so opening one closes the others.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// A button with things to choose from (`children`: `.menu__item`s, or a small form).
///
/// With a script it also closes by Escape, by a tap outside, and after a choice.
#[component]
pub fn Menu(
    /// What stands on the button: words, an icon.
    #[prop(into)]
    label: ViewFn,
    /// What the button is, for those who cannot see it; empty when `label` has words.
    #[prop(into, optional)]
    name: String,
    #[prop(default = "menu menu--end")] class: &'static str,
    #[prop(default = "button button--quiet")] button: &'static str,
    children: Children,
) -> impl IntoView {
    let menu = NodeRef::<html::Details>::new();
    let close = move || {
        if let Some(menu) = menu.get_untracked() {
            menu.set_open(false);
        }
    };
    Effect::new(move |_| {
        let outside = window_event_listener(leptos::ev::pointerdown, move |event| {
            let Some(menu) = menu.get_untracked().filter(|menu| menu.open()) else {
                return;
            };
            let target = event
                .target()
                .and_then(|target| target.dyn_into::<web_sys::Node>().ok());
            if !menu.contains(target.as_ref()) {
                menu.set_open(false);
            }
        });
        on_cleanup(move || outside.remove());
    });
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() != "Escape" {
            return;
        }
        close();
        if let Some(summary) = menu
            .get_untracked()
            .and_then(|menu| menu.first_element_child())
            && let Ok(summary) = summary.dyn_into::<web_sys::HtmlElement>()
        {
            // Not being able to focus leaves the focus where it is.
            let _ = summary.focus();
        }
    };
    // A link or a button is a choice; a field of a form inside is not.
    let on_choice = move |event: leptos::ev::MouseEvent| {
        let target = event
            .target()
            .and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        if target.is_some_and(|target| matches!(target.closest("a, button"), Ok(Some(_)))) {
            close();
        }
    };
    let name = (!name.is_empty()).then_some(name);
    view! {
        <details class=class name="menu" node_ref=menu on:keydown=on_key>
            <summary class=button aria-label=name>{label.run()}</summary>
            <div class="menu__list" on:click=on_choice>{children()}</div>
        </details>
    }
}
