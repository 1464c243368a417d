//! The open panel: which one it is, and its place on the page.

use super::tabs::panel_name;
use crate::ui::lazy::{Lazy, later};
use crate::ui::parts::varying;
use leptos::prelude::*;
use std::time::Duration;

/// The name of the panel on the page. It follows the URL one frame later, so that the chosen tab is highlighted at once,
/// however long the panel takes to draw.
pub fn drawn_panel() -> ReadSignal<&'static str> {
    let name = panel_name();
    let (drawn, draw) = signal(name.get_untracked());
    Effect::new(move |was: Option<&str>| {
        let name = name.get();
        let changed = was.is_some_and(|was| was != name);
        if changed {
            request_animation_frame(move || {
                // The conversation may have been closed meanwhile.
                let draw = move || {
                    draw.try_set(name);
                };
                set_timeout(draw, Duration::ZERO);
            });
        }
        name
    });
    drawn
}

/// A panel by its name; nothing for the timeline.
#[component]
pub fn Panel(name: ReadSignal<&'static str>) -> impl IntoView {
    varying(move || match name.get() {
        "timeline" => ().into_any(),
        name => later(Lazy::Panel(name)).into_any(),
    })
}
