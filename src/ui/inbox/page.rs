//! The page: loaded once, read again whenever the list says that something waits or waits no more.

use super::item::Item;
use crate::api::{InboxItem, read_inbox};
use crate::store::{ListChange, fetched, use_live};
use crate::ui::parts::{EmptyState, ErrorNote, Loading, answered};
use crate::ui::shell::Head;
use leptos::prelude::*;
use std::collections::HashMap;

/// `/inbox`.
#[component]
pub fn InboxPage() -> impl IntoView {
    let inbox = fetched(|| (), |()| read_inbox());
    view! {
        <Transition fallback=|| view! { <Loading text="Looking what waits…"/> }>
            {answered(inbox, |answer| match answer {
                Ok(items) => view! { <Inbox items/> }.into_any(),
                Err(error) => {
                    view! {
                        <Head title="Inbox"/>
                        <div class="page page--narrow">
                            <h1 class="page__title">"Inbox"</h1>
                            <ErrorNote error/>
                        </div>
                    }
                        .into_any()
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Inbox(items: Vec<InboxItem>) -> impl IntoView {
    let shown = RwSignal::new(items);
    read_when_it_changes(shown);
    let count = Memo::new(move |_| shown.with(Vec::len));
    let waiting = Memo::new(move |_| u32::try_from(count.get()).unwrap_or(u32::MAX));
    view! {
        <Head title="Inbox" waiting/>
        <div class="page page--narrow">
            <h1 class="page__title">"Inbox"</h1>
            <p class="muted" role="status">
                {move || match count.get() {
                    0 => "Nothing waits for an answer.".to_owned(),
                    1 => "1 answer is needed.".to_owned(),
                    count => format!("{count} answers are needed."),
                }}
            </p>
            <Show when=move || count.get() == 0>
                <EmptyState
                    title="All answered"
                    text="When an agent wants to do something that needs a yes, it stands here at once."
                />
            </Show>
            <ul class="inbox">
                // By what exactly is asked: an item that is being answered is not drawn anew.
                <For each=move || shown.get() key=|item| item.approval.token.clone() let:item>
                    <Item item/>
                </For>
            </ul>
        </div>
    }
    .into_any()
}

/// Keeps `shown` true: the list says which conversations wait, the server what for.
fn read_when_it_changes(shown: RwSignal<Vec<InboxItem>>) {
    let read = Action::new(|()| read_inbox());
    Effect::new(move |_| {
        if let Some(Ok(items)) = read.value().get() {
            shown.set(items);
        }
    });
    let live = use_live();
    Effect::new(move |_| {
        // What is known of each conversation: how many actions wait, and their first line.
        let known = StoredValue::new(HashMap::<String, (u32, String)>::new());
        live.follow_list(move |change| {
            let differs = match change {
                ListChange::Summary(one) => {
                    let one = *one;
                    let first = if one.waiting > 0 {
                        one.excerpt
                    } else {
                        String::new()
                    };
                    let now = (one.waiting, first);
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
