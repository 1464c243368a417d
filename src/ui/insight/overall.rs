//! The page over all conversations.

use super::text;
use crate::api::{OverallView, read_overall};
use crate::store::{fetched, link, use_query};
use crate::ui::parts::{self, Answered};
use crate::ui::shell::Page;
use leptos::prelude::*;

/// The periods to choose from, in days. The first one is shown at first.
const PERIODS: [u32; 3] = [30, 7, 365];

/// What the chart can show, as in the address. The first one is shown at first.
const CHARTS: [&str; 3] = ["day", "model", "person"];

/// What the address asks for: days, what the chart shows, and what tables are sorted by.
type Ask = (u32, String, String);

/// `/insight`.
#[component]
pub fn OverallPage() -> impl IntoView {
    let query = use_query();
    let ask = Memo::new(move |_| {
        let query = query.read();
        let days = query.get("days").and_then(|days| days.parse().ok());
        let chart = query.get("by").unwrap_or_default();
        let chart = CHARTS.into_iter().find(|known| *known == chart);
        let mut sort = query.get("sort").unwrap_or_default();
        sort.retain(|letter| letter.is_ascii_lowercase());
        let chart = chart.unwrap_or(CHARTS[0]).to_owned();
        (days.unwrap_or(PERIODS[0]), chart, sort)
    });
    let seen = fetched(
        move || ask.get(),
        |(days, chart, sort): Ask| read_overall(days, chart, sort),
    );
    view! {
        <Page title=parts::text::usage() class="page page--wide">
            <nav class="chips" aria-label=text::period()>
                {PERIODS
                    .map(|days| {
                        choice(ask, text::days(days), move |ask| (days, ask.1, ask.2))
                    })}
            </nav>
            <nav class="chips" aria-label=text::chart()>
                {CHARTS
                    .map(|chart| {
                        choice(ask, named(chart), move |ask| (ask.0, chart.to_owned(), ask.2))
                    })}
            </nav>
            <Answered answers=seen waiting=text::loading() draw=|view: OverallView| {
                let whose = if view.everybody { text::everybody() } else { text::own() };
                view! {
                    <p class="muted">{whose}</p>
                    <div class="insight" inner_html=view.html></div>
                }
                    .into_any()
            }/>
        </Page>
    }
    .into_any()
}

/// A link to the page as it is, but for one `change`.
fn choice(
    ask: Memo<Ask>,
    name: String,
    change: impl Fn(Ask) -> Ask + Copy + Send + Sync + 'static,
) -> AnyView {
    let address = move || {
        let (days, chart, sort) = change(ask.get());
        link(&format!("insight?days={days}&by={chart}&sort={sort}"))
    };
    let current = move || (change(ask.get()) == ask.get()).then_some("true");
    view! {
        <a class="chip chip--button" href=address aria-current=current>
            {name}
        </a>
    }
    .into_any()
}

fn named(chart: &str) -> String {
    match chart {
        "model" => text::by_model(),
        "person" => text::by_person(),
        _ => text::by_day(),
    }
    .to_owned()
}
