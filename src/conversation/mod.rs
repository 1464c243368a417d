//! The neutral model of a conversation, independent of the protocol it arrived by.
//!
//! A wire event becomes a [`LogItem`]; related items are folded into one [`Row`], which a person reads as one thing (a
//! command and its output, say). Everything that is state rather than content (status, title, cost, pending approvals)
//! is in the [`Session`].
//!
//! Invariant: this layer is pure. No framework, no I/O, no `cfg`, no clock.

mod context;
mod family;
mod id;
mod item;
mod stamp;
mod status;
mod tags;
mod tool;

mod from_v0;
pub mod from_v1;
pub mod messages;

mod apply;
mod bounds;
mod drafts;
mod fingerprint;
mod fold;
mod insight;
mod mark;
mod more;
mod notice;
mod placement;
mod position_offset;
mod row;
mod script;
mod session;
mod since;
mod state;
mod stuck;
mod test_run;
mod text;
mod timeline;

/// Label in place of a backend's for conversations that were imported. No backend has it.
pub const IMPORTED: &str = "Imported";

pub use context::*;
pub use drafts::{Draft, Drafts, Piece};
pub use family::{Family, camel_parts, path_of};
pub use fold::STOP;
pub use from_v0::from_v0;
pub use id::is_id;
pub use insight::{
    Change, Command, Insight, Measure, ModelCall, Overall, OverallReport, Report, Spent, Step,
};
pub use item::*;
pub use mark::Mark;
pub use notice::{SANDBOX_GONE, SANDBOX_NOT_STARTED, TOO_MANY_CONVERSATIONS};
pub use placement::{Placed, RowIndex, place};
pub use position_offset::PositionOffset;
pub use row::{CallRow, CallState, Card, Execution, Row, RowContext};
pub use script::{is_rtl, is_unspaced};
pub use session::{Notice, PendingCall, PendingConfirmation, Session, Tone};
pub use since::{Answered, Event, Few, Outcome, Since, since};
pub use state::{Goal, Metrics, Policy, Reported, StateChange, Usage};
pub use status::{Confirmation, Remedy, Risk, Status};
pub use stuck::{Stuck, StuckRule};
pub use tags::Tags;
pub use timeline::{KnownRows, Taken, Timeline};
pub use tool::*;

#[cfg(test)]
mod tests;
