//! Pauses and stops, as commands see them that were ordered before.
//!
//! A message waits for the end of a step, as a pause does, and only then starts the run that reads it: that would undo the
//! pause. Who has ordered the message first and the pause later wants the pause.

use crate::backend::Command;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// How many halts were ordered so far.
#[derive(Default)]
pub(super) struct Halts(Arc<AtomicUsize>);

impl Halts {
    /// Counts a command that was just ordered; returns what tells of the halts after it.
    pub(super) fn after(&self, command: &Command) -> LaterHalts {
        if matches!(command, Command::Pause | Command::Stop) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        LaterHalts {
            all: self.0.clone(),
            before: self.0.load(Ordering::Relaxed),
        }
    }
}

/// The halts that were ordered after a command.
#[derive(Clone)]
pub(super) struct LaterHalts {
    all: Arc<AtomicUsize>,
    before: usize,
}

impl LaterHalts {
    /// Whether there are any.
    pub(super) fn any(&self) -> bool {
        self.all.load(Ordering::Relaxed) != self.before
    }
}
