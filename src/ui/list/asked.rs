//! What the URL asks of the list, and the groups of its rows.
//!
//! Long because the tests try the groups in every order.

use super::text;
use crate::api::{ConversationSummary, PAGE, Position, Show, Sort};
use crate::store::Query;
use crate::text::Text;
use crate::ui::parts::{self, Clock};
use std::collections::HashSet;

/// The name of a filter.
pub(super) fn name_of_filter(show: Show) -> Text {
    match show {
        Show::All => text::every,
        Show::Approval => parts::text::needs_approval,
        Show::Running => parts::text::running,
        Show::YourTurn => parts::text::your_turn,
        Show::Paused => parts::text::paused,
        Show::Done => parts::text::finished,
        Show::Failed => parts::text::failed,
        Show::Stopped => parts::text::stopped,
        Show::Unknown => text::unknown,
        Show::Unanswered => text::unanswered,
        Show::Mine => text::mine,
        Show::Archived => parts::text::archived,
    }
}

/// The name of an order.
pub(super) fn name_of_order(sort: Sort) -> Text {
    match sort {
        Sort::Activity => text::sort_activity,
        Sort::Created => text::sort_created,
        Sort::Title => text::sort_title,
        Sort::Repository => text::sort_repository,
        Sort::Backend => text::sort_backend,
    }
}

/// A heading, and the conversations below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) heading: String,
    pub(super) ids: Vec<String>,
    /// Whether there are more that are not shown.
    pub(super) more: bool,
    /// How many of those that need somebody have no approval to answer.
    pub(super) failed: usize,
}

/// How much of the list is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Extent {
    /// More conversations need a person than were listed.
    pub(super) more_need_you: bool,
    /// There are older pages.
    pub(super) older: bool,
}

/// The pinned conversations, then those that need a user, then the others by day, repository or backend, or all together if
/// they are sorted by title. Of many that need a user, the newest page is on top.
pub(super) fn grouped(
    all: &[ConversationSummary],
    pinned: &HashSet<String>,
    sort: Sort,
    extent: Extent,
    clock: Clock,
) -> Vec<Group> {
    let is_pinned = |one: &ConversationSummary| pinned.contains(&one.id);
    let needing = all.iter().filter(|one| one.needs_you() && !is_pinned(one));
    let mut needing: Vec<_> = needing.collect();
    needing.sort_by_cached_key(|one| Position::of(one, Sort::Activity));
    let more_need_you = extent.more_need_you || needing.len() > PAGE;
    let newest = needing.into_iter().take(PAGE);
    let needing: HashSet<&str> = newest.map(|one| one.id.as_str()).collect();
    let mut sorted: Vec<_> = all.iter().collect();
    sorted.sort_by_cached_key(|one| {
        let section = match (is_pinned(one), one.needs_you()) {
            (true, true) => 0,
            (true, false) => 1,
            (false, _) if needing.contains(one.id.as_str()) => 2,
            (false, _) => 3,
        };
        (section, Position::of(one, sort))
    });
    let mut groups: Vec<Group> = Vec::new();
    for one in sorted {
        let heading = match sort {
            _ if is_pinned(one) => text::pinned().to_owned(),
            _ if needing.contains(one.id.as_str()) => text::needs_attention().to_owned(),
            Sort::Activity => clock.day(one.updated_at),
            Sort::Created => clock.day(one.created_at),
            Sort::Title => parts::text::conversations().to_owned(),
            Sort::Repository => one.place().unwrap_or(text::nowhere()).to_owned(),
            Sort::Backend => one.backend.clone(),
        };
        let needs = needing.contains(one.id.as_str());
        let failed = usize::from(needs && !one.asks());
        match groups.last_mut() {
            Some(last) if last.heading == heading => {
                last.ids.push(one.id.clone());
                last.failed += failed;
            }
            _ => groups.push(Group {
                heading,
                ids: vec![one.id.clone()],
                more: more_need_you && needs,
                failed,
            }),
        }
    }
    if let Some(last) = groups.last_mut() {
        last.more |= extent.older;
    }
    groups
}

/// Id of the conversation at a path; `base` is the address of conversations.
pub(super) fn open_in(path: &str, base: &str) -> String {
    let id = path
        .strip_prefix(base)
        .and_then(|rest| rest.split('/').next());
    id.unwrap_or_default().to_owned()
}

