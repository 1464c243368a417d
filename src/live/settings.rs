//! Settings of the backend and of the connection to it, as shown on pages.

use crate::backend::{Capabilities, Options, Protocol, SecretName, Settings};
use serde::{Deserialize, Serialize};

/// Settings with the available choices.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SettingsView {
    /// The current settings.
    pub settings: Settings,
    /// The available choices.
    pub options: Options,
    /// The stored secrets.
    pub secrets: Vec<SecretName>,
    /// The backend's capabilities.
    pub capabilities: Capabilities,
    /// Version of these settings; a save request carries it to detect concurrent changes.
    #[serde(default)]
    pub seen: String,
}

/// The outcome of a save request that the backend has accepted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SavedSettings {
    /// Version of the settings that are stored now.
    pub seen: String,
    /// What the backend has stored differently, in whole sentences, or empty.
    pub trouble: String,
    /// Whether that is about what needs approval: then the save request has failed.
    pub refused: bool,
}

/// The address and state of a backend.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ConnectionView {
    /// Its label.
    pub label: String,
    /// Whether it is the embedded rehearsal.
    pub rehearsal: bool,
    /// Its address.
    pub address: String,
    /// Its protocol, once detected.
    pub protocol: Option<Protocol>,
    /// The problem found at the latest request, if any.
    pub trouble: Option<String>,
    /// Whether a key is stored.
    pub key_set: bool,
    /// Whether everything that runs there is followed.
    pub everything: bool,
    /// Whether it was configured on the command line; then the page cannot change it.
    pub fixed: bool,
}

/// Result of a connection test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionReport {
    /// Whether the backend is reachable and compatible.
    pub good: bool,
    /// The finding, or the problem and how to solve it.
    pub text: String,
    /// What the backend still needs before it can be used, in a whole sentence, if anything.
    pub missing: Option<String>,
}
