//! What the URL asks of the list: a filter, an order, and the conversations whose deletion is to be confirmed.

use super::text;
use crate::api::ConversationSummary;
use crate::backend::Runtime;
use crate::conversation::Status;
use crate::store::Query;
use crate::text::Text;
use crate::ui::parts::{self, Clock};
use std::cmp::Reverse;
use std::collections::HashSet;

/// Which conversations are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Filter {
    #[default]
    All,
    Running,
    Approval,
    Done,
    Mine,
}

impl Filter {
    pub(super) const ALL: [(Self, Text); 5] = [
        (Self::All, text::every),
        (Self::Running, parts::text::running),
        (Self::Approval, parts::text::needs_approval),
        (Self::Done, text::done),
        (Self::Mine, text::mine),
    ];

    /// The value in the URL.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Running => "running",
            Self::Approval => "approval",
            Self::Done => "done",
            Self::Mine => "mine",
        }
    }

    /// The filter of a value in the URL; an unknown one shows everything.
    pub(super) fn of(word: &str) -> Self {
        let mut all = Self::ALL.into_iter().map(|(show, _)| show);
        all.find(|show| show.word() == word).unwrap_or_default()
    }

    /// Whether a conversation is shown; `mine` are the ids of those that the reader created.
    fn takes(self, one: &ConversationSummary, mine: &HashSet<String>) -> bool {
        match self {
            Self::All => true,
            Self::Running => matches!(
                shown_status(one),
                Status::Loading | Status::Running | Status::Confirmed
            ),
            Self::Approval => one.waiting > 0 || one.status == Status::AwaitingConfirmation,
            Self::Done => shown_status(one) == Status::Finished,
            Self::Mine => mine.contains(&one.id),
        }
    }
}

/// The order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Sort {
    #[default]
    Activity,
    Created,
    Title,
}

impl Sort {
    pub(super) const ALL: [(Self, Text); 3] = [
        (Self::Activity, text::sort_activity),
        (Self::Created, text::sort_created),
        (Self::Title, text::sort_title),
    ];

    /// The value in the URL.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Activity => "",
            Self::Created => "created",
            Self::Title => "title",
        }
    }

    /// The order of a value in the URL; an unknown one sorts by activity.
    pub(super) fn of(word: &str) -> Self {
        let mut all = Self::ALL.into_iter().map(|(sort, _)| sort);
        all.find(|sort| sort.word() == word).unwrap_or_default()
    }
}

/// A heading and the ids of the conversations below it.
pub(super) type Group = (String, Vec<String>);

/// The pinned conversations, then those that need a user, then the others by day, or all together if they are sorted by
/// title.
pub(super) fn grouped(
    all: &[ConversationSummary],
    mine: &HashSet<String>,
    pinned: &HashSet<String>,
    (show, sort): (Filter, Sort),
    clock: Clock,
) -> Vec<Group> {
    let mut sorted: Vec<_> = all.iter().filter(|one| show.takes(one, mine)).collect();
    // One call: each instance of a sort weighs 3 kB in the browser.
    sorted.sort_by_cached_key(|one| match sort {
        Sort::Activity => (Reverse(one.updated_at), String::new()),
        Sort::Created => (Reverse(one.created_at), String::new()),
        Sort::Title => (Reverse(0), one.title.to_lowercase()),
    });
    let (needing, others): (Vec<_>, Vec<_>) = sorted.into_iter().partition(|one| one.needs_you());
    let is_pinned = |one: &&ConversationSummary| pinned.contains(&one.id);
    let (pinned_needing, needing): (Vec<_>, Vec<_>) = needing.into_iter().partition(is_pinned);
    let (pinned_others, others): (Vec<_>, Vec<_>) = others.into_iter().partition(is_pinned);
    let at_top = pinned_needing.into_iter().chain(pinned_others);
    let at_top = at_top.map(|one| (text::pinned().to_owned(), one));
    let mut groups: Vec<Group> = Vec::new();
    let heading = |one: &ConversationSummary| match sort {
        Sort::Activity => clock.day(one.updated_at),
        Sort::Created => clock.day(one.created_at),
        Sort::Title => parts::text::conversations().to_owned(),
    };
    let needing = needing
        .into_iter()
        .map(|one| (text::needs_attention().to_owned(), one));
    let others = others.into_iter().map(|one| (heading(one), one));
    for (heading, one) in at_top.chain(needing).chain(others) {
        match groups.last_mut() {
            Some((last, ids)) if *last == heading => ids.push(one.id.clone()),
            _ => groups.push((heading, vec![one.id.clone()])),
        }
    }
    groups
}

/// The status in the list: without a sandbox no agent is running, whatever status was reported last.
pub(super) fn shown_status(summary: &ConversationSummary) -> Status {
    match (summary.runtime, &summary.status) {
        (Runtime::Starting | Runtime::Preparing, _) => Status::Loading,
        (Runtime::Error, _) => Status::Error,
        (
            Runtime::Stopped | Runtime::Paused | Runtime::Gone,
            Status::Loading
            | Status::Idle
            | Status::Running
            | Status::Confirmed
            | Status::AwaitingInput,
        ) => Status::Stopped,
        (_, status) => status.clone(),
    }
}

