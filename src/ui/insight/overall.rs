//! The page over all conversations.

use super::text;
use crate::api::{OverallView, read_overall};
use crate::store::{fetched, link, use_query};
use crate::ui::parts::{self, Answered};
use crate::ui::shell::Page;
use leptos::prelude::*;

/// The periods to choose from, in days.
const PERIODS: [u32; 3] = [7, 30, 365];
/// The one that is shown at first.
const FIRST: u32 = 30;

/// What the address asks for: days, what the chart shows, and what tables are sorted by.
type Ask = (u32, String, String);

/// `/insight`.
#[component]
pub fn OverallPage() -> impl IntoView {
    let query = use_query();
    let ask = Memo::new(move |_| {
        let query = query.read();
        let days = query.get("days").and_then(|days| days.parse().ok());
        let word = |name: &str| {
            let mut word = query.get(name).unwrap_or_default();
            word.retain(|letter| letter.is_ascii_lowercase());
            word
        };
        (days.unwrap_or(FIRST), word("by"), word("sort"))
    });
    let seen = fetched(
        move || ask.get(),
        |(days, chart, sort): Ask| read_overall(days, chart, sort),
    );
    any_view! {
        <Page title=parts::text::usage() class="page page--wide">
            <nav class="chips" aria-label=text::period()>
                {PERIODS
                    .map(|days| {
                        let address = move || {
                            let (_, chart, sort) = ask.get();
                            link(&format!("insight?days={days}&by={chart}&sort={sort}"))
                        };
                        let current = move || (ask.get().0 == days).then_some("true");
                        view! {
                            <a class="chip chip--button" href=address aria-current=current>
                                {text::days(days)}
                            </a>
                        }
                    })}
            </nav>
            <Answered answers=seen waiting=text::loading() draw=|view: OverallView| {
                let whose = if view.everybody { text::everybody() } else { text::own() };
                any_view! {
                    <p class="muted">{whose}</p>
                    <div class="insight" inner_html=view.html></div>
                }
            }/>
        </Page>
    }
}
