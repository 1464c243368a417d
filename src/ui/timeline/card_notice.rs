//! A notice, warning or error.

use super::block::{BlockView, tone_word};
use crate::{
    conversation::Remedy,
    people::Right,
    render::NoticeView,
    store::{link, may},
    ui::parts,
};
use leptos::prelude::*;

/// A notice.
#[component]
pub(super) fn NoticeCard(id: i64, notice: NoticeView) -> impl IntoView {
    let text = (!notice.html.is_empty())
        .then(|| view! { <div class="notice__text prose" inner_html=notice.html></div> });
    let blocks = notice
        .blocks
        .into_iter()
        .map(|block| view! { <BlockView block row=Some(id) /> });
    let settings = (notice.remedy == Some(Remedy::Settings) && may(Right::Own)).then(|| {
        view! {
            <a class="button button--small notice__remedy" href=link("settings")>
                {parts::text::settings()}
            </a>
        }
    });
    view! {
        <div class=format!("notice notice--{}", tone_word(notice.tone))>
            <strong class="notice__title">{notice.title}</strong>
            {text}
            {blocks.collect_view()}
            {settings}
        </div>
    }
}
