//! A question that must be answered first. Whether it is open lives in a signal, mostly derived from the
//! URL: then the server renders it open, and it works without a script.

use leptos::html;
use leptos::prelude::*;

/// A native dialog. With a script it is modal: the rest of the page is inert, Escape calls `close`.
#[component]
pub fn Dialog(
    #[prop(into)] open: Signal<bool>,
    /// Called when it was left by Escape; makes `open` false.
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
            // As the server rendered it, it is open but not modal, and `showModal` would refuse.
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
    view! {
        <dialog
            class="dialog"
            node_ref=dialog
            open=open.get_untracked()
            aria-label=move || title.get()
            on:cancel=on_cancel
        >
            <h2 class="dialog__title">{move || title.get()}</h2>
            {children()}
        </dialog>
    }
    .into_any()
}
