//! The inbox page: loaded once, then reloaded when the list reports a change of pending approvals.
//!
//! On a desktop the queue is at the left, and one item beside it: the one that was chosen, or the first one. Without a
//! program the address chooses it. `j` and `k` move from item to item. When an item that was answered here disappears, the
//! next one comes into view.

use super::{
    budgets::BudgetItems,
    item::{Answered, Item, anchor},
    text,
};
use crate::api::{EscalationView, InboxItem, read_inbox};
use crate::live::{Decision, MOST_WAITING};
use crate::store::{ListChange, after_layout, elements, fetched, is_focus_lost, link, use_live};
use crate::ui::approval::provide_touching;
use crate::ui::parts::{
    self, EmptyState, ErrorNote, Loading, RiskBadge, Time, answered, in_field, title_or_default,
    use_toasts, varying,
};
use crate::ui::shell::{Head, Page};
use leptos::{ev, prelude::*};
use std::collections::HashMap;
use web_sys::HtmlElement;

/// `/inbox`.
#[component]
pub fn InboxPage() -> impl IntoView {
    let inbox = fetched(|| (), |()| read_inbox());
    provide_touching();
    any_view! {
        <Transition fallback=|| view! { <Page title=parts::text::inbox()><Loading text=text::loading()/></Page> }>
            {answered(inbox, |answer| match answer {
                Ok(items) => any_view! { <Inbox items/> },
                Err(error) => {
                    any_view! {
                        <Page title=parts::text::inbox()>
                            <ErrorNote error/>
                        </Page>
                    }
                }
            })}
        </Transition>
    }
}

#[component]
fn Inbox(items: Vec<InboxItem>) -> impl IntoView {
    let shown = RwSignal::new(items);
    let answered = Answered(StoredValue::new(HashMap::new()));
    read_when_it_changes(shown, answered);
    move_with_keys();
    let count = Memo::new(move |_| shown.with(Vec::len));
    // What a reader cannot answer, or has approved already, does not call for their attention.
    let waiting = Memo::new(move |_| {
        let count = shown.with(|all| all.iter().filter(|item| item.calls()).count());
        u32::try_from(count).unwrap_or(u32::MAX)
    });
    any_view! {
        <Head title=parts::text::inbox() waiting/>
        <div class="page inbox-page">
            <h1 class="page__title">{parts::text::inbox()}</h1>
            // Visible text says it below when there are none.
            <div class="inbox-page__said">
                <p class=move || if count.get() == 0 { "visually-hidden" } else { "muted" } role="status">
                    {varying(move || match (count.get(), waiting.get() as usize) {
                        (0, _) => text::none().to_owned(),
                        (count, own) if own == count => text::approvals(count),
                        (count, own) => text::for_you(own, text::approvals(count)),
                    })}
                </p>
                <Show when=move || { count.get() > 1 }>
                    <span class="muted">{text::order()}</span>
                </Show>
                <a class="inbox-page__ended" href=link("?show=unanswered") aria-label=text::unanswered_name()>
                    {text::unanswered()}
                </a>
            </div>
            <Show when={move || count.get() >= MOST_WAITING}>
                <a class="button" href=link("?show=approval")>
                    {text::all_waiting()}
                </a>
            </Show>
            <Show when=move || count.get() == 0>
                <EmptyState
                    title=text::all_done()
                    text=text::all_done_text()
                />
            </Show>
            <BudgetItems/>
            <div class="inbox-page__columns">
                <nav class="inbox-page__index" aria-label=text::index()>
                    <For each=move || shown.get() key=key let:item>
                        <Entry item/>
                    </For>
                </nav>
                <ul class="inbox">
                    // Keyed by token, so that an item is not redrawn while it is being answered.
                    <For each=move || shown.get() key=key let:item>
                        <Item item answered shown/>
                    </For>
                </ul>
            </div>
        </div>
    }
}

/// What an item is drawn again for: another approval, or another first approval of it.
fn key(item: &InboxItem) -> (String, String) {
    (item.approval.token.clone(), first(item).to_owned())
}

/// Who has approved, where a second person has to; or empty.
fn first(item: &InboxItem) -> &str {
    let care = item.approval.care.as_ref();
    care.map_or("", |care| &care.first)
}

/// A line of the index, which leads to its item.
#[component]
fn Entry(item: InboxItem) -> impl IntoView {
    let (address, since) = (format!("#{}", anchor(&item)), item.since());
    let risk = item.approval.risk();
    let conversation = item.conversation;
    any_view! {
        <a class="inbox-page__entry" href=address rel="external" on:click=choose>
            <strong>{title_or_default(&conversation.title)}</strong>
            <Time at=since short=true class="muted"/>
            <span class="muted truncate">{conversation.excerpt}</span>
            <RiskBadge risk/>
        </a>
    }
}

