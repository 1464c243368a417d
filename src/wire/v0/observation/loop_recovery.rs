//! Loops.

use serde::{Deserialize, Serialize};

/// The agent goes in circles (command line only).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LoopDetectionObservation {}
