//! The page of a conversation: loads a snapshot, then follows the live connection.

use super::{
    announce::Announcer,
    banners::Banners,
    head::ConversationHead,
    pinned::{PinnedGoal, PinnedTasks},
    text,
};
use crate::store::{fetched, use_query};
use crate::{
    api::{ApiError, ApiErrorKind, ConversationView, draft, open_conversation, whole_row},
    backend::Runtime,
    people::Right,
    store::{ConversationStore, Draft, link, may, use_conversation},
    ui::{
        approval::{Approval, provide_touching},
        composer::Composer,
        lazy::{Lazy, later},
        panels::{Panel, drawn_panel},
        parts::{self, Arming, ErrorNote, Loading, answered, title_or_default, varying},
        shell::{Head, Page},
        timeline::Timeline,
    },
};
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

/// `/c/:id`.
#[component]
pub fn ConversationPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.read().get("id").unwrap_or_default());
    // Without JavaScript, "Show all" is a link to a page rendered with the full row. With JavaScript the row is fetched
    // in place, and a later change of the query is ignored.
    let query = use_query();
    let whole = move || query.read_untracked().get("row")?.parse::<i64>().ok();
    provide_touching();
    let picture = fetched(move || id.get(), move |id| load(id, whole()));
    any_view! {
        <Transition fallback=|| view! { <div class="page"><Loading text=text::loading() /></div> }>
            {answered(picture, |answer| match answer {
                Ok((view, draft)) => any_view! { <Conversation view draft /> },
                Err(error) => any_view! { <Trouble error /> },
            })}
        </Transition>
    }
}

async fn load(id: String, whole: Option<i64>) -> Result<(ConversationView, String), ApiError> {
    let mut view = open_conversation(id.clone()).await?;
    if let Some(row) = whole
        && let Some(shown) = view.rows.iter_mut().find(|shown| shown.id == row)
    {
        *shown = whole_row(id.clone(), row).await?;
    }
    // A draft that cannot be read must not keep the conversation from opening. Visitors have no drafts.
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
    let asked = store.of_session(|session| session.approval.is_some());
    let panel = drawn_panel();
    let arming = Arming::new(true);
    // Visitors of a shared link get no panels.
    let reads = may(Right::Read);
    let talks = store.may(Right::Operate);
    let answers = store.may(Right::Answer);
    // What a reader cannot answer does not call for their attention.
    let waiting = Memo::new(move |_| u32::from(asked.get() && answers.get()));
    let imported = store.backend.with_value(|backend| backend.imported);
    let gone = store.of_session(|session| session.runtime == Runtime::Gone);
    let draft = RwSignal::new(draft);
    let rejecting = RwSignal::new(false);
    let query = use_query();
    let edits = Memo::new(move |_| query.with(|query| query.get_str("edit").is_some()));
    any_view! {
        <Head title waiting />
        <article class="conversation" data-panel=move || panel.get()>
            {varying(move || {
                (waiting.get() > 0)
                    .then(|| {
                        view! {
                            <a class="skip-link" href=format!("#approval-{}", store.id()) rel="external">
                                {text::skip_to_approval()}
                            </a>
                        }
                    })
            })}
            <ConversationHead title />
            <Banners />
            <Timeline />
            {reads.then(|| view! { <Panel name=panel /> })}
            <footer class="conversation__foot">
                <PinnedGoal />
                <PinnedTasks />
                <Approval arming draft rejecting />
                {varying(move || {
                    if talks.get() && edits.get() {
                        later(Lazy::Again)
                    } else if talks.get() && !imported && !gone.get() {
                        any_view! { <Composer draft arming rejecting /> }
                    } else {
                        let note = if !reads {
                            text::note_visitor()
                        } else if imported {
                            text::note_imported()
                        } else if gone.get() {
                            text::note_gone()
                        } else if answers.get() {
                            text::note_approver()
                        } else {
                            text::note_viewer()
                        };
                        any_view! {
                            <p class="conversation__note muted">{note}</p>
                            {(talks.get() && gone.get()).then(|| view! { <Unsent draft /> })}
                        }
                    }
                })}
            </footer>
        </article>
        <Announcer />
    }
}

/// What was typed and can no longer be sent.
#[component]
fn Unsent(draft: RwSignal<String>) -> impl IntoView {
    let keep = Draft::new(use_conversation().id());
    Effect::new(move || {
        if let Some(unsaved) = keep.unsaved() {
            draft.set(unsaved);
        }
    });
    varying(move || {
        let words = draft.get();
        (!words.is_empty()).then(|| {
            view! {
                <textarea class="input" rows="3" dir="auto" readonly aria-label=text::unsent()>
                    {words}
                </textarea>
            }
        })
    })
}

/// The error page of a conversation.
#[component]
fn Trouble(error: ApiError) -> impl IntoView {
    let title = if error.kind == ApiErrorKind::NotFound {
        text::not_found()
    } else {
        text::not_loaded()
    };
    any_view! {
        <Page title class="page">
            <ErrorNote error />
            <p class="cluster">
                <a class="button" href="" rel="external">
                    {text::retry()}
                </a>
                <a class="button button--quiet" href=link("")>
                    {parts::text::all_conversations()}
                </a>
            </p>
        </Page>
    }
}
