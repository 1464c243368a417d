//! Desktop notifications of pending approvals, for a tab that is open but hidden.
//!
//! The reader turns them on in this browser. Browsers offer them over HTTPS and on this computer only.

use super::text;
use crate::{
    people::Right,
    store::{ListChange, may, remember, remembered, use_live},
    ui::parts,
};
use leptos::{prelude::*, task::spawn_local};
use std::collections::HashMap;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Notification, NotificationOptions, NotificationPermission};

/// The name of the choice in the browser's storage.
const CHOICE: &str = "notify";

/// The menu item that turns notifications on and off.
#[component]
pub(super) fn NotifyItem() -> impl IntoView {
    let reads = may(Right::Read);
    let on = RwSignal::new(false);
    let trouble = RwSignal::new("");
    let live = use_live();
    Effect::new(move |_| {
        if !reads {
            return;
        }
        on.set(remembered(CHOICE).is_some() && is_allowed());
        let known = StoredValue::new(HashMap::<String, u32>::new());
        live.follow_list(move |change| match change {
            ListChange::Summary(one) => {
                let before =
                    known.try_update_value(|known| known.insert(one.id.clone(), one.waiting));
                let more = before.flatten().is_some_and(|before| before < one.waiting);
                if more && on.get_untracked() && document().hidden() {
                    notify(&one.title);
                }
            }
            // A conversation that is not known yet is no news.
            ListChange::Gone(_) | ListChange::Again => {}
        });
    });
    let toggle = move |_| {
        if on.get_untracked() {
            remember(CHOICE, None);
            on.set(false);
            return;
        }
        if !is_there() {
            trouble.set(text::notify_needs_https());
            return;
        }
        let Ok(asked) = Notification::request_permission() else {
            return;
        };
        spawn_local(async move {
            // Whatever the promise says, the permission counts.
            let _ = JsFuture::from(asked).await;
            let allowed = is_allowed();
            remember(CHOICE, allowed.then_some("on"));
            on.set(allowed);
            trouble.set(if allowed { "" } else { text::notify_refused() });
        });
    };
    let pressed = move || if on.get() { "true" } else { "false" };
    reads.then(|| {
        view! {
            <hr class="menu__rule" />
            <button type="button" class="menu__item" data-needs-script aria-pressed=pressed on:click=toggle>
                {text::notify()}
            </button>
            <div class="muted" role="status">
                {move || trouble.get()}
            </div>
        }
    })
}

/// Whether this browser offers notifications to this page.
fn is_there() -> bool {
    let window = window();
    window.is_secure_context()
        && js_sys::Reflect::has(&window, &"Notification".into()).unwrap_or(false)
}

fn is_allowed() -> bool {
    is_there() && Notification::permission() == NotificationPermission::Granted
}

fn notify(title: &str) {
    let options = NotificationOptions::new();
    options.set_body(parts::text::needs_approval());
    let title = if title.is_empty() {
        parts::text::untitled()
    } else {
        title
    };
    // Some phones have the interface but allow it in service workers only.
    let _ = Notification::new_with_options(title, &options);
}
