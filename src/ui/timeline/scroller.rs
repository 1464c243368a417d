//! Where the reader is, and that it stays there.
//!
//! The timeline is a `column-reverse` box: its scroll position is 0 at the newest row and negative above,
//! so a reader at the end sees new rows come without a script. Everybody else shall keep the row they
//! look at in its place, whatever comes, goes or grows around it: the row at the top edge is remembered,
//! and when the height of the rows changes its displacement is taken back before anything is painted.
//! Browsers with scroll anchoring have done it by then, and the displacement is nothing.

use crate::{
    api::{ApiError, older_rows},
    store::ConversationStore,
};
use leptos::{html::Section, prelude::*, task::spawn_local};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Element, HtmlElement, MouseEvent, ResizeObserver};

/// Up to so many pixels from the end the reader is "at the end".
const AT_END: i32 = 80;

/// So many pixels before an edge the next rows are fetched: more than a screen of a phone.
const NEAR: i32 = 1_200;

/// Rows of a page.
const PAGE: u32 = 60;

/// What the reader looks at, and how far below the top of the window it stands.
#[derive(Clone)]
struct Place {
    element: Element,
    top: f64,
}

/// Scrolls the timeline of a conversation.
#[derive(Clone, Copy)]
pub(super) struct Scroller {
    section: NodeRef<Section>,
    store: ConversationStore,
    /// What must not move.
    place: RwSignal<Option<Place>, LocalStorage>,
    /// The reader is not at the end.
    pub(super) away: RwSignal<bool>,
    /// How many rows came since then.
    pub(super) unseen: RwSignal<usize>,
    /// Older rows are on their way.
    pub(super) loading: RwSignal<bool>,
    /// Why they do not come.
    pub(super) trouble: RwSignal<Option<ApiError>>,
}

impl Scroller {
    pub(super) fn new(section: NodeRef<Section>, store: ConversationStore) -> Self {
        let scroller = Self {
            section,
            store,
            place: RwSignal::new_local(None),
            away: RwSignal::new(false),
            unseen: RwSignal::new(0),
            loading: RwSignal::new(false),
            trouble: RwSignal::new(None),
        };
        Effect::new(move || scroller.watch_height());
        Effect::new(move |before: Option<usize>| {
            let arrived = store.arrived.get();
            let more = arrived - before.unwrap_or(arrived);
            if scroller.away.get_untracked() {
                scroller.unseen.update(|unseen| *unseen += more);
            }
            arrived
        });
        scroller
    }

    /// The reader has scrolled, or we have.
    pub(super) fn scrolled(self) {
        let Some(section) = self.section.get_untracked() else {
            return;
        };
        let top = section.scroll_top();
        let away = top < -AT_END || self.store.timeline.has_newer_now();
        if self.away.get_untracked() != away {
            self.away.set(away);
        }
        if !away {
            self.unseen.set(0);
        }
        self.place
            .set(if away { place_at_top(&section) } else { None });
        let above = section.scroll_height() - section.client_height() + top;
        if above < NEAR {
            self.load_older();
        } else if -top < NEAR && self.store.timeline.has_newer_now() {
            self.store.timeline.show_newer();
        }
    }

    /// Shows older rows, fetching them if need be.
    pub(super) fn load_older(self) {
        let Self {
            store,
            loading,
            trouble,
            ..
        } = self;
        let rows = store.timeline;
        if loading.get_untracked() || rows.show_older() || !untrack(|| rows.has_older()) {
            return;
        }
        let before = untrack(|| rows.oldest()).map(|key| (key.pos, key.id));
        loading.set(true);
        spawn_local(async move {
            let answer = older_rows(store.id(), before, None, PAGE).await;
            if loading.is_disposed() {
                return;
            }
            loading.set(false);
            match answer {
                Ok(page) => {
                    trouble.set(None);
                    rows.prepend(page.rows, page.older);
                }
                Err(error) => trouble.set(Some(error)),
            }
        });
    }

    /// Goes to the newest row.
    pub(super) fn to_newest(self) {
        self.place.set(None);
        self.unseen.set(0);
        self.store.timeline.show_newest();
        if let Some(section) = self.section.get_untracked() {
            section.set_scroll_top(0);
            // The button that was clicked goes away; the focus must not go with it.
            let _ = section.focus();
        }
        self.away.set(false);
    }

    /// A fold that is opened stays where it is clicked; in this box it would grow upwards.
    pub(super) fn hold_summary(self, event: &MouseEvent) {
        let target = event
            .target()
            .and_then(|target| target.dyn_into::<Element>().ok());
        if let Some(Ok(Some(element))) = target.map(|target| target.closest("summary")) {
            let top = element.get_bounding_client_rect().top();
            self.place.set(Some(Place { element, top }));
        }
    }

    fn watch_height(self) {
        let Some(rows) = self
            .section
            .get()
            .and_then(|section| section.first_element_child())
        else {
            return;
        };
        let grown = Closure::<dyn FnMut()>::new(move || self.keep_place());
        let Ok(observer) = ResizeObserver::new(grown.as_ref().unchecked_ref()) else {
            return;
        };
        observer.observe(&rows);
        // Both live until the page goes; JavaScript values are not `Send`, which `on_cleanup` wants.
        let held = StoredValue::new_local((observer, grown));
        on_cleanup(move || held.with_value(|(observer, _)| observer.disconnect()));
    }

    fn keep_place(self) {
        let (Some(section), Some(Some(place))) =
            (self.section.get_untracked(), self.place.try_get_untracked())
        else {
            return;
        };
        let moved = place.element.get_bounding_client_rect().top() - place.top;
        if place.element.is_connected() && moved.abs() >= 1.0 {
            section.set_scroll_top(section.scroll_top() + moved.round() as i32);
        }
    }
}

/// The row at the top edge.
fn place_at_top(section: &HtmlElement) -> Option<Place> {
    let edge = section.get_bounding_client_rect();
    let middle = (edge.left() + edge.width() / 2.0) as f32;
    // Gaps between rows are small: one of a few points meets a row.
    let element = [8.0, 40.0, 120.0].into_iter().find_map(|below| {
        let hit = document().element_from_point(middle, edge.top() as f32 + below)?;
        hit.closest(".row").ok()?
    })?;
    let top = element.get_bounding_client_rect().top();
    Some(Place { element, top })
}
