//! The rows in groups. A row keeps its DOM element while its content changes, so updates elsewhere do not close an open
//! menu or discard a half-typed title.

use super::{asked::Group, row::Row, text};
use crate::api::ConversationSummary;
use crate::ui::parts::{Each, varying};
use leptos::prelude::*;

/// Rows without groups and without the state of a list, for the page of all parts.
#[cfg(all(debug_assertions, feature = "ssr"))]
#[component]
pub fn LooseRows(conversations: Vec<ConversationSummary>) -> impl IntoView {
    provide_context(super::row_actions::Pinned(RwSignal::default()));
    let ids: Vec<String> = conversations.iter().map(|one| one.id.clone()).collect();
    let shown = RwSignal::new(conversations);
    let rows = ids.into_iter().map(|id| view! { <Row id shown/> });
    view! { <ul class="conversation-list__rows">{rows.collect_view()}</ul> }
}

/// The groups, each with a heading and its rows.
#[component]
pub fn Groups(
    groups: Memo<Vec<Group>>,
    shown: RwSignal<Vec<ConversationSummary>>,
) -> impl IntoView {
    let headings = move || {
        groups.with(|groups| {
            let headings = groups.iter().map(|group| group.heading.clone());
            headings.collect::<Vec<_>>()
        })
    };
    let part = move |heading| any_view! { <Part heading groups shown/> };
    any_view! {
        <Each keys=Signal::derive(headings) draw=Callback::new(part)/>
    }
}

#[component]
fn Part(
    heading: String,
    groups: Memo<Vec<Group>>,
    shown: RwSignal<Vec<ConversationSummary>>,
) -> impl IntoView {
    let group = {
        let heading = heading.clone();
        Memo::new(move |_| {
            groups.with(|groups| {
                groups
                    .iter()
                    .find(|other| other.heading == heading)
                    .cloned()
            })
        })
    };
    let ids = Memo::new(move |_| {
        let ids = group.with(|group| group.as_ref().map(|group| group.ids.clone()));
        ids.unwrap_or_default()
    });
    let count = move || {
        group.with(|group| {
            let group = group.as_ref();
            let (more, failed) = group.map_or((false, 0), |group| (group.more, group.failed));
            let count = group.map_or(0, |group| group.ids.len());
            match count - failed {
                _ if more => text::at_least(count),
                // The inbox counts those that ask.
                _ if failed == 0 => count.to_string(),
                0 => text::failed(failed),
                asking => text::asking_and_failed(asking, failed),
            }
        })
    };
    let row = move |id| any_view! { <Row id shown/> };
    any_view! {
        <div>
            <h2 class="conversation-list__group">
                {heading} " " <span class="count">{varying(count)}</span>
            </h2>
            <ul class="conversation-list__rows">
                <Each keys=ids draw=Callback::new(row)/>
            </ul>
        </div>
    }
}
