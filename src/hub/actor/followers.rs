//! The followers of a conversation, and what they have seen of the state beside the timeline.

use crate::hub::follower::{Queue, encode};
use crate::live::{FromServer, SessionView};
use bytes::Bytes;
use std::sync::Arc;

/// The queues of the followers. They are output, so the actor fills them itself.
pub(super) struct Followers {
    queues: Vec<Queue>,
    seen: Arc<SessionView>,
    /// Whether they may have to be updated.
    pub(super) is_changed: bool,
}

impl Followers {
    pub(super) fn new(seen: Arc<SessionView>) -> Self {
        Self {
            queues: Vec::new(),
            seen,
            is_changed: true,
        }
    }

    pub(super) fn push(&mut self, follower: Queue) {
        self.queues.push(follower);
    }

    /// Removes followers that have left. Returns whether any is left.
    pub(super) fn is_there(&mut self) -> bool {
        self.queues.retain(|follower| !follower.is_left());
        !self.queues.is_empty()
    }

    pub(super) fn tell(&mut self, frame: &FromServer) {
        if !self.queues.is_empty() {
            let frame = encode(frame);
            self.queues.retain(|follower| follower.push(&frame));
        }
    }

    /// Sets the state. Returns it for a frame if followers do not know it yet.
    pub(super) fn sees(&mut self, session: SessionView) -> Option<Arc<SessionView>> {
        (session != *self.seen).then(|| {
            self.seen = Arc::new(session);
            Arc::clone(&self.seen)
        })
    }

    pub(super) fn people(&self) -> impl Iterator<Item = i64> {
        self.queues.iter().map(|follower| follower.person)
    }

    /// Makes every follower start with a new snapshot.
    pub(super) fn break_off(&mut self) {
        let queues = self.queues.drain(..);
        queues.for_each(|follower| follower.break_off());
    }

    /// Sends a last frame to every follower.
    pub(super) fn finish(&mut self, last: &Bytes) {
        for follower in self.queues.drain(..) {
            follower.push(last);
            follower.finish();
        }
    }
}
