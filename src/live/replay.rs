//! Data of the replay: a conversation as it was after one of its events.

use super::RowsView;
use crate::conversation::{Mark, Metrics, Notice, Status, Task};
use serde::{Deserialize, Serialize};

/// A conversation as it was after one of its events. It has no approval that could be answered: only the rows of the
/// pending actions say that they wait.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReplayView {
    /// The id of the conversation.
    pub id: String,
    /// Its title now, or empty.
    pub title: String,
    /// The event: its `seq`; 0 if there are no events.
    pub at: i64,
    /// The newest `seq` now.
    pub newest: i64,
    /// Time of the event, milliseconds since the Unix epoch.
    pub time: i64,
    /// Why the event is marked, if it is.
    pub mark: Option<Mark>,
    /// The marked event before it.
    pub previous: Option<i64>,
    /// The marked event after it.
    pub next: Option<i64>,
    /// The events after it, for the player.
    pub ahead: Vec<Pace>,
    /// The newest rows.
    pub timeline: RowsView,
    /// The newest rows of the open panel.
    pub panel: RowsView,
    /// Status of the agent.
    pub status: Status,
    /// Reason of the status, mostly for errors; else empty.
    pub reason: String,
    /// Cost and tokens.
    pub metrics: Metrics,
    /// The task list.
    pub tasks: Vec<Task>,
    /// Number of actions that waited for an approval.
    pub waiting: usize,
    /// The notice above the timeline.
    pub notice: Option<Notice>,
    /// The model in use, or empty.
    pub model: String,
}

/// An event to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    /// Its `seq`.
    pub seq: i64,
    /// Time from the event before it, in milliseconds, cut to the longest pause of a replay.
    pub pause: u32,
}

/// The marks of a conversation along the slider.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TrackView {
    /// The newest `seq`.
    pub newest: i64,
    /// The marks in order.
    pub marks: Vec<MarkView>,
}

/// Marked events that are close together on the slider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkView {
    /// The `seq` of the first one.
    pub seq: i64,
    /// Why they are marked.
    pub mark: Mark,
    /// Number of events.
    pub count: u32,
}
