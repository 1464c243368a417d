//! The agent's browser: a strip of screenshots with their addresses, and one of them enlarged.

use super::address::panel_address;
use super::entry::{RowLink, Shown};
use super::family::{Family, Rows};
use super::panel::Frame;
use super::text;
use crate::conversation::Kind;
use crate::render::{Block, RowView};
use crate::store::use_query;
use crate::ui::parts::{Icon, Time, varying};
use crate::ui::timeline::BlockView;
use leptos::prelude::*;

const VISITS: Family = Family {
    kind: Kind::Browser,
    panel: "browser",
    empty: (text::no_pages, text::no_pages_hint),
};

/// The pages that the agent has visited.
#[component]
pub fn BrowserPanel() -> impl IntoView {
    view! {
        <Frame title=text::browser()>
            <Rows family=VISITS show=film/>
        </Frame>
    }
}

fn film(rows: Memo<Vec<RowView>>) -> AnyView {
    let query = use_query();
    let visits =
        Memo::new(move |_| rows.with(|rows| rows.iter().map(|row| row.id).collect::<Vec<_>>()));
    // Without a selection, the newest screenshot, which follows new ones.
    let chosen = Memo::new(move |_| {
        let asked =
            query.with(|query| query.get_str("visit").and_then(|id| id.parse::<i64>().ok()));
        visits.with(|all| asked.filter(|id| all.contains(id)).or(all.last().copied()))
    });
    let large = Memo::new(move |_| {
        rows.with(|rows| {
            rows.iter()
                .find(|row| Some(row.id) == chosen.get())
                .cloned()
        })
    });
    any_view! {
        {varying(move || large.get().and_then(Shown::of).map(|shown| view! { <Large shown/> }))}
        <ol class="filmstrip">
            <For
                each=move || rows.get().into_iter().filter_map(Shown::of)
                key=|shown| (shown.row.id, shown.row.seq)
                let(shown)
            >
                <Still shown chosen/>
            </For>
        </ol>
    }
}

/// A thumbnail of the strip.
#[component]
fn Still(shown: Shown, chosen: Memo<Option<i64>>) -> impl IntoView {
    let id = shown.row.id;
    let picture = picture(&shown.step.blocks);
    let address = address(&shown);
    view! {
        <li>
            <a
                class="filmstrip__frame"
                href=panel_address("browser", &[("visit", &id.to_string())])
                data-noscroll=""
                aria-current=move || (chosen.get() == Some(id)).then_some("true")
            >
                {match picture {
                    Some((src, alt)) => any_view! { <img src=src alt=alt loading="lazy"/> },
                    None => any_view! { <Icon name="globe"/> },
                }}
                <span class="truncate">{address}</span>
            </a>
        </li>
    }
}

#[component]
fn Large(shown: Shown) -> impl IntoView {
    let (id, at) = (shown.row.id, shown.row.at);
    let (address, outcome) = (address(&shown), shown.outcome());
    let (pictures, others): (Vec<_>, Vec<_>) = shown
        .step
        .blocks
        .iter()
        .cloned()
        .partition(|block| matches!(block, Block::Image { .. }));
    let show = move |blocks: Vec<Block>| {
        blocks
            .into_iter()
            .map(|block| view! { <BlockView block row=Some(id)/> })
            .collect_view()
    };
    any_view! {
        <div class="stack">
            <p class="mono">{address}</p>
            <p class="cluster muted">
                <RowLink shown class="mono"/>
                <span>{outcome}</span>
                <Time at/>
            </p>
            {show(pictures)}
            {show(others)}
        </div>
    }
}

fn picture(blocks: &[Block]) -> Option<(String, String)> {
    blocks.iter().find_map(|block| match block {
        Block::Image { src, alt, .. } => Some((src.clone(), alt.clone())),
        _ => None,
    })
}

/// The address of the visited page, or the action where the screenshot names no page.
fn address(shown: &Shown) -> String {
    let caption = shown.step.blocks.iter().find_map(|block| match block {
        Block::Image { caption, .. } if !caption.is_empty() => Some(caption.clone()),
        _ => None,
    });
    caption.unwrap_or_else(|| shown.step.subject.clone())
}
