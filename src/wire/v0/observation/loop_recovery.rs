//! Loops.

use serde::Deserialize;

/// The agent is stuck in a loop (command line only).
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct LoopDetectionObservation {}
