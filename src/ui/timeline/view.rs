//! The timeline: as it happens, at a point of the past, or what was found in it. The address says which.

use super::{drafts::Drafts, row::RowCard, scroller::Scroller};
use crate::{
    store::{RowKey, use_conversation},
    ui::{
        aside::{Aside, later},
        composer::Outbox,
        parts::ErrorNote,
    },
};
use leptos::{html::Section, prelude::*};
use leptos_router::{hooks::use_query_map, params::ParamsMap};
use web_sys::MouseEvent;

/// Which part is shown.
#[derive(Debug, Clone, PartialEq)]
enum Part {
    Newest,
    Before(RowKey),
    Holding(String),
}

impl Part {
    fn of(query: &ParamsMap) -> Self {
        if let Some(text) = query.get_str("q") {
            return Self::Holding(text.to_owned());
        }
        match query.get_str("before").and_then(read_key) {
            Some(key) => Self::Before(key),
            None => Self::Newest,
        }
    }
}

/// A place in an address: `pos.id`.
pub(super) fn key_in_address(key: RowKey) -> String {
    format!("{}.{}", key.pos, key.id)
}

fn read_key(text: &str) -> Option<RowKey> {
    let (pos, id) = text.split_once('.')?;
    Some(RowKey {
        pos: pos.parse().ok()?,
        id: id.parse().ok()?,
    })
}

/// The timeline of the conversation.
#[component]
pub fn Timeline() -> impl IntoView {
    let query = use_query_map();
    let part = Memo::new(move |_| Part::of(&query.read()));
    move || match part.get() {
        Part::Newest => view! { <Newest /> }.into_any(),
        Part::Before(before) => later(Aside::Past(before)).into_any(),
        Part::Holding(text) => later(Aside::Found(text)).into_any(),
    }
}

/// The timeline as it happens.
#[component]
fn Newest() -> impl IntoView {
    let store = use_conversation();
    let rows = store.timeline;
    let section = NodeRef::<Section>::new();
    let scroller = Scroller::new(section, store);
    let sending = store.of_session(|session| session.outbox.len());
    Effect::new(move |before: Option<usize>| {
        let now = sending.get();
        if before.is_some_and(|before| now > before) && writes_message() {
            scroller.to_end();
        }
        now
    });
    let older = move |event: MouseEvent| {
        event.prevent_default();
        scroller.load_older();
    };
    let older_address = move || {
        format!(
            "?before={}",
            rows.oldest().map(key_in_address).unwrap_or_default()
        )
    };
    let empty = move || rows.shown().is_empty() && store.session.read().outbox.is_empty();
    view! {
        <section
            class="timeline"
            tabindex="0"
            role="region"
            aria-label="Timeline"
            node_ref=section
            on:scroll=move |_| scroller.scrolled()
        >
            <div class="timeline__rows" on:click=move |event| scroller.hold_summary(&event)>
                {move || {
                    rows.has_older()
                        .then(|| {
                            view! {
                                <a
                                    class="button timeline__older"
                                    href=older_address
                                    aria-busy=move || scroller.loading.get().then_some("true")
                                    on:click=older
                                >
                                    "Older"
                                </a>
                            }
                        })
                }}
                {move || scroller.trouble.get().map(|error| view! { <ErrorNote error /> })}
                {move || {
                    empty()
                        .then(|| {
                            view! { <p class="timeline__nothing muted">"Nothing has happened yet."</p> }
                        })
                }}
                <For each=move || rows.shown() key=|entry| entry.key let:entry>
                    <RowCard entry />
                </For>
                <Drafts />
                <Outbox />
            </div>
        </section>
        {move || {
            scroller
                .away
                .get()
                .then(|| {
                    let label = move || match scroller.unseen.get() {
                        0 => "Newest ↓".to_owned(),
                        count => format!("{count} new ↓"),
                    };
                    view! {
                        <button type="button" class="button timeline__newest" on:click=move |_| scroller.to_newest()>
                            {label}
                        </button>
                    }
                })
        }}
    }
    .into_any()
}

/// The message field has the focus: what goes out now was most likely written here.
fn writes_message() -> bool {
    document()
        .active_element()
        .is_some_and(|element| element.id() == "message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_survives_the_address() {
        let key = RowKey { pos: -3, id: 12 };
        assert_eq!(read_key(&key_in_address(key)), Some(key));
        assert_eq!(read_key("12"), None);
        assert_eq!(read_key("x.1"), None);
    }
}
