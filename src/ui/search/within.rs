//! Search in a conversation: the search over everything, limited to it.

use super::{page::asked, results::Results, text};
use crate::{
    api::{ApiError, FoundView, SearchAsk, search_events},
    store::{fetched, link, use_conversation},
    ui::parts::{self, Answered, SearchForm},
};
use leptos::prelude::*;

/// The search field, and the matching rows, newest first.
#[component]
pub fn Found() -> impl IntoView {
    let store = use_conversation();
    let address = StoredValue::new(link(&format!("c/{}", store.id())));
    let everywhere = link("search");
    let asked = asked();
    let ask = Memo::new(move |_| SearchAsk {
        conversation: store.id(),
        ..asked.get()
    });
    let found = fetched(move || ask.get(), find);
    let elsewhere = move || {
        let words = SearchAsk {
            q: ask.get().q,
            ..SearchAsk::default()
        };
        format!("{everywhere}{}", words.query())
    };
    let words = Memo::new(move |_| ask.get().q);
    any_view! {
        <section class="timeline timeline--found" tabindex="0" role="region" aria-label=text::label_within()>
            <div class="timeline__rows">
                <SearchForm
                    address=address.get_value()
                    place=text::place_within()
                    label=text::label_within()
                    placeholder=text::placeholder()
                    text=words
                >
                    <button class="button button--primary">{parts::text::search()}</button>
                    <a class="button button--quiet" href="?">
                        {parts::text::close()}
                    </a>
                </SearchForm>
                <p>
                    <a class="button button--small" href=elsewhere>
                        {text::everywhere()}
                    </a>
                </p>
                <Answered answers=found waiting=text::searching() draw=move |found| {
                    let ask = ask.get_untracked();
                    if ask.q.trim().is_empty() {
                        return ().into_any();
                    }
                    any_view! { <Results found ask address=address.get_value() within=true /> }
                } />
            </div>
        </section>
    }
}

/// What is found; nothing without words.
async fn find(ask: SearchAsk) -> Result<FoundView, ApiError> {
    match ask.q.trim() {
        "" => Ok(FoundView::default()),
        _ => search_events(ask).await,
    }
}
