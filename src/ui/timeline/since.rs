//! The place where the reader stopped reading, and above it what has happened since.

use super::{address::row_address, scroller::Scroller, text};
use crate::{
    store::{ConversationStore, RowKey, use_conversation},
    ui::parts::varying,
};
use leptos::prelude::*;

/// The first row that is new; nothing if little is.
#[derive(Clone, Copy)]
pub(super) struct FirstNew(Option<RowKey>);

impl FirstNew {
    pub(super) fn of(store: ConversationStore) -> Self {
        let of = |since: &crate::api::SinceView| RowKey {
            pos: since.pos,
            id: since.row,
        };
        Self(store.since.with_value(|since| since.as_ref().map(of)))
    }

    /// Whether it is this row.
    pub(super) fn is(self, row: i64) -> bool {
        self.0.is_some_and(|first| first.id == row)
    }

    /// Whether it stands before the oldest row that is loaded.
    pub(super) fn is_before(self, oldest: Option<RowKey>) -> bool {
        self.0.is_some_and(|first| Some(first) < oldest)
    }
}

/// What has happened, and the line below it; `above` the rows that are loaded, a way to that line.
#[component]
pub(super) fn SinceYouLeft(above: bool) -> impl IntoView {
    let since = use_conversation().since.get_value()?;
    let line = match above {
        true => any_view! {
            <a class="button button--small" href=row_address(since.pos, since.row)>
                {text::go_to_new()}
            </a>
        },
        false => any_view! { <p class="since__line">{text::new_since()}</p> },
    };
    Some(any_view! {
        <section class="since" id="since" tabindex="-1" aria-label=text::since_you_left()>
            <p class="since__count">{since.count}</p>
            <div inner_html=since.html></div>
            {line}
        </section>
    })
}

/// The way up to it, for a reader at the end who does not see it.
#[component]
pub(super) fn WayToNew(scroller: Scroller) -> impl IntoView {
    let count = use_conversation().since.with_value(|since| {
        let far = since.as_ref().filter(|since| since.is_far);
        far.map(|since| since.count.clone())
    });
    varying(move || {
        let way = |count| {
            view! {
                <a class="button button--small timeline__since" href="#since" rel="external">
                    {text::since_up(count)}
                </a>
            }
        };
        (!scroller.away.get()).then(|| count.clone().map(way))
    })
}
