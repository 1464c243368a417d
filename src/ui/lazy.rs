//! Code splitting: the parts that are not on the first screen are in a separate WASM file, loaded on first use.
//!
//! The server renders all parts. When it rendered such a part, the page loads the file before hydration (`ready`).
//! Without the file the page stays plain HTML, which works too.

use crate::{
    api::{ApiError, ApiErrorKind, ConversationSummary},
    ui::{
        auth::{
            InvitationPage, LinkPage, LogInPage, NotAllowedPage, RegisterPage, SecondFactorPage,
            SetUpPage,
        },
        composer::{Again, Names},
        conversation::{self, RenameDialog},
        exchange::{ExportPage, ImportPage},
        inbox::InboxPage,
        insight::{InsightPage, OverallPage},
        list::{ConfirmDialog, RowActions},
        new::NewPage,
        panels::panel,
        parts::{ErrorNote, Loading, text, varying},
        people::{AccountPage, AuditPage, NotificationsPage, PeoplePage, SharingPage},
        pwa::{InstallPage, OfflinePage, SharePage},
        replay::ReplayPage,
        rules::{RulePage, RulesPage},
        search::{Found, HitPage, SearchPage},
        settings::{
            ApproversPage, BudgetsPage, ConnectionPage, NodesPage, RetentionPage, SettingsPage,
        },
        shell::{Palette, ShortcutsDialog},
        timeline::{Past, PastRows},
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

/// A part of the UI that is loaded lazily.
#[derive(Debug, Clone, PartialEq)]
pub enum Lazy {
    /// A panel beside the timeline, by its name in the URL.
    Panel(&'static str),
    /// The timeline before or after a row.
    Past(Past),
    /// The last message of a person, in place of the composer.
    Again,
    /// The names of files behind an `@` in the composer.
    Names,
    /// The search in a conversation.
    Found,
    /// The timeline around a hit of a search.
    Hit,
    /// `/search`.
    Search,
    /// `/new`.
    New,
    /// `/import`.
    Import,
    /// `/c/:id/sharing`.
    Sharing,
    /// `/c/:id/insight`.
    Insight,
    /// `/insight`.
    Overall,
    /// `/c/:id/replay`.
    Replay,
    /// `/c/:id/export`.
    Export,
    /// `/settings`.
    Settings,
    /// `/settings/connection`.
    Connection,
    /// `/rules`.
    Rules,
    /// `/c/:id/rule`.
    Rule,
    /// `/settings/approvers`.
    Approvers,
    /// `/settings/budgets`.
    Budgets,
    /// `/settings/nodes`.
    Nodes,
    /// `/settings/retention`.
    Retention,
    /// `/inbox`.
    Inbox,
    /// `/account`.
    Account,
    /// `/notifications`.
    Notifications,
    /// `/people`.
    People,
    /// `/audit`.
    Audit,
    /// `/login`.
    LogIn,
    /// `/second-factor`.
    SecondFactor,
    /// `/passkey`.
    Register,
    /// `/invitation`.
    Invitation,
    /// `/set-up`.
    SetUp,
    /// `/link`.
    Link,
    /// `/not-allowed`.
    NotAllowed,
    /// `/install`.
    Install,
    /// `/share`.
    Share,
    /// `/offline`.
    Offline,
    /// The command palette, while this is true.
    Palette(RwSignal<bool>),
    /// The list of keyboard shortcuts, while this is true.
    Shortcuts(RwSignal<bool>),
    /// The dialog that renames the conversation with this title, while it is open.
    Rename(RwSignal<bool>, Memo<String>),
    /// The dialog that deletes the conversation with this title, while it is open.
    DeleteThis(RwSignal<bool>, Memo<String>),
    /// The confirmation of what is done with several, for the listed conversations and the chosen ids.
    Confirm(RwSignal<Vec<ConversationSummary>>, Memo<Vec<String>>),
    /// The menu of the conversation with this id and title in the list; whether it is archived.
    RowActions(String, Memo<String>, Memo<bool>),
}

/// The split point: code that only this function reaches goes into the separate file.
#[wasm_split(aside, wasm_split_path = leptos::wasm_split, preload(load), fallible)]
fn draw(lazy: Lazy) -> Result<AnyView, SplitLoaderError> {
    Ok(match lazy {
        Lazy::Panel(name) => panel(name),
        Lazy::Past(past) => any_view! { <PastRows past /> },
        Lazy::Again => any_view! { <Again /> },
        Lazy::Names => any_view! { <Names /> },
        Lazy::Found => any_view! { <Found /> },
        Lazy::Hit => any_view! { <HitPage /> },
        Lazy::Search => any_view! { <SearchPage /> },
        Lazy::New => any_view! { <NewPage /> },
        Lazy::Import => any_view! { <ImportPage /> },
        Lazy::Sharing => any_view! { <SharingPage /> },
        Lazy::Insight => any_view! { <InsightPage /> },
        Lazy::Overall => any_view! { <OverallPage /> },
        Lazy::Replay => any_view! { <ReplayPage /> },
        Lazy::Export => any_view! { <ExportPage /> },
        Lazy::Settings => any_view! { <SettingsPage /> },
        Lazy::Connection => any_view! { <ConnectionPage /> },
        Lazy::Rules => any_view! { <RulesPage /> },
        Lazy::Rule => any_view! { <RulePage /> },
        Lazy::Approvers => any_view! { <ApproversPage /> },
        Lazy::Budgets => any_view! { <BudgetsPage /> },
        Lazy::Nodes => any_view! { <NodesPage /> },
        Lazy::Retention => any_view! { <RetentionPage /> },
        Lazy::Inbox => any_view! { <InboxPage /> },
        Lazy::Account => any_view! { <AccountPage /> },
        Lazy::Notifications => any_view! { <NotificationsPage /> },
        Lazy::People => any_view! { <PeoplePage /> },
        Lazy::Audit => any_view! { <AuditPage /> },
        Lazy::LogIn => any_view! { <LogInPage /> },
        Lazy::SecondFactor => any_view! { <SecondFactorPage /> },
        Lazy::Register => any_view! { <RegisterPage /> },
        Lazy::Invitation => any_view! { <InvitationPage /> },
        Lazy::SetUp => any_view! { <SetUpPage /> },
        Lazy::Link => any_view! { <LinkPage /> },
        Lazy::NotAllowed => any_view! { <NotAllowedPage /> },
        Lazy::Install => any_view! { <InstallPage /> },
        Lazy::Share => any_view! { <SharePage /> },
        Lazy::Offline => any_view! { <OfflinePage /> },
        Lazy::Palette(open) => any_view! { <Palette open /> },
        Lazy::Shortcuts(open) => any_view! { <ShortcutsDialog open /> },
        Lazy::Rename(open, title) => any_view! { <RenameDialog open title /> },
        Lazy::DeleteThis(open, title) => {
            any_view! { <conversation::DeleteDialog open title /> }
        }
        Lazy::Confirm(shown, ids) => any_view! { <ConfirmDialog shown ids /> },
        Lazy::RowActions(id, title, archived) => {
            any_view! { <RowActions id title archived /> }
        }
    })
}

/// Whether the file is loaded. On the server it always is.
static HERE: AtomicBool = AtomicBool::new(cfg!(feature = "ssr"));

/// The load state of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum File {
    Here,
    Wanted,
    Lost,
}

/// Loads the file if the server rendered a part that needs it. Returns `false` if the load failed.
#[cfg(feature = "hydrate")]
pub async fn ready() -> bool {
    let location = window().location();
    let path = location.pathname().unwrap_or_default();
    let query = location.search().unwrap_or_default();
    // The first screen is the list, or a conversation without a panel.
    let conversation = path.rsplit('/').nth(1) == Some("c");
    let first_screen = query.is_empty() && (path.ends_with('/') || conversation);
    first_screen || fetch().await
}

async fn fetch() -> bool {
    let here = load().await.is_ok();
    HERE.fetch_or(here, Ordering::Relaxed);
    here
}

/// Draws a part as soon as its code is loaded.
pub fn later(lazy: Lazy) -> AnyView {
    drawn(lazy, || {
        any_view! { <Loading text=text::loading() /> }
    })
}

/// Draws a dialog from the time when it is first opened: nothing while its code is loading, and also while it is closed
/// again, so that it gives the focus back.
pub fn dialog(open: RwSignal<bool>, lazy: Lazy) -> AnyView {
    let opened = Memo::new(move |was: Option<&bool>| was == Some(&true) || open.get());
    varying(move || opened.get().then(|| quietly(lazy.clone())))
}

/// Draws a part, and nothing while its code is loading.
pub fn quietly(lazy: Lazy) -> AnyView {
    drawn(lazy, || ().into_any())
}

fn drawn(lazy: Lazy, waiting: fn() -> AnyView) -> AnyView {
    let here = HERE.load(Ordering::Relaxed);
    let file = RwSignal::new(if here { File::Here } else { File::Wanted });
    if !here {
        spawn_local(async move {
            let state = if fetch().await {
                File::Here
            } else {
                File::Lost
            };
            // The page may have been closed meanwhile.
            file.try_set(state);
        });
    }
    varying(move || match file.get() {
        File::Here => at_once(draw(lazy.clone())),
        File::Wanted => waiting(),
        File::Lost => lost(),
    })
}

/// The result of `draw` once the code is loaded: the future is ready at the first poll.
fn at_once(drawn: impl Future<Output = Result<AnyView, SplitLoaderError>>) -> AnyView {
    match pin!(drawn).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok(view)) => view,
        Poll::Ready(Err(_)) | Poll::Pending => lost(),
    }
}

fn lost() -> AnyView {
    let error = ApiError::new(ApiErrorKind::Connection, text::not_loaded());
    any_view! { <ErrorNote error /> }
}
