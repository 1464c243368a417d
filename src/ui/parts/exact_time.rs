//! The exact time on a touch screen, which does not show the `title` of a time.

use super::toasts::ToastBox;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, MouseEvent};

/// Shows the exact time that a finger has tapped. One listener of the timeline serves all times.
pub fn tell_time(event: &MouseEvent, toasts: ToastBox) {
    let touches = window().match_media("(pointer: coarse)").ok().flatten();
    if !touches.is_some_and(|touches| touches.matches()) {
        return;
    }
    let target = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    let time = target.and_then(|target| target.closest("time").ok()?);
    if let Some(exact) = time.and_then(|time| time.get_attribute("title")) {
        toasts.say(exact);
    }
}
