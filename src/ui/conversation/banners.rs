//! What stands above the timeline: how the line to the backend is, and its last word.

use crate::{
    api::{RetryLine, StartConversation, Steer},
    backend::{LineState, Runtime},
    conversation::{Notice, Remedy, Tone},
    store::{link, use_conversation},
    ui::{parts::ErrorNote, shell::ServerForm},
};
use leptos::prelude::*;

/// The banners that are called for.
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

/// The word of a tone in class names.
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

/// What is to be said of runtime and line; nothing while all is well.
#[component]
fn LineBanner(runtime: Runtime, line: LineState) -> impl IntoView {
    match (runtime, line) {
        (_, LineState::Refused { why, code }) => {
            let code = if code.is_empty() {
                code
            } else {
                format!(" ({code})")
            };
            view! {
                <Banner tone=Tone::Bad text=format!("The backend refuses the connection: {why}{code}")>
                    <RetryButton label="Try again" />
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
            let when = match retry_in {
                0 => "now".to_owned(),
                seconds => format!("in {seconds} s"),
            };
            view! {
                <Banner
                    tone=Tone::Warning
                    text=format!("The line to the backend is lost: {why} Attempt {attempt}, next {when}.")
                >
                    <RetryButton label="Retry now" />
                </Banner>
            }
            .into_any()
        }
        (Runtime::Starting, _) => view! {
            <Banner tone=Tone::Info text="The runtime is being started…">
                ""
            </Banner>
        }
        .into_any(),
        (Runtime::Stopped, _) => view! {
            <Banner tone=Tone::Info text="The runtime is down. The history is all here.">
                <StartButton label="Start" />
            </Banner>
        }
        .into_any(),
        (Runtime::Error, _) => view! {
            <Banner tone=Tone::Bad text="The runtime has failed.">
                <StartButton label="Start again" />
            </Banner>
        }
        .into_any(),
        (Runtime::Running, LineState::Connecting) => view! {
            <Banner tone=Tone::Info text="Connecting to the backend…">
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
        Some(Remedy::Settings) => view! {
            <a class="button button--small" href=link("settings")>
                "Settings"
            </a>
        }
        .into_any(),
        Some(Remedy::Retry) => view! { <AgainButton /> }.into_any(),
        Some(Remedy::Nothing | Remedy::StartAgain) | None => ().into_any(),
    };
    view! {
        <Banner tone=notice.tone text=notice.text>
            {helps}
        </Banner>
    }
}

/// Lets the agent go on where it failed.
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
                "Try again"
            </button>
        </ServerForm>
        {move || error().map(|error| view! { <ErrorNote error /> })}
    }
    .into_any()
}

#[component]
fn Gone() -> impl IntoView {
    view! {
        <Banner tone=Tone::Warning text="This conversation was deleted.">
            <a class="button button--small" href=link("")>
                "All conversations"
            </a>
        </Banner>
    }
    .into_any()
}
