//! A notice, warning or error.

use super::{block::BlockView, text};
use crate::{
    api::Steer,
    conversation::{Remedy, Status},
    people::Right,
    render::NoticeView,
    store::{Call, link, may, use_conversation},
    ui::{
        parts::{self, varying},
        shell::CallButton,
    },
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
    let settings = notice.remedy == Some(Remedy::Settings);
    let remedies = (settings || notice.remedy == Some(Remedy::Retry))
        .then(|| view! { <Remedies id settings /> });
    view! {
        <div class=format!("notice notice--{}", notice.tone.word())>
            <strong class="notice__title">{notice.title}</strong>
            {text}
            {blocks.collect_view()}
            {remedies}
        </div>
    }
}

/// What a person can do about a failure. It is said, and Retry is offered, while it is the newest row and the agent has failed.
#[component]
fn Remedies(id: i64, settings: bool) -> impl IntoView {
    let is_first = !(settings && may(Right::Own));
    let advice = settings.then(|| match is_first {
        true => text::ask_for_settings(),
        false => text::check_settings(),
    });
    let advice = advice.map(|advice| move || view! { <p class="notice__text">{advice}</p> });
    let settings = (!is_first).then(|| {
        view! {
            <a class="button button--small button--primary" href=link("settings")>
                {parts::text::settings()}
            </a>
        }
    });
    let store = use_conversation();
    let failed = store.of_session(|session| session.status == Status::Error);
    let is_open = Memo::new(move |_| {
        store.timeline.track();
        let is_newest = store
            .timeline
            .newest()
            .is_some_and(|newest| newest.id == id);
        is_newest && failed.get()
    });
    let operates = store.may(Right::Operate);
    let retries =
        move || (is_open.get() && operates.get()).then(|| view! { <RetryButton is_first /> });
    any_view! {
        {advice.map(|advice| varying(move || is_open.get().then(advice)))}
        <div class="cluster notice__remedy">
            {settings}{varying(retries)}
        </div>
    }
}

/// Resumes the agent after a failure.
#[component]
fn RetryButton(
    /// Whether it is what to do first.
    is_first: bool,
) -> impl IntoView {
    let class = match is_first {
        true => "button button--small button--primary",
        false => "button button--small",
    };
    let action = Call::of::<Steer>();
    let order = ("order", "resume".to_owned());
    let fields = vec![("id", use_conversation().id()), order];
    view! { <CallButton action fields label=text::retry() class says=true /> }
}
