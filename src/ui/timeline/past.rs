//! The timeline up to a row: the target of "Older" without JavaScript.

use super::{
    address::key_in_address,
    folds::{PieceView, RowIds, arrange},
    text,
};
use crate::store::fetched;
use crate::{
    api::older_rows,
    store::{RowKey, Rows, use_conversation},
    ui::parts::{self, Answered, copy_code, use_toasts},
};
use leptos::prelude::*;

/// Rows per page.
const PAGE: u32 = 60;

/// The rows before a cursor. They are static; live updates appear only at the newest end.
#[component]
pub fn Past(before: RowKey) -> impl IntoView {
    let store = use_conversation();
    let page = fetched(
        move || (store.id(), before),
        |(id, before)| older_rows(id, Some((before.pos, before.id)), None, PAGE),
    );
    let toasts = use_toasts();
    view! {
        <section class="timeline" tabindex="0" role="region" aria-label=text::timeline_earlier()>
            <div class="timeline__rows" on:click=move |event| copy_code(&event, toasts)>
                <Answered answers=page waiting=text::loading_earlier() draw=|page| {
                    let rows = Rows::new(page.rows, page.older);
                    // These rows never change, so the view needs no subscriptions.
                    untrack(|| view! { <Page rows /> }.into_any())
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
    .into_any()
}

#[component]
fn Page(rows: Rows) -> impl IntoView {
    let older = rows.oldest().filter(|_| rows.has_older()).map(|key| {
        view! {
            <a class="button timeline__older" href=format!("?before={}", key_in_address(key))>
                {parts::text::older()}
            </a>
        }
    });
    view! {
        {older}
        {static_rows(rows, 0)}
    }
    .into_any()
}

/// Rows that never change; the row `shown` is not folded with others.
pub fn static_rows(rows: Rows, shown: i64) -> AnyView {
    let opened = RowIds::default();
    let cards = arrange(&rows.shown(), 0, |row| row == shown)
        .into_iter()
        .map(|piece| view! { <PieceView piece opened /> });
    cards.collect_view().into_any()
}
