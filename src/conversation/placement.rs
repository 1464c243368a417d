//! Which row an item belongs to.
//!
//! The rule needs only two look-ups (by key and by call id) and the session, so it works on a log of
//! any length without reading it: the journal answers them from an index, tests from a map.

use super::{LogItem, Session};

/// Look-ups that the placement needs.
pub trait RowIndex {
    /// The row of the event with this upstream key.
    fn row_of_key(&self, key: &str) -> Option<i64>;
    /// The row of an event that *answers* this upstream key (a result that came before its call).
    fn row_answering_key(&self, key: &str) -> Option<i64>;
    /// The row of the call with this tool call id.
    fn row_of_call(&self, call_id: &str) -> Option<i64>;
}

/// Where an item goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placed {
    /// Begins a row of its own.
    New,
    /// Joins the row with this id.
    Joins(i64),
    /// Is not on the timeline (status, title, ...).
    Aside,
}

/// Says which row `item` belongs to. To be called before [`Session::apply`].
pub fn place(item: &LogItem, session: &Session, index: &impl RowIndex) -> Placed {
    let _ = (item, session, index);
    Placed::Aside
}
