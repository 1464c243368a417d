//! The header of a conversation: title, status, cost, and the controls.

use super::{
    controls::{ControlAside, Controls},
    facts::{cost, facts},
    here::Here,
    text,
};
use crate::{
    api::{ArchiveConversations, ForkConversation, StartConversation, Steer, StopConversation},
    backend::Runtime,
    people::Right,
    store::{Call, link, may, me, use_conversation},
    ui::{
        lazy::{Lazy, dialog},
        list::ArchiveItem,
        panels::{self, OUTLINE, PanelItems, PanelTabs, panel_address},
        parts::{self, ErrorNote, Menu, StatusBadge, varying},
        shell::CallButton,
        timeline::{self, DoingNow},
    },
};
use leptos::prelude::*;

/// The header of a conversation.
#[component]
pub(super) fn ConversationHead(title: Memo<String>) -> impl IntoView {
    let store = use_conversation();
    let status = store.of_session(|session| session.status.clone());
    let metrics = store.derived(|session| session.metrics.clone());
    let is_shared_here = shares();
    let pausing = store.of_session(|session| session.pausing);
    let (renaming, deleting) = (RwSignal::new(false), RwSignal::new(false));
    let archive = Call::of::<ArchiveConversations>();
    let archived = Memo::new(move |_| {
        let done = archive.value().with(|value| matches!(value, Some(Ok(()))));
        store.archived && !done
    });
    let steer = Call::of::<Steer>();
    let error = move || steer.value().get().and_then(Result::err);
    // Visitors of a shared link get no panels.
    let (reads, talks) = (may(Right::Read), store.may(Right::Operate));
    // No agent works in what was imported.
    let steers = !store.backend.with_value(|backend| backend.imported);
    any_view! {
        <header class="conversation__head">
            {reads
                .then(|| {
                    view! {
                        <a
                            class="button button--quiet conversation__back"
                            href=link("")
                            aria-label=parts::text::all_conversations()
                        >
                            "‹"
                        </a>
                    }
                })}
            <div class="conversation__name">
                <h1 class="conversation__title truncate">{varying(move || title.get())}</h1>
                <div class="conversation__status">
                    <StatusBadge status />
                    {varying(move || archived.get().then(|| view! { <span class="chip">{parts::text::archived()}</span> }))}
                    <span class="conversation__pausing muted" role="status">
                        {varying(move || pausing.get().then(text::pausing))}
                    </span>
                    <DoingNow />
                    <span class="conversation__facts muted number" title=move || metrics.with(facts)>
                        {varying(move || metrics.with(cost))}
                    </span>
                    <Here />
                </div>
            </div>
            {reads.then(|| view! { <PanelTabs /> })}
            <div class="conversation__controls">
                {varying(move || (steers && talks.get()).then(|| view! { <Controls steer /> }))}
                {is_shared_here
                    .then(|| {
                        view! {
                            <a
                                class="button button--wide"
                                href=link(&format!("c/{}/sharing", store.id()))
                            >
                                {text::share_now()}
                            </a>
                        }
                    })}
                {reads.then(|| view! { <MoreMenu steer archive archived renaming deleting /> })}
                // Visitors have no menu.
                {(!reads)
                    .then(|| {
                        view! {
                            <a class="button" href=link(&format!("c/{}/replay", store.id()))>
                                {text::replay()}
                            </a>
                        }
                    })}
            </div>
            {varying(move || error().map(|error| view! { <ErrorNote error /> }))}
        </header>
        {reads
            .then(|| {
                view! {
                    {dialog(renaming, Lazy::Rename(renaming, title))}
                    {dialog(deleting, Lazy::DeleteThis(deleting, title))}
                }
            })}
    }
}

/// Whether the current user may change the sharing of the conversation. Without accounts there is nobody to share with.
fn shares() -> bool {
    let me = me();
    let Some(role) = me
        .role
        .filter(|role| role.may(Right::Operate) && !me.name.is_empty())
    else {
        return false;
    };
    use_conversation()
        .sharing
        .with_value(|sharing| sharing.is_of(&me.name, role))
}

