//! What an agent of 1.x is about to do: its script, what waits, and the run under way.

use tokio_util::sync::CancellationToken;

use super::super::agent::Answer;
use super::super::script::{Act, Script};

/// A call without its result yet.
#[derive(Clone)]
pub struct Pending {
    pub event_id: String,
    pub call_id: String,
    pub tool: String,
    pub act: Act,
    /// It is held back until somebody answers.
    pub asked: bool,
}

/// A run under way.
#[derive(Clone, Default)]
pub struct Run {
    /// Stops it at once.
    pub interrupt: CancellationToken,
    /// It has ended.
    pub over: CancellationToken,
}

/// What the agent is about to do.
pub struct Plan {
    pub script: Script,
    pub pending: Vec<Pending>,
    pub answers: Vec<(String, Answer)>,
    pub calls: u64,
    pub messages: u64,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            script: Script::new([]),
            pending: Vec::new(),
            answers: Vec::new(),
            calls: 0,
            messages: 0,
        }
    }
}
