//! The page that the service worker shows without a network, for pages that it has not kept.

use super::text;
use crate::store::link;
use crate::ui::parts;
use crate::ui::shell::Page;
use leptos::prelude::*;

/// `/offline`. Like the login page it has no program, so it can stand at any address.
#[component]
pub fn OfflinePage() -> impl IntoView {
    any_view! {
        <Page title=text::offline_title()>
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
        </Page>
    }
}
