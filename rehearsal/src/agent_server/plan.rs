//! The plan of a 1.x agent, its pending calls, and the active run.

use tokio_util::sync::CancellationToken;

use crate::script::Act;

/// The plan of a 1.x agent: several calls can be pending.
pub type Plan = crate::plan::Plan<Vec<Pending>>;

/// A tool call without a result yet.
#[derive(Clone)]
pub struct Pending {
    pub event_id: String,
    pub call_id: String,
    pub tool: String,
    pub act: Act,
    /// Whether it needs the user's approval.
    pub asked: bool,
}

#[derive(Clone, Default)]
pub struct Run {
    /// Stops the run at once.
    pub interrupt: CancellationToken,
    /// Cancelled when the run has ended.
    pub over: CancellationToken,
}
