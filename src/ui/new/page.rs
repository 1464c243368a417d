//! The page of a new conversation.

use super::{form::MessageForm, suggestions::Suggestions};
use crate::api::{BackendView, ListView, list_conversations};
use crate::backend::Runtime;
use crate::store::fetched;
use crate::ui::list::RehearsalNotice;
use crate::ui::parts::Answered;
use crate::ui::shell::Head;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

/// How many conversations OpenHands 0.62 keeps running when nobody has told it otherwise.
const KEPT_RUNNING: usize = 3;

/// `/new`; `?message=` puts words into the box.
#[component]
pub fn NewPage() -> impl IntoView {
    let query = use_query_map();
    let message = Memo::new(move |_| query.with(|query| query.get("message")).unwrap_or_default());
    let list = fetched(|| (), |()| list_conversations(String::new()));
    view! {
        <Head title="New conversation"/>
        <div class="page page--narrow">
            <h1 class="page__title">"New conversation"</h1>
            <Answered answers=list waiting="Asking what the backend can do…" draw=move |view| {
                view! { <Loaded view message=message.get()/> }.into_any()
            }/>
        </div>
    }
    .into_any()
}

#[component]
fn Loaded(view: ListView, message: String) -> impl IntoView {
    let ListView {
        conversations,
        backends,
    } = view;
    // Only what runs where the oldest is stopped counts.
    let evicts = |label: &str| {
        backends
            .iter()
            .any(|one| one.label == label && one.capabilities.evicts_oldest)
    };
    let running = conversations
        .iter()
        .filter(|one| {
            matches!(one.runtime, Runtime::Running | Runtime::Starting) && evicts(&one.backend)
        })
        .count();
    let warns = backends.iter().any(|one| one.capabilities.evicts_oldest);
    let rehearses = backends.iter().any(|one| one.rehearsal);
    let several = backends.len() > 1;
    let trouble = |one: &BackendView| {
        let trouble = one.trouble.clone()?;
        Some(if several {
            format!("{}: {trouble}", one.label)
        } else {
            trouble
        })
    };
    let troubles: Vec<String> = backends.iter().filter_map(trouble).collect();
    view! {
        {troubles.into_iter().map(|text| banner("banner banner--warning", text)).collect_view()}
        {rehearses.then(|| view! { <RehearsalNotice/> })}
        {warns.then(|| eviction(running))}
        <MessageForm message backends/>
        {rehearses.then(|| view! { <Suggestions/> })}
    }
}

/// OpenHands stops the oldest conversation without asking: that has to be said before.
fn eviction(running: usize) -> impl IntoView {
    if running >= KEPT_RUNNING {
        let text = format!(
            "{running} conversations are running. OpenHands keeps {KEPT_RUNNING}, unless it was told otherwise: \
             a new one stops the oldest. Its history stays here; its files may go with it."
        );
        banner("banner banner--warning", text).into_any()
    } else {
        let text = format!(
            "OpenHands keeps {KEPT_RUNNING} conversations running, unless it was told otherwise; \
             one more stops the oldest."
        );
        view! { <p class="muted">{text}</p> }.into_any()
    }
}

fn banner(class: &'static str, text: String) -> impl IntoView {
    view! {
        <div class=class role="status">
            <span class="banner__text">{text}</span>
        </div>
    }
}
