//! A message card.

use super::{address::RowLink, card_chips::ChipsCard, more::MoreLink, quote::QuoteButton, text};
use crate::{
    conversation::Actor,
    render::{Html, MessageView},
    store::{RowKey, me},
    ui::parts::{CopyButton, Time},
};
use leptos::prelude::*;

/// A message.
#[component]
pub(super) fn MessageCard(
    key: RowKey,
    at: i64,
    from: Actor,
    by: Option<String>,
    message: MessageView,
) -> impl IntoView {
    let who = match from {
        Actor::Human => who_of(by.as_deref()),
        Actor::Agent => text::agent().to_owned(),
        Actor::Environment => text::environment().to_owned(),
        Actor::Hook => text::hook().to_owned(),
    };
    let MessageView {
        html,
        text: source,
        images,
        files,
        reasoning,
        recall,
        cut,
    } = message;
    let recall = (!recall.is_empty()).then(|| view! { <ChipsCard chips=recall /> });
    let initial = (from == Actor::Human).then(|| who.chars().take(1).collect::<String>());
    let copy = (!source.is_empty()).then(|| {
        view! {
            <CopyButton text=source.clone() class="button button--quiet button--small" />
            <QuoteButton source />
        }
    });
    let body =
        (!html.is_empty()).then(|| view! { <div class="row__text prose" inner_html=html></div> });
    any_view! {
        <header class="row__head">
            <span class="row__who" data-initial=initial>
                {who}
            </span>
            <Time at class="row__time number" />
            {copy}
            <RowLink key />
        </header>
        <Reasoning html=reasoning />
        {body}
        <Images images />
        <Files files />
        {recall}
        <MoreLink row=cut.then_some(key.id) class="button button--small row__more" />
    }
}

/// The class of a message of this person: their own, or that of somebody else.
pub fn class_of(by: Option<&str>) -> &'static str {
    match who_of(by) == text::you() {
        true => "row row--human row--own",
        false => "row row--human",
    }
}

/// The author of a message: "you", a name, or a generic word if the author is unknown.
pub fn who_of(by: Option<&str>) -> String {
    let me = me().name;
    match by.filter(|by| !by.is_empty()) {
        Some(by) if by != me => by.to_owned(),
        None if !me.is_empty() => text::person().to_owned(),
        _ => text::you().to_owned(),
    }
}

/// The model's reasoning, collapsed.
#[component]
pub(super) fn Reasoning(html: Html) -> impl IntoView {
    (!html.is_empty()).then(|| {
        view! {
            <details class="reasoning">
                <summary>{text::reasoning()}</summary>
                <div class="prose" inner_html=html></div>
            </details>
        }
    })
}

#[component]
fn Images(images: Vec<String>) -> impl IntoView {
    (!images.is_empty()).then(|| {
        let images = (1..).zip(images).map(|(number, src)| {
            let address = src.clone();
            view! {
                <li>
                    <a href=address target="_blank" rel="noopener">
                        <img class="images__image" src=src alt=text::attached_image(number) loading="lazy" />
                    </a>
                </li>
            }
        });
        view! { <ul class="images">{images.collect_view()}</ul> }
    })
}

#[component]
fn Files(files: Vec<String>) -> impl IntoView {
    (!files.is_empty()).then(|| {
        let files = files
            .into_iter()
            .map(|file| view! { <li class="chip mono">{file}</li> });
        view! {
            <ul class="chips" aria-label=text::attached_files()>
                {files.collect_view()}
            </ul>
        }
    })
}
