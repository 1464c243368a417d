//! One line of the list.

use super::page::Several;
use crate::api::{ConversationSummary, RenameConversation};
use crate::backend::Runtime;
use crate::conversation::Status;
use crate::people::Right;
use crate::store::{link, may};
use crate::ui::parts::{Icon, Menu, Outcome, StatusBadge, Time, dollars, use_toasts};
use crate::ui::shell::ServerForm;
use leptos::html;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// A conversation in the list, with a menu to rename and delete it.
#[component]
pub fn Row(id: String, shown: RwSignal<Vec<ConversationSummary>>) -> impl IntoView {
    let address = link(&format!("c/{id}"));
    let delete = link(&format!("?confirm={id}"));
    let path = use_location().pathname;
    let current = {
        let address = address.clone();
        move || path.with(|path| *path == address).then_some("page")
    };
    // A line that is just being removed keeps what it said.
    let known = {
        let id = id.clone();
        Memo::new(move |old: Option<&Option<ConversationSummary>>| {
            let found = shown.with(|all| all.iter().find(|one| one.id == id).cloned());
            found.or_else(|| old.cloned().flatten())
        })
    };
    let of = move |piece: fn(&ConversationSummary) -> String| {
        Memo::new(move |_| known.with(|known| known.as_ref().map(piece).unwrap_or_default()))
    };
    let title = of(title);
    let excerpt = of(|one| one.excerpt.clone());
    let place = of(|one| match (one.place(), &one.branch) {
        (Some(repository), Some(branch)) => format!("{repository} · {branch}"),
        (Some(repository), None) => repository.to_owned(),
        _ => String::new(),
    });
    let tags = of(|one| one.tags.labels().collect::<Vec<_>>().join(" · "));
    let several = use_context::<Several>().is_some_and(|several| several.0);
    let backend = Memo::new(move |_| {
        let name = known.with(|known| known.as_ref().map(|one| one.backend.clone()));
        name.filter(|_| several).unwrap_or_default()
    });
    let cost = of(|one| {
        if one.cost > 0.0 {
            dollars(one.cost, 2)
        } else {
            String::new()
        }
    });
    let status =
        Memo::new(move |_| known.with(|known| known.as_ref().map(status).unwrap_or_default()));
    let at = Memo::new(move |_| known.with(|known| known.as_ref().map_or(0, |one| one.updated_at)));
    let needs = Memo::new(move |_| {
        known.with(|known| known.as_ref().is_some_and(ConversationSummary::needs_you))
    });
    view! {
        <li class="conversation-row" data-needs-you=move || needs.get().then_some("")>
            <a class="conversation-row__link" href=address aria-current=current>
                <span class="conversation-row__title">{move || title.get()}</span>
                <span class="conversation-row__meta">
                    <StatusBadge status/>
                    {part(place)}
                    {part(tags)}
                    {part(cost)}
                    {part(backend)}
                </span>
                <span class="conversation-row__last truncate">{move || excerpt.get()}</span>
                {move || view! { <Time at=at.get() relative=true class="conversation-row__time"/> }}
            </a>
            {may(Right::Operate)
                .then(|| {
                    view! {
                        <Menu
                            class="menu menu--end conversation-row__menu"
                            button="button button--quiet button--small"
                            name="Rename or delete this conversation"
                            label="⋯"
                        >
                            <Rename id title/>
                            <hr class="menu__rule"/>
                            <a class="menu__item menu__item--danger" href=delete>
                                <Icon name="trash"/>
                                " Delete…"
                            </a>
                        </Menu>
                    }
                })}
        </li>
    }
    .into_any()
}

#[component]
fn Rename(id: String, title: Memo<String>) -> impl IntoView {
    let rename = ServerAction::<RenameConversation>::new();
    let field = format!("title-{id}");
    let input = NodeRef::<html::Input>::new();
    let toasts = use_toasts();
    Effect::new(move |_| {
        if matches!(rename.value().get(), Some(Ok(())))
            && let Some(input) = input.get_untracked()
            && let Ok(Some(menu)) = input.closest("details")
        {
            // Closing a menu that is closed changes nothing.
            let _ = menu.remove_attribute("open");
            toasts.say("Renamed");
        }
    });
    view! {
        <ServerForm action=rename class="stack">
            <input type="hidden" name="id" value=id/>
            <label class="field__label" for=field.clone()>
                "Title"
            </label>
            <input
                class="input"
                id=field
                name="title"
                required
                maxlength="200"
                autocomplete="off"
                node_ref=input
                value=move || title.get()
            />
            <Outcome action=rename done="Renamed"/>
            <button class="button button--small" type="submit">
                <Icon name="pencil"/>
                " Rename"
            </button>
        </ServerForm>
    }
    .into_any()
}

/// A small fact of the line, if there is one.
fn part(text: Memo<String>) -> impl IntoView {
    move || {
        let text = text.get();
        (!text.is_empty()).then(|| view! { <span class="number">{text}</span> })
    }
}

fn title(summary: &ConversationSummary) -> String {
    if summary.title.is_empty() {
        "Untitled conversation".to_owned()
    } else {
        summary.title.clone()
    }
}

/// What the badge says: without a runtime nobody is at work, whatever was said last.
fn status(summary: &ConversationSummary) -> Status {
    match (summary.runtime, &summary.status) {
        (Runtime::Starting, _) => Status::Loading,
        (Runtime::Error, _) => Status::Error,
        (
            Runtime::Stopped,
            Status::Loading
            | Status::Idle
            | Status::Running
            | Status::Confirmed
            | Status::AwaitingInput,
        ) => Status::Stopped,
        (_, status) => status.clone(),
    }
}
