//! Something went well.

use serde::{Deserialize, Serialize};

/// Something went well; what is in `content`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SuccessObservation {}
