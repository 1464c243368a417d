//! One menu with filters, order, and the choice of several conversations: links and a form of the list's own page.

use super::asked::{name_of_filter, name_of_order, query_with};
use super::confirm::Act;
use super::text;
use crate::api::{BackendView, ListAsk, Show, Sort};
use crate::people::Right;
use crate::store::{Call, Query, link, may, me};
use crate::ui::parts::{self, Menu, Outcome, named_icon, varying};
use crate::ui::shell::ServerForm;
use leptos::prelude::*;

/// Whether several conversations are being chosen.
#[derive(Clone, Copy)]
pub(super) struct Choosing(pub(super) Memo<bool>);

/// The menu of the list, named after the filter that applies, and what else narrows the list.
#[component]
pub(super) fn Tools(
    /// The query of the list's page.
    own: Memo<Query>,
    /// What it asks for.
    ask: ListAsk,
    backends: Vec<BackendView>,
    choosing: Memo<bool>,
    order: Call,
) -> impl IntoView {
    let home = StoredValue::new(link(""));
    // From its first page on.
    let query_string = move |name: &'static str, value: &'static str| {
        let mut query = own.get();
        query.remove("before");
        query_with(query, name, value)
    };
    let address = move |name: &'static str, value: &'static str| {
        move || home.with_value(|home| format!("{home}{}", query_string(name, value)))
    };
    // Without accounts everything is one's own.
    let (named, several) = (!me().name.is_empty(), backends.len() > 1);
    let (show, sort) = (Show::of(&ask.show), Sort::of(&ask.sort));
    let filters = Show::ALL
        .into_iter()
        .filter(|one| named || *one != Show::Mine)
        .map(|one| {
            let current = (show == one).then_some("true");
            view! {
                <a class="menu__item" href=address("show", one.word()) aria-current=current>
                    {name_of_filter(one)()}
                </a>
            }
        })
        .collect_view();
    let orders = Sort::ALL
        .into_iter()
        .filter(|one| several || *one != Sort::Backend)
        .map(|one| {
            let current = (sort == one).then_some("true");
            view! {
                <button class="menu__item" name="sort" value=one.word() aria-current=current>
                    {name_of_order(one)()}
                </button>
            }
        })
        .collect_view();
    let given = [
        ("repository", ask.repository.clone()),
        ("tag", ask.tag.clone()),
        ("backend", ask.backend.clone()),
    ];
    let given = given.into_iter().filter(|(_, value)| !value.is_empty());
    let given = given.map(|(name, value)| {
        let label = text::remove_filter(&value);
        view! {
            <a class="chip chip--button" href=address(name, "") aria-label=label aria-current="true">
                {value}
                " ×"
            </a>
        }
    });
    let given: Vec<_> = given.collect();
    let given = (!given.is_empty()).then(|| {
        view! {
            <nav class="chips" aria-label=text::given()>
                {given}
            </nav>
        }
    });
    let shown = name_of_filter(show)();
    let places = places(
        home.get_value(),
        kept(&own.get_untracked(), 3),
        ask,
        backends,
    );
    any_view! {
        <Menu
            class="menu menu--end conversation-list__options"
            button="button button--quiet"
            name=text::options(shown)
            label=shown
        >
            <nav aria-label=parts::text::filters()>{filters}</nav>
            <hr class="menu__rule"/>
            <ServerForm action=order>
                <input type="hidden" name="back" value=move || query_string("sort", "")/>
                {orders}
                <Outcome action=order done=""/>
            </ServerForm>
            <hr class="menu__rule"/>
            {places}
            <hr class="menu__rule"/>
            {may(Right::Operate)
                .then(|| {
                    view! {
                        <a class="menu__item" href=address("select", "1")>
                            {text::choose()}
                        </a>
                    }
                })}
            <a class="menu__item" href=link("search")>
                {text::search_everything()}
            </a>
        </Menu>
        {given}
        {varying(move || {
            choosing
                .get()
                .then(|| {
                    let kept = kept(&own.get(), 6);
                    let archive = match show {
                        Show::Archived => Act::BringBack,
                        _ => Act::Archive,
                    };
                    let acts = [archive, Act::Stop, Act::Delete].into_iter();
                    view! {
                        <form id=CHOSEN class="cluster" method="get" action=home.get_value()>
                            {hidden(kept)}
                            {acts
                                .map(|act| {
                                    let (icon, label) = act.button();
                                    let class = match act {
                                        Act::Delete => "button button--small button--danger",
                                        _ => "button button--small",
                                    };
                                    view! {
                                        <button class=class type="submit" name="act" value=act.word()>
                                            {named_icon(icon, label)}
    "…"
                                        </button>
                                    }
                                })
                                .collect_view()}
                            <a class="button button--small" href=address("select", "")>
                                {parts::text::cancel()}
                            </a>
                        </form>
                    }
                })
        })}
    }
}

/// The id of the form that the checkboxes of the rows belong to: a form in a row's menu cannot lie within it.
pub(super) const CHOSEN: &str = "chosen";

/// What a form of the list's page must send along to stay with its search, filter and order; the first `count` of them.
fn kept(query: &Query, count: usize) -> Vec<(&'static str, String)> {
    let names = ["q", "show", "sort", "repository", "tag", "backend"].into_iter();
    let kept = names.take(count);
    kept.filter_map(|name| Some((name, query.get(name)?)))
        .collect()
}

/// The form that asks for a repository, a tag or a backend.
fn places(
    home: String,
    kept: Vec<(&'static str, String)>,
    ask: ListAsk,
    backends: Vec<BackendView>,
) -> impl IntoView {
    let options = backends.into_iter().map(|backend| {
        let selected = backend.label == ask.backend;
        view! {
            <option value=backend.label.clone() selected=selected>
                {backend.label.clone()}
            </option>
        }
    });
    let options: Vec<_> = options.collect();
    let several = options.len() > 1;
    any_view! {
        <form class="stack" method="get" action=home aria-label=text::narrow()>
            {hidden(kept)}
            <label class="field__label" for="list-repository">
                {text::repository()}
            </label>
            <input class="input" id="list-repository" name="repository" value=ask.repository/>
            <label class="field__label" for="list-tag">
                {text::tag()}
            </label>
            <input class="input" id="list-tag" name="tag" value=ask.tag/>
            {several
                .then(|| {
                    view! {
                        <label class="field__label" for="list-backend">
                            {text::backend()}
                        </label>
                        <select class="input" id="list-backend" name="backend">
                            <option value="">{text::any_backend()}</option>
                            {options}
                        </select>
                    }
                })}
            <button class="button button--small" type="submit">
                {text::apply()}
            </button>
        </form>
    }
}

fn hidden(kept: Vec<(&'static str, String)>) -> impl IntoView {
    let fields = kept.into_iter().map(|(name, value)| {
        view! { <input type="hidden" name=name value=value/> }
    });
    fields.collect_view()
}
