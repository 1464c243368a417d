//! The confirmation policy and the risk analyzer.

use super::SecurityRisk;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Which actions need approval.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct ConfirmationPolicy {
    /// `NeverConfirm`, `AlwaysConfirm`, `ConfirmRisky`.
    pub kind: String,
    /// The minimum risk, for `ConfirmRisky`.
    pub threshold: SecurityRisk,
    /// Whether unrated actions count as risky.
    pub confirm_unknown: bool,
}

/// The analyzer that rates the risk of calls.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct SecurityAnalyzer {
    /// Its class (`LLMSecurityAnalyzer`).
    pub kind: String,
}

/// Risk ratings of a batch of calls.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct SecurityAnalysisEvent {
    /// The analyzer.
    pub analyzer: String,
    /// Ratings by event of the call, which contains its own rating, too.
    pub risks: BTreeMap<String, SecurityRisk>,
}
