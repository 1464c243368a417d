//! The conversations of one server, of either dialect.

use std::sync::{Arc, Mutex};

use crate::stats::{Stats, Tally};
use crate::sync::lock;

pub trait Listed {
    fn id(&self) -> &str;
    /// The number of connected sockets.
    fn sockets(&self) -> usize;
}

/// Conversations in the order of their creation.
pub struct Conversations<C>(Mutex<Vec<Arc<C>>>);

impl<C> Default for Conversations<C> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<C: Listed> Conversations<C> {
    /// All conversations, oldest first.
    pub fn all(&self) -> Vec<Arc<C>> {
        lock(&self.0).clone()
    }

    /// All conversations with at least one socket.
    pub fn open(&self) -> Vec<Arc<C>> {
        let mut all = self.all();
        all.retain(|one| one.sockets() > 0);
        all
    }

    pub fn find(&self, id: &str) -> Option<Arc<C>> {
        lock(&self.0).iter().find(|one| one.id() == id).cloned()
    }

    /// The conversation with this id, created if it is unknown.
    pub fn find_or_create(&self, id: &str, create: impl FnOnce() -> C) -> Arc<C> {
        let mut all = lock(&self.0);
        if let Some(found) = all.iter().find(|one| one.id() == id) {
            return found.clone();
        }
        let created = Arc::new(create());
        all.push(created.clone());
        created
    }

    pub fn remove(&self, id: &str) {
        lock(&self.0).retain(|one| one.id() != id);
    }

    /// The counters of a server, including its sockets.
    pub fn stats(&self, tally: &Tally) -> Stats {
        let sockets = self.all().into_iter();
        let sockets = sockets.map(|one| (one.id().to_owned(), one.sockets()));
        Stats {
            sockets: sockets.collect(),
            ..tally.snapshot()
        }
    }
}
