//! Backends of which everything is followed, and what waits there to be followed.
//!
//! Otherwise Handrail opens what a person opens here, and at most 16 conversations of each poll whose agents work. Owners
//! choose for each backend that every conversation is opened as soon as its list names it: each whose sandbox is up, and
//! each that has changed since. An actor reads the history, stays connected while the agent works, and ends after that: a
//! connection to an idle agent would keep its sandbox up (`docs/protocol/v0.md`).

use super::HubResult;
use super::sweep::hash;
use super::view::is_up;
use crate::backend::ConversationInfo;
use crate::journal::Journal;
use std::collections::{BTreeMap, HashMap};

/// The settings key of the labels of these backends, each with the time since when, in milliseconds since the Unix epoch.
const SETTING: &str = "followed backends";
/// Conversations of a backend that are open at once before further ones wait.
pub(super) const AT_ONCE: usize = 100;
/// Conversations of a backend that wait; what is more is found when its list is read again.
const MOST_WAITING: usize = 10_000;

/// The backends of which everything is followed, as the settings have them.
pub(super) type Followed = BTreeMap<String, i64>;

/// The backends of which everything is followed.
pub(super) async fn stored(journal: &Journal) -> HubResult<Followed> {
    let kept = journal.setting(SETTING).await?;
    let followed = kept.map(|kept| serde_json::from_str(&kept)).transpose();
    Ok(followed.ok().flatten().unwrap_or_default())
}

/// Stores the backends of which everything is followed.
pub(super) async fn store(journal: &Journal, followed: &Followed) -> HubResult {
    let json = serde_json::to_string(followed).expect("labels are plain data");
    Ok(journal.keep_setting(SETTING, &json).await?)
}

/// What is followed of one backend.
#[derive(Debug, Default)]
pub(super) struct Following {
    /// Since when everything is followed, in milliseconds since the Unix epoch; `None` if it is not.
    since: Option<i64>,
    /// Whether the list is still to be read from its beginning: what runs already is not among what changes next.
    is_new: bool,
    /// The change for which each conversation was opened last, by the hash of its id.
    opened: HashMap<u64, i64>,
    /// The time of change of those that are to be opened.
    waiting: HashMap<String, i64>,
}

impl Following {
    pub(super) fn new(since: Option<i64>) -> Self {
        Self {
            since,
            is_new: since.is_some(),
            ..Self::default()
        }
    }

    pub(super) fn is_on(&self) -> bool {
        self.since.is_some()
    }

    /// Whether the list is to be read from its beginning, once.
    pub(super) fn begins(&mut self) -> bool {
        std::mem::take(&mut self.is_new)
    }

    /// Number of conversations that wait to be opened.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// A list has this conversation, which is `newer` there than it was known before. Returns whether there was room for it.
    pub(super) fn listed(&mut self, info: &ConversationInfo, newer: bool) -> bool {
        let Some(since) = self.since else { return true };
        let was_opened = self.opened.get(&hash(&info.id)) == Some(&info.updated_at);
        let is_meant = match is_up(info.runtime) {
            true => !was_opened,
            // What had ended before can be read when somebody opens it.
            false => !was_opened && newer && info.updated_at >= since,
        };
        if !is_meant {
            return true;
        }
        if self.waiting.len() >= MOST_WAITING && !self.waiting.contains_key(&info.id) {
            return false;
        }
        self.waiting.insert(info.id.clone(), info.updated_at);
        true
    }

    /// The next ones to open, at most `room`: those that changed last first.
    pub(super) fn take(&mut self, room: usize) -> Vec<String> {
        if room == 0 || self.waiting.is_empty() {
            return Vec::new();
        }
        let mut all: Vec<(i64, String)> = self.waiting.drain().map(|(id, at)| (at, id)).collect();
        all.sort_unstable_by(|one, other| other.cmp(one));
        self.waiting
            .extend(all.drain(room.min(all.len())..).map(|(at, id)| (id, at)));
        let opened = all.iter().map(|(at, id)| (hash(id), *at));
        self.opened.extend(opened);
        all.into_iter().map(|(_, id)| id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Runtime;

    fn info(id: &str, runtime: Runtime, updated_at: i64) -> ConversationInfo {
        ConversationInfo {
            id: id.to_owned(),
            runtime,
            updated_at,
            ..ConversationInfo::default()
        }
    }

    #[test]
    fn each_change_is_opened_once_and_the_newest_goes_first() {
        let mut following = Following::new(Some(0));
        for (id, at) in [("a", 1), ("b", 3), ("c", 2)] {
            following.listed(&info(id, Runtime::Running, at), false);
        }
        assert_eq!(following.take(2), ["b", "c"]);
        assert_eq!(following.waiting(), 1);
        // The list is read again.
        following.listed(&info("b", Runtime::Running, 3), false);
        assert_eq!(following.take(9), ["a"]);
        following.listed(&info("b", Runtime::Running, 4), true);
        assert_eq!(following.take(9), ["b"]);
    }

    #[test]
    fn what_had_ended_before_is_not_read() {
        let mut following = Following::new(Some(10));
        following.listed(&info("old", Runtime::Stopped, 9), true);
        following.listed(&info("known", Runtime::Stopped, 11), false);
        following.listed(&info("short", Runtime::Stopped, 11), true);
        assert_eq!(following.take(9), ["short"]);
    }

    #[test]
    fn what_waits_is_bounded() {
        let mut following = Following::new(Some(0));
        for id in 0..MOST_WAITING {
            assert!(following.listed(&info(&id.to_string(), Runtime::Running, 1), false));
        }
        assert!(!following.listed(&info("more", Runtime::Running, 2), false));
        assert!(following.listed(&info("0", Runtime::Running, 2), false));
        assert_eq!(following.waiting(), MOST_WAITING);
    }

    #[test]
    fn nothing_waits_where_not_everything_is_followed() {
        let mut following = Following::default();
        following.listed(&info("a", Runtime::Running, 1), true);
        assert!(following.take(9).is_empty());
    }
}