/// The query of the current page without the list's own questions, and with this one if it has a value.
pub(super) fn query_with(mut query: Query, name: &'static str, value: &str) -> String {
    for passing in ["confirm", "act", "archived", "menu", "select"] {
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
    use crate::backend::Runtime;
    use crate::conversation::Status;

    fn summary(id: &str, status: Status, updated_at: i64) -> ConversationSummary {
        ConversationSummary {
            id: id.to_owned(),
            status,
            runtime: Runtime::Running,
            updated_at,
            ..ConversationSummary::default()
        }
    }

    /// Midnight of 21 November 2025, UTC.
    const MIDNIGHT: i64 = 1_763_683_200_000;
    const HOUR: i64 = 3_600_000;

    fn groups(all: &[ConversationSummary], pinned: &[&str], sort: Sort) -> Vec<(String, String)> {
        let clock = Clock::utc(MIDNIGHT + 5 * HOUR);
        let pinned = pinned.iter().map(|id| (*id).to_owned()).collect();
        let groups = grouped(all, &pinned, sort, Extent::default(), clock);
        let joined = |group: Group| (group.heading, group.ids.join(" "));
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
            groups(&several(), &[], Sort::Activity),
            pairs(&[
                ("Needs you", "failed asks"),
                ("Today", "new"),
                ("Yesterday", "before"),
                ("19 Nov", "old"),
            ])
        );
    }

    #[test]
    fn what_has_failed_is_counted_apart_from_what_asks() {
        let clock = Clock::utc(MIDNIGHT + 5 * HOUR);
        let (none, extent) = (HashSet::new(), Extent::default());
        let groups = grouped(&several(), &none, Sort::Activity, extent, clock);
        let counts: Vec<_> = groups.iter().map(|group| group.failed).collect();
        assert_eq!((groups[0].ids.len(), counts), (2, vec![1, 0, 0, 0]));
    }

    #[test]
    fn what_a_reader_cannot_answer_stands_in_its_day() {
        let quiet = several().map(|one| ConversationSummary { quiet: true, ..one });
        let groups = groups(&quiet, &[], Sort::Activity);
        let headings: Vec<_> = groups.iter().map(|(heading, _)| heading.as_str()).collect();
        assert_eq!(
            headings,
            ["Today", "Yesterday", "19 Nov", "18 Nov", "17 Nov"]
        );
    }

    #[test]
    fn what_is_pinned_is_on_top_and_nowhere_else() {
        assert_eq!(
            groups(&several(), &["old", "asks", "gone"], Sort::Activity),
            pairs(&[
                ("Pinned", "asks old"),
                ("Needs you", "failed"),
                ("Today", "new"),
                ("Yesterday", "before"),
            ])
        );
    }

    #[test]
    fn of_many_that_need_you_the_newest_are_on_top_and_the_others_in_their_place() {
        let failed = |number: usize| {
            let at = MIDNIGHT - number as i64 * HOUR;
            summary(&format!("f{number:03}"), Status::Error, at)
        };
        let all: Vec<_> = (0..PAGE + 2).map(failed).collect();
        let clock = Clock::utc(MIDNIGHT);
        let extent = Extent {
            older: true,
            ..Extent::default()
        };
        let groups = grouped(&all, &HashSet::new(), Sort::Activity, extent, clock);
        assert_eq!((groups[0].ids.len(), groups[0].more), (PAGE, true));
        let last = groups.last().expect("there are older ones");
        assert_eq!(last.ids.last(), Some(&format!("f{:03}", PAGE + 1)));
        assert!(last.more, "the last day may go on");
    }

    #[test]
    fn the_list_is_sorted_by_creation_or_title() {
        let two = &several()[..3];
        assert_eq!(
            groups(two, &[], Sort::Created),
            pairs(&[("Today", "before"), ("Yesterday", "old"), ("17 Nov", "new")])
        );
        assert_eq!(
            groups(two, &[], Sort::Title),
            pairs(&[("Conversations", "before old new")])
        );
    }

    #[test]
    fn the_list_is_grouped_by_repository_or_backend() {
        let mut all = several();
        for (one, place) in all.iter_mut().zip(["b", "a", "b"]) {
            one.repository = Some(place.to_owned());
            one.backend = format!("at {place}");
        }
        assert_eq!(
            groups(&all[..3], &[], Sort::Repository),
            pairs(&[("a", "before"), ("b", "new old")])
        );
        all[0].repository = None;
        assert_eq!(
            groups(&all[..3], &[], Sort::Repository),
            pairs(&[("a", "before"), ("b", "new"), ("No repository", "old")])
        );
        assert_eq!(
            groups(&all[..3], &["new"], Sort::Backend),
            pairs(&[("Pinned", "new"), ("at a", "before"), ("at b", "old")])
        );
    }

    #[test]
    fn a_filter_leaves_the_others_out() {
        let ids = |show: Show| {
            let mut all = several();
            all[0].creator = "Ada".to_owned();
            let ids = all.into_iter().filter(|one| show.takes(one, "ada"));
            ids.map(|one| one.id).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(ids(Show::Running), "before new");
        assert_eq!(ids(Show::Done), "old");
        assert_eq!(ids(Show::Mine), "old");
        assert_eq!(ids(Show::Approval), "asks");
        assert_eq!(ids(Show::Failed), "failed");
        for show in Show::ALL {
            assert_eq!(Show::of(show.word()), show);
        }
        assert_eq!(Show::of("else"), Show::All);
    }
}
