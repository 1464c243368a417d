//! All rows of one family: a page of them from the log, and at its newest end what happens now.

use super::address::panel_address;
use super::entry::Shown;
use crate::api::{RowsView, older_rows};
use crate::conversation::Kind;
use crate::render::RowView;
use crate::store::{ConversationStore, fetched, use_conversation};
use crate::ui::parts::{Answered, EmptyState};
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use std::collections::BTreeMap;

/// Rows of a page: what a phone scrolls through without effort.
const PAGE: u32 = 100;

/// Which family, and in which words.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// Its kind.
    pub kind: Kind,
    /// The view's word in the address.
    pub panel: &'static str,
    /// What stands there while there are no rows: title and text.
    pub empty: (&'static str, &'static str),
}

/// The rows of a family, given to `show` oldest first; links to earlier and newest pages around them.
#[component]
pub fn Rows(family: Family, show: fn(Memo<Vec<RowView>>) -> AnyView) -> impl IntoView {
    let store = use_conversation();
    let query = use_query_map();
    let until = Memo::new(move |_| query.with(|query| place(query.get_str("until")?)));
    let page = fetched(
        move || (store.id(), until.get()),
        move |(id, until)| older_rows(id, until, Some(family.kind), PAGE),
    );
    view! {
        <Answered answers=page waiting="Loading…" draw=move |page| {
            let newest = until.get_untracked().is_none();
            view! { <Page family page newest store show/> }.into_any()
        }/>
    }
}

#[component]
fn Page(
    family: Family,
    page: RowsView,
    newest: bool,
    store: ConversationStore,
    show: fn(Memo<Vec<RowView>>) -> AnyView,
) -> impl IntoView {
    let RowsView { rows: known, older } = page;
    let oldest = known.first().map(|row| format!("{}.{}", row.pos, row.id));
    let rows = Memo::new(move |_| {
        if newest {
            with_live(&known, family.kind, store)
        } else {
            known.clone()
        }
    });
    let some = Memo::new(move |_| rows.with(|rows| !rows.is_empty()));
    let earlier = oldest
        .filter(|_| older)
        .map(|oldest| panel_address(family.panel, &[("until", &oldest)]));
    view! {
        {earlier.map(|address| view! { <a class="button" href=address>"Earlier"</a> })}
        {move || {
            if some.get() {
                show(rows)
            } else {
                let (title, text) = family.empty;
                view! { <EmptyState title text/> }.into_any()
            }
        }}
        {(!newest)
            .then(|| {
                view! {
                    <a class="button" href=panel_address(family.panel, &[])>
                        "Newest"
                    </a>
                }
            })}
    }
}

/// What was loaded, and the rows of the timeline that are newer or that changed since.
fn with_live(known: &[RowView], kind: Kind, store: ConversationStore) -> Vec<RowView> {
    let oldest = known.first().map(|row| (row.pos, row.id));
    let mut rows: BTreeMap<_, _> = known
        .iter()
        .map(|row| ((row.pos, row.id), row.clone()))
        .collect();
    for entry in store.timeline.all() {
        let row = entry.view.read();
        let place = (row.pos, row.id);
        // What is before the page belongs to an earlier one.
        if row.kind == kind && oldest.is_none_or(|oldest| place >= oldest) {
            rows.insert(place, row.clone());
        }
    }
    rows.into_values().collect()
}

/// A place in an address: `pos.id`.
fn place(text: &str) -> Option<(i64, i64)> {
    let (pos, id) = text.split_once('.')?;
    Some((pos.parse().ok()?, id.parse().ok()?))
}

/// The rows one below the other, each drawn by `draw` and drawn again only when it changed.
pub fn each(rows: Memo<Vec<RowView>>, draw: fn(Shown) -> AnyView) -> impl IntoView {
    view! {
        <For
            each=move || rows.get().into_iter().filter_map(Shown::of)
            key=|shown| (shown.row.id, shown.row.seq)
            children=draw
        />
    }
}