/// The query of the current page without the list's own questions, and with this one if it has a value.
pub(super) fn query_with(mut query: Query, name: &'static str, value: &str) -> String {
    for passing in ["confirm", "select"] {
        query.remove(passing);
    }
    query.remove(name);
    if !value.is_empty() {
        query.replace(name, value.to_owned());
    }
    query.to_query_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(id: &str, status: Status, updated_at: i64) -> ConversationSummary {
        ConversationSummary {
            id: id.to_owned(),
            title: String::new(),
            status,
            runtime: Runtime::Running,
            waiting: 0,
            excerpt: String::new(),
            cost: 0.0,
            repository: None,
            branch: None,
            tags: Default::default(),
            backend: String::new(),
            created_at: 0,
            updated_at,
        }
    }

    /// Midnight of 21 November 2025, UTC.
    const MIDNIGHT: i64 = 1_763_683_200_000;
    const HOUR: i64 = 3_600_000;

    fn groups(all: &[ConversationSummary], show: Filter, sort: Sort) -> Vec<(String, String)> {
        let mine = HashSet::from(["old".to_owned()]);
        let clock = Clock::utc(MIDNIGHT + 5 * HOUR);
        let groups = grouped(all, &mine, &HashSet::new(), (show, sort), clock);
        let joined = |(heading, ids): Group| (heading, ids.join(" "));
        groups.into_iter().map(joined).collect()
    }

    fn pairs(groups: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(heading, ids): &(&str, &str)| ((*heading).to_owned(), (*ids).to_owned());
        groups.iter().map(owned).collect()
    }

    fn several() -> [ConversationSummary; 5] {
        let named = |title: &str, created_at, one| ConversationSummary {
            title: title.to_owned(),
            created_at,
            ..one
        };
        let at = |hours: i64| MIDNIGHT + hours * HOUR;
        [
            named("b", at(-2), summary("old", Status::Finished, at(-30))),
            named("A", at(1), summary("before", Status::Running, at(-1))),
            named("c", at(-90), summary("new", Status::Running, at(3))),
            summary("asks", Status::AwaitingConfirmation, at(-80)),
            summary("failed", Status::Error, at(-70)),
        ]
    }

    #[test]
    fn a_folder_that_was_made_for_one_conversation_alone_is_no_place() {
        let within = |folder: &str| ConversationSummary {
            repository: Some(folder.to_owned()),
            ..summary("c0ffee", Status::Idle, 1)
        };
        assert_eq!(within("/srv/conversations/c0ffee").place(), None);
        assert_eq!(within("/srv/work").place(), Some("/srv/work"));
    }

    #[test]
    fn who_needs_you_comes_first_and_then_day_by_day() {
        assert_eq!(
            groups(&several(), Filter::All, Sort::Activity),
            pairs(&[
                ("Needs your attention", "failed asks"),
                ("Today", "new"),
                ("Yesterday", "before"),
                ("19 Nov", "old"),
            ])
        );
    }

    #[test]
    fn what_is_pinned_is_on_top_and_nowhere_else() {
        let pinned = HashSet::from(["old", "asks", "gone"].map(str::to_owned));
        let order = (Filter::All, Sort::Activity);
        let clock = Clock::utc(MIDNIGHT + 5 * HOUR);
        let groups = grouped(&several(), &HashSet::new(), &pinned, order, clock);
        let groups: Vec<_> = groups
            .into_iter()
            .map(|(heading, ids)| (heading, ids.join(" ")))
            .collect();
        assert_eq!(
            groups,
            pairs(&[
                ("Pinned", "asks old"),
                ("Needs your attention", "failed"),
                ("Today", "new"),
                ("Yesterday", "before"),
            ])
        );
    }

    #[test]
    fn the_list_is_sorted_by_creation_or_title() {
        let two = &several()[..3];
        assert_eq!(
            groups(two, Filter::All, Sort::Created),
            pairs(&[("Today", "before"), ("Yesterday", "old"), ("17 Nov", "new")])
        );
        assert_eq!(
            groups(two, Filter::All, Sort::Title),
            pairs(&[("Conversations", "before old new")])
        );
    }

    #[test]
    fn a_filter_leaves_the_others_out() {
        let ids = |show| {
            let groups = groups(&several(), show, Sort::Title);
            let ids: Vec<String> = groups.into_iter().map(|(_, ids)| ids).collect();
            ids.join(" ")
        };
        assert_eq!(ids(Filter::Running), "before new");
        assert_eq!(ids(Filter::Done), "old");
        assert_eq!(ids(Filter::Mine), "old");
        assert_eq!(ids(Filter::Approval), "asks");
        for (show, _) in Filter::ALL {
            assert_eq!(Filter::of(show.word()), show);
        }
        assert_eq!(Filter::of("else"), Filter::All);
    }
}
