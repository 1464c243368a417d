//! The list with its tools. Loaded once; after that only the live connection changes it.
//!
//! Long because filters, search and live changes share one list.

use super::asked::{Filter, Sort, grouped};
use super::row::{Pinned, Several};
use super::tools::{Choosing, Tools};
use super::{groups::Groups, rehearsal::RehearsalNotice, text};
use crate::api::{BackendView, ConversationSummary, ListView, list_conversations, query_of};
use crate::people::Right;
use crate::store::{Fetched, ListChange, Query, fetched, link, may, use_live, use_query};
use crate::ui::lazy::{Lazy, later};
use crate::ui::new::{FewSuggestions, MessageForm, Rule};
use crate::ui::parts::{self, Answered, EmptyState, Icon, SearchForm, use_clock, varying};
use leptos::prelude::*;
use leptos_router::hooks::use_location;
use std::collections::HashSet;

/// The list of conversations, with the current conversation marked.
#[component]
pub fn ConversationList() -> impl IntoView {
    let home = link("");
    let path = use_location().pathname;
    let query = use_query();
    let at_home = {
        let home = home.clone();
        Memo::new(move |_| {
            path.with(|path| path.trim_end_matches('/') == home.trim_end_matches('/'))
        })
    };
    // Only the query of the home page concerns the list; a conversation's page has a query of its own.
    // The page may be left while these are computed once more, so a disposed signal counts as its default.
    let own = Memo::new(move |_| {
        if at_home.try_get().unwrap_or_default() {
            query.get()
        } else {
            Query::default()
        }
    });
    let search = Memo::new(move |_| {
        let search = own.try_with(|own| own.get("q").unwrap_or_default());
        search.unwrap_or_default()
    });
    let mine = Memo::new(move |_| own.try_with(filter_of) == Some(Filter::Mine));
    // Which conversations are one's own is asked again when only these are shown.
    let list = fetched(
        move || {
            let mine = mine.try_get().unwrap_or_default();
            (search.try_get().unwrap_or_default(), mine)
        },
        |(search, _)| list_conversations(search),
    );
    let page = link("search");
    let everything = move || {
        let words = search.try_get().unwrap_or_default();
        format!("{page}{}", query_of([("q", words.as_str())]))
    };
    view! {
        <div class="conversation-list">
            <div class="conversation-list__tools">
                <SearchForm
                    address=home
                    place=parts::text::conversations()
                    label=text::search_label()
                    placeholder=text::search_placeholder()
                    text=search
                >
                    <button class="button" type="submit">
                        <Icon name="search"/>
                        <span class="visually-hidden">{parts::text::search()}</span>
                    </button>
                </SearchForm>
                <a class="conversation-list__everything" href=everything>
                    {text::search_everything()}
                </a>
                {may(Right::Operate)
                    .then(|| {
                        view! {
                            <a class="button button--primary" href=link("new")>
                                <Icon name="plus"/>
                                " "
                                {parts::text::new_conversation()}
                            </a>
                        }
                    })}
            </div>
            <Answered answers=list waiting=text::loading() draw=move |view| {
                view! { <Loaded view search=search.get_untracked() own at_home list/> }.into_any()
            }/>
        </div>
    }
    .into_any()
}

#[component]
fn Loaded(
    view: ListView,
    search: String,
    own: Memo<Query>,
    at_home: Memo<bool>,
    list: Fetched<Result<ListView, crate::api::ApiError>>,
) -> impl IntoView {
    let ListView {
        conversations,
        backends,
        mine,
        pinned,
        draft,
    } = view;
    let draft = StoredValue::new(draft);
    let shown = RwSignal::new(conversations);
    let mine: StoredValue<HashSet<String>> = StoredValue::new(mine.into_iter().collect());
    let pinned: RwSignal<HashSet<String>> = RwSignal::new(pinned.into_iter().collect());
    provide_context(Pinned(pinned));
    let confirm = asked_about();
    // It stays once it was drawn: when it closes, it gives the focus back.
    let confirmed = Memo::new(move |was: Option<&bool>| {
        was == Some(&true) || !confirm.try_with(Vec::is_empty).unwrap_or(true)
    });
    let filter = Memo::new(move |_| own.try_with(filter_of).unwrap_or(Filter::All));
    let sort = Memo::new(move |_| own.try_with(sort_of).unwrap_or_default());
    let chooses = |own: &Query| own.get_str("select").is_some();
    let choosing = Memo::new(move |_| own.try_with(chooses).unwrap_or_default());
    provide_context(Choosing(choosing));
    let clock = use_clock();
    let groups = Memo::new(move |_| {
        let order = (filter.try_get(), sort.try_get(), clock.try_get());
        let (Some(filter), Some(sort), Some(clock)) = order else {
            return Vec::new();
        };
        let order = (filter, sort);
        let pinned = pinned.read();
        mine.with_value(|mine| shown.with(|all| grouped(all, mine, &pinned, order, clock)))
    });
    let talks = may(Right::Operate);
    let search = StoredValue::new(search);
    follow_list(shown, search, list);
    let any = Memo::new(move |_| shown.with(|all| !all.is_empty()));
    let none = Memo::new(move |_| groups.try_with(Vec::is_empty).unwrap_or(true));
    let narrowed = move || filter.get() != Filter::All;
    let troubles = troubles(&backends);
    let rehearses = backends.iter().any(|backend| backend.rehearsal);
    provide_context(Several(backends.len() > 1));
    let backends = StoredValue::new(backends);
    let home = StoredValue::new(link(""));
    view! {
        {troubles}
        {rehearses.then(|| view! { <RehearsalNotice/> })}
        {varying(move || any.get().then(|| view! { <Tools own filter sort choosing/> }))}
        {varying(move || {
            if !none.get() {
                view! { <Groups groups shown/> }.into_any()
            } else if any.get() && narrowed() {
                nothing_found(home.get_value(), text::none_shown_text().to_owned()).into_any()
            } else if search.with_value(String::is_empty) {
                // Other pages contain this form themselves or have a different purpose.
                let asks = move || talks && at_home.get();
                let none_yet = match talks {
                    true => text::none_yet_text(),
                    false => text::none_yet_to_read(),
                };
                view! {
                    <EmptyState title=text::none_yet() text=none_yet>
                        {varying(move || {
                            asks()
                                .then(|| {
                                    view! {
                                        <MessageForm
 message=draft.get_value()
 backends=backends.get_value()
 rules=backends.with_value(|all| all.iter().map(Rule::first).collect())
/>
                                        {rehearses.then(|| view! { <FewSuggestions/> })}
                                    }
                                })
                        })}
                    </EmptyState>
                }
                    .into_any()
            } else {
                nothing_found(home.get_value(), text::none_found_text(search.get_value())).into_any()
            }
        })}
        {varying(move || confirmed.get().then(|| later(Lazy::Delete(shown, confirm))))}
    }
    .into_any()
}

