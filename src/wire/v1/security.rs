//! What is held back, and who judges it.

use super::SecurityRisk;
use serde::Deserialize;
use std::collections::BTreeMap;

/// What is held back for a person's answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ConfirmationPolicy {
    /// `NeverConfirm`, `AlwaysConfirm`, `ConfirmRisky`.
    pub kind: String,
    /// From which risk on, for `ConfirmRisky`.
    pub threshold: SecurityRisk,
    /// Whether what nobody judged counts as risky.
    pub confirm_unknown: bool,
}

/// Who judges how dangerous a call is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct SecurityAnalyzer {
    /// Its class (`LLMSecurityAnalyzer`).
    pub kind: String,
}

/// A batch of calls was judged.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct SecurityAnalysisEvent {
    /// Who judged.
    pub analyzer: String,
    /// By event of the call: what those events carry themselves.
    pub risks: BTreeMap<String, SecurityRisk>,
}