/// The menu of rarely used actions.
#[component]
fn MoreMenu(
    steer: Call,
    archive: Call,
    archived: Memo<bool>,
    renaming: RwSignal<bool>,
    deleting: RwSignal<bool>,
) -> impl IntoView {
    let store = use_conversation();
    let talks = store.may(Right::Operate);
    let shares = shares();
    let (fork, start, stop) = (
        Call::of::<ForkConversation>(),
        Call::of::<StartConversation>(),
        Call::of::<StopConversation>(),
    );
    // What is archived is left for the list, which offers to undo it.
    let back = Signal::derive(move || match archived.get() {
        true => format!("c/{}", store.id()),
        false => String::new(),
    });
    let id = store.id();
    let [export, workspace, sharing] =
        ["export", "workspace", "sharing"].map(|name| link(&format!("c/{id}/{name}")));
    let [insight, replay] = ["insight", "replay"].map(|name| link(&format!("c/{id}/{name}")));
    let steers = !store.backend.with_value(|backend| backend.imported);
    let can = store.backend.with_value(|backend| backend.capabilities);
    any_view! {
        <Menu label=parts::text::actions()>
                <PanelItems />
                {varying(move || (steers && talks.get()).then(|| view! { <ControlAside steer /> }))}
                {leads("?q=".to_owned(), timeline::text::search_label())}
                {leads("?after=start".to_owned(), timeline::text::beginning())}
                {leads(panel_address(OUTLINE, &[]), panels::text::outline())}
                {leads(replay, text::replay())}
                {varying(move || talks.get().then(|| opens(renaming, "menu__item", text::rename_item())))}
                {varying(move || talks.get().then(|| {
                    let id = store.id();
                    view! { <ArchiveItem archive id archived back /> }
                }))}
                {shares.then(|| leads(sharing, text::share()))}
                {leads(insight, parts::text::insight())}
                <hr class="menu__rule" />
                {leads(export, text::export())}
                {can.archive
                    .map(|packed| {
                        view! {
                            <a class="menu__item" href=workspace download="">
                                {text::download_workspace(packed.ending())}
                            </a>
                        }
                    })}
                {varying(move || talks.get().then(|| view! { <hr class="menu__rule" /> }))}
                {varying(move || {
                    let (action, fields) = (fork, vec![("id", store.id())]);
                    (talks.get() && can.fork)
                        .then(|| view! { <CallButton action fields label=text::fork() class="menu__item" /> })
                })}
                {varying(move || {
                    (talks.get() && can.fork_at).then(|| leads("?edit=".to_owned(), text::edit_last()))
                })}
                {varying(move || (talks.get() && can.runtimes).then(|| sandbox(start, stop)))}
                {varying(move || {
                    let class = "menu__item menu__item--danger";
                    talks.get().then(|| opens(deleting, class, parts::text::delete_item()))
                })}
        </Menu>
    }
}

/// An item that leads to another page, or to another part of this one.
fn leads(address: String, label: &'static str) -> impl IntoView {
    view! {
        <a class="menu__item" href=address>
            {label}
        </a>
    }
}

/// An item that opens a dialog.
fn opens(dialog: RwSignal<bool>, class: &'static str, label: &'static str) -> impl IntoView {
    view! {
        <button type="button" class=class data-needs-script on:click=move |_| dialog.set(true)>
            {label}
        </button>
    }
}

/// The item that stops the sandbox if it is up, or else starts it.
fn sandbox(start: Call, stop: Call) -> impl IntoView {
    let store = use_conversation();
    let runtime = store.derived(|session| session.runtime);
    varying(move || {
        let (action, label) = match runtime.get() {
            Runtime::Gone => return None,
            runtime if runtime == Runtime::Running || runtime.is_coming_up() => {
                (stop, text::stop_sandbox())
            }
            _ => (start, parts::text::start_sandbox()),
        };
        let fields = vec![("id", store.id())];
        Some(view! { <CallButton action fields label class="menu__item" /> })
    })
}
