//! Words by which the database and subscribers select events.

use crate::conversation::Body;

/// The word for an event's kind.
pub(super) fn word_of_body(body: &Body) -> &'static str {
    match body {
        Body::Message(_) => "message",
        Body::Call(_) => "call",
        Body::Result(_) => "result",
        Body::Rejected { .. } => "rejected",
        Body::CallError { .. } => "call_error",
        Body::RunError { .. } => "run_error",
        Body::Status { .. } => "status",
        Body::Steered { .. } => "steered",
        Body::Title(_) => "title",
        Body::State(_) => "state",
        Body::Progress { .. } => "progress",
        Body::Recall(_) => "recall",
        Body::Condensed { .. } => "condensed",
        Body::Hook(_) => "hook",
        Body::Stopped { .. } => "stopped",
        Body::System(_) => "system",
        Body::Note(_) => "note",
        Body::Lost { .. } => "lost",
        Body::Nothing => "nothing",
        Body::Unknown { .. } => "unknown",
    }
}
