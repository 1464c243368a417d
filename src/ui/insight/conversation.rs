//! The page about one conversation.

use super::text;
use crate::api::{InsightView, read_insight};
use crate::store::{fetched, link};
use crate::ui::parts::{self, Answered};
use crate::ui::shell::Head;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

/// `/c/:id/insight`.
#[component]
pub fn InsightPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.read().get("id").unwrap_or_default());
    let seen = fetched(move || id.get(), read_insight);
    any_view! {
        <Head title=parts::text::insight()/>
        <div class="page page--wide">
            <p class="page__back">
                <a class="button button--quiet button--small" href=move || link(&format!("c/{}", id.get()))>
                    {text::back()}
                </a>
                <a class="button button--quiet button--small" href=link("insight")>
                    {text::over_all()}
                </a>
            </p>
            <h1 class="page__title">{parts::text::insight()}</h1>
            <Answered answers=seen waiting=text::loading() draw=|view: InsightView| {
                any_view! {
                    <p class="insight__of">{view.title}</p>
                    <div class="insight" inner_html=view.html></div>
                }
            }/>
        </div>
    }
}
