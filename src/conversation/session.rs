//! What is so, rather than what was said: the state of a conversation beside its timeline.

use super::{LogItem, Risk, Status, Task};
use serde::{Deserialize, Serialize};

/// The state of one conversation, folded from its log.
///
/// Small and serialisable: the journal keeps the newest one beside the log.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    /// What the agent is doing.
    pub status: Status,
    /// Why, mostly for errors; else empty.
    pub reason: String,
    /// Upstream's position of the event that set the status: a status that arrives late never
    /// overrides a newer one (`protocol/v0.md` section 5).
    pub status_pos: i64,
    /// Positions of `delegate` calls without their observation: states in between belong to the
    /// delegate (`protocol/v0.md` section 6).
    pub delegating: bool,
    /// The title, or empty.
    pub title: String,
    /// Cost and tokens.
    pub metrics: Metrics,
    /// The task list as it is now.
    pub tasks: Vec<Task>,
    /// What waits for an answer.
    pub pending: Option<PendingConfirmation>,
    /// The last thing that went wrong and still stands (error frame, error status), or a passing
    /// word of the server (starting the runtime).
    pub notice: Option<Notice>,
    /// Upstream's highest position so far: where a resume starts.
    pub newest_pos: Option<i64>,
    /// Newest moment seen, milliseconds since the Unix epoch as upstream's clock says.
    pub last_at: i64,
    /// Agent class and version, as the system event says them.
    pub about: Vec<String>,
}

/// Cost and tokens so far.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Metrics {
    /// US dollars.
    pub cost: f64,
    /// US dollars at most, if there is a budget.
    pub budget: Option<f64>,
    /// Tokens sent to the model.
    pub prompt_tokens: u64,
    /// Tokens the model wrote.
    pub completion_tokens: u64,
    /// Tokens read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Tokens written to the provider's cache.
    pub cache_write_tokens: u64,
    /// How many tokens the model can hold; 0 if unknown.
    pub context_window: u64,
    /// Tokens of the newest turn: how full the context is.
    pub per_turn_token: u64,
}

/// Everything that waits for one answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PendingConfirmation {
    /// The calls it is about; empty while only the status has arrived (0.x sends it first).
    pub calls: Vec<PendingCall>,
}

/// One call that waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PendingCall {
    /// Upstream's key of the call.
    pub key: String,
    /// The row it is shown in: `seq` of the row's first item.
    pub row: i64,
    /// Fingerprint of tool and arguments: 0.x sends the call again under another key after the
    /// answer, and only this tells that it is the same.
    pub fingerprint: String,
    /// How dangerous it was judged.
    pub risk: Risk,
    /// The server really holds it back. `false`: it is carried out before the answer.
    pub held: bool,
}

/// A word of the server that stands above the timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// How bad.
    pub tone: Tone,
    /// Upstream's code, for example `STATUS$ERROR_LLM_AUTHENTICATION`, or empty.
    pub code: String,
    /// What it says.
    pub text: String,
}

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// For information.
    Info,
    /// Well.
    Good,
    /// Needs attention.
    Warning,
    /// Went wrong.
    Bad,
}

impl Session {
    /// Takes one item in. `row` is where [`super::place`] put it.
    pub fn apply(&mut self, item: &LogItem, row: Option<i64>) {
        let _ = (item, row);
    }
}
