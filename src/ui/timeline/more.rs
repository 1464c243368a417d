//! "Show all": the row with everything that it holds.

use crate::{
    api::{ApiError, whole_row},
    render::RowView,
    store::ConversationStore,
};
use leptos::{prelude::*, task::spawn_local};
use web_sys::MouseEvent;

/// The row around: [`MoreLink`] puts all of it in its place.
#[derive(Clone)]
pub(super) struct Whole {
    pub(super) view: ArcRwSignal<RowView>,
    pub(super) loading: RwSignal<bool>,
    pub(super) trouble: RwSignal<Option<ApiError>>,
}

impl Whole {
    /// Makes the row known to the links below.
    pub(super) fn provide(view: ArcRwSignal<RowView>) -> Self {
        let whole = Self {
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
        } = self.clone();
        loading.set(true);
        spawn_local(async move {
            let answer = whole_row(conversation, row).await;
            if loading.is_disposed() {
                return;
            }
            loading.set(false);
            match answer {
                // A newer version may have come down the live line meanwhile; it is cut, but right.
                Ok(row) if row.seq >= view.read_untracked().seq => view.set(row),
                Ok(_) => {}
                Err(error) => trouble.set(Some(error)),
            }
        });
    }
}

/// The link, if `row` says that there is more. Without a script it is a page of its own.
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
    let load = move |event: MouseEvent| {
        if let (Some(whole), Some(store)) = (&whole, store) {
            event.prevent_default();
            whole.load(store.id(), row);
        }
    };
    Some(view! {
        <a class=class href=format!("?row={row}#row-{row}") rel="external" aria-busy=busy on:click=load>
            "Show all"
        </a>
    })
}
