//! A row of the timeline: the folded items of what a person reads as one thing.

use super::{Actor, Call, HookRun, Kind, Message, Recall, Remedy, SystemPrompt, ToolResult};

/// A row of the timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its id: the journal's `seq` of its first item to arrive.
    pub id: i64,
    /// Its position in upstream's order; ties are broken by `id`.
    pub pos: i64,
    /// Its version: the journal's `seq` of its newest item, or of a later event that changed its state.
    pub seq: i64,
    /// Upstream timestamp of its start, milliseconds since the Unix epoch.
    pub at: i64,
    /// Source of its leading item.
    pub from: Actor,
    /// Its content.
    pub card: Card,
}

/// The content of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Card {
    /// A message.
    Message {
        /// `seq` of the event (for its images).
        seq: i64,
        /// The message.
        message: Message,
    },
    /// A call with its results.
    Call(Box<CallRow>),
    /// A result whose call never arrived.
    Orphan(Execution),
    /// A failure of the run.
    RunError {
        /// Upstream's code, or empty.
        code: String,
        /// What went wrong.
        text: String,
        /// What a person can do about it, if upstream says so.
        remedy: Option<Remedy>,
    },
    /// Injected context.
    Recall(Recall),
    /// Older events were condensed into a summary.
    Condensed {
        /// Number of condensed events, if known.
        forgotten: Option<u64>,
        /// The summary, Markdown.
        summary: String,
    },
    /// A hook execution that belongs to no call.
    Hook(HookRun),
    /// The run was paused or interrupted.
    Stopped {
        /// Interrupted at once rather than paused.
        hard: bool,
    },
    /// Instructions and tools.
    System(SystemPrompt),
    /// A remark.
    Note(String),
    /// Not understood.
    Unknown {
        /// Its name.
        kind: String,
        /// Its JSON.
        json: String,
    },
}

/// State of a row that does not follow from its own items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowContext {
    /// Its call needs approval now.
    pub waiting: bool,
    /// Its call may still get an answer. Otherwise a call without a result was never executed, or its result will never
    /// be known.
    pub open: bool,
    /// `seq` of the newest event outside the row that changed its state: a lower bound of the row's version. 0 if there
    /// is none.
    pub seq: i64,
}

/// A call with its results.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRow {
    /// The call (its first copy, which has the thought).
    pub call: Call,
    /// Its state.
    pub state: CallState,
    /// All outcomes, in upstream's order: several if 0.62 carried out an edit before and after the answer, or if a
    /// stopped command still reported.
    pub executions: Vec<Execution>,
    /// The hooks that ran before and after it (1.x).
    pub hooks: Vec<HookRun>,
}

/// State of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallState {
    /// No result yet.
    Running,
    /// Needs approval.
    Waiting,
    /// Approved; no result yet.
    Approved,
    /// Done.
    Done,
    /// Done, but failed.
    Failed,
    /// Rejected, with upstream's reason.
    Rejected(String),
    /// Never executed, with the reason.
    NotExecuted(String),
    /// It may have been executed, but its result is not known, with the reason.
    Unknown(String),
    /// Started, but cut off before its end, with the error; effects up to then remain (1.x).
    CutOff(String),
}

/// An outcome of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Execution {
    /// `seq` of the event (for its images and its full text).
    pub seq: i64,
    /// Upstream timestamp, milliseconds since the Unix epoch.
    pub at: i64,
    /// The result.
    pub result: ToolResult,
}

impl Row {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match &self.card {
            Card::Message { .. } => Kind::Message,
            Card::Call(row) => row.call.tool.kind(),
            Card::RunError { .. } => Kind::Error,
            Card::Recall(_) => Kind::Recall,
            Card::System(_) => Kind::System,
            Card::Orphan(_)
            | Card::Condensed { .. }
            | Card::Hook(_)
            | Card::Stopped { .. }
            | Card::Note(_)
            | Card::Unknown { .. } => Kind::Other,
        }
    }
}
