//! All rows of one kind: a page from the log, with live updates at its newest end.

use super::address::panel_address;
use super::entry::Shown;
use super::text;
use crate::api::{RowsView, older_rows};
use crate::conversation::Kind;
use crate::render::RowView;
use crate::store::{ConversationStore, fetched, use_conversation, use_query};
use crate::text::Text;
use crate::ui::parts::{self, Answered, EmptyState, varying};
use leptos::prelude::*;
use std::collections::BTreeMap;

/// Rows per page: few enough to scroll smoothly on a phone.
const PAGE: u32 = 100;

/// A kind of rows, and the texts of its panel.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// The kind of the rows.
    pub kind: Kind,
    /// The panel's name in the URL.
    pub panel: &'static str,
    /// The empty state: title and text.
    pub empty: (Text, Text),
}

/// The rows of a family, passed to `show` oldest first, with links to earlier and to the newest rows.
#[component]
pub fn Rows(family: Family, show: fn(Memo<Vec<RowView>>) -> AnyView) -> impl IntoView {
    let store = use_conversation();
    let query = use_query();
    let until = Memo::new(move |_| query.with(|query| place(query.get_str("until")?)));
    let page = fetched(
        move || (store.id(), until.get()),
        move |(id, until)| older_rows(id, until, Some(family.kind), PAGE),
    );
    view! {
        <Answered answers=page waiting=parts::text::loading() draw=move |page| {
            let newest = until.get_untracked().is_none();
            any_view! { <Page family page newest store show/> }
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
    let RowsView {
        rows: known, older, ..
    } = page;
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
        {earlier.map(|address| view! { <a class="button" href=address>{parts::text::older()}</a> })}
        {varying(move || {
            if some.get() {
                show(rows)
            } else {
                let (title, hint) = family.empty;
                any_view! { <EmptyState title=title() text=hint()/> }
            }
        })}
        {(!newest)
            .then(|| {
                view! {
                    <a class="button" href=panel_address(family.panel, &[])>
                        {text::newest()}
                    </a>
                }
            })}
    }
}

/// The loaded rows, merged with the rows of the timeline that are newer or have changed since.
fn with_live(known: &[RowView], kind: Kind, store: ConversationStore) -> Vec<RowView> {
    let oldest = known.first().map(|row| (row.pos, row.id));
    let mut rows: BTreeMap<_, _> = known
        .iter()
        .map(|row| ((row.pos, row.id), row.clone()))
        .collect();
    for entry in store.timeline.all() {
        let row = entry.view.read();
        let place = (row.pos, row.id);
        // Rows before the first loaded one belong to an earlier page.
        if row.kind == kind && oldest.is_none_or(|oldest| place >= oldest) {
            rows.insert(place, row.clone());
        }
    }
    rows.into_values().collect()
}

/// Parses a cursor of the URL: `pos.id`.
pub(super) fn place(text: &str) -> Option<(i64, i64)> {
    let (pos, id) = text.split_once('.')?;
    Some((pos.parse().ok()?, id.parse().ok()?))
}

/// A list of rows; `draw` runs again for a row only when that row has changed.
pub fn each(rows: Memo<Vec<RowView>>, draw: fn(Shown) -> AnyView) -> impl IntoView {
    view! {
        <For
            each=move || rows.get().into_iter().filter_map(Shown::of)
            key=|shown| (shown.row.id, shown.row.seq)
            children=draw
        />
    }
}