/// Shows the item of the entry that was pressed.
fn choose(event: ev::MouseEvent) {
    let entries = all(".inbox-page__entry");
    let entry = event.current_target();
    let at = entries
        .iter()
        .position(|one| entry.as_ref() == Some(one.as_ref()));
    if let Some(at) = at {
        event.prevent_default();
        show(&cards(), at);
    }
}

fn move_with_keys() {
    Effect::new(move |_| {
        let keys = window_event_listener(ev::keydown, move |event| {
            if event.ctrl_key() || event.meta_key() || event.alt_key() || in_field(&event) {
                return;
            }
            let step = match event.key().as_str() {
                "j" => 1,
                "k" => -1,
                _ => return,
            };
            let focused = document().active_element();
            let cards = cards();
            let at = cards
                .iter()
                .position(|card| card.has_attribute(CHOSEN) || card.contains(focused.as_deref()));
            show(&cards, at.map_or(0, |at| at.saturating_add_signed(step)));
            event.prevent_default();
        });
        on_cleanup(move || keys.remove());
    });
}

/// The items on the page.
fn cards() -> Vec<HtmlElement> {
    all(".inbox__item")
}

fn all(selector: &str) -> Vec<HtmlElement> {
    elements(document().query_selector_all(selector)).collect()
}

/// The attribute of the item that is shown, and of its entry.
const CHOSEN: &str = "aria-current";

/// Shows and focuses an item, which brings it into view, or the last one if there are fewer. The focus is on the item, not
/// on one of its buttons.
fn show(cards: &[HtmlElement], at: usize) {
    let at = at.min(cards.len().saturating_sub(1));
    for list in [cards, all(".inbox-page__entry").as_slice()] {
        for (number, one) in list.iter().enumerate() {
            // Only a malformed attribute name fails.
            let _ = match number == at {
                true => one.set_attribute(CHOSEN, "true"),
                false => one.remove_attribute(CHOSEN),
            };
        }
    }
    if let Some(card) = cards.get(at) {
        let _ = card.focus();
    }
}

/// Whether the focus is on an item, or was on a button of it that is disabled now, so that it is lost with the item.
fn is_left(at: usize) -> bool {
    let focused = document().active_element();
    is_focus_lost()
        || cards()
            .get(at)
            .is_some_and(|card| card.contains(focused.as_deref()))
}

/// Keeps `shown` current: the list tells which conversations have pending approvals, the server returns their contents.
fn read_when_it_changes(shown: RwSignal<Vec<InboxItem>>, answered: Answered) {
    let read = Action::new(|()| read_inbox());
    let toasts = use_toasts();
    Effect::new(move |_| {
        let Some(Ok(items)) = read.value().get() else {
            return;
        };
        let stays = |token: &str| items.iter().any(|item| item.approval.token == token);
        for item in items.iter().filter(|item| !first(item).is_empty()) {
            let token = &item.approval.token;
            let noted = answered.0.try_update_value(|all| all.remove(token));
            if let Some((Decision::Approve, address)) = noted.flatten() {
                toasts.say_with_link(text::approved_first(), address, text::open());
            }
        }
        let done = answered.0.try_update_value(|all| {
            let done: Vec<String> = all.keys().filter(|token| !stays(token)).cloned().collect();
            let done = done
                .into_iter()
                .filter_map(|token| all.remove_entry(&token));
            done.collect::<Vec<_>>()
        });
        let done = done.unwrap_or_default();
        let place = shown.with_untracked(|shown| {
            let is_done =
                |item: &InboxItem| done.iter().any(|(token, _)| *token == item.approval.token);
            shown.iter().position(is_done)
        });
        let place = place.filter(|at| is_left(*at));
        shown.set(items);
        if let Some(at) = place {
            after_layout(move || show(&cards(), at));
        }
        for (_, (decision, address)) in done {
            let word = match decision {
                Decision::Approve => text::approved(),
                Decision::Reject => text::rejected(),
            };
            toasts.say_with_link(word, address, text::open());
        }
    });
    let live = use_live();
    Effect::new(move |_| {
        // Per conversation: the number of pending actions, their first line, who has approved first, and what happens if nobody
        // answers, but not when deputies are told: each tab that somebody opens changes that.
        type Known = (u32, String, String, Option<EscalationView>);
        let known = StoredValue::new(HashMap::<String, Known>::new());
        live.follow_list(move |change| {
            let differs = match change {
                ListChange::Summary(one) => {
                    let one = *one;
                    let first = if one.waiting > 0 {
                        one.excerpt
                    } else {
                        String::new()
                    };
                    let escalation = one.escalation.map(|escalation| EscalationView {
                        tells_at: None,
                        watched: false,
                        ..escalation
                    });
                    let now = (one.waiting, first, one.approved_by, escalation);
                    let before = known.try_update_value(|known| known.insert(one.id, now.clone()));
                    before.flatten().unwrap_or_default() != now
                }
                ListChange::Gone(_) | ListChange::Again => true,
            };
            if differs {
                read.dispatch(());
            }
        });
    });
}
