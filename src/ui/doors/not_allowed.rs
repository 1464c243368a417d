//! Somebody is logged in and may not see a page.

use crate::store::{link, me};
use crate::ui::shell::Head;
use leptos::prelude::*;

/// Stands where a page would be that one's role does not allow.
#[component]
pub fn NotAllowedPage() -> impl IntoView {
    let role = me().role.map_or("nobody", |role| role.word());
    view! {
        <Head title="Not allowed"/>
        <div class="page page--card">
            <h1 class="page__title">"Not allowed"</h1>
            <p>{format!("Your role ({role}) does not allow this page. Ask an owner for another one.")}</p>
            <a class="button button--primary" href=link("")>
                "All conversations"
            </a>
        </div>
    }
    .into_any()
}
