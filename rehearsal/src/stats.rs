//! Counters for tests: sockets, connections, and above all executed actions.

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::sync::lock;

/// The counters of a rehearsal server at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Stats {
    /// Connected sockets per conversation.
    pub sockets: BTreeMap<String, usize>,
    /// Accepted connections since the start.
    pub connects: u64,
    /// Executions by conversation and action: its kind and subject, like `run rm -rf build` or `edit create /a.txt`.
    pub executions: BTreeMap<String, BTreeMap<String, u32>>,
    /// Answers received, by conversation and in order: whether each was an approval.
    pub answers: BTreeMap<String, Vec<bool>>,
}

impl Stats {
    /// How often an action of a conversation was executed.
    pub fn executed(&self, conversation: &str, action: &str) -> u32 {
        let actions = self.executions.get(conversation);
        let count = actions.and_then(|actions| actions.get(action));
        count.copied().unwrap_or(0)
    }
}

/// The live counters.
#[derive(Default)]
pub struct Tally(Mutex<Stats>);

impl Tally {
    pub fn connected(&self) {
        lock(&self.0).connects += 1;
    }

    pub fn executed(&self, conversation: &str, action: &str) {
        let executions = &mut lock(&self.0).executions;
        let actions = executions.entry(conversation.to_owned()).or_default();
        *actions.entry(action.to_owned()).or_default() += 1;
    }

    /// Records an answer, whether or not an action is pending.
    pub fn answered(&self, conversation: &str, yes: bool) {
        let answers = &mut lock(&self.0).answers;
        let given = answers.entry(conversation.to_owned()).or_default();
        given.push(yes);
    }

    /// A copy of the counters; the sockets are not included.
    pub fn snapshot(&self) -> Stats {
        lock(&self.0).clone()
    }
}
