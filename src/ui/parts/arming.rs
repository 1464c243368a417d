//! Arming: buttons that ignore presses until their subject has been visible for a while.
//!
//! A button that has just appeared, moved or changed its meaning is often pressed by mistake: the second click of a
//! double click would approve an action that nobody has read. So the marked parts of a group (`data-arms`: its buttons,
//! and the parts of the question that must be seen) are checked several times a second in an animation frame, which a
//! hidden tab does not get. When all of them have been in view, uncovered and unmoved for [`MIN_VIEW_TIME`], the buttons
//! are armed, and presses that begin after that count. A press that began too early says so ([`TooEarly`]).
//!
//! Armed buttons stay armed while their person types or scrolls: a field that grows may move them, and they may leave the
//! view. Whatever else moves or covers a part arms them anew, and so does another subject.
//!
//! A part may have to be read to its end (`data-arms="whole"`): the group says how much of it has not been in view yet, and
//! the delay starts when its end is. If the part scrolls with the page, its end is right above the buttons and is seen with
//! them, so all of it must have been in view, from its beginning on. A part that a style sheet may leave out says so
//! (`data-arms="optional"`).
//!
//! Long because the state and its view of the page belong together. The server enforces the same delay for answers
//! (`hub/seen.rs`), also for those that Enter in a field gives; without JavaScript the style sheet does (`arming.css`).

use super::{press, text, varying};
use leptos::prelude::*;
use std::time::Duration;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, MouseEvent, ScrollIntoViewOptions, ScrollLogicalPosition};

/// How long the parts must have been visible, in milliseconds.
const MIN_VIEW_TIME: f64 = 700.0;

/// Pause between two checks, before and after the buttons are armed.
const PAUSE: Duration = Duration::from_millis(50);
const PAUSE_ARMED: Duration = Duration::from_millis(250);

/// How long a press that came too early is said to be one.
const SAID: Duration = Duration::from_secs(4);

/// Maximum time that counts between two checks, in milliseconds: the page may have been hidden in between.
const MOST_BETWEEN: f64 = 100.0;

/// The end of a part is in view if this many pixels or fewer are missing: its padding, and rounding.
const SLACK: i32 = 8;

/// An area of this height has been noticed, in pixels: two lines.
const NOTICED: f64 = 40.0;

/// A group of guarded buttons.
#[derive(Clone, Copy)]
pub struct Arming {
    state: StoredValue<State>,
    /// Whether the buttons look disabled; without JavaScript the style sheet decides.
    waits: RwSignal<bool>,
    /// See [`Arming::rest`].
    rest: RwSignal<Option<usize>>,
    /// Whether the last press began too early.
    early: RwSignal<bool>,
}

struct State {
    /// The generation: incremented each time the subject of the group changes.
    about: u32,
    root: Option<Element>,
    /// Whether a movement of a part restarts the delay.
    still: bool,
    /// The positions of the marked parts, if all of them are drawn and uncovered.
    places: Option<Vec<Place>>,
    /// How long they have been visible, in milliseconds; `None` until they have been painted once.
    in_view_for: Option<f64>,
    checked_at: f64,
    /// The time from which presses count.
    armed_at: f64,
    /// The height of what has been read to its end, in pixels.
    read: i32,
    /// What was out of view at the last check.
    rest: Option<usize>,
    /// Whether the rest was asked for: its end leads to the buttons.
    leads: bool,
}

/// Left, top, width and height of a part relative to the page, whatever the scroll position.
type Place = [i32; 4];

impl Arming {
    /// A group that is not armed. With `still` its parts must also keep their positions.
    pub fn new(still: bool) -> Self {
        Self {
            state: StoredValue::new(State {
                about: 0,
                root: None,
                still,
                places: None,
                in_view_for: None,
                checked_at: 0.0,
                armed_at: f64::INFINITY,
                read: 0,
                rest: None,
                leads: false,
            }),
            waits: RwSignal::new(false),
            rest: RwSignal::new(None),
            early: RwSignal::new(false),
        }
    }

    /// Disarms the group because its subject changes. Call it while the new subject is drawn.
    pub fn disarm(self) {
        self.state.update_value(|state| {
            state.about += 1;
            state.root = None;
            state.read = 0;
            state.begin_anew();
        });
        if self.early.get_untracked() {
            self.early.set(false);
        }
    }

    /// Starts checking the group within `root`. Call it in an effect.
    pub fn begin(self, root: Element) {
        press::watch();
        let about = self.state.try_update_value(|state| {
            state.about += 1;
            state.root = Some(root);
            state.read = 0;
            state.begin_anew();
            state.about
        });
        self.waits.set(true);
        if let Some(about) = about {
            self.check_again(about);
        }
    }

    /// Whether the buttons should look disabled because they are not armed yet.
    pub fn waits(self) -> Signal<bool> {
        self.waits.into()
    }

    /// What has not been in view yet: `None` if nothing, else the number of whole items below the visible ones.
    pub fn rest(self) -> Signal<Option<usize>> {
        self.rest.into()
    }

