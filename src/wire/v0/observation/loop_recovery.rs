//! Loops.

use serde::{Deserialize, Serialize};

/// The agent is stuck in a loop (command line only).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LoopDetectionObservation {}
