//! The list with its tools. Loaded once; after that only the live connection changes it.
//!
//! Long because filters, search and live changes share one list.

use super::asked::{Extent, grouped, open_in};
use super::confirm::Undo;
use super::older::Older;
use super::row::Several;
use super::row_actions::Pinned;
use super::tools::{Choosing, Tools};
use super::{groups::Groups, rehearsal::RehearsalNotice, text};
use crate::api::{
    BackendView, ConversationSummary, ListAsk, ListView, OWN_ORDER, Position, Sort, SortList,
    list_conversations, query_of,
};
use crate::conversation::Tone;
use crate::people::Right;
use crate::store::{Call, Fetched, ListChange, Query, fetched, link, may, me, use_live, use_query};
use crate::ui::lazy::{Lazy, later};
use crate::ui::new::{FewSuggestions, MessageForm, Rule};
use crate::ui::parts::{self, Answered, Banner, EmptyState, Icon, SearchForm, use_clock, varying};
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
    // Only the query of the home page concerns the list; a conversation's page has a query of its own, and the list
    // beside it stays as it was left.
    // The page may be left while these are computed once more, so a disposed signal counts as its default.
    let own = Memo::new(move |before: Option<&Query>| {
        if at_home.try_get().unwrap_or_default() {
            query.get()
        } else {
            before.cloned().unwrap_or_default()
        }
    });
    let asked = Memo::new(move |_| {
        let asked = own.try_with(|own| ListAsk::read(|name| own.get(name)));
        asked.unwrap_or_default()
    });
    let search = Memo::new(move |_| asked.try_with(|asked| asked.q.clone()).unwrap_or_default());
    let conversations = StoredValue::new(link("c/"));
    let list = fetched(
        move || asked.try_get().unwrap_or_default(),
        move |ask| {
            let path = path.try_get_untracked().unwrap_or_default();
            let open = conversations.try_with_value(|base| open_in(&path, base));
            let open = open.unwrap_or_default();
            let sort = match ask.sort.is_empty() {
                true => OWN_ORDER.to_owned(),
                false => ask.sort,
            };
            list_conversations(ListAsk { open, sort, ..ask })
        },
    );
    let page = link("search");
    let everything = move || {
        let words = search.try_get().unwrap_or_default();
        format!("{page}{}", query_of([("q", words.as_str())]))
    };
    any_view! {
        <div class="conversation-list">
            <SearchForm
                address=home
                place=parts::text::conversations()
                label=text::search_label()
                placeholder=text::search_placeholder()
                text=search
            >
                <button class="button button--quiet" type="submit">
                    <Icon name="search"/>
                    <span class="visually-hidden">{parts::text::search()}</span>
                </button>
            </SearchForm>
            {varying(move || {
                let everything = (!search.get().is_empty()).then(&everything)?;
                Some(view! {
                    <a class="conversation-list__everything" href=everything>
                        {text::search_everything()}
                    </a>
                })
            })}
            <Answered answers=list waiting=text::loading() draw=move |view| {
                let ask = asked.get_untracked();
                any_view! { <Loaded view ask own at_home list/> }
            }/>
        </div>
    }
}

