//! Banners above the timeline: the state of the connection to the backend, and its last notice.

use super::text;
use crate::{
    api::{RetryLine, StartConversation, Steer},
    backend::{LineState, Runtime},
    conversation::{Notice, Remedy, Tone},
    people::Right,
    store::{link, may, use_conversation},
    ui::{
        parts::{self, ErrorNote},
        shell::ServerForm,
    },
};
use leptos::prelude::*;

/// The banners that apply now.
#[component]
pub(super) fn Banners() -> impl IntoView {
    let store = use_conversation();
    let state = store.of_session(|session| (session.runtime, session.line.clone()));
    let notice = store.of_session(|session| session.notice.clone());
    view! {
        <div class="conversation__banner" role="status">
            {move || store.gone.get().then(|| view! { <Gone /> })}
            {move || store.trouble.get().map(|error| view! { <ErrorNote error /> })}
            {move || {
                let (runtime, line) = state.get();
                view! { <LineBanner runtime line /> }
            }}
            {move || notice.get().map(|notice| view! { <NoticeBanner notice /> })}
        </div>
    }
    .into_any()
}

/// The class name suffix of a tone.
pub(super) fn tone_word(tone: Tone) -> &'static str {
    match tone {
        Tone::Info => "info",
        Tone::Good => "good",
        Tone::Warning => "warning",
        Tone::Bad => "bad",
    }
}

#[component]
fn Banner(tone: Tone, #[prop(into)] text: String, children: Children) -> impl IntoView {
    view! {
        <div class=format!("banner banner--{}", tone_word(tone))>
            <span class="banner__text">{text}</span>
            {children()}
        </div>
    }
    .into_any()
}

/// The banner about the sandbox or the connection; nothing while both are fine.
#[component]
fn LineBanner(runtime: Runtime, line: LineState) -> impl IntoView {
    match (runtime, line) {
        (_, LineState::Refused { why, code }) => {
            let message = if code.is_empty() {
                text::refused(why)
            } else {
                text::refused_with_code(why, code)
            };
            view! {
                <Banner tone=Tone::Bad text=message>
                    <RetryButton label=text::retry() />
                </Banner>
            }
            .into_any()
        }
        (
            _,
            LineState::Reconnecting {
                attempt,
                why,
                retry_in,
            },
        ) => {
            let message = match retry_in {
                0 => text::disconnected(why, attempt),
                seconds => text::disconnected_for(why, attempt, seconds),
            };
            view! {
                <Banner tone=Tone::Warning text=message>
                    <RetryButton label=parts::text::retry_now() />
                </Banner>
            }
            .into_any()
        }
        (Runtime::Starting, _) => view! {
            <Banner tone=Tone::Info text=parts::text::sandbox_starting()>
                ""
            </Banner>
        }
        .into_any(),
        (Runtime::Stopped, _) => view! {
            <Banner tone=Tone::Info text=text::sandbox_stopped()>
                <StartButton label=text::start() />
            </Banner>
        }
        .into_any(),
        (Runtime::Error, _) => view! {
            <Banner tone=Tone::Bad text=text::sandbox_failed()>
                <StartButton label=text::start_again() />
            </Banner>
        }
        .into_any(),
        (Runtime::Running, LineState::Connecting) => view! {
            <Banner tone=Tone::Info text=text::connecting()>
                ""
            </Banner>
        }
        .into_any(),
        (Runtime::Running, LineState::Live | LineState::Idle) => ().into_any(),
    }
}

#[component]
fn RetryButton(label: &'static str) -> impl IntoView {
    let retry = ServerAction::<RetryLine>::new();
    let error = move || retry.value().get().and_then(Result::err);
    view! {
        <ServerForm action=retry>
            <input type="hidden" name="id" value=use_conversation().id() />
            <button class="button button--small" aria-busy=move || retry.pending().get().then_some("true")>
                {label}
            </button>
        </ServerForm>
        {move || error().map(|error| view! { <ErrorNote error /> })}
    }
    .into_any()
}

#[component]
fn StartButton(label: &'static str) -> impl IntoView {
    let start = ServerAction::<StartConversation>::new();
    let error = move || start.value().get().and_then(Result::err);
    view! {
        <ServerForm action=start>
            <input type="hidden" name="id" value=use_conversation().id() />
            <button class="button button--small" aria-busy=move || start.pending().get().then_some("true")>
                {label}
            </button>
        </ServerForm>
        {move || error().map(|error| view! { <ErrorNote error /> })}
    }
    .into_any()
}

#[component]
fn NoticeBanner(notice: Notice) -> impl IntoView {
    let helps = match notice.remedy {
        Some(Remedy::Settings) if may(Right::Own) => view! {
            <a class="button button--small" href=link("settings")>
                {parts::text::settings()}
            </a>
        }
        .into_any(),
        Some(Remedy::Retry) => view! { <AgainButton /> }.into_any(),
        Some(Remedy::Settings | Remedy::Nothing | Remedy::StartAgain) | None => ().into_any(),
    };
    view! {
        <Banner tone=notice.tone text=notice.text>
            {helps}
        </Banner>
    }
}

/// Resumes the agent after an error.
#[component]
fn AgainButton() -> impl IntoView {
    let steer = ServerAction::<Steer>::new();
    let error = move || steer.value().get().and_then(Result::err);
    view! {
        <ServerForm action=steer>
            <input type="hidden" name="id" value=use_conversation().id() />
            <button
                class="button button--small"
                name="order"
                value="resume"
                aria-busy=move || steer.pending().get().then_some("true")
            >
                {text::retry()}
            </button>
        </ServerForm>
        {move || error().map(|error| view! { <ErrorNote error /> })}
    }
    .into_any()
}

#[component]
fn Gone() -> impl IntoView {
    view! {
        <Banner tone=Tone::Warning text=text::deleted()>
            <a class="button button--small" href=link("")>
                {parts::text::all_conversations()}
            </a>
        </Banner>
    }
    .into_any()
}