    /// Scrolls to the end of what has to be read, or on a page that scrolls to what has not been read of it.
    pub fn show_rest(self) {
        let part = self.state.try_update_value(|state| {
            state.leads = true;
            Some((state.whole()?, state.read))
        });
        let Some((part, read)) = part.flatten() else {
            return;
        };
        if scrolls(&part) {
            part.set_scroll_top(part.scroll_height());
            return;
        }
        let mut within = part.offset_parent();
        while let Some(outer) = within.and_then(|outer| outer.dyn_into::<HtmlElement>().ok()) {
            let area = outer.get_bounding_client_rect();
            let unread = part.get_bounding_client_rect().top() + f64::from(read);
            outer.set_scroll_top(outer.scroll_top() + (unread - area.top().max(0.0)) as i32);
            within = outer.offset_parent();
        }
    }

    /// Cancels a click unless it counts.
    pub fn guard(self, click: &MouseEvent) {
        let counts = self.counts(press::began(click));
        self.early.set(!counts);
        if !counts {
            click.prevent_default();
            // It may be gone by then.
            let over = move || {
                self.early.try_set(false);
            };
            set_timeout(over, SAID);
        }
    }

    /// Whether a press that began at this time counts.
    fn counts(self, began: f64) -> bool {
        // A part may have moved since the last check.
        self.check();
        let armed_at = self.state.try_with_value(|state| state.armed_at);
        armed_at.is_some_and(|armed_at| armed_at <= began)
    }

    /// Checks the parts. Returns whether presses count now, and `None` once the group is disposed.
    fn check(self) -> Option<bool> {
        let now = press::now()?;
        let (armed, rest) = self.state.try_update_value(|state| {
            state.check(now);
            (state.armed_at <= now, state.rest)
        })?;
        if self.waits.try_get_untracked()? == armed {
            self.waits.set(!armed);
        }
        if self.rest.try_get_untracked()? != rest {
            self.rest.set(rest);
        }
        Some(armed)
    }

    fn check_again(self, about: u32) {
        let state = self.state;
        let is_about = move || state.try_with_value(|state| state.about) == Some(about);
        request_animation_frame(move || {
            let Some(armed) = self.check().filter(|_| is_about()) else {
                return;
            };
            let still = state.try_with_value(|state| state.still);
            let pause = match (armed, still) {
                (false, _) => PAUSE,
                (true, Some(true)) => PAUSE_ARMED,
                (true, _) => return,
            };
            set_timeout(move || self.check_again(about), pause);
        });
    }
}

impl State {
    fn begin_anew(&mut self) {
        self.places = None;
        self.in_view_for = None;
        self.armed_at = f64::INFINITY;
    }

    fn check(&mut self, now: f64) {
        let before = self.rest;
        self.rest = self.unread();
        if before.is_some() && self.rest.is_none() {
            self.begin_anew();
            if std::mem::take(&mut self.leads) {
                self.show_buttons();
            }
        }
        let found = self.root.as_ref().and_then(places);
        let (found, are_seen) =
            found.map_or((None, false), |(found, are_seen)| (Some(found), are_seen));
        let is_own = press::typed_since(self.checked_at);
        let same = match (&found, &self.places) {
            (Some(found), Some(places)) => !self.still || is_own || found == places,
            _ => false,
        };
        let is_armed = self.armed_at.is_finite();
        // Armed buttons that may move stay armed.
        if (self.still || !is_armed) && !(same && (are_seen || is_armed)) {
            self.begin_anew();
        } else if !is_armed {
            let more = (now - self.checked_at).min(MOST_BETWEEN);
            // At the first check the parts have only just been painted.
            let in_view = self.in_view_for.map_or(0.0, |before| before + more);
            self.in_view_for = Some(in_view);
            if in_view >= MIN_VIEW_TIME {
                self.armed_at = now;
            }
        }
        self.places = found;
        self.checked_at = now;
    }

    /// Scrolls as far as the last part needs to be in view.
    fn show_buttons(&self) {
        let parts = self
            .root
            .as_ref()
            .map(|root| root.query_selector_all("[data-arms]"));
        let Some(Ok(parts)) = parts else { return };
        let last = parts.item(parts.length().saturating_sub(1));
        if let Some(last) = last.and_then(|last| last.dyn_into::<Element>().ok()) {
            let options = ScrollIntoViewOptions::new();
            options.set_block(ScrollLogicalPosition::Nearest);
            last.scroll_into_view_with_scroll_into_view_options(&options);
        }
    }

    /// The part that has to be read to its end.
    fn whole(&self) -> Option<HtmlElement> {
        let root = self.root.as_ref()?;
        let part = root.query_selector("[data-arms=whole]").ok()??;
        part.dyn_into().ok()
    }

