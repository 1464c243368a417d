//! The offset between upstream's ids and our positions: 0 until a backend loses events and reuses their ids.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The field that marks an event as our notice of a loss. Bridges remove it from received events.
const NOTICE: &str = "handrail_lost";

/// Offset between positions and upstream's ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PositionOffset {
    /// The position of an event is upstream's id plus this.
    pub by: i64,
    /// Position of the notice about the latest loss. Events before it may be missing upstream.
    pub since: Option<i64>,
}

impl PositionOffset {
    /// Position of the event with this id.
    pub fn pos(self, id: i64) -> i64 {
        id.saturating_add(self.by)
    }

    /// Upstream's id of the event at this position.
    pub fn id(self, pos: i64) -> i64 {
        pos.saturating_sub(self.by)
    }

    /// The offset after a loss that left upstream its ids up to `kept` (-1: none), where `newest` is our newest
    /// position: new events are placed after it and after the notice.
    pub fn after_loss(newest: i64, kept: i64) -> Self {
        let since = newest.saturating_add(1);
        Self {
            by: since.saturating_sub(kept),
            since: Some(since),
        }
    }

    /// The notice of the loss, as stored in the log.
    pub fn notice(self) -> Value {
        json!({ "id": self.since, NOTICE: self.by })
    }

    /// The new [`Self::by`], if these are the fields of a notice.
    pub fn of_notice(fields: &Map<String, Value>) -> Option<i64> {
        fields.get(NOTICE)?.as_i64()
    }

    /// Removes the marker of a notice from a received event.
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
        let offset = PositionOffset::after_loss(99, 49);
        assert_eq!(
            (offset.since, offset.pos(50), offset.id(101)),
            (Some(100), 101, 50)
        );
        let all = PositionOffset::after_loss(99, -1);
        assert_eq!((all.since, all.pos(0)), (Some(100), 101));
    }
}
