//! The page for a new conversation.

use super::{form::MessageForm, suggestions::Suggestions, text};
use crate::api::{BackendView, ListAsk, ListView, list_conversations};
use crate::backend::Runtime;
use crate::store::{fetched, link, use_query};
use crate::ui::list::RehearsalNotice;
use crate::ui::parts::{self, Answered};
use crate::ui::shell::Head;
use leptos::prelude::*;

/// How many conversations OpenHands 0.62 keeps running by default.
const KEPT_RUNNING: usize = 3;

/// `/new`; `?message=` prefills the message.
#[component]
pub fn NewPage() -> impl IntoView {
    let query = use_query();
    let message = Memo::new(move |_| query.with(|query| query.get("message")).unwrap_or_default());
    let list = fetched(|| (), |()| list_conversations(ListAsk::default()));
    view! {
        <Head title=parts::text::new_conversation()/>
        <div class="page page--narrow new-page">
            <h1 class="page__title">{parts::text::new_conversation()}</h1>
            <Answered answers=list waiting=text::loading() draw=move |view| {
                view! { <Loaded view message=message.get()/> }.into_any()
            }/>
            <p>
                <a href=link("import")>{text::import()}</a>
            </p>
        </div>
    }
    .into_any()
}

#[component]
fn Loaded(view: ListView, message: String) -> impl IntoView {
    let ListView {
        conversations,
        backends,
        draft,
        ..
    } = view;
    let message = if message.is_empty() { draft } else { message };
    // Counts only conversations on backends that evict the oldest one.
    let evicts = |label: &str| {
        backends
            .iter()
            .any(|one| one.label == label && one.capabilities.evicts_oldest)
    };
    let running = conversations
        .iter()
        .filter(|one| {
            (one.runtime == Runtime::Running || one.runtime.is_coming_up()) && evicts(&one.backend)
        })
        .count();
    let warns = backends.iter().any(|one| one.capabilities.evicts_oldest);
    let rehearses = backends.iter().any(|one| one.rehearsal);
    let several = backends.len() > 1;
    let trouble = |one: &BackendView| {
        let trouble = one.trouble.clone()?;
        Some(if several {
            parts::text::trouble_of(&one.label, trouble)
        } else {
            trouble
        })
    };
    let troubles: Vec<String> = backends.iter().filter_map(trouble).collect();
    view! {
        {troubles.into_iter().map(|trouble| banner("banner banner--warning", trouble)).collect_view()}
        {rehearses.then(|| view! { <RehearsalNotice/> })}
        {warns.then(|| eviction(running))}
        <MessageForm message backends/>
        {rehearses.then(|| view! { <Suggestions/> })}
    }
}

/// A warning in advance: OpenHands stops the oldest conversation without asking.
fn eviction(running: usize) -> impl IntoView {
    if running >= KEPT_RUNNING {
        let warning = text::stops_oldest_now(running, KEPT_RUNNING);
        banner("banner banner--warning", warning).into_any()
    } else {
        view! { <p class="muted">{text::stops_oldest(KEPT_RUNNING)}</p> }.into_any()
    }
}

fn banner(class: &'static str, text: String) -> impl IntoView {
    view! {
        <div class=class role="status">
            <span class="banner__text">{text}</span>
        </div>
    }
}