    /// See [`Arming::rest`]. What has been read stays read unless it grows.
    fn unread(&mut self) -> Option<usize> {
        let part = self.whole()?;
        let height = part.scroll_height();
        let scrolls = scrolls(&part);
        let whole = part.get_bounding_client_rect();
        if scrolls {
            if height - part.scroll_top() - part.client_height() <= SLACK {
                self.read = self.read.max(height);
            }
        } else if let Some((top, bottom)) = in_view(&part)
            && top - whole.top() <= f64::from(self.read + SLACK)
        {
            self.read = self.read.max((bottom - whole.top()).ceil() as i32);
        }
        if height <= self.read + SLACK {
            return None;
        }
        if !scrolls {
            // What is missing may be above.
            return Some(0);
        }
        let items = part.children();
        let end = whole.bottom() - NOTICED;
        let tops = (0..items.length()).filter_map(|at| items.item(at));
        let tops = tops.map(|item| item.get_bounding_client_rect().top());
        Some(tops.filter(|top| *top > end).count())
    }
}

/// Says that the last press of a group began too early. It takes no room, so that it moves no button.
#[component]
pub fn TooEarly(arming: Arming) -> impl IntoView {
    let early = arming.early;
    any_view! {
        <span class="too-early" role="status">
            {varying(move || {
                early.get().then(|| view! { <span class="too-early__text">{text::too_early()}</span> })
            })}
        </span>
    }
}

/// The positions of the marked parts, and whether all of them are in view; `None` if one is not drawn, or is covered.
fn places(root: &Element) -> Option<(Vec<Place>, bool)> {
    let parts = root.query_selector_all("[data-arms]").ok()?;
    let parts = (0..parts.length()).map(|at| parts.item(at)?.dyn_into::<HtmlElement>().ok());
    let parts = parts.filter(|part| !part.as_ref().is_some_and(is_left_out));
    let (mut places, mut are_seen) = (Vec::new(), true);
    for part in parts {
        let part = part?;
        match sight(&part) {
            Sight::Covered => return None,
            Sight::Seen => {}
            Sight::Away => are_seen = false,
        }
        places.push(place(&part));
    }
    (!places.is_empty()).then_some((places, are_seen))
}

fn is_left_out(part: &HtmlElement) -> bool {
    part.offset_width() == 0 && part.get_attribute("data-arms").as_deref() == Some("optional")
}

fn place(part: &HtmlElement) -> Place {
    let (mut left, mut top) = (part.offset_left(), part.offset_top());
    let mut within = part.offset_parent();
    while let Some(outer) = within.and_then(|outer| outer.dyn_into::<HtmlElement>().ok()) {
        left += outer.offset_left();
        top += outer.offset_top();
        within = outer.offset_parent();
    }
    [left, top, part.offset_width(), part.offset_height()]
}

/// Whether a part scrolls by itself.
fn scrolls(part: &HtmlElement) -> bool {
    part.scroll_height() > part.client_height() + SLACK
}

/// A size of the window, in pixels.
fn size(size: Result<wasm_bindgen::JsValue, wasm_bindgen::JsValue>) -> Option<f64> {
    size.ok().and_then(|size| size.as_f64())
}

/// Top and bottom of the area of a part that is within the window and within what scrolls around it, in pixels of the
/// window; `None` if it is empty.
fn in_view(part: &HtmlElement) -> Option<(f64, f64)> {
    let whole = part.get_bounding_client_rect();
    let height = size(window().inner_height())?;
    let (mut top, mut bottom) = (whole.top().max(0.0), whole.bottom().min(height));
    // What scrolls is positioned (shell.css).
    let mut within = part.offset_parent();
    while let Some(outer) = within.and_then(|outer| outer.dyn_into::<HtmlElement>().ok()) {
        let area = outer.get_bounding_client_rect();
        (top, bottom) = (top.max(area.top()), bottom.min(area.bottom()));
        within = outer.offset_parent();
    }
    Some((top, bottom)).filter(|(top, bottom)| top < bottom)
}

/// What a person sees of a part.
enum Sight {
    /// Half of it, or [`NOTICED`] of it, and nothing covers the middle of that area.
    Seen,
    /// Less: the rest is scrolled out of view.
    Away,
    /// It is not drawn, or something covers it.
    Covered,
}

fn sight(part: &HtmlElement) -> Sight {
    let whole = part.get_bounding_client_rect();
    if whole.width() <= 0.0 {
        return Sight::Covered;
    }
    let (Some(width), Some((top, bottom))) = (size(window().inner_width()), in_view(part)) else {
        return Sight::Away;
    };
    let (left, right) = (whole.left().max(0.0), whole.right().min(width));
    let enough =
        right - left >= whole.width() / 2.0 && bottom - top >= (whole.height() / 2.0).min(NOTICED);
    if !enough {
        return Sight::Away;
    }
    let (x, y) = (f64::midpoint(left, right), f64::midpoint(top, bottom));
    let above = document().element_from_point(x as f32, y as f32);
    match above.is_some_and(|above| part.contains(Some(&above))) {
        true => Sight::Seen,
        false => Sight::Covered,
    }
}
