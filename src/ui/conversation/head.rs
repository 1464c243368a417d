//! The header of a conversation: title, status, cost, and the controls.

use super::{
    controls::{ControlAside, Controls},
    dialogs::{DeleteDialog, RenameDialog, show},
    here::Here,
    text,
};
use crate::{
    api::{ForkConversation, StartConversation, Steer, StopConversation},
    backend::Runtime,
    conversation::Metrics,
    people::Right,
    store::{link, may, me, use_conversation},
    ui::{
        panels,
        parts::{self, ErrorNote, Menu, StatusBadge, dollars},
        shell::ServerForm,
        timeline,
    },
};
use leptos::prelude::*;

/// The header of a conversation.
#[component]
pub(super) fn ConversationHead(title: Memo<String>) -> impl IntoView {
    let store = use_conversation();
    let status = store.of_session(|session| session.status.clone());
    let metrics = store.of_session(|session| session.metrics.clone());
    let pausing = store.of_session(|session| session.pausing);
    let steer = ServerAction::<Steer>::new();
    let error = move || steer.value().get().and_then(Result::err);
    // Visitors of a shared link get no panels.
    let (reads, talks) = (may(Right::Read), store.may(Right::Operate));
    view! {
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
                <h1 class="conversation__title truncate">{move || title.get()}</h1>
                <div class="conversation__status">
                    <StatusBadge status />
                    <span class="conversation__pausing muted" role="status">
                        {move || pausing.get().then(text::pausing)}
                    </span>
                    <span class="conversation__facts muted number">{move || facts(&metrics.read())}</span>
                    <Here />
                </div>
            </div>
            <div class="conversation__controls">
                {move || talks.get().then(|| view! { <Controls steer /> })}
                {reads.then(|| view! { <MoreMenu steer /> })}
            </div>
            {move || error().map(|error| view! { <ErrorNote error /> })}
        </header>
        {reads
            .then(|| {
                view! {
                    <RenameDialog title />
                    <DeleteDialog title />
                }
            })}
    }
    .into_any()
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

/// The cost and the use of the context window: "$0.33 · 18k tokens · context 12%".
fn facts(metrics: &Metrics) -> String {
    let mut facts = Vec::new();
    if metrics.cost > 0.0 {
        let cost = dollars(metrics.cost, 2);
        facts.push(match metrics.budget {
            Some(budget) => panels::text::cost_of(cost, dollars(budget, 2)),
            None => cost,
        });
    }
    let tokens = metrics.prompt_tokens + metrics.completion_tokens;
    if tokens > 0 {
        facts.push(panels::text::tokens(in_short(tokens)));
    }
    if metrics.context_window > 0 && metrics.per_turn_token > 0 {
        let percent = metrics.per_turn_token * 100 / metrics.context_window;
        facts.push(text::context(percent));
    }
    facts.join(" · ")
}

/// Abbreviates a number: 950, 18k, 2.4M.
fn in_short(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}.{}M", number / 1_000_000, number / 100_000 % 10),
    }
}

/// The menu of rarely used actions.
#[component]
fn MoreMenu(steer: ServerAction<Steer>) -> impl IntoView {
    let store = use_conversation();
    let runtime = store.of_session(|session| session.runtime);
    let talks = store.may(Right::Operate);
    let shares = shares();
    let (fork, start, stop) = (
        ServerAction::<ForkConversation>::new(),
        ServerAction::<StartConversation>::new(),
        ServerAction::<StopConversation>::new(),
    );
    let id = store.id();
    let [markdown, events, workspace] =
        ["export.md", "trajectory.json", "workspace"].map(|name| link(&format!("c/{id}/{name}")));
    let sharing = link(&format!("c/{id}/sharing"));
    let can = store.backend.with_value(|backend| backend.capabilities);
    view! {
        <Menu label=parts::text::actions()>
                {move || talks.get().then(|| view! { <ControlAside steer /> })}
                <a class="menu__item" href="?q=">
                    {timeline::text::search_label()}
                </a>
                {move || {
                    talks
                        .get()
                        .then(|| {
                            view! {
                                <button
                                    type="button"
                                    class="menu__item"
                                    data-needs-script
                                    on:click=|_| show("rename")
                                >
                                    {text::rename_item()}
                                </button>
                            }
                        })
                }}
                {shares
                    .then(|| {
                        view! {
                            <a class="menu__item" href=sharing>
                                {text::share()}
                            </a>
                        }
                    })}
                <hr class="menu__rule" />
                <a class="menu__item" href=markdown download="">
                    {text::download_markdown()}
                </a>
                <a class="menu__item" href=events download="">
                    {text::download_events()}
                </a>
                {can.archive
                    .map(|packed| {
                        view! {
                            <a class="menu__item" href=workspace download="">
                                {text::download_workspace(packed.ending())}
                            </a>
                        }
                    })}
                {move || talks.get().then(|| view! { <hr class="menu__rule" /> })}
                {move || {
                    (talks.get() && can.fork)
                        .then(|| {
                            view! {
                                <ServerForm action=fork>
                                    <input type="hidden" name="id" value=store.id() />
                                    <button class="menu__item">{text::fork()}</button>
                                </ServerForm>
                            }
                        })
                }}
                {move || {
                    if !talks.get() || !can.runtimes {
                        return ().into_any();
                    }
                    let id = store.id();
                    if matches!(runtime.get(), Runtime::Running | Runtime::Starting) {
                        view! {
                            <ServerForm action=stop>
                                <input type="hidden" name="id" value=id />
                                <button class="menu__item">{text::stop_sandbox()}</button>
                            </ServerForm>
                        }
                            .into_any()
                    } else {
                        view! {
                            <ServerForm action=start>
                                <input type="hidden" name="id" value=id />
                                <button class="menu__item">{parts::text::start_sandbox()}</button>
                            </ServerForm>
                        }
                            .into_any()
                    }
                }}
                {move || {
                    talks
                        .get()
                        .then(|| {
                            view! {
                                <button
                                    type="button"
                                    class="menu__item menu__item--danger"
                                    data-needs-script
                                    on:click=|_| show("delete")
                                >
                                    {parts::text::delete_item()}
                                </button>
                            }
                        })
                }}
        </Menu>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_say_only_what_is_known() {
        assert_eq!(facts(&Metrics::default()), "");
        let metrics = Metrics {
            cost: 0.331,
            prompt_tokens: 17_500,
            completion_tokens: 900,
            context_window: 200_000,
            per_turn_token: 24_000,
            ..Metrics::default()
        };
        assert_eq!(facts(&metrics), "$0.33 · 18k tokens · context 12%");
    }

    #[test]
    fn a_large_number_is_short() {
        assert_eq!(in_short(999), "999");
        assert_eq!(in_short(2_449_000), "2.4M");
    }
}
