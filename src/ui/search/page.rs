//! `/search`: one field and filters over everything that the reader may see.

use super::{filters::Filters, results::Results, text};
use crate::{
    api::{SearchAsk, read_search_choices, search_events},
    store::{fetched, link, use_query},
    ui::{
        parts::{self, Answered, EmptyState, varying},
        shell::Page,
    },
};
use leptos::{html::Input, prelude::*};
use leptos_router::components::Form;

/// The search page.
#[component]
pub fn SearchPage() -> impl IntoView {
    let ask = asked();
    let found = fetched(move || ask.get(), search_events);
    // The choices have an answer of their own, so that the form stays in place when the search changes.
    let choices = fetched(|| (), |()| read_search_choices());
    let address = StoredValue::new(link("search"));
    let filtered = ask.read_untracked().is_filtered();
    let field = NodeRef::<Input>::new();
    Effect::new(move |_| {
        if let Some(field) = field.get().filter(|_| ask.read_untracked().is_empty()) {
            // A field that is gone needs no focus.
            let _ = field.focus();
        }
    });
    any_view! {
        <Page title=text::title() class="page">
            <Form method="GET" action=address.get_value() attr:class="stack" attr:role="search" attr:aria-label=text::place()>
                <div class="search">
                    <input
                        class="input"
                        type="search"
                        name="q"
                        aria-label=text::label()
                        placeholder=text::placeholder()
                        value=move || ask.get().q
                        node_ref=field
                    />
                    <button class="button button--primary">{parts::text::search()}</button>
                </div>
                <details class="knowledge" open=filtered>
                    <summary>{parts::text::filters()}</summary>
                    <Answered answers=choices waiting=text::loading_filters() draw=move |choices| {
                        any_view! { <Filters choices ask=ask.get_untracked() /> }
                    } />
                    {varying(move || {
                        let ask = ask.get();
                        ask.is_filtered()
                            .then(|| {
                                let words = SearchAsk {
                                    q: ask.q,
                                    ..SearchAsk::default()
                                };
                                let address = address.with_value(|address| format!("{address}{}", words.query()));
                                view! {
                                    <a class="button button--quiet" href=address rel="external">
                                        {text::clear()}
                                    </a>
                                }
                            })
                    })}
                </details>
            </Form>
            <Answered answers=found waiting=text::searching() draw=move |found| {
                let ask = ask.get_untracked();
                if ask.is_empty() {
                    return any_view! { <EmptyState title=text::hint_title() text=text::hint() /> };
                }
                any_view! { <Results found ask address=address.get_value() within=false /> }
            } />
        </Page>
    }
}

/// What the URL asks.
pub(super) fn asked() -> Memo<SearchAsk> {
    let query = use_query();
    Memo::new(move |_| SearchAsk::read(|name| query.with(|query| query.get(name))))
}
