//! Full-text search in a conversation.

use super::{text, view::key_in_address};
use crate::store::fetched;
use crate::{
    api::search_rows,
    render::{CardView, RowView},
    store::{RowKey, link, use_conversation},
    ui::parts::{self, Answered, EmptyState, SearchForm, Time},
};
use leptos::prelude::*;

/// The search field, and the matching rows, newest first.
#[component]
pub fn Found(text: String) -> impl IntoView {
    let store = use_conversation();
    let address = link(&format!("c/{}", store.id()));
    let results = (!text.trim().is_empty()).then(|| {
        let sought = text.clone();
        let rows = fetched(
            move || (store.id(), sought.clone()),
            |(id, text)| search_rows(id, text),
        );
        view! {
            <Answered answers=rows waiting=text::searching() draw=|page| {
                view! { <Results rows=page.rows /> }.into_any()
            } />
        }
    });
    view! {
        <section class="timeline timeline--found" tabindex="0" role="region" aria-label=text::search_label()>
            <div class="timeline__rows">
                <SearchForm address place=text::search_place() label=text::search_label() placeholder=text::search_placeholder() text>
                    <button class="button button--primary">{parts::text::search()}</button>
                    <a class="button button--quiet" href="?">
                        {parts::text::close()}
                    </a>
                </SearchForm>
                {results}
            </div>
        </section>
    }
    .into_any()
}

#[component]
fn Results(mut rows: Vec<RowView>) -> impl IntoView {
    rows.sort_by_key(|row| std::cmp::Reverse((row.pos, row.id)));
    if rows.is_empty() {
        return view! { <EmptyState title=text::nothing_found() text=text::nothing_found_hint() /> }
            .into_any();
    }
    let results = rows.into_iter().map(|row| {
        let (title, text) = in_words(&row.card);
        // The cursor is exclusive, so it is the next id at the same position.
        let behind = RowKey {
            pos: row.pos,
            id: row.id + 1,
        };
        let address = format!("?before={}#row-{}", key_in_address(behind), row.id);
        view! {
            <li class="result">
                <a class="result__link" href=address>
                    <span class="result__title">{title}</span>
                    <span class="result__text">{text}</span>
                    <Time at=row.at class="result__meta muted" />
                </a>
            </li>
        }
    });
    view! { <ol class="results">{results.collect_view()}</ol> }.into_any()
}

/// The title and excerpt of a row. The server has made both plain text (`render/excerpt.rs`).
fn in_words(card: &CardView) -> (String, String) {
    match card {
        CardView::Message(message) => (text::message().to_owned(), message.text.clone()),
        CardView::Step(step) => (step.verb.clone(), step.subject.clone()),
        CardView::Notice(notice) => (notice.title.clone(), String::new()),
        CardView::Chips(chips) => (text::context().to_owned(), chips.chips.join(", ")),
    }
}
