//! The notice that the backend is the embedded rehearsal.

use super::text;
use crate::people::Right;
use crate::store::{link, may};
use leptos::prelude::*;

/// A chip that is shown on each visit.
#[component]
pub fn RehearsalNotice() -> impl IntoView {
    view! {
        <div class="rehearsal" role="status">
            <span class="chip" title=text::nothing_executed()>
                {text::rehearsal()}
                <span class="visually-hidden">{text::nothing_executed()}</span>
            </span>
            {may(Right::Own).then(|| view! { <a href=link("settings/connection")>{text::connect()}</a> })}
        </div>
    }
}
