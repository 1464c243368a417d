//! Words that pass: "Copied". Nothing that a person must not miss is said here.

use leptos::prelude::*;
use std::time::Duration;

/// Long enough to read a short sentence.
const SHOWN: Duration = Duration::from_secs(4);

/// Where to say something in passing.
#[derive(Debug, Clone, Copy)]
pub struct ToastBox {
    shown: RwSignal<Vec<(u64, String)>>,
    next: StoredValue<u64>,
}

impl ToastBox {
    /// Says `text` for a few seconds. In the browser only: on the server nobody would see it.
    pub fn say(&self, text: impl Into<String>) {
        let Self { shown, next } = *self;
        let id = next.get_value();
        next.set_value(id + 1);
        shown.update(|all| all.push((id, text.into())));
        set_timeout(
            move || shown.update(|all| all.retain(|(other, _)| *other != id)),
            SHOWN,
        );
    }
}

/// Makes [`use_toasts`] work below; to be called once, by the app.
pub fn provide_toasts() {
    provide_context(ToastBox {
        shown: RwSignal::new(Vec::new()),
        next: StoredValue::new(0),
    });
}

/// Where to say something in passing.
pub fn use_toasts() -> ToastBox {
    use_context().expect("the app provides the toasts")
}

/// The place where they appear.
#[component]
pub fn Toasts() -> impl IntoView {
    let ToastBox { shown, .. } = use_toasts();
    view! {
        <div class="toasts" role="status" aria-live="polite">
            <For each=move || shown.get() key=|(id, _)| *id let((_, text))>
                <div class="toast">{text}</div>
            </For>
        </div>
    }
}
