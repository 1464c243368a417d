//! When a press began: the press of a finger, mouse button or key that is down or was released a moment ago. And when the
//! person last typed.
//!
//! A click event fires at the end of a press. Times are milliseconds of the browser's monotonic clock.

use leptos::prelude::*;
use std::cell::Cell;
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{Event, KeyboardEvent, MouseEvent};

/// Up to this many milliseconds after a press has ended, a click belongs to it: phones delay clicks to detect a double
/// tap.
const BELONGS: f64 = 500.0;

#[derive(Clone, Copy)]
struct Press {
    began: f64,
    ended: Option<f64>,
}

thread_local! {
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    static POINTER: Cell<Option<Press>> = const { Cell::new(None) };
    static KEY: Cell<Option<Press>> = const { Cell::new(None) };
    static TYPED: Cell<f64> = const { Cell::new(f64::NEG_INFINITY) };
}

/// The current time on the clock of event time stamps.
pub(super) fn now() -> Option<f64> {
    Event::new("now").ok().map(|event| event.time_stamp())
}

/// Whether a key belongs to an input method: it chooses or confirms what is composed, and means nothing else.
///
/// Safari ends a composition before the key that confirms it, which then has the code 229.
pub fn composes(key: &KeyboardEvent) -> bool {
    key.is_composing() || key.key_code() == 229
}

/// Whether the person has typed since a time.
pub(super) fn typed_since(time: f64) -> bool {
    TYPED.get() >= time
}

/// Starts tracking presses and typing.
pub(super) fn watch() {
    if WATCHED.replace(true) {
        return;
    }
    let listener = Closure::<dyn Fn(Event)>::new(|event: Event| on_event(&event)).into_js_value();
    for name in [
        "pointerdown",
        "pointerup",
        "pointercancel",
        "keydown",
        "keyup",
        "input",
    ] {
        // In the capture phase, before another handler can stop the event. All browsers know these events.
        let _ = window().add_event_listener_with_callback_and_bool(
            name,
            listener.unchecked_ref(),
            true,
        );
    }
}

fn on_event(event: &Event) {
    let at = event.time_stamp();
    let repeats = |event: &Event| {
        let key = event.dyn_ref::<KeyboardEvent>();
        key.is_some_and(KeyboardEvent::repeat)
    };
    let began = Some(Press {
        began: at,
        ended: None,
    });
    let ended = |press: Option<Press>| {
        press.map(|press| Press {
            ended: Some(at),
            ..press
        })
    };
    match event.type_().as_str() {
        "pointerdown" => POINTER.set(began),
        "keydown" if repeats(event) => {}
        "keydown" => KEY.set(began),
        "keyup" => KEY.set(ended(KEY.get())),
        "input" => TYPED.set(at),
        _ => POINTER.set(ended(POINTER.get())),
    }
}

/// When the press that this click ends began; the time of the click if no press is known, as with a screen reader.
pub(super) fn began(click: &MouseEvent) -> f64 {
    let at = click.time_stamp();
    // `detail` is the click count, and only pointers set it.
    let press = if click.detail() > 0 {
        POINTER.get()
    } else {
        KEY.get()
    };
    let belongs = |press: &Press| press.ended.is_none_or(|ended| at - ended < BELONGS);
    press
        .filter(belongs)
        .map_or(at, |press| press.began.min(at))
}
