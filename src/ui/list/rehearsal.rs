//! Says that what is seen is a rehearsal.

use crate::store::link;
use leptos::prelude::*;

/// A calm word where the backend is the embedded rehearsal.
#[component]
pub fn RehearsalNotice() -> impl IntoView {
    view! {
        <div class="banner banner--info" role="status">
            <span class="banner__text">"Rehearsal: scripted agents, nothing is executed."</span>
            <a class="button button--small" href=link("settings/connection")>
                "Connect OpenHands"
            </a>
        </div>
    }
}
