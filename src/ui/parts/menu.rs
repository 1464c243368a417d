//! A menu that opens without a script: `<details>`. Menus share a name, so opening one closes the others;
//! that one also closes on Escape and on a tap outside is the shell's doing, once for all menus.

use leptos::prelude::*;

/// A button with things to choose from (`children`: `.menu__item`s, or a small form).
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
    let name = (!name.is_empty()).then_some(name);
    view! {
        <details class=class name="menu">
            <summary class=button aria-label=name>
                {label.run()}
            </summary>
            <div class="menu__list">{children()}</div>
        </details>
    }
}