#[component]
fn Loaded(
    view: ListView,
    ask: ListAsk,
    own: Memo<Query>,
    at_home: Memo<bool>,
    list: Fetched<Result<ListView, crate::api::ApiError>>,
) -> impl IntoView {
    let ListView {
        conversations,
        older,
        more_need_you,
        backends,
        pinned,
        draft,
        sort,
        disk,
    } = view;
    let disk =
        (!disk.is_empty()).then(|| view! { <Banner tone=Tone::Warning text=disk said=true/> });
    let ask = ListAsk { sort, ..ask };
    let draft = StoredValue::new(draft);
    let shown = RwSignal::new(conversations);
    let older = RwSignal::new(Position::read(&older));
    let pinned: RwSignal<HashSet<String>> = RwSignal::new(pinned.into_iter().collect());
    provide_context(Pinned(pinned));
    let confirm = asked_about();
    // It stays once it was drawn: when it closes, it gives the focus back.
    let confirmed = Memo::new(move |was: Option<&bool>| {
        was == Some(&true) || !confirm.try_with(Vec::is_empty).unwrap_or(true)
    });
    let chooses = |own: &Query| own.get_str("select").is_some();
    let choosing = Memo::new(move |_| {
        at_home.try_get().unwrap_or_default() && own.try_with(chooses).unwrap_or_default()
    });
    provide_context(Choosing(choosing));
    let clock = use_clock();
    let sort = Sort::of(&ask.sort);
    let groups = Memo::new(move |_| {
        let Some(clock) = clock.try_get() else {
            return Vec::new();
        };
        let extent = Extent {
            more_need_you,
            older: older.with(Option::is_some),
        };
        let pinned = pinned.read();
        shown.with(|all| grouped(all, &pinned, sort, extent, clock))
    });
    let talks = may(Right::Operate);
    let ask = StoredValue::new(ask);
    let hidden = StoredValue::new(HashSet::new());
    follow_list(ask, (shown, hidden), older, pinned, list);
    let any = Memo::new(move |_| shown.with(|all| !all.is_empty()));
    let none = Memo::new(move |_| groups.try_with(Vec::is_empty).unwrap_or(true));
    let narrowed = ask.with_value(|ask| ask.is_narrow() || !ask.before.is_empty());
    let searched = ask.with_value(|ask| {
        let words = ListAsk::from(ask.q.as_str());
        let sort = ask.sort.clone();
        !ask.q.is_empty() && *ask == ListAsk { sort, ..words }
    });
    let order = Call::of::<SortList>();
    order.on_success(move || list.refetch());
    let troubles = troubles(&backends);
    let unrecorded = unrecorded(&backends);
    let rehearses = backends.iter().any(|backend| backend.rehearsal);
    provide_context(Several(backends.len() > 1));
    let backends = StoredValue::new(backends);
    let home = StoredValue::new(link(""));
    any_view! {
            {disk}
            {troubles}
            <Undo/>
            {varying(move || {
                (any.get() || narrowed).then(|| view! { <Tools own ask=ask.get_value() backends=backends.get_value() choosing order/> })
            })}
            {varying(move || {
                if !none.get() {
                    any_view! { <Groups groups shown/> }
                } else if searched {
                    let words = ask.with_value(|ask| ask.q.clone());
                    nothing_found(home.get_value(), text::none_found_text(words)).into_any()
                } else if narrowed {
                    nothing_found(home.get_value(), text::none_shown_text().to_owned()).into_any()
                } else {
                    // Other pages contain this form themselves or have a different purpose.
                    let asks = move || talks && at_home.get();
                    let none_yet = match talks {
                        true => text::none_yet_text(),
                        false => text::none_yet_to_read(),
                    };
                    any_view! {
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
                }
            })}
            <Older ask=ask.get_value() shown hidden older pinned/>
            {unrecorded}
            {rehearses.then(|| view! { <RehearsalNotice/> })}
            {varying(move || confirmed.get().then(|| later(Lazy::Confirm(shown, confirm))))}
        }
}

/// Applies the changes of the live connection, as far as they concern what is asked for and shown.
fn follow_list(
    ask: StoredValue<ListAsk>,
    (shown, hidden): (
        RwSignal<Vec<ConversationSummary>>,
        StoredValue<HashSet<String>>,
    ),
    older: RwSignal<Option<Position>>,
    pinned: RwSignal<HashSet<String>>,
    list: Fetched<Result<ListView, crate::api::ApiError>>,
) {
    let live = use_live();
    let name = me().name;
    Effect::new(move |_| {
        let name = name.clone();
        live.follow_list(move |change| match change {
            ListChange::Summary(summary) => {
                let is_pinned = pinned.with_untracked(|pinned| pinned.contains(&summary.id));
                let end = older.get_untracked();
                hidden.update_value(|hidden| {
                    hidden.remove(&summary.id);
                });
                ask.with_value(|ask| {
                    let is_shown = ask.takes(&summary, &name)
                        && (is_pinned || is_within(ask, &summary, end.as_ref()));
                    shown.update(|all| take(all, *summary, is_shown));
                });
            }
            ListChange::Gone(id) => {
                shown.update(|all| all.retain(|one| one.id != id));
                hidden.update_value(|hidden| {
                    hidden.insert(id);
                });
            }
            ListChange::Again => list.refetch(),
        });
    });
}

/// Whether a conversation belongs to the pages that are shown, which end before `end`.
fn is_within(ask: &ListAsk, one: &ConversationSummary, end: Option<&Position>) -> bool {
    let at = Position::of(one, Sort::of(&ask.sort));
    let begins = Position::read(&ask.before);
    let is_after = begins.is_none_or(|begins| at > begins);
    is_after && (one.needs_you() || end.is_none_or(|end| at <= *end))
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

/// Banners about each backend: that it is unreachable, which does not affect the others, and what is not listed of it.
fn troubles(backends: &[BackendView]) -> impl IntoView + use<> {
    let several = backends.len() > 1;
    let banner = |tone, text: String, manages: bool| {
        view! {
            <Banner tone text said=true>
                {manages.then(|| view! {
                    <a class="button button--small" href=link("settings/connection")>
                        {parts::text::backends()}
                    </a>
                })}
            </Banner>
        }
    };
    let about = |backend: &BackendView| {
        let trouble = backend.trouble.clone().map(|trouble| match several {
            true => parts::text::trouble_of(&backend.label, trouble),
            false => trouble,
        });
        let left_out = Some(backend.left_out).filter(|count| *count > 0);
        (
            trouble.map(|trouble| banner(Tone::Warning, text::outdated(trouble), may(Right::Own))),
            left_out
                .map(|count| banner(Tone::Warning, text::left_out(count, &backend.label), false)),
            backend
                .read_so_far
                .map(|count| banner(Tone::Info, text::reading_on(count, &backend.label), false)),
        )
    };
    backends.iter().map(about).collect_view()
}

/// Says quietly what is not recorded of the backends.
fn unrecorded(backends: &[BackendView]) -> impl IntoView + use<> {
    let in_part = backends.iter().filter(|backend| backend.in_part);
    let in_part: Vec<&str> = in_part.map(|backend| backend.label.as_str()).collect();
    let text = match backends {
        [_] => text::in_part().to_owned(),
        _ => text::in_part_of(in_part.join(", ")),
    };
    let in_part = (!in_part.is_empty()).then(|| {
        let link = may(Right::Own).then(|| {
            view! {
                " "
                <a href=link("settings/connection")>{text::record_everything()}</a>
            }
        });
        view! { <p class="conversation-list__note muted">{text} {link}</p> }
    });
    let waiting = backends.iter().filter(|backend| backend.unfollowed > 0);
    let waiting = waiting.map(|backend| {
        let text = text::unfollowed(backend.unfollowed, &backend.label);
        view! { <p class="conversation-list__note muted">{text}</p> }
    });
    (in_part, waiting.collect_view())
}

/// Applies an update of one conversation to the list, in which it is shown or not.
fn take(all: &mut Vec<ConversationSummary>, summary: ConversationSummary, is_shown: bool) {
    let known = all.iter().position(|one| one.id == summary.id);
    match (known, is_shown) {
        (Some(at), true) => {
            // What is for everybody does not say how far the reader has read.
            let seen = summary.seen.max(all[at].seen);
            all[at] = ConversationSummary { seen, ..summary };
        }
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
            repository: repository.map(str::to_owned),
            tags: Tags::read(tags).expect("they are tags"),
            ..ConversationSummary::default()
        }
    }

    #[test]
    fn a_searched_list_takes_what_is_found_by_title_place_or_tag_and_lets_go_of_the_rest() {
        let mut all = Vec::new();
        let mut after = |title, repository, tags| {
            let summary = summary(title, repository, tags);
            let is_shown = ListAsk::from(" Parser ").takes(&summary, "");
            take(&mut all, summary, is_shown);
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

    #[test]
    fn a_change_beyond_the_pages_that_are_shown_waits_for_its_page() {
        let ask = ListAsk::default();
        let at = |updated_at| ConversationSummary {
            updated_at,
            ..summary("one", None, "")
        };
        let end = Position::of(&at(5), Sort::Activity);
        assert!(is_within(&ask, &at(6), Some(&end)) && is_within(&ask, &at(5), Some(&end)));
        assert!(!is_within(&ask, &at(4), Some(&end)) && is_within(&ask, &at(4), None));
        let failed = ConversationSummary {
            status: Status::Error,
            ..at(4)
        };
        assert!(is_within(&ask, &failed, Some(&end)), "it needs somebody");
        let older = ListAsk {
            before: end.in_address(),
            ..ListAsk::default()
        };
        assert!(is_within(&older, &at(4), None) && !is_within(&older, &failed_at(failed, 6), None));
    }

    fn failed_at(failed: ConversationSummary, updated_at: i64) -> ConversationSummary {
        ConversationSummary {
            updated_at,
            ..failed
        }
    }
}
