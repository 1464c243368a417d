//! "Show all": loads the untruncated row.

use super::text;
use crate::{
    api::{ApiError, whole_row},
    render::RowView,
    store::{ConversationStore, link},
};
use leptos::{prelude::*, task::spawn_local};
use web_sys::MouseEvent;

/// The state of the enclosing row, which [`MoreLink`] replaces by the full one.
#[derive(Clone)]
pub(super) struct Whole {
    /// The conversation, if it differs from the page's.
    pub(super) conversation: Option<String>,
    pub(super) view: ArcRwSignal<RowView>,
    pub(super) loading: RwSignal<bool>,
    pub(super) trouble: RwSignal<Option<ApiError>>,
}

impl Whole {
    /// Provides the row to the links inside it.
    pub(super) fn provide(view: ArcRwSignal<RowView>) -> Self {
        let whole = Self {
            conversation: None,
            view,
            loading: RwSignal::new(false),
            trouble: RwSignal::new(None),
        };
        provide_context(whole.clone());
        whole
    }

    fn load(&self, conversation: String, row: i64) {
        let Self {
            view,
            loading,
            trouble,
            ..
        } = self.clone();
        loading.set(true);
        spawn_local(async move {
            let answer = whole_row(conversation, row).await;
            if loading.is_disposed() {
                return;
            }
            loading.set(false);
            match answer {
                // A newer version may have arrived by the live connection meanwhile; it is truncated, but current.
                Ok(row) if row.seq >= view.read_untracked().seq => view.set(row),
                Ok(_) => {}
                Err(error) => trouble.set(Some(error)),
            }
        });
    }
}

/// What the addresses of a page keep beside the row, ending in `&`: the place of a replay.
#[derive(Clone, Copy)]
pub struct KeptQuery(pub Signal<String>);

/// Provides a row of this conversation to the links inside it, on any page. Returns the signal of a load error.
pub fn provide_whole(
    conversation: String,
    view: ArcRwSignal<RowView>,
) -> RwSignal<Option<ApiError>> {
    let whole = Whole {
        conversation: Some(conversation),
        ..Whole::provide(view)
    };
    provide_context(whole.clone());
    whole.trouble
}

/// The link, if `row` is truncated. Without JavaScript it opens a page of its own.
#[component]
pub(super) fn MoreLink(
    row: Option<i64>,
    #[prop(default = "block__more")] class: &'static str,
) -> impl IntoView {
    let row = row?;
    let whole = use_context::<Whole>();
    let loading = whole.as_ref().map(|whole| whole.loading);
    let busy = move || {
        loading
            .is_some_and(|loading| loading.get())
            .then_some("true")
    };
    let store = use_context::<ConversationStore>();
    let elsewhere = whole.as_ref().and_then(|whole| whole.conversation.clone());
    let page = match &elsewhere {
        Some(id) => link(&format!("c/{id}")),
        None => String::new(),
    };
    let kept = use_context::<KeptQuery>();
    let address = move || {
        let kept = kept.map_or_else(String::new, |kept| kept.0.get());
        format!("{page}?{kept}row={row}#row-{row}")
    };
    let load = move |event: MouseEvent| {
        let conversation = elsewhere.clone().or_else(|| store.map(|store| store.id()));
        if let (Some(whole), Some(conversation)) = (&whole, conversation) {
            event.prevent_default();
            whole.load(conversation, row);
        }
    };
    Some(view! {
        <a class=class href=address rel="external" aria-busy=busy on:click=load>
            {text::show_all()}
        </a>
    })
}
