//! The timeline before or after a row: the target of "Older" without JavaScript, and of "Go to the beginning".

use super::{
    address::{Past, key_in_address},
    folds::{PieceView, RowIds, arrange},
    text,
};
use crate::{
    api::{ApiError, RowsView, later_rows, older_rows},
    store::{RowKey, Rows, fetched, use_conversation},
    ui::parts::{self, Answered, copy_code, use_toasts},
};
use leptos::prelude::*;

/// Rows per page.
const PAGE: u32 = 60;

/// The rows before or after a cursor. They are static; live updates appear only at the newest end.
#[component]
pub fn PastRows(past: Past) -> impl IntoView {
    let store = use_conversation();
    let page = fetched(move || (store.id(), past), |(id, past)| rows(id, past));
    let toasts = use_toasts();
    // What is read on is read from its top.
    let reads_on = matches!(past, Past::After(_));
    any_view! {
        <section
            class=if reads_on { "timeline timeline--found" } else { "timeline" }
            tabindex="0"
            role="region"
            aria-label=text::timeline_earlier()
        >
            <div class="timeline__rows" on:click=move |event| copy_code(&event, toasts)>
                <Answered answers=page waiting=text::loading_earlier() draw=|page| {
                    // These rows never change, so the view needs no subscriptions.
                    untrack(|| any_view! { <Page page /> })
                } />
                <p class="timeline__end cluster">
                    <span class="muted">{text::earlier()}</span>
                    <a class="button button--small" href="?">
                        {text::newest()}
                    </a>
                </p>
            </div>
        </section>
    }
}

async fn rows(id: String, past: Past) -> Result<RowsView, ApiError> {
    let of = |key: RowKey| (key.pos, key.id);
    match past {
        Past::Before(key) => older_rows(id, Some(of(key)), None, PAGE).await,
        Past::After(key) => later_rows(id, key.map(of), PAGE).await,
    }
}

#[component]
fn Page(page: RowsView) -> impl IntoView {
    let last = page.rows.last().filter(|_| page.later);
    let later = last.map(|last| (last.pos, last.id));
    let rows = Rows::new(page.rows, page.older);
    let older = rows.oldest().filter(|_| rows.has_older()).map(|key| {
        view! {
            <a class="button timeline__older" href=format!("?before={}", key_in_address(key))>
                {parts::text::older()}
            </a>
        }
    });
    let later = later.map(|(pos, id)| {
        let key = key_in_address(RowKey { pos, id });
        view! {
            <a class="button timeline__older" href=format!("?after={key}")>
                {text::later()}
            </a>
        }
    });
    any_view! {
        {older}
        {static_rows(rows, 0)}
        {later}
    }
}

/// Rows that never change; the row `shown` is not folded with others.
pub fn static_rows(rows: Rows, shown: i64) -> AnyView {
    let opened = RowIds::default();
    let cards = arrange(&rows.shown(), 0, |row| row == shown)
        .into_iter()
        .map(|piece| view! { <PieceView piece opened /> });
    cards.collect_view().into_any()
}
