//! The followers of a conversation, and what they have seen of the state beside the timeline.

use crate::hub::follower::{Queue, encode};
use crate::live::{FromServer, SessionView};
use bytes::Bytes;
use std::sync::Arc;

pub struct Audience {
    followers: Vec<Queue>,
    seen: Arc<SessionView>,
}

impl Audience {
    pub fn new(seen: Arc<SessionView>) -> Self {
        let followers = Vec::new();
        Self { followers, seen }
    }

    pub fn push(&mut self, follower: Queue) {
        self.followers.push(follower);
    }

    /// Removes followers that have left. Returns whether any is left.
    pub fn is_there(&mut self) -> bool {
        self.followers.retain(|follower| !follower.is_left());
        !self.followers.is_empty()
    }

    pub fn tell(&mut self, frame: &FromServer) {
        if !self.followers.is_empty() {
            let frame = encode(frame);
            self.followers.retain(|follower| follower.push(&frame));
        }
    }

    /// Sets the state. Returns it for a frame if followers do not know it yet.
    pub fn sees(&mut self, session: SessionView) -> Option<Arc<SessionView>> {
        (session != *self.seen).then(|| {
            self.seen = Arc::new(session);
            Arc::clone(&self.seen)
        })
    }

    pub fn people(&self) -> impl Iterator<Item = i64> {
        self.followers.iter().map(|follower| follower.person)
    }

    /// Makes every follower start with a new snapshot.
    pub fn break_off(&mut self) {
        let followers = self.followers.drain(..);
        followers.for_each(|follower| follower.break_off());
    }

    /// Sends a last frame to every follower.
    pub fn finish(&mut self, last: &Bytes) {
        for follower in self.followers.drain(..) {
            follower.push(last);
            follower.finish();
        }
    }
}
