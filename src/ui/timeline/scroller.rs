//! Where the reader is, and that it stays there.
//!
//! The timeline is a `column-reverse` box: its scroll position is 0 at the newest row and negative above,
//! so a reader at the end sees new rows come without a script. Everybody else shall keep the row they
//! look at in its place, whatever comes, goes or grows around it: the row at the top edge is remembered,
//! and when the height of the rows changes its displacement is taken back before anything is painted.
//! Browsers with scroll anchoring have done it by then, and the displacement is nothing.

use crate::{
    api::{ApiError, older_rows},
    store::{ConversationStore, after_layout},
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

/// What the reader looks at: the `id` of a row's element, and how far below the top of the window it
/// stands. (An element cannot be kept here: the server makes this, too, and its threads share it.)
#[derive(Clone)]
struct Place {
    row: String,
    top: f64,
}

/// Scrolls the timeline of a conversation.
#[derive(Clone, Copy)]
pub(super) struct Scroller {
    section: NodeRef<Section>,
    store: ConversationStore,
    /// What must not move.
    place: StoredValue<Option<Place>>,
    /// Rows came or went and the reader's place is not restored yet: where the box stands means nothing.
    settling: StoredValue<bool>,
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
            place: StoredValue::new(None),
            settling: StoredValue::new(false),
            away: RwSignal::new(false),
            unseen: RwSignal::new(0),
            loading: RwSignal::new(false),
            trouble: RwSignal::new(None),
        };
        Effect::new(move || scroller.watch_height());
        // When as many rows go at one end as come at the other, the height stays and nothing is observed.
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

    /// The reader has scrolled, or we have.
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

    /// Goes to the newest row, with the focus: the button that was pressed goes away.
    pub(super) fn to_newest(self) {
        self.to_end();
        if let Some(section) = self.section.get_untracked() {
            let _ = section.focus();
        }
    }

    /// Shows the newest row.
    pub(super) fn to_end(self) {
        self.place.set_value(None);
        self.unseen.set(0);
        self.store.timeline.show_newest();
        if let Some(section) = self.section.get_untracked() {
            section.set_scroll_top(0);
        }
        self.away.set(false);
    }

    /// A fold that is opened stays where it is clicked; in this box it would grow upwards.
    pub(super) fn hold_summary(self, event: &MouseEvent) {
        let target = event
            .target()
            .and_then(|target| target.dyn_into::<Element>().ok());
        let row =
            target.and_then(|target| target.closest("summary").ok()??.closest(".row").ok()?);
        if let Some(row) = row {
            self.place.set_value(Some(place_of(&row)));
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

    fn settle(self) {
        self.keep_place();
        if self.settling.try_set_value(false).is_none() {
            self.scrolled();
        }
    }

    fn keep_place(self) {
        let (Some(section), Some(Some(place))) =
            (self.section.get_untracked(), self.place.try_get_value())
        else {
            return;
        };
        if let Some(row) = document().get_element_by_id(&place.row) {
            let moved = row.get_bounding_client_rect().top() - place.top;
            if moved.abs() >= 1.0 {
                section.set_scroll_top(section.scroll_top() + moved.round() as i32);
            }
        }
    }
}

/// The row at the top edge.
fn place_at_top(section: &HtmlElement) -> Option<Place> {
    let edge = section.get_bounding_client_rect();
    let middle = (edge.left() + edge.width() / 2.0) as f32;
    // Gaps between rows are small: one of a few points meets a row.
    let row = [8.0, 40.0, 120.0].into_iter().find_map(|below| {
        let hit = document().element_from_point(middle, edge.top() as f32 + below)?;
        hit.closest(".row").ok()?
    })?;
    Some(place_of(&row))
}

fn place_of(row: &Element) -> Place {
    Place {
        row: row.id(),
        top: row.get_bounding_client_rect().top(),
    }
}
