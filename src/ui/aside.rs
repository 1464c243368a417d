//! What is not on the first screen: its code is a file of its own, loaded when it is first wanted.
//!
//! The server draws all of it at once. A page that arrives with such a part in it waits for the file
//! before it is made alive (`ready`); without the file it stays as plain HTML, which works too.

use crate::{
    api::{ApiError, ApiErrorKind},
    store::RowKey,
    ui::{
        doors::{LinkPage, LogInPage, NotAllowedPage, SetUpPage},
        inbox::InboxPage,
        new::NewPage,
        panels::panel,
        parts::{ErrorNote, Loading},
        people::{AccountPage, AuditPage, PeoplePage, SharingPage},
        settings::{ConnectionPage, SettingsPage},
        timeline::{Found, Past},
    },
};
use leptos::{
    prelude::*,
    task::spawn_local,
    wasm_split::{SplitLoaderError, wasm_split},
};
use std::{
    pin::pin,
    sync::atomic::{AtomicBool, Ordering},
    task::{Context, Poll, Waker},
};

/// A part that is not on the first screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Aside {
    /// A view beside the timeline, by its word in the address.
    Panel(&'static str),
    /// The timeline before a row.
    Past(RowKey),
    /// The rows that hold a text.
    Found(String),
    /// `/new`.
    New,
    /// `/c/:id/sharing`.
    Sharing,
    /// `/settings`.
    Settings,
    /// `/settings/connection`.
    Connection,
    /// `/inbox`.
    Inbox,
    /// `/account`.
    Account,
    /// `/people`.
    People,
    /// `/audit`.
    Audit,
    /// `/login`.
    LogIn,
    /// `/set-up`.
    SetUp,
    /// `/link`.
    Link,
    /// `/not-allowed`.
    NotAllowed,
}

/// The split point: everything that only this function reaches is in the file.
#[wasm_split(aside, wasm_split_path = leptos::wasm_split, preload(load), fallible)]
fn draw(aside: Aside) -> Result<AnyView, SplitLoaderError> {
    Ok(match aside {
        Aside::Panel(name) => panel(name),
        Aside::Past(before) => view! { <Past before /> }.into_any(),
        Aside::Found(text) => view! { <Found text /> }.into_any(),
        Aside::New => view! { <NewPage /> }.into_any(),
        Aside::Sharing => view! { <SharingPage /> }.into_any(),
        Aside::Settings => view! { <SettingsPage /> }.into_any(),
        Aside::Connection => view! { <ConnectionPage /> }.into_any(),
        Aside::Inbox => view! { <InboxPage /> }.into_any(),
        Aside::Account => view! { <AccountPage /> }.into_any(),
        Aside::People => view! { <PeoplePage /> }.into_any(),
        Aside::Audit => view! { <AuditPage /> }.into_any(),
        Aside::LogIn => view! { <LogInPage /> }.into_any(),
        Aside::SetUp => view! { <SetUpPage /> }.into_any(),
        Aside::Link => view! { <LinkPage /> }.into_any(),
        Aside::NotAllowed => view! { <NotAllowedPage /> }.into_any(),
    })
}

/// The file is here. On the server it always is.
static HERE: AtomicBool = AtomicBool::new(cfg!(feature = "ssr"));

/// How the file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum File {
    Here,
    Wanted,
    Lost,
}

/// Waits for the file if the page that the server sent has a part of it. `false`: it did not come.
#[cfg(feature = "hydrate")]
pub async fn ready() -> bool {
    let location = window().location();
    let path = location.pathname().unwrap_or_default();
    let query = location.search().unwrap_or_default();
    // The list, or a conversation with nothing beside it.
    let conversation = path.contains("/c/") && !path.ends_with("/sharing");
    let first_screen = query.is_empty() && (path.ends_with('/') || conversation);
    first_screen || fetch().await
}

async fn fetch() -> bool {
    let here = load().await.is_ok();
    HERE.fetch_or(here, Ordering::Relaxed);
    here
}

/// A part, as soon as its code is here.
pub fn later(aside: Aside) -> impl IntoView {
    let here = HERE.load(Ordering::Relaxed);
    let file = RwSignal::new(if here { File::Here } else { File::Wanted });
    if !here {
        spawn_local(async move {
            let state = if fetch().await {
                File::Here
            } else {
                File::Lost
            };
            // The page may be gone by now.
            file.try_set(state);
        });
    }
    move || match file.get() {
        File::Here => at_once(draw(aside.clone())),
        File::Wanted => view! { <Loading text="Loading…" /> }.into_any(),
        File::Lost => lost(),
    }
}

/// The answer of a function whose code is here: it does not wait.
fn at_once(drawn: impl Future<Output = Result<AnyView, SplitLoaderError>>) -> AnyView {
    match pin!(drawn).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok(view)) => view,
        Poll::Ready(Err(_)) | Poll::Pending => lost(),
    }
}

fn lost() -> AnyView {
    let error = ApiError::new(
        ApiErrorKind::Connection,
        "This part of the page could not be loaded. Load the page again.",
    );
    view! { <ErrorNote error /> }.into_any()
}
