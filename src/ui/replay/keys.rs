//! The keys of the replay; the list of shortcuts names them.

use super::player::Player;
use crate::ui::parts::in_field;
use leptos::{ev, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

/// Handles the keys while the page is open.
pub(super) fn listen(player: Player) {
    Effect::new(move || {
        let keys = window_event_listener(ev::keydown, move |event| {
            let held = event.ctrl_key() || event.meta_key() || event.alt_key();
            if held || event.default_prevented() || in_dialog(&event) {
                return;
            }
            let on_slider = target(&event).is_some_and(|target| target.id() == "replay-at");
            if in_field(&event) && !on_slider {
                return;
            }
            match event.key().as_str() {
                " " if !presses(&event) => player.toggle(),
                "[" => player.previous_mark(),
                "]" => player.next_mark(),
                // The slider moves by itself.
                "ArrowLeft" if !on_slider => player.step(-1),
                "ArrowRight" if !on_slider => player.step(1),
                _ => return,
            }
            event.prevent_default();
        });
        on_cleanup(move || keys.remove());
    });
}

fn target(event: &KeyboardEvent) -> Option<Element> {
    event.target()?.dyn_into().ok()
}

fn in_dialog(event: &KeyboardEvent) -> bool {
    target(event).is_some_and(|target| matches!(target.closest("dialog"), Ok(Some(_))))
}

/// Whether the space bar presses what has the focus.
fn presses(event: &KeyboardEvent) -> bool {
    let pressed = |target: Element| target.closest("button, summary, a");
    matches!(target(event).map(pressed), Some(Ok(Some(_))))
}
