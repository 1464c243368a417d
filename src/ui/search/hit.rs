//! The timeline around a hit, and the way to the hits before and after it.

use super::{page::asked, results::address_of, text};
use crate::{
    api::{ApiError, RowsView, SearchAsk, WalkView, older_rows, walk_hits},
    store::{Rows, fetched, link, use_conversation, use_query},
    ui::{
        parts::{Answered, copy_code, use_toasts},
        timeline,
    },
};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{ScrollIntoViewOptions, ScrollLogicalPosition};

/// Rows that are shown: the hit, some behind it, the others before it.
const ROWS: u32 = 40;

/// The place of a hit in the URL: `seq.row`, and `.p` behind it where only a longer word was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct At {
    seq: i64,
    row: i64,
    longer: bool,
}

impl At {
    fn of(text: &str) -> Option<Self> {
        let longer = text.strip_suffix(".p");
        let (seq, row) = longer.unwrap_or(text).split_once('.')?;
        Some(Self {
            seq: seq.parse().ok()?,
            row: row.parse().ok()?,
            longer: longer.is_some(),
        })
    }
}

/// The rows around the hit that the URL names. They are static; live updates appear only at the newest end.
#[component]
pub fn HitPage() -> impl IntoView {
    let store = use_conversation();
    let query = use_query();
    let ask = asked();
    let at = Memo::new(move |_| {
        let hit = query.with(|query| query.get("hit"));
        hit.and_then(|hit| At::of(&hit)).unwrap_or_default()
    });
    let page = fetched(
        move || (store.id(), at.get(), ask.get()),
        |(id, at, ask)| around(id, at, ask),
    );
    let toasts = use_toasts();
    any_view! {
        <section class="timeline timeline--found" tabindex="0" role="region" aria-label=text::around()>
            <div class="timeline__rows" on:click=move |event| copy_code(&event, toasts)>
                <Answered answers=page waiting=text::loading_hit() draw=move |(walk, page)| {
                    let (at, ask) = (at.get_untracked(), ask.get_untracked());
                    // These rows never change, so the view needs no subscriptions.
                    untrack(|| any_view! { <Around walk page at ask /> })
                } />
            </div>
        </section>
    }
}

async fn around(id: String, at: At, ask: SearchAsk) -> Result<(WalkView, RowsView), ApiError> {
    let walk = walk_hits(id.clone(), at.seq, at.longer, ask).await?;
    let page = older_rows(id, walk.end, None, ROWS).await?;
    Ok((walk, page))
}

#[component]
fn Around(walk: WalkView, page: RowsView, at: At, ask: SearchAsk) -> impl IntoView {
    let id = use_conversation().id();
    // A search in this conversation goes back to its page, all others to theirs.
    let back = match ask.conversation == id {
        true => link(&format!("c/{id}")),
        false => link("search"),
    };
    let back = format!("{back}{}", ask.query());
    let way = |to: Option<(String, i64, i64)>, label: &'static str| {
        to.map(|(conversation, seq, row)| {
            let address = address_of((conversation.as_str(), seq, row), at.longer, &ask);
            view! {
                <a class="button button--small" href=address>
                    {label}
                </a>
            }
        })
    };
    let (newer, older) = (
        way(walk.newer, text::previous()),
        way(walk.older, text::next()),
    );
    let rows = Rows::new(page.rows, page.older);
    let cards = timeline::static_rows(rows, at.row);
    Effect::new(move |_| show(at.row));
    any_view! {
        <nav class="cluster timeline__walk" aria-label=text::hits()>
            <a class="button button--small button--quiet" href=back>
                {text::back()}
            </a>
            {newer}
            {older}
            {walk.late.then(|| view! { <span class="muted">{text::walk_late()}</span> })}
        </nav>
        {cards}
        <p class="timeline__end cluster">
            <span class="muted">{timeline::text::earlier()}</span>
            <a class="button button--small" href="?">
                {timeline::text::newest()}
            </a>
        </p>
    }
}

/// Scrolls to a row and puts the focus on it; browser only.
fn show(row: i64) {
    request_animation_frame(move || {
        let Some(element) = document().get_element_by_id(&format!("row-{row}")) else {
            return;
        };
        let options = ScrollIntoViewOptions::new();
        options.set_block(ScrollLogicalPosition::Center);
        element.scroll_into_view_with_scroll_into_view_options(&options);
        // Of the hit before, whose row may be the same element.
        if let Ok(Some(former)) = document().query_selector("[data-hit]") {
            let _ = former.remove_attribute("data-hit");
        }
        // Only a malformed name fails.
        let _ = element.set_attribute("data-hit", "true");
        let _ = element.set_attribute("tabindex", "-1");
        if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
            let _ = element.focus();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_hit_is_read_from_the_address() {
        let at = |seq, row, longer| Some(At { seq, row, longer });
        assert_eq!(At::of("12.3"), at(12, 3, false));
        assert_eq!(At::of("12.3.p"), at(12, 3, true));
        for text in ["", "12", "x.1", "1.x"] {
            assert_eq!(At::of(text), None, "{text}");
        }
    }
}
