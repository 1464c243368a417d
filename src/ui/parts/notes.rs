//! Placeholders for content: empty, loading, failed.

use super::{text, varying};
use crate::api::{ApiError, ApiErrorKind};
use crate::conversation::Tone;
use leptos::prelude::*;

/// An empty state: what is missing, why, and what to do about it.
#[component]
pub fn EmptyState(
    #[prop(into)] title: String,
    #[prop(into)] text: String,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    view! {
        <div class="empty">
            <p class="empty__title">{title}</p>
            <p class="empty__text">{text}</p>
            {children.map(|children| children())}
        </div>
    }
}

/// A bar across a page, with what can be done about it.
#[component]
pub fn Banner(
    tone: Tone,
    #[prop(into)] text: String,
    /// Whether a screen reader says it when it comes.
    #[prop(optional)]
    said: bool,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    any_view! {
        <div class=format!("banner banner--{}", tone.word()) role=said.then_some("status")>
            <span class="banner__text">{text}</span>
            {children.map(|children| children())}
        </div>
    }
}

/// An error, in the words of the server.
#[component]
pub fn ErrorNote(error: ApiError) -> impl IntoView {
    let (class, title) = match error.kind {
        ApiErrorKind::Invalid => ("notice notice--warning", text::invalid()),
        ApiErrorKind::NotFound => ("notice notice--warning", text::not_found()),
        ApiErrorKind::Conflict => ("notice notice--warning", text::conflict()),
        ApiErrorKind::BackendAway => ("notice notice--bad", text::backend_away()),
        ApiErrorKind::BackendRefuses => ("notice notice--bad", text::backend_refuses()),
        ApiErrorKind::Indeterminate => ("notice notice--warning", text::indeterminate()),
        ApiErrorKind::SignedOut => ("notice notice--warning", text::signed_out()),
        ApiErrorKind::Forbidden => ("notice notice--warning", text::not_allowed()),
        ApiErrorKind::Connection => ("notice notice--bad", text::no_connection()),
        ApiErrorKind::Full => ("notice notice--bad", text::full()),
        ApiErrorKind::Away => ("notice notice--bad", text::away()),
        ApiErrorKind::Internal => ("notice notice--bad", text::internal()),
    };
    view! {
        <div class=class role="alert">
            <strong class="notice__title">{title}</strong>
            <p class="notice__text">{error.text}</p>
        </div>
    }
}

/// The title, or a placeholder.
pub fn title_or_default(title: &str) -> String {
    if title.trim().is_empty() {
        text::untitled().to_owned()
    } else {
        title.to_owned()
    }
}

/// A loading state; the text says what is loading.
#[component]
pub fn Loading(#[prop(into)] text: Signal<String>) -> impl IntoView {
    view! {
        <div class="stack" role="status">
            <p class="muted">{varying(move || text.get())}</p>
            <div class="skeleton" aria-hidden="true"></div>
            <div class="skeleton skeleton--block" aria-hidden="true"></div>
        </div>
    }
}
