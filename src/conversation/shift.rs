//! How upstream's ids stand in our log: the same, until a backend loses events and counts some ids anew.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The field that makes an event our notice of a loss. Bridges take it out of what they are sent.
const NOTICE: &str = "handrail_lost";

/// How our positions and upstream's ids differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Shift {
    /// The position of an event is upstream's id and this.
    pub by: i64,
    /// Position of the notice about the newest loss. What stands before it may be gone upstream.
    pub since: Option<i64>,
}

impl Shift {
    /// Position of the event with this id.
    pub fn pos(self, id: i64) -> i64 {
        id.saturating_add(self.by)
    }

    /// Upstream's id of the event at this position.
    pub fn id(self, pos: i64) -> i64 {
        pos.saturating_sub(self.by)
    }

    /// After a loss that left upstream its ids up to `kept` (-1: none), where `newest` is our newest position: what
    /// comes next stands behind it, and behind the notice in between.
    pub fn after_loss(newest: i64, kept: i64) -> Self {
        let since = newest.saturating_add(1);
        Self {
            by: since.saturating_sub(kept),
            since: Some(since),
        }
    }

    /// The notice of the loss, as the log keeps it.
    pub fn notice(self) -> Value {
        json!({ "id": self.since, NOTICE: self.by })
    }

    /// How ids are counted from here on, if these are the fields of a notice.
    pub fn of_notice(fields: &Map<String, Value>) -> Option<i64> {
        fields.get(NOTICE)?.as_i64()
    }

    /// Makes sure that what came from outside is not taken for a notice.
    pub fn deny(event: &mut Value) {
        if let Value::Object(fields) = event {
            fields.remove(NOTICE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_after_a_loss_stands_behind_all_that_was() {
        let shift = Shift::after_loss(99, 49);
        assert_eq!(
            (shift.since, shift.pos(50), shift.id(101)),
            (Some(100), 101, 50)
        );
        let all = Shift::after_loss(99, -1);
        assert_eq!((all.since, all.pos(0)), (Some(100), 101));
    }
}
