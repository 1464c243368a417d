//! The whole list with its tools. Loaded once; after that only the live line changes it.

use super::{delete::DeleteDialog, groups::Groups, rehearsal::RehearsalNotice};
use crate::api::{BackendView, ConversationSummary, ListView, list_conversations};
use crate::people::Right;
use crate::store::{Fetched, ListChange, fetched, link, may, use_live};
use crate::ui::new::MessageForm;
use crate::ui::parts::{Answered, EmptyState, Icon, SearchForm};
use leptos::prelude::*;
use leptos_router::hooks::{use_location, use_query_map};

/// The list of conversations; the one whose page this is, is marked.
#[component]
pub fn ConversationList() -> impl IntoView {
    let home = link("");
    let path = use_location().pathname;
    let query = use_query_map();
    let at_home = {
        let home = home.clone();
        Memo::new(move |_| {
            path.with(|path| path.trim_end_matches('/') == home.trim_end_matches('/'))
        })
    };
    // The conversation's page has a query of its own; only the home page asks something of the list.
    let asked = move |name: &str| {
        query
            .with(|query| query.get(name).filter(|_| at_home.get()))
            .unwrap_or_default()
    };
    let search = Memo::new(move |_| asked("q"));
    let confirm = Memo::new(move |_| asked("confirm"));
    let list = fetched(move || search.get(), list_conversations);
    view! {
        <div class="conversation-list">
            <div class="conversation-list__tools">
                <SearchForm address=home place="Conversations" label="Search conversations" placeholder="Title, place or tag" text=search>
                    <button class="button" type="submit">
                        <Icon name="search"/>
                        <span class="visually-hidden">"Search"</span>
                    </button>
                </SearchForm>
                {may(Right::Operate)
                    .then(|| {
                        view! {
                            <a class="button button--primary" href=link("new")>
                                <Icon name="plus"/>
                                " New conversation"
                            </a>
                        }
                    })}
            </div>
            <Answered answers=list waiting="Loading the conversations…" draw=move |view| {
                view! { <Loaded view search=search.get_untracked() confirm at_home list/> }.into_any()
            }/>
        </div>
    }
    .into_any()
}

#[component]
fn Loaded(
    view: ListView,
    search: String,
    confirm: Memo<String>,
    at_home: Memo<bool>,
    list: Fetched<Result<ListView, crate::api::ApiError>>,
) -> impl IntoView {
    let ListView {
        conversations,
        backends,
    } = view;
    let shown = RwSignal::new(conversations);
    let live = use_live();
    let talks = may(Right::Operate);
    let wanted = StoredValue::new(search.to_lowercase());
    Effect::new(move |_| {
        live.follow_list(move |change| match change {
            ListChange::Summary(summary) => {
                if wanted
                    .with_value(|wanted| summary.title.to_lowercase().contains(wanted.as_str()))
                {
                    shown.update(|all| upsert(all, *summary));
                }
            }
            ListChange::Gone(id) => shown.update(|all| all.retain(|one| one.id != id)),
            ListChange::Again => list.refetch(),
        });
    });
    let none = Memo::new(move |_| shown.with(Vec::is_empty));
    let troubles = troubles(&backends);
    let rehearses = backends.iter().any(|backend| backend.rehearsal);
    provide_context(Several(backends.len() > 1));
    let backends = StoredValue::new(backends);
    let home = StoredValue::new(link(""));
    let search = StoredValue::new(search);
    view! {
        {troubles}
        {rehearses.then(|| view! { <RehearsalNotice/> })}
        <Show
            when=move || !none.get()
            fallback=move || {
                if search.with_value(String::is_empty) {
                    view! {
                        <EmptyState
                            title="No conversations yet"
                            text="Say what shall be done, and an agent begins."
                        >
                            // Elsewhere the page has this form itself, or is about something else.
                            {move || {
                                (talks && at_home.get())
                                    .then(|| view! { <MessageForm message=String::new() backends=backends.get_value()/> })
                            }}
                        </EmptyState>
                    }
                        .into_any()
                } else {
                    let text = format!("No title, place or tag has “{}” in it.", search.get_value());
                    view! {
                        <EmptyState title="Nothing found" text>
                            <a class="button" href=home.get_value()>
                                "Show all conversations"
                            </a>
                        </EmptyState>
                    }
                        .into_any()
                }
            }
        >
            <Groups shown/>
        </Show>
        <DeleteDialog shown id=confirm/>
    }
    .into_any()
}

/// There are several backends: each line says which is its own.
#[derive(Clone, Copy)]
pub(super) struct Several(pub(super) bool);

/// A word for each backend that does not answer; the others' conversations are as they are.
fn troubles(backends: &[BackendView]) -> impl IntoView + use<> {
    let several = backends.len() > 1;
    let word = |backend: &BackendView| {
        let trouble = backend.trouble.clone()?;
        let text = if several {
            format!("{}: {trouble}", backend.label)
        } else {
            trouble
        };
        Some(view! {
            <div class="banner banner--warning" role="status">
                <span class="banner__text">
                    {text} " This is what Handrail remembers."
                </span>
                <a class="button button--small" href=link("settings/connection")>
                    "Backends"
                </a>
            </div>
        })
    };
    backends.iter().filter_map(word).collect_view()
}

fn upsert(all: &mut Vec<ConversationSummary>, summary: ConversationSummary) {
    match all.iter_mut().find(|one| one.id == summary.id) {
        Some(known) => *known = summary,
        None => all.push(summary),
    }
}
