//! What stands where something else should be: nothing yet, on its way, gone wrong.

use crate::api::{ApiError, ApiErrorKind};
use leptos::prelude::*;

/// Nothing is there, why, and what to do about it.
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

/// What did not work, in the words of the server.
#[component]
pub fn ErrorNote(error: ApiError) -> impl IntoView {
    let (class, title) = match error.kind {
        ApiErrorKind::Invalid => ("notice notice--warning", "Not accepted"),
        ApiErrorKind::NotFound => ("notice notice--warning", "Not there"),
        ApiErrorKind::Conflict => ("notice notice--warning", "It has changed meanwhile"),
        ApiErrorKind::BackendAway => ("notice notice--bad", "The backend does not answer"),
        ApiErrorKind::BackendRefuses => ("notice notice--bad", "The backend refused"),
        ApiErrorKind::Indeterminate => ("notice notice--warning", "Not sure whether it was done"),
        ApiErrorKind::SignedOut => ("notice notice--warning", "Not logged in"),
        ApiErrorKind::Forbidden => ("notice notice--warning", "Not allowed"),
        ApiErrorKind::Connection => ("notice notice--bad", "No connection to Handrail"),
        ApiErrorKind::Internal => ("notice notice--bad", "Something went wrong"),
    };
    view! {
        <div class=class role="alert">
            <strong class="notice__title">{title}</strong>
            <p class="notice__text">{error.text}</p>
        </div>
    }
}

/// Something is on its way; the words say what is waited for.
#[component]
pub fn Loading(#[prop(into)] text: Signal<String>) -> impl IntoView {
    view! {
        <div class="stack" role="status">
            <p class="muted">{move || text.get()}</p>
            <div class="skeleton" aria-hidden="true"></div>
            <div class="skeleton skeleton--block" aria-hidden="true"></div>
        </div>
    }
}
