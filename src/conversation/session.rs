//! What is so, rather than what was said: the state of a conversation beside its timeline.
//!
//! `apply.rs` says how it changes. Everything in it is small and bounded: it is stored with each event.

use super::{Goal, Policy, Remedy, Risk, RowContext, Shift, Status, Task, Usage, state::Told};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

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
    /// Work was handed to another agent and is not back: endings in between are the other agent's
    /// (`protocol/v0.md` section 6).
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
    /// How those positions and upstream's ids differ.
    pub shift: Shift,
    /// Newest moment seen, milliseconds since the Unix epoch as upstream's clock says.
    pub last_at: i64,
    /// Agent class and version, as the system event says them.
    pub about: Vec<String>,
    /// The model that works, or empty (1.x).
    pub model: Told<String>,
    /// What is held back for an answer, if it is known (1.x).
    pub policy: Told<Option<Policy>>,
    /// Who judges how dangerous calls are, or empty (1.x).
    pub analyzer: Told<String>,
    /// The goal loop (1.x).
    pub goal: Told<Option<Goal>>,
    /// Position of the newest decision: what follows it may be the decided call once more.
    pub(super) decided_pos: i64,
    /// Position of the newest answer to a question: a decision, or a message instead of one.
    pub(super) settled_pos: i64,
    /// Position of the newest status that ended the run: what was open before it stays without answer.
    pub(super) rest_pos: i64,
    /// Position of the event that the task list is of.
    pub(super) tasks_pos: i64,
    /// The newest call: what a status that follows is about, and what a repetition is compared with.
    pub(super) last_call: Option<SeenCall>,
    /// Calls that may still be answered, oldest first.
    pub(super) open: Vec<SeenCall>,
    /// The row of what goes wrong now.
    pub(super) trouble: Option<Trouble>,
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
    /// What the model was used for, where that is told (1.x); the sums are above.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub usages: Vec<Usage>,
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
    /// What a person can do, where upstream says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
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

/// A call as far as later events need it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SeenCall {
    pub key: Option<String>,
    pub pos: i64,
    pub row: i64,
    pub fingerprint: String,
    pub risk: Risk,
    pub held: bool,
    /// A message does not do away with it (1.x).
    #[serde(default)]
    pub kept: bool,
    /// It said itself that it waits.
    pub asked: bool,
    /// Fingerprint of what another agent was told to do, if work was handed on.
    pub task: Option<String>,
}

impl SeenCall {
    pub fn pending(&self) -> PendingCall {
        PendingCall {
            key: self.key.clone().unwrap_or_default(),
            row: self.row,
            fingerprint: self.fingerprint.clone(),
            risk: self.risk,
            held: self.held,
        }
    }
}

/// What goes wrong now: its row, and fingerprints of what was already said in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Trouble {
    pub row: i64,
    pub said: Vec<String>,
}

impl Session {
    /// Where an item stands: what has no place upstream stands behind everything that was there.
    pub fn pos_of(&self, item: &super::LogItem) -> i64 {
        item.pos.or(self.newest_pos).unwrap_or(0)
    }

    /// What a row's own items do not tell about it.
    pub fn context(&self, row: i64) -> RowContext {
        RowContext {
            waiting: self
                .pending
                .iter()
                .flat_map(|pending| &pending.calls)
                .any(|call| call.row == row),
            open: self.open.iter().any(|call| call.row == row),
            seq: 0,
        }
    }

    /// The work that was handed on last and is not back.
    pub(super) fn delegate(&self) -> Option<&SeenCall> {
        self.open.iter().rev().find(|call| call.task.is_some())
    }
}

/// Fingerprint of a tool with its arguments, or of a text. Only tells whether two of them are the same:
/// what was approved is bound by a hash of its own.
pub(super) fn fingerprint(value: &impl fmt::Debug) -> String {
    /// FNV-1a: short, stable across versions, and fed piece by piece.
    struct Fnv(u128);
    impl Write for Fnv {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            for byte in text.bytes() {
                self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
            }
            Ok(())
        }
    }
    let mut hash = Fnv(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    // Writing into a number cannot fail.
    let _ = write!(hash, "{value:?}");
    format!("{:032x}", hash.0)
}
