//! One row of the list.

use super::asked::query_with;
use super::text;
use super::tools::{CHOSEN, Choosing};
use crate::api::ConversationSummary;
use crate::conversation::Status;
use crate::store::{link, use_query};
use crate::ui::lazy::{Lazy, quietly};
use crate::ui::parts::{self, Elapsed, StatusBadge, Time, dollars, title_or_default, varying};
use leptos::prelude::*;
use leptos_router::hooks::use_location;
use web_sys::MouseEvent;

/// Whether there are several backends, so that each row names its own.
#[derive(Clone, Copy)]
pub(super) struct Several(pub(super) bool);

/// A conversation in the list, with a menu to pin, rename and delete it.
#[component]
pub fn Row(id: String, shown: RwSignal<Vec<ConversationSummary>>) -> impl IntoView {
    let address = link(&format!("c/{id}"));
    let path = use_location().pathname;
    let choosing = use_context::<Choosing>();
    let picked = id.clone();
    let current = {
        let address = address.clone();
        move || path.with(|path| *path == address).then_some("page")
    };
    // A row keeps its content while it is being removed.
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
    let title = of(|one| title_or_default(&one.title));
    let excerpt = of(|one| one.excerpt.clone());
    let place = of(place);
    let tags = of(|one| one.tags.labels().collect::<Vec<_>>().join(" · "));
    let several = use_context::<Several>().is_some_and(|several| several.0);
    let backend = Memo::new(move |_| {
        known.with(|known| {
            let named = known.as_ref().filter(|one| several || one.is_imported());
            named.map(|one| one.backend.clone()).unwrap_or_default()
        })
    });
    let cost = of(|one| match one.cost {
        cost if cost > 0.0 => dollars(cost, 2),
        _ => String::new(),
    });
    let status = Memo::new(move |_| {
        known.with(|known| {
            known
                .as_ref()
                .map(ConversationSummary::shown_status)
                .unwrap_or_default()
        })
    });
    // What runs says for how long.
    let runs = Memo::new(move |_| status.with(|status| *status == Status::Running));
    let at = Memo::new(move |_| known.with(|known| known.as_ref().map_or(0, |one| one.updated_at)));
    let is = move |what: fn(&ConversationSummary) -> bool| {
        Memo::new(move |_| known.with(|known| known.as_ref().is_some_and(what)))
    };
    let needs = is(ConversationSummary::needs_you);
    let archived = is(|one| one.archived);
    // Who reads it now has read it.
    let unread = {
        let current = current.clone();
        let is_unread = is(ConversationSummary::is_unread);
        Memo::new(move |_| is_unread.get() && current().is_none())
    };
    any_view! {
        <li
            class="conversation-row"
            data-needs-you=move || needs.get().then_some("")
            data-unread=move || unread.get().then_some("")
        >
            {varying(move || {
                choosing
                    .is_some_and(|choosing| choosing.0.get())
                    .then(|| {
                        view! {
                            <label class="conversation-row__pick">
                                <input type="checkbox" name="confirm" value=picked.clone() form=CHOSEN/>
                                <span class="visually-hidden">{text::choose_this(title.get_untracked())}</span>
                            </label>
                        }
                    })
            })}
            <a class="conversation-row__link" href=address aria-current=current>
                {varying(move || {
                    unread.get().then(|| view! { <span class="visually-hidden">{text::unread()} " "</span> })
                })}
                <span class="conversation-row__title">{varying(move || title.get())}</span>
                {varying(move || match runs.get() {
                    true => any_view! { <Elapsed since=at.get() class="conversation-row__time number"/> },
                    false => any_view! { <Time at=at.get() short=true class="conversation-row__time"/> },
                })}
                <span class="conversation-row__meta">
                    <StatusBadge status/>
                    {part(excerpt)}
                    {part(of(|one| match one.archived {
                        true => parts::text::archived().to_owned(),
                        false => String::new(),
                    }))}
                    {part(place)}
                    {part(tags)}
                    {part(backend)}
                </span>
                {part(cost)}
            </a>
            <RowMenu id title archived/>
        </li>
    }
}

/// The way to what can be done with the conversation: a link to the same page with the menu open, which a script draws here
/// instead. A menu in each row would be most of the list.
#[component]
fn RowMenu(id: String, title: Memo<String>, archived: Memo<bool>) -> impl IntoView {
    let (asked, address) = use_query().with_untracked(|query| {
        let asked = query.get_str("menu") == Some(&id);
        (asked, query_with(query.clone(), "menu", &id) + "#menu")
    });
    let is_open = RwSignal::new(asked);
    let open = move |event: MouseEvent| {
        event.prevent_default();
        is_open.set(true);
    };
    varying(move || match is_open.get() {
        true => quietly(Lazy::RowActions(id.clone(), title, archived)),
        false => any_view! {
            <a
                class="button button--quiet button--small conversation-row__menu"
                href=address.clone()
                aria-label=parts::text::actions()
                on:click=open
            >
                "⋯"
            </a>
        },
    })
}

/// An optional detail of the row.
fn part(text: Memo<String>) -> impl IntoView {
    varying(move || {
        let text = text.get();
        (!text.is_empty()).then(|| view! { <span class="conversation-row__part">{text}</span> })
    })
}

fn place(summary: &ConversationSummary) -> String {
    match (summary.place(), &summary.branch) {
        (Some(repository), Some(branch)) => format!("{repository} · {branch}"),
        (Some(repository), None) => repository.to_owned(),
        _ => String::new(),
    }
}
