//! A modal dialog. A signal, mostly derived from the URL, says whether it is open; so the server can render it open,
//! and it works without JavaScript.

use super::varying;
use leptos::html;
use leptos::prelude::*;

/// A native dialog. With JavaScript it is modal: the rest of the page is inert, and Escape calls `close`.
#[component]
pub fn Dialog(
    #[prop(into)] open: Signal<bool>,
    /// Called when Escape closes the dialog; must set `open` to false.
    #[prop(into)]
    close: Callback<()>,
    #[prop(into)] title: Signal<String>,
    children: Children,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let (open, Some(dialog)) = (open.get(), dialog.get()) else {
            return;
        };
        if open {
            // The server renders it open but not modal, and `showModal` fails on an open dialog.
            let _ = dialog.remove_attribute("open");
            let _ = dialog.show_modal();
        } else {
            dialog.close();
        }
    });
    let on_cancel = move |event: leptos::ev::Event| {
        event.prevent_default();
        close.run(());
    };
    any_view! {
        <dialog
            class="dialog"
            node_ref=dialog
            open=open.get_untracked()
            aria-label=move || title.get()
            on:cancel=on_cancel
        >
            <h2 class="dialog__title">{varying(move || title.get())}</h2>
            {children()}
        </dialog>
    }
}
