//! What it means: the neutral model of a conversation, whichever protocol it arrived by.
//!
//! A wire event becomes a [`LogItem`]; items that belong together become one [`Row`] (what a person
//! reads as one thing: a command and its output); everything that is not read but *is so* — status,
//! title, cost, what waits for an answer — lives in the [`Session`].
//!
//! Invariant: this layer is pure. No framework, no I/O, no `cfg`, no clock.

mod context;
mod item;
mod stamp;
mod status;
mod tags;
mod tool;

mod from_v0;
pub mod from_v1;

mod apply;
mod drafts;
mod fold;
mod notice;
mod placement;
mod row;
mod session;
mod shift;
mod state;
mod timeline;

pub use context::*;
pub use drafts::{Draft, Drafts, Piece};
pub use from_v0::from_v0;
pub use item::*;
pub use placement::{Placed, RowIndex, place};
pub use row::{CallRow, CallState, Card, Execution, Row, RowContext};
pub use session::{Metrics, Notice, PendingCall, PendingConfirmation, Session, Tone};
pub use shift::Shift;
pub use state::{Goal, Policy, StateChange, Told, Usage};
pub use status::{Confirmation, Remedy, Risk, Status};
pub use tags::Tags;
pub use timeline::{Taken, Timeline};
pub use tool::*;

#[cfg(test)]
mod tests;
