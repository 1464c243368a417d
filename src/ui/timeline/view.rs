//! The timeline: live, at a point in the past, or search results. The URL says which.

use super::{
    address::{Past, key_in_address, read_key},
    alive::LastLine,
    drafts::Drafts,
    folds::{FRESH, Piece, PieceView, RowIds, arrange},
    scroller::Scroller,
    since::{FirstNew, SinceYouLeft, WayToNew},
    text,
};
use crate::{
    api::{SessionView, UNREAD},
    backend::ConnectionState,
    store::{ConversationStore, Query, after_layout, is_focus_lost, use_conversation, use_query},
    ui::{
        composer::Outbox,
        lazy::{Lazy, later},
        parts::{self, ErrorNote, copy_code, in_field, tell_time, use_toasts, varying},
    },
};
use leptos::{ev, html::Section, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent, MouseEvent};

/// The part of the timeline that is shown.
#[derive(Debug, Clone, PartialEq)]
enum Part {
    Newest,
    Past(Past),
    Hit,
    Found,
}

impl Part {
    fn of(query: &Query) -> Self {
        if query.get_str("hit").is_some() {
            return Self::Hit;
        }
        if query.get_str("q").is_some() {
            return Self::Found;
        }
        if let Some(key) = query.get_str("before").and_then(read_key) {
            return Self::Past(Past::Before(key));
        }
        match query.get_str("after") {
            Some(key) => Self::Past(Past::After(read_key(key))),
            None => Self::Newest,
        }
    }
}

/// The timeline of the conversation.
#[component]
pub fn Timeline() -> impl IntoView {
    let query = use_query();
    let part = Memo::new(move |_| Part::of(&query.read()));
    move || match part.get() {
        Part::Newest => any_view! { <Newest /> },
        Part::Past(past) => later(Lazy::Past(past)).into_any(),
        Part::Hit => later(Lazy::Hit).into_any(),
        Part::Found => later(Lazy::Found).into_any(),
    }
}

/// The live timeline.
#[component]
fn Newest() -> impl IntoView {
    let store = use_conversation();
    let rows = store.timeline;
    let section = NodeRef::<Section>::new();
    let scroller = Scroller::new(section, store);
    follow_keys_and_messages(store, section, scroller);
    // A page that was alive has led here, from a button that is gone.
    let is_alive = || matches!(document().query_selector("[data-live=true]"), Ok(Some(_)));
    Effect::new(move || {
        if let Some(section) = section.get().filter(|_| is_alive()) {
            after_layout(move || {
                let _ = is_focus_lost().then(|| section.focus());
            });
        }
    });
    let toasts = use_toasts();
    let clicked = move |event: MouseEvent| {
        scroller.hold_summary(&event);
        copy_code(&event, toasts);
        tell_time(&event, toasts);
    };
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
    let first = FirstNew::of(store);
    let empty = move || rows.shown().is_empty() && store.session.read().outbox.is_empty();
    let unread = store.of_session(is_unread);
    let resting = store.of_session(|session| session.status.is_at_rest());
    let (opened, loose) = (RowIds::default(), RowIds::default());
    let pieces = move || {
        let fresh = if resting.get() { 0 } else { FRESH };
        let holds = scroller.away.get();
        let unfolded = loose.get_value();
        let stays = |row: i64| first.is(row) || (holds && unfolded.contains(&row));
        let pieces = arrange(&rows.shown(), fresh, stays);
        loose.set_value(pieces.iter().filter_map(Piece::single).collect());
        pieces
    };
    any_view! {
        <section
            class="timeline"
            tabindex="0"
            role="region"
            aria-label=text::timeline()
            node_ref=section
            on:scroll=move |_| scroller.scrolled()
        >
            <div class="timeline__rows" on:click=clicked>
                {varying(move || {
                    rows.has_older()
                        .then(|| {
                            view! {
                                <a
                                    class="button timeline__older"
                                    href=older_address
                                    aria-busy=move || scroller.loading.get().then_some("true")
                                    on:click=older
                                >
                                    {parts::text::older()}
                                </a>
                            }
                        })
                })}
                {varying(move || scroller.trouble.get().map(|error| view! { <ErrorNote error /> }))}
                {varying(move || {
                    empty()
                        .then(|| {
                            let nothing = move || match unread.get() {
                                true => text::unread(),
                                false => text::empty(),
                            };
                            view! { <p class="timeline__nothing muted">{varying(nothing)}</p> }
                        })
                })}
                {varying(move || first.is_before(rows.oldest()).then(|| view! { <SinceYouLeft above=true /> }))}
                <For each=pieces key=Piece::key let:piece>
                    {piece
                        .single()
                        .is_some_and(|row| first.is(row))
                        .then(|| view! { <SinceYouLeft above=false /> })}
                    <PieceView piece opened />
                </For>
                <Drafts />
                <Outbox />
                <LastLine />
            </div>
        </section>
        <ToNewest scroller />
        <WayToNew scroller />
    }
}

/// Scrolls to the end when the user sends a message, and to the newest row on the End key.
fn follow_keys_and_messages(
    store: ConversationStore,
    section: NodeRef<Section>,
    scroller: Scroller,
) {
    let sending = store.of_session(|session| session.outbox.len());
    Effect::new(move |before: Option<usize>| {
        let now = sending.get();
        if before.is_some_and(|before| now > before) && writes_message() {
            scroller.to_end();
        }
        now
    });
    Effect::new(move || {
        let keys = window_event_listener(ev::keydown, move |event| {
            let modified =
                event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key();
            let shown = || {
                let section = section.get_untracked();
                section.is_some_and(|section| section.offset_height() > 0)
            };
            if event.key() == "End"
                && !modified
                && !in_field(&event)
                && !elsewhere(&event)
                && shown()
            {
                event.prevent_default();
                scroller.to_newest();
            }
        });
        on_cleanup(move || keys.remove());
    });
}

/// The button that leads back to the end, while the reader is elsewhere.
#[component]
fn ToNewest(scroller: Scroller) -> impl IntoView {
    let label = move || match scroller.unseen.get() {
        0 => text::newest().to_owned(),
        count => text::new_rows(count),
    };
    varying(move || {
        let button = || {
            view! {
                <button type="button" class="button timeline__newest" on:click=move |_| scroller.to_newest()>
                    {varying(label)}
                </button>
            }
        };
        scroller.away.get().then(button)
    })
}

/// Whether there may be more than could be read: without rows, that is not "nothing".
fn is_unread(session: &SessionView) -> bool {
    let is_away = matches!(
        session.connection,
        ConnectionState::Reconnecting { .. } | ConnectionState::Refused { .. }
    );
    let notice = session.notice.as_ref();
    is_away || notice.is_some_and(|notice| notice.code == UNREAD)
}

/// Whether a key is pressed in something beside the timeline that scrolls by itself.
fn elsewhere(event: &KeyboardEvent) -> bool {
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| {
        matches!(
            target.closest(".panel, .conversation-list, dialog, .approval"),
            Ok(Some(_))
        )
    })
}

/// Whether the message field has the focus: the message that has just been sent was most likely written here.
fn writes_message() -> bool {
    document()
        .active_element()
        .is_some_and(|element| element.id() == "message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_cannot_read_the_history_does_not_say_that_there_is_none() {
        let reached = SessionView {
            connection: ConnectionState::Live,
            ..SessionView::default()
        };
        assert!(!is_unread(&reached));
        let away = SessionView {
            connection: ConnectionState::Reconnecting {
                attempt: 1,
                why: "refused".to_owned(),
                retry_in: 1,
            },
            ..SessionView::default()
        };
        assert!(is_unread(&away));
    }
}
