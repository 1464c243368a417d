//! The page of a conversation: loads the picture, then lives on the live line.

use super::{
    announce::Announcer,
    banners::Banners,
    head::ConversationHead,
    pinned::{PinnedGoal, PinnedTasks},
};
use crate::store::fetched;
use crate::{
    api::{ApiError, ApiErrorKind, ConversationView, draft, open_conversation, whole_row},
    people::Right,
    store::{ConversationStore, link, may},
    ui::{
        approval::Approval,
        composer::Composer,
        panels::{Panel, PanelTabs, panel_name},
        parts::{ErrorNote, answered},
        shell::Head,
        timeline::Timeline,
    },
};
use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};

/// `/c/:id`.
#[component]
pub fn ConversationPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.read().get("id").unwrap_or_default());
    // A link to a whole row works without a script: the page is drawn with it. With a script the row is
    // fetched in place, and the address is not looked at again.
    let query = use_query_map();
    let whole = move || query.read_untracked().get("row")?.parse::<i64>().ok();
    let picture = fetched(move || id.get(), move |id| load(id, whole()));
    view! {
        <Transition fallback=Loading>
            {answered(picture, |answer| match answer {
                Ok((view, draft)) => view! { <Conversation view draft /> }.into_any(),
                Err(error) => view! { <Trouble error /> }.into_any(),
            })}
        </Transition>
    }
    .into_any()
}

async fn load(id: String, whole: Option<i64>) -> Result<(ConversationView, String), ApiError> {
    let mut view = open_conversation(id.clone()).await?;
    if let Some(row) = whole
        && let Some(shown) = view.rows.iter_mut().find(|shown| shown.id == row)
    {
        *shown = whole_row(id.clone(), row).await?;
    }
    // A lost draft is no reason not to show the conversation; visitors have none.
    let draft = match view.role {
        Some(_) => draft(id).await.unwrap_or_default(),
        None => String::new(),
    };
    Ok((view, draft))
}

#[component]
fn Conversation(view: ConversationView, draft: String) -> impl IntoView {
    let store = ConversationStore::provide(view);
    let title = store.of_session(|session| title_or_default(&session.title));
    let waiting = store.of_session(|session| u32::from(session.approval.is_some()));
    let panel = panel_name();
    // Visitors have no views beside the timeline.
    let reads = may(Right::Read);
    let talks = store.may(Right::Operate);
    view! {
        <Head title waiting />
        <article class="conversation" data-panel=move || panel.get()>
            <ConversationHead title />
            {reads.then(|| view! { <PanelTabs /> })}
            <Banners />
            <Timeline />
            {reads.then(|| view! { <Panel /> })}
            <footer class="conversation__foot">
                <PinnedGoal />
                <PinnedTasks />
                <Approval />
                {move || {
                    if talks.get() {
                        view! { <Composer draft=draft.clone() /> }.into_any()
                    } else if reads {
                        view! { <p class="conversation__note muted">"You read along: your role does not talk to agents."</p> }
                            .into_any()
                    } else {
                        view! { <p class="conversation__note muted">"You watch by a link: nothing can be done from here."</p> }
                            .into_any()
                    }
                }}
            </footer>
        </article>
        <Announcer />
    }
    .into_any()
}

/// The title, or what stands for one.
fn title_or_default(title: &str) -> String {
    if title.trim().is_empty() {
        "Untitled conversation".to_owned()
    } else {
        title.to_owned()
    }
}

#[component]
fn Loading() -> impl IntoView {
    view! {
        <div class="page" aria-busy="true">
            <p class="visually-hidden">"Loading the conversation"</p>
            <div aria-hidden="true">
                <div class="skeleton"></div>
                <div class="skeleton skeleton--block"></div>
                <div class="skeleton"></div>
                <div class="skeleton skeleton--block"></div>
            </div>
        </div>
    }
    .into_any()
}

/// The conversation cannot be shown.
#[component]
fn Trouble(error: ApiError) -> impl IntoView {
    let title = if error.kind == ApiErrorKind::NotFound {
        "There is no such conversation"
    } else {
        "The conversation cannot be shown"
    };
    view! {
        <Head title />
        <div class="page">
            <h1 class="page__title">{title}</h1>
            <ErrorNote error />
            <p class="cluster">
                <a class="button" href="" rel="external">
                    "Try again"
                </a>
                <a class="button button--quiet" href=link("")>
                    "All conversations"
                </a>
            </p>
        </div>
    }
    .into_any()
}
