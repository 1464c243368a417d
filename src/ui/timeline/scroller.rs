//! Scroll position of the timeline.
//!
//! The timeline is a `column-reverse` box: its scroll position is 0 at the newest row and negative above it, so a
//! reader at the end sees new rows without JavaScript. For all other readers the visible rows must stay in place,
//! whatever is added, removed or resized around them: the row at the top edge is remembered, and when the height of the
//! rows or of the box changes, its displacement is reverted before the next paint. In browsers with scroll anchoring the displacement
//! is 0 by then.

use crate::{
    api::{ApiError, older_rows},
    store::{ConversationStore, after_layout},
};
use leptos::{html::Section, prelude::*, task::spawn_local};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Element, HtmlElement, MouseEvent, ResizeObserver};

/// Within this distance of the end, in pixels, the reader counts as being at the end.
const AT_END: i32 = 80;

/// Within this distance of an edge, in pixels, the next rows are fetched: more than the height of a phone's screen.
const NEAR: i32 = 1_200;

/// A row, or rows folded into one line.
const ROW: &str = ".row, .fold";

/// Rows per page.
const PAGE: u32 = 60;

/// The reader's position: the `id` of a row's element, and its distance from the top of the viewport. (An element
/// cannot be stored here, because the server shares this state between threads.)
#[derive(Clone)]
struct Place {
    row: String,
    top: f64,
}

/// Controls the scroll position of a conversation's timeline.
#[derive(Clone, Copy)]
pub(super) struct Scroller {
    section: NodeRef<Section>,
    store: ConversationStore,
    /// The position to preserve.
    place: StoredValue<Option<Place>>,
    /// Whether rows have changed and the position is not restored yet, so that the scroll position is meaningless.
    settling: StoredValue<bool>,
    /// Whether the reader has scrolled away from the end.
    pub(super) away: RwSignal<bool>,
    /// The number of rows that have arrived since then.
    pub(super) unseen: RwSignal<usize>,
    /// Whether older rows are being fetched.
    pub(super) loading: RwSignal<bool>,
    /// Why fetching them failed.
    pub(super) trouble: RwSignal<Option<ApiError>>,
}

impl Scroller {
    pub(super) fn new(section: NodeRef<Section>, store: ConversationStore) -> Self {
        let scroller = Self {
            section,
            store,
            place: StoredValue::new(None),
            settling: StoredValue::new(false),
            away: RwSignal::new(false),
            unseen: RwSignal::new(0),
            loading: RwSignal::new(false),
            trouble: RwSignal::new(None),
        };
        Effect::new(move || scroller.watch_height());
        // If equal numbers of rows are added and removed at the two ends, the height stays the same and the observer
        // does not fire.
        Effect::new(move || {
            store.timeline.track();
            scroller.settling.set_value(true);
            after_layout(move || scroller.settle());
        });
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

    /// Handles a scroll event, of the reader or of this code.
    pub(super) fn scrolled(self) {
        let Some(section) = self.section.get_untracked() else {
            return;
        };
        if self.settling.get_value() {
            return;
        }
        let top = section.scroll_top();
        let away = top < -AT_END || self.store.timeline.has_newer_now();
        if self.away.get_untracked() != away {
            self.away.set(away);
        }
        if !away {
            self.unseen.set(0);
        }
        self.place
            .set_value(if away { place_at_top(&section) } else { None });
        let above = section.scroll_height() - section.client_height() + top;
        if above < NEAR {
            self.load_older();
        } else if -top < NEAR && self.store.timeline.has_newer_now() {
            self.store.timeline.show_newer();
        }
    }

    /// Shows older rows, and fetches them if necessary.
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
        let id = store.id();
        spawn_local(async move {
            let answer = older_rows(id, before, None, PAGE).await;
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

    /// Scrolls to the newest row and moves the focus there, because the pressed button disappears.
    pub(super) fn to_newest(self) {
        self.to_end();
        if let Some(section) = self.section.get_untracked() {
            let _ = section.focus();
        }
    }

    /// Scrolls to the newest row.
    pub(super) fn to_end(self) {
        self.place.set_value(None);
        self.unseen.set(0);
        self.store.timeline.show_newest();
        if let Some(section) = self.section.get_untracked() {
            section.set_scroll_top(0);
        }
        self.away.set(false);
    }

    /// An expanded summary stays in place under the pointer; in this box it would grow upwards.
    pub(super) fn hold_summary(self, event: &MouseEvent) {
        let target = event
            .target()
            .and_then(|target| target.dyn_into::<Element>().ok());
        let row = target.and_then(|target| target.closest("summary").ok()??.closest(ROW).ok()?);
        if let Some(row) = row {
            self.place.set_value(Some(place_of(&row)));
        }
    }

    fn watch_height(self) {
        let Some(section) = self.section.get() else {
            return;
        };
        let Some(rows) = section.first_element_child() else {
            return;
        };
        let grown = Closure::<dyn FnMut()>::new(move || self.keep_place());
        let Ok(observer) = ResizeObserver::new(grown.as_ref().unchecked_ref()) else {
            return;
        };
        observer.observe(&rows);
        // An approval takes its room from the end of the box.
        observer.observe(&section);
        // Both live as long as the page; JavaScript values are not `Send`, which `on_cleanup` requires.
        let held = StoredValue::new_local((observer, grown));
        on_cleanup(move || held.with_value(|(observer, _)| observer.disconnect()));
    }

    fn settle(self) {
        self.keep_place();
        if self.settling.try_set_value(false).is_none() {
            self.scrolled();
        }
    }

    fn keep_place(self) {
        // The page may have been left since this was ordered.
        let section = self.section.try_get_untracked().flatten();
        let (Some(section), Some(Some(place))) = (section, self.place.try_get_value()) else {
            return;
        };
        if let Some(row) = shown_row(&place.row) {
            let moved = row.get_bounding_client_rect().top() - place.top;
            if moved.abs() >= 1.0 {
                section.set_scroll_top(section.scroll_top() + moved.round() as i32);
            }
        }
    }
}

/// The row with this id, or the closed fold that hides it.
fn shown_row(id: &str) -> Option<Element> {
    let row = document().get_element_by_id(id)?;
    let fold = row.closest(".fold:not([open])").ok()?;
    Some(fold.unwrap_or(row))
}

/// The row at the top edge.
fn place_at_top(section: &HtmlElement) -> Option<Place> {
    let edge = section.get_bounding_client_rect();
    let middle = (edge.left() + edge.width() / 2.0) as f32;
    // Gaps between rows are small, so one of a few points hits a row.
    let row = [8.0, 40.0, 120.0].into_iter().find_map(|below| {
        let hit = document().element_from_point(middle, edge.top() as f32 + below)?;
        hit.closest(ROW).ok()?
    })?;
    Some(place_of(&row))
}

fn place_of(row: &Element) -> Place {
    Place {
        row: row.id(),
        top: row.get_bounding_client_rect().top(),
    }
}
