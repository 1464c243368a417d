//! The page that the service worker shows without a network, for pages that it has not kept.

use super::text;
use crate::store::link;
use crate::ui::parts;
use crate::ui::shell::Head;
use leptos::prelude::*;

/// `/offline`. Like the login page it has no program, so it can stand at any address.
#[component]
pub fn OfflinePage() -> impl IntoView {
    view! {
        <Head title=text::offline_title()/>
        <div class="page page--narrow">
            <h1 class="page__title">{text::offline_title()}</h1>
            <p>{text::offline_text()}</p>
            <p class="cluster">
                <a class="button button--primary" href="">
                    {text::retry()}
                </a>
                <a class="button" href=link("")>
                    {parts::text::conversations()}
                </a>
                <a class="button" href=link("inbox")>
                    {parts::text::inbox()}
                </a>
            </p>
        </div>
    }
    .into_any()
}
