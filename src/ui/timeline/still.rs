//! Rows of a place in the past, which another place replaces.

use super::folds::{Piece, PieceView, RowIds, arrange};
use crate::store::Entry;
use leptos::prelude::*;

/// The rows. A row of both places keeps its card, and what the reader has opened in it.
#[component]
pub fn StillRows(rows: RwSignal<Vec<Entry>>) -> impl IntoView {
    let opened = RowIds::default();
    let pieces = move || arrange(&rows.get(), 0, |_| false);
    any_view! {
        <For each=pieces key=Piece::key let:piece>
            <PieceView piece opened />
        </For>
    }
}
