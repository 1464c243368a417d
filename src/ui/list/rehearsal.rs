//! The notice that the backend is the embedded rehearsal.

use super::text;
use crate::store::link;
use leptos::prelude::*;

/// A chip that is shown on each visit.
#[component]
pub fn RehearsalNotice() -> impl IntoView {
    view! {
        <div class="rehearsal" role="status">
            <span class="chip">{text::rehearsal()}</span>
            <a href=link("settings/connection")>
                {text::connect()}
            </a>
        </div>
    }
}
