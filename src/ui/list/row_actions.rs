//! The menu of a row, drawn when it is opened.

use super::asked::query_with;
use super::confirm::{ArchiveItem, here};
use super::text;
use crate::api::{ArchiveConversations, PinConversation, RenameConversation};
use crate::people::Right;
use crate::store::{Call, may, use_query};
use crate::ui::parts::{self, Menu, Outcome, named_icon, use_toasts, varying};
use crate::ui::shell::ServerForm;
use leptos::html;
use leptos::prelude::*;
use leptos_router::hooks::use_location;
use std::collections::HashSet;

/// Ids of the conversations that the reader has pinned.
#[derive(Clone, Copy)]
pub(super) struct Pinned(pub(super) RwSignal<HashSet<String>>);

/// Pins, archives, renames and deletes the conversation.
#[component]
pub fn RowActions(id: String, title: Memo<String>, archived: Memo<bool>) -> impl IntoView {
    let path = use_location().pathname;
    let query = use_query();
    let archive = Call::of::<ArchiveConversations>();
    let back = Signal::derive(here().1);
    // The question is asked on the page on which the reader is.
    let delete = {
        let id = id.clone();
        move || format!("{}{}", path.get(), query_with(query.get(), "confirm", &id))
    };
    view! {
        <Menu
            class="menu menu--end conversation-row__menu"
            button="button button--quiet button--small"
            name=parts::text::actions()
            label="⋯"
            open=true
        >
            <Pin id=id.clone()/>
            {may(Right::Operate)
                .then(|| {
                    view! {
                        <ArchiveItem archive id=id.clone() archived back/>
                        <hr class="menu__rule"/>
                        <Rename id title/>
                        <hr class="menu__rule"/>
                        <a class="menu__item menu__item--danger" href=delete>
                            {named_icon("trash", parts::text::delete_item())}
                        </a>
                    }
                })}
        </Menu>
    }
}

/// Pins the conversation to the top of the reader's list, or unpins it.
#[component]
fn Pin(id: String) -> impl IntoView {
    let pin = Call::of::<PinConversation>();
    let Pinned(pinned) = expect_context();
    let is_pinned = {
        let id = id.clone();
        Memo::new(move |_| pinned.with(|pinned| pinned.contains(&id)))
    };
    let row = id.clone();
    Effect::new(move |_| {
        if let Some(Ok(now)) = pin.value().get() {
            pinned.update(|pinned| {
                if now {
                    pinned.insert(row.clone());
                } else {
                    pinned.remove(&row);
                }
            });
        }
    });
    let label = move || match is_pinned.get() {
        true => text::unpin(),
        false => text::pin(),
    };
    any_view! {
        <ServerForm action=pin>
            <input type="hidden" name="id" value=id/>
            <input type="hidden" name="pinned" value=move || (!is_pinned.get()).to_string()/>
            <button class="menu__item" type="submit">
                {named_icon("pin", varying(label))}
            </button>
        </ServerForm>
    }
}

#[component]
fn Rename(id: String, title: Memo<String>) -> impl IntoView {
    let rename = Call::of::<RenameConversation>();
    let field = format!("title-{id}");
    let input = NodeRef::<html::Input>::new();
    let toasts = use_toasts();
    Effect::new(move |_| {
        if matches!(rename.value().get(), Some(Ok(())))
            && let Some(input) = input.get_untracked()
            && let Ok(Some(menu)) = input.closest("details")
        {
            // This has no effect on a closed menu.
            let _ = menu.remove_attribute("open");
            toasts.say(text::renamed());
        }
    });
    any_view! {
        <ServerForm action=rename class="stack">
            <input type="hidden" name="id" value=id/>
            <label class="field__label" for=field.clone()>
                {parts::text::title()}
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
            <Outcome action=rename done=text::renamed()/>
            <button class="button button--small" type="submit">
                {named_icon("pencil", parts::text::rename())}
            </button>
        </ServerForm>
    }
}
