//! The timeline up to some point: reached by "Older" without a script, and from what was found.

use super::{row::RowCard, view::key_in_address};
use crate::store::fetched;
use crate::{
    api::older_rows,
    store::{RowKey, Rows, use_conversation},
    ui::parts::Answered,
};
use leptos::prelude::*;

/// Rows of a page.
const PAGE: u32 = 60;

/// The rows before a place. They stand still; what happens is at the newest end.
#[component]
pub fn Past(before: RowKey) -> impl IntoView {
    let store = use_conversation();
    let page = fetched(
        move || (store.id(), before),
        |(id, before)| older_rows(id, Some((before.pos, before.id)), None, PAGE),
    );
    view! {
        <section class="timeline" tabindex="0" role="region" aria-label="Timeline, earlier part">
            <div class="timeline__rows">
                <Answered answers=page waiting="Loading earlier rows" draw=|page| {
                    let rows = Rows::new(page.rows, page.older);
                    // These rows do not change: nothing is to be noticed.
                    untrack(|| view! { <Page rows /> }.into_any())
                } />
                <p class="timeline__end cluster">
                    <span class="muted">"An earlier part of the conversation."</span>
                    <a class="button button--small" href="?">
                        "Newest ↓"
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
                "Older"
            </a>
        }
    });
    let cards = rows
        .shown()
        .into_iter()
        .map(|entry| view! { <RowCard entry /> });
    view! {
        {older}
        {cards.collect_view()}
    }
    .into_any()
}
