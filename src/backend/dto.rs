//! Parses the responses that both protocols write alike.

use super::json::{entries, filled, text};
use super::{Answer, BackendError, ChangedFile, ChangedText, Probe, Profile};
use serde_json::Value;
use std::time::Duration;

/// The result of probing a backend that has responded.
pub(super) fn probe(
    product: &str,
    version: Option<String>,
    elapsed: Duration,
    has_model: bool,
    has_key: bool,
) -> Probe {
    let lacking = match (has_model, has_key) {
        (false, _) => Some("No model is set up. Choose one in Settings."),
        (true, false) => Some("The model has no API key. Enter it in Settings."),
        (true, true) => None,
    };
    Probe {
        product: product.to_owned(),
        version,
        millis: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        lacking: lacking.map(str::to_owned),
    }
}

/// Files that differ from the repository. 1.x writes Git's status letters as words.
pub(super) fn changes(value: &Value) -> Vec<ChangedFile> {
    let change = |entry: &Value| {
        let status = match entry["status"].as_str()? {
            "ADDED" => "A",
            "DELETED" => "D",
            "UPDATED" => "M",
            "MOVED" => "R",
            other => other,
        };
        Some(ChangedFile {
            path: filled(&entry["path"])?,
            status: status.to_owned(),
        })
    };
    entries(value).filter_map(change).collect()
}

/// The old and the new text of a changed file. A new or deleted file has only one of them.
pub(super) fn change(value: &Value) -> ChangedText {
    ChangedText {
        original: text(&value["original"]),
        modified: text(&value["modified"]),
    }
}

/// The models that a conversation can switch to.
pub(super) fn profiles(answer: &Value) -> Answer<Vec<Profile>> {
    serde_json::from_value(answer["profiles"].clone())
        .map_err(|_| BackendError::unexpected("profiles without name or model"))
}
