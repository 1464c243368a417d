//! The page over all conversations.

use super::text;
use crate::api::{OverallView, read_overall};
use crate::store::{fetched, link, use_query};
use crate::ui::parts::{self, Answered};
use crate::ui::shell::Head;
use leptos::prelude::*;

/// The periods to choose from, in days. The first one is shown at first.
const PERIODS: [u32; 3] = [30, 7, 365];

/// `/insight`.
#[component]
pub fn OverallPage() -> impl IntoView {
    let query = use_query();
    let days = Memo::new(move |_| {
        let days = query.read().get("days").and_then(|days| days.parse().ok());
        days.unwrap_or(PERIODS[0])
    });
    let seen = fetched(move || days.get(), read_overall);
    let period = move |choice: u32| {
        let address = link(&format!("insight?days={choice}"));
        let current = move || (days.get() == choice).then_some("true");
        view! {
            <a class="chip chip--button" href=address aria-current=current>
                {text::days(choice)}
            </a>
        }
    };
    view! {
        <Head title=parts::text::insight()/>
        <div class="page page--wide">
            <h1 class="page__title">{parts::text::insight()}</h1>
            <nav class="chips" aria-label=text::period()>
                {PERIODS.map(period)}
            </nav>
            <Answered answers=seen waiting=text::loading() draw=|view: OverallView| {
                let whose = if view.everybody { text::everybody() } else { text::own() };
                view! {
                    <p class="muted">{whose}</p>
                    <div class="insight" inner_html=view.html></div>
                }
                    .into_any()
            }/>
        </div>
    }
    .into_any()
}
