//! Errors, banners, toasts and placeholders.

use super::group;
use crate::{
    api::{ApiError, ApiErrorKind},
    ui::parts::{EmptyState, ErrorNote, Loading},
};
use leptos::prelude::*;

const TONES: [&str; 4] = ["info", "good", "warning", "bad"];

/// An error of each kind.
pub(super) fn notes() -> AnyView {
    let kinds = [
        ApiErrorKind::Invalid,
        ApiErrorKind::NotFound,
        ApiErrorKind::Conflict,
        ApiErrorKind::BackendAway,
        ApiErrorKind::BackendRefuses,
        ApiErrorKind::Indeterminate,
        ApiErrorKind::SignedOut,
        ApiErrorKind::Forbidden,
        ApiErrorKind::Connection,
        ApiErrorKind::Full,
        ApiErrorKind::Away,
        ApiErrorKind::Internal,
    ];
    let notes = kinds.into_iter().map(|kind| {
        let error = ApiError::new(kind, "What happened, and what to do next.");
        view! { <ErrorNote error /> }
    });
    group("Errors", notes.collect_view())
}

/// A banner of each tone.
pub(super) fn banners() -> AnyView {
    let banners = TONES.into_iter().map(|tone| {
        view! {
            <div class=format!("banner banner--{tone}")>
                <span class="banner__text">{format!("A banner ({tone}) says what is so now")}</span>
                <button type="button" class="button button--small">
                    "Retry"
                </button>
            </div>
        }
    });
    group("Banners", banners.collect_view())
}

/// A toast of each tone; the first has a link.
pub(super) fn toasts() -> AnyView {
    let toasts = TONES.into_iter().map(|tone| {
        let link = (tone == "info").then(|| {
            view! {
                " · "
                <a href="?">"Open inbox"</a>
            }
        });
        view! { <div class=format!("toast toast--{tone}")>"Copied" {link}</div> }
    });
    group("Toasts", toasts.collect_view())
}

/// Placeholders for empty and loading content.
pub(super) fn placeholders() -> AnyView {
    let specimens = view! {
        <EmptyState title="No conversations yet" text="Describe a task to start an agent.">
            <a class="button button--primary" href="?">
                "Start"
            </a>
        </EmptyState>
        <Loading text="Loading conversations…" />
        <div class="save-bar" data-unsaved="">
            <p class="save-bar__state">"Unsaved changes"</p>
            <button type="button" class="button button--primary">
                "Save"
            </button>
        </div>
    };
    group("Placeholders", specimens)
}
