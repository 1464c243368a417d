//! The outline of a conversation: the messages that people wrote, each a link into the timeline.

use super::address::panel_address;
use super::entry::scrolls_to;
use super::family::place;
use super::panel::Frame;
use super::text;
use crate::api::{OutlineEntry, OutlineView, read_outline};
use crate::store::{fetched, use_conversation, use_query};
use crate::ui::parts::{self, Answered, EmptyState, Time};
use crate::ui::timeline::{row_address, who_of};
use leptos::prelude::*;

/// The outline, a page at a time.
#[component]
pub fn OutlinePanel() -> impl IntoView {
    let store = use_conversation();
    let query = use_query();
    let until = Memo::new(move |_| query.with(|query| place(query.get_str("until")?)));
    let page = fetched(
        move || (store.id(), until.get()),
        |(id, until)| read_outline(id, until),
    );
    view! {
        <Frame title=text::outline()>
            <Answered answers=page waiting=parts::text::loading() draw=move |page| {
                outline(page, until.get_untracked().is_none())
            }/>
        </Frame>
    }
}

fn outline(page: OutlineView, newest: bool) -> AnyView {
    let empty = page.entries.is_empty() && page.older.is_none() && newest;
    let older = page.older.map(|(pos, row)| {
        let address = panel_address("outline", &[("until", &format!("{pos}.{row}"))]);
        view! {
            <a class="button" href=address>
                {parts::text::older()}
            </a>
        }
    });
    let newest = (!newest).then(|| {
        view! {
            <a class="button" href=panel_address("outline", &[])>
                {text::newest()}
            </a>
        }
    });
    let lines = page.entries.into_iter().map(line);
    any_view! {
        {older}
        {empty.then(|| view! { <EmptyState title=text::no_outline() text=text::no_outline_hint()/> })}
        <ol class="results">{lines.collect_view()}</ol>
        {newest}
    }
}

fn line(line: OutlineEntry) -> impl IntoView {
    let title = match line.text.is_empty() {
        true => text::without_text().to_owned(),
        false => line.text,
    };
    let (pos, row) = (line.pos, line.row);
    view! {
        <li class="result">
            <a class="result__link" href=row_address(pos, row) on:click=scrolls_to(pos, row)>
                <span class="result__title">{title}</span>
                <span class="result__meta muted">
                    {who_of(line.by.as_deref())} " · " <Time at=line.at relative=true/>
                </span>
            </a>
        </li>
    }
}
