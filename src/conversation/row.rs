//! A row of the timeline: all items that a person reads as one thing, folded.

use super::{
    Actor, Call, HookRun, Kind, LogItem, Message, Recall, Remedy, SystemPrompt, ToolResult, fold,
};

/// One thing on the timeline.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its identity: the journal's `seq` of the first item that arrived of it.
    pub id: i64,
    /// Where it stands: upstream's order, then `id`.
    pub pos: i64,
    /// The journal's `seq` of the newest item in it: the row's version.
    pub seq: i64,
    /// When it began, milliseconds since the Unix epoch as upstream's clock says.
    pub at: i64,
    /// Who began it.
    pub from: Actor,
    /// What it is.
    pub card: Card,
}

/// What a row is.
#[derive(Debug, Clone, PartialEq)]
pub enum Card {
    /// Something said.
    Message {
        /// Which event carries it (for its images).
        seq: i64,
        /// What was said.
        message: Message,
    },
    /// A call with what came of it.
    Call(Box<CallRow>),
    /// A result whose call never came.
    Orphan(Execution),
    /// An error of the run.
    RunError {
        /// Upstream's code, or empty.
        code: String,
        /// What went wrong.
        text: String,
        /// What a person can do, where upstream says so.
        remedy: Option<Remedy>,
    },
    /// Injected context.
    Recall(Recall),
    /// Older events were folded into a summary.
    Condensed {
        /// How many, if it was said.
        forgotten: Option<u64>,
        /// The summary, Markdown.
        summary: String,
    },
    /// A hook ran, not for a call.
    Hook(HookRun),
    /// The run was paused or interrupted.
    Stopped {
        /// Interrupted rather than paused.
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
        /// Which event, for its JSON.
        seq: i64,
    },
}

/// What a row's own items do not tell about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowContext {
    /// Its call waits for a person's answer now.
    pub waiting: bool,
    /// Its call may still be answered. Otherwise a call without an outcome was never carried out, or
    /// nobody will ever say.
    pub open: bool,
    /// `seq` of the newest event that changed how the row stands without being in it: the row's version
    /// is at least this. 0 if there was none.
    pub seq: i64,
}

/// A call with what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRow {
    /// What was to be done (of the first copy, which has the thought).
    pub call: Call,
    /// Where it stands.
    pub state: CallState,
    /// Every outcome, in upstream's order: more than one when 0.62 carried an edit out before and
    /// after the answer, or when a stopped command still reported.
    pub executions: Vec<Execution>,
    /// The hooks that ran before and after it (1.x).
    pub hooks: Vec<HookRun>,
}

/// Where a call stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallState {
    /// Nothing came back yet.
    Running,
    /// It waits for a person's answer.
    Waiting,
    /// Somebody approved; nothing came back yet.
    Approved,
    /// Done.
    Done,
    /// Done, without success.
    Failed,
    /// Turned down, with the reason that upstream states.
    Rejected(String),
    /// It was never carried out.
    NotExecuted(String),
    /// It was begun and did not come to its end: what it did until then is done (1.x).
    CutOff(String),
}

/// One outcome of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Execution {
    /// Which event carries it (for its images and its full text).
    pub seq: i64,
    /// When, milliseconds since the Unix epoch as upstream's clock says.
    pub at: i64,
    /// What came back.
    pub result: ToolResult,
}

impl Row {
    /// Folds the items of one row, each with its `seq`, in any order. `context` is
    /// [`super::Session::context`] of the row.
    ///
    /// `None` when they hold nothing to read. Deterministic: the same items and context give the same
    /// row, whatever was folded before.
    pub fn fold(items: &[(i64, LogItem)], context: RowContext) -> Option<Row> {
        fold::fold(items, context)
    }

    /// Which family it belongs to.
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
