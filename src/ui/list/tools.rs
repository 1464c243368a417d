//! Filters, order, and the choice of several conversations: links and a form of the list's own page.

use super::asked::{Filter, Sort, query_with};
use super::text;
use crate::people::Right;
use crate::store::{Query, link, may, me};
use crate::ui::parts::{self, Icon, Menu, varying};
use leptos::prelude::*;

/// Whether several conversations are being chosen.
#[derive(Clone, Copy)]
pub(super) struct Choosing(pub(super) Memo<bool>);

/// The filters and the menu of the list.
#[component]
pub(super) fn Tools(
    /// The query of the list's page.
    own: Memo<Query>,
    filter: Memo<Filter>,
    sort: Memo<Sort>,
    choosing: Memo<bool>,
) -> impl IntoView {
    let home = StoredValue::new(link(""));
    let address = move |name: &'static str, value: &'static str| {
        move || home.with_value(|home| format!("{home}{}", query_with(own.get(), name, value)))
    };
    // Without accounts everything is one's own.
    let named = !me().name.is_empty();
    let filters = Filter::ALL
        .into_iter()
        .filter(move |(one, _)| named || *one != Filter::Mine);
    let filters = filters.map(move |(one, label)| {
        let current = move || (filter.get() == one).then_some("true");
        view! {
            <a class="chip chip--button" href=address("show", one.word()) aria-current=current>
                {label()}
            </a>
        }
    });
    let orders = Sort::ALL.into_iter().map(move |(one, label)| {
        let current = move || (sort.get() == one).then_some("true");
        view! {
            <a class="menu__item" href=address("sort", one.word()) aria-current=current>
                {label()}
            </a>
        }
    });
    view! {
        <div class="conversation-list__filters">
            <nav class="chips" aria-label=text::filters()>
                {filters.collect_view()}
            </nav>
            <Menu
                button="button button--quiet button--small"
                name=text::options()
                label="⋯"
            >
                {orders.collect_view()}
                {may(Right::Operate)
                    .then(|| {
                        view! {
                            <hr class="menu__rule"/>
                            <a class="menu__item" href=address("select", "1")>
                                {text::choose()}
                            </a>
                        }
                    })}
            </Menu>
        </div>
        {varying(move || {
            choosing
                .get()
                .then(|| {
                    let kept = kept(&own.get());
                    view! {
                        <form id=CHOSEN class="cluster" method="get" action=home.get_value()>
                            {hidden(kept)}
                            <button class="button button--small button--danger" type="submit">
                                <Icon name="trash"/>
                                " "
                                {parts::text::delete_item()}
                            </button>
                            <a class="button button--small" href=address("select", "")>
                                {parts::text::cancel()}
                            </a>
                        </form>
                    }
                })
        })}
    }
    .into_any()
}

/// The id of the form that the checkboxes of the rows belong to: a form in a row's menu cannot lie within it.
pub(super) const CHOSEN: &str = "chosen";

/// What a form of the list's page must send along to stay with its search, filter and order.
fn kept(query: &Query) -> Vec<(&'static str, String)> {
    let names = ["q", "show", "sort"].into_iter();
    let kept = names.filter_map(|name| Some((name, query.get(name)?)));
    kept.collect()
}

fn hidden(kept: Vec<(&'static str, String)>) -> impl IntoView {
    let fields = kept.into_iter().map(|(name, value)| {
        view! { <input type="hidden" name=name value=value/> }
    });
    fields.collect_view()
}
