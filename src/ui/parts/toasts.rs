//! Toasts: short messages that disappear ("Copied"). Important messages do not belong here.

use super::Each;
use leptos::prelude::*;
use std::time::Duration;

/// Long enough to read a short sentence.
const SHOWN: Duration = Duration::from_secs(4);
/// Long enough to reach a link.
const SHOWN_WITH_LINK: Duration = Duration::from_secs(8);

#[derive(Debug, Clone)]
struct Toast {
    id: u64,
    text: String,
    /// The address and the text of a link.
    link: Option<(String, String)>,
}

/// The handle to show toasts.
#[derive(Debug, Clone, Copy)]
pub struct ToastBox {
    shown: RwSignal<Vec<Toast>>,
    next: StoredValue<u64>,
}

impl ToastBox {
    /// Shows `text` for a few seconds. Browser only: the server has nobody to show it to.
    pub fn say(&self, text: impl Into<String>) {
        self.show(text.into(), None, SHOWN);
    }

    /// Shows `text` with a link to `address`. Browser only.
    pub fn say_with_link(&self, text: &str, address: String, label: &str) {
        let link = Some((address, label.to_owned()));
        self.show(text.to_owned(), link, SHOWN_WITH_LINK);
    }

    fn show(self, text: String, link: Option<(String, String)>, time: Duration) {
        let Self { shown, next } = self;
        let id = next.get_value();
        next.set_value(id + 1);
        shown.update(|all| all.push(Toast { id, text, link }));
        set_timeout(
            move || shown.update(|all| all.retain(|toast| toast.id != id)),
            time,
        );
    }
}

/// Makes [`use_toasts`] available to child components; the app calls it once.
pub fn provide_toasts() {
    provide_context(ToastBox {
        shown: RwSignal::new(Vec::new()),
        next: StoredValue::new(0),
    });
}

/// The handle to show toasts.
pub fn use_toasts() -> ToastBox {
    use_context().expect("the app provides the toasts")
}

/// The container of the toasts.
#[component]
pub fn Toasts() -> impl IntoView {
    let ToastBox { shown, .. } = use_toasts();
    let keys = Signal::derive(move || {
        shown.with(|all| all.iter().map(|toast| toast.id.to_string()).collect())
    });
    let draw = move |key: String| {
        let toast = shown.with_untracked(|all| {
            let mut all = all.iter();
            all.find(|toast| toast.id.to_string() == key).cloned()
        });
        toast.map(line).into_any()
    };
    any_view! {
        <div class="toasts" role="status" aria-live="polite">
            <Each keys draw=Callback::new(draw)/>
        </div>
    }
}

fn line(Toast { text, link, .. }: Toast) -> AnyView {
    let link = link.map(|(address, label)| {
        view! {
            " · "
            <a href=address>{label}</a>
        }
    });
    any_view! {
        <div class="toast">
            {text}
            {link}
        </div>
    }
}