/// Applies the changes of the live connection, as far as they match the search.
fn follow_list(
    shown: RwSignal<Vec<ConversationSummary>>,
    search: StoredValue<String>,
    list: Fetched<Result<ListView, crate::api::ApiError>>,
) {
    let live = use_live();
    Effect::new(move |_| {
        live.follow_list(move |change| match change {
            ListChange::Summary(summary) => {
                search.with_value(|wanted| shown.update(|all| take(all, *summary, wanted)));
            }
            ListChange::Gone(id) => shown.update(|all| all.retain(|one| one.id != id)),
            ListChange::Again => list.refetch(),
        });
    });
}

/// Says that the list is empty because of its filter or its search, and leads back to all conversations.
fn nothing_found(home: String, why: String) -> impl IntoView {
    view! {
        <EmptyState title=text::none_found() text=why>
            <a class="button" href=home>
                {text::show_all()}
            </a>
        </EmptyState>
    }
}

/// The conversations of the address that are to be deleted when the reader confirms it.
fn asked_about() -> Memo<Vec<String>> {
    let query = use_query();
    Memo::new(move |_| {
        let mut ids = query.with(|query| query.get_all("confirm"));
        ids.retain(|id| !id.is_empty());
        ids
    })
}

fn sort_of(query: &Query) -> Sort {
    Sort::of(query.get_str("sort").unwrap_or_default())
}

fn filter_of(query: &Query) -> Filter {
    Filter::of(query.get_str("show").unwrap_or_default())
}

/// One banner per unreachable backend; the conversations of the other backends are not affected.
fn troubles(backends: &[BackendView]) -> impl IntoView + use<> {
    let several = backends.len() > 1;
    let word = |backend: &BackendView| {
        let trouble = backend.trouble.clone()?;
        let trouble = if several {
            parts::text::trouble_of(&backend.label, trouble)
        } else {
            trouble
        };
        Some(view! {
            <div class="banner banner--warning" role="status">
                <span class="banner__text">{text::outdated(trouble)}</span>
                {may(Right::Own).then(|| view! {
                    <a class="button button--small" href=link("settings/connection")>
                        {parts::text::backends()}
                    </a>
                })}
            </div>
        })
    };
    let left_out = |backend: &BackendView| {
        let count = backend.left_out;
        let left_out = text::left_out(count, &backend.label);
        (count > 0).then(|| {
            view! {
                <div class="banner banner--warning" role="status">
                    <span class="banner__text">{left_out}</span>
                </div>
            }
        })
    };
    let troubles = backends.iter().filter_map(word).collect_view();
    (
        troubles,
        backends.iter().filter_map(left_out).collect_view(),
    )
}

/// Applies an update of one conversation to the list. A conversation that does not match the search, or no longer does,
/// is left out.
fn take(all: &mut Vec<ConversationSummary>, summary: ConversationSummary, wanted: &str) {
    let known = all.iter().position(|one| one.id == summary.id);
    match (known, summary.holds(wanted)) {
        (Some(at), true) => all[at] = summary,
        (Some(at), false) => drop(all.remove(at)),
        (None, true) => all.push(summary),
        (None, false) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Runtime;
    use crate::conversation::{Status, Tags};

    fn summary(title: &str, repository: Option<&str>, tags: &str) -> ConversationSummary {
        ConversationSummary {
            id: "c0ffee".to_owned(),
            title: title.to_owned(),
            status: Status::Idle,
            runtime: Runtime::Running,
            waiting: 0,
            excerpt: String::new(),
            cost: 0.0,
            repository: repository.map(str::to_owned),
            branch: None,
            tags: Tags::read(tags).expect("they are tags"),
            backend: String::new(),
            created_at: 0,
            updated_at: 0,
        }
    }

    #[test]
    fn a_searched_list_takes_what_is_found_by_title_place_or_tag_and_lets_go_of_the_rest() {
        let mut all = Vec::new();
        let mut after = |title, repository, tags| {
            take(&mut all, summary(title, repository, tags), " Parser ");
            all.first()
                .map(|one: &ConversationSummary| one.title.clone())
        };
        assert_eq!(after("one", None, ""), None);
        assert_eq!(
            after("two", Some("acme/parser"), "").as_deref(),
            Some("two")
        );
        assert_eq!(
            after("three", None, "team=parser").as_deref(),
            Some("three")
        );
        assert_eq!(
            after("Fix the PARSER", None, "").as_deref(),
            Some("Fix the PARSER")
        );
        assert_eq!(after("four", None, "urgent"), None);
        assert_eq!(after("five", None, "parser").as_deref(), Some("five"));
    }
}
