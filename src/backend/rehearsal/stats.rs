//! What happened, counted for tests: sockets, connects, and above all what was executed.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counters of a rehearsal server at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Stats {
    /// Sockets that listen, by conversation.
    pub sockets: BTreeMap<String, usize>,
    /// Accepted connections since the start.
    pub connects: u64,
    /// How often each action was carried out, by conversation and by the action's name: its kind and what it is about,
    /// as in `run rm -rf build` or `edit create /workspace/a.txt`.
    pub executions: BTreeMap<String, BTreeMap<String, u32>>,
    /// Answers of people that arrived, by conversation, in their order: whether they were a yes.
    pub answers: BTreeMap<String, Vec<bool>>,
}

impl Stats {
    /// How often an action of a conversation was carried out.
    pub fn executed(&self, conversation: &str, action: &str) -> u32 {
        self.executions
            .get(conversation)
            .and_then(|actions| actions.get(action))
            .copied()
            .unwrap_or(0)
    }
}

/// The counters while they count.
#[derive(Default)]
pub struct Tally {
    inner: Mutex<Stats>,
}

impl Tally {
    fn inner(&self) -> MutexGuard<'_, Stats> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection was accepted.
    pub fn connected(&self) {
        self.inner().connects += 1;
    }

    /// An action is carried out.
    pub fn executed(&self, conversation: &str, action: &str) {
        let mut inner = self.inner();
        let actions = inner.executions.entry(conversation.to_owned()).or_default();
        *actions.entry(action.to_owned()).or_default() += 1;
    }

    /// Somebody answers, whether anything waits or not.
    pub fn answered(&self, conversation: &str, yes: bool) {
        let mut inner = self.inner();
        let answers = inner.answers.entry(conversation.to_owned()).or_default();
        answers.push(yes);
    }

    /// The counters as they are; the sockets are not counted here.
    pub fn snapshot(&self) -> Stats {
        self.inner().clone()
    }
}
