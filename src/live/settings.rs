//! Settings of the backend and of the line to it, as a page shows them.

use crate::backend::{Capabilities, Options, Protocol, SecretName, Settings};
use serde::{Deserialize, Serialize};

/// Settings with what can be chosen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SettingsView {
    /// The settings as they are.
    pub settings: Settings,
    /// What can be chosen.
    pub options: Options,
    /// The stored secrets.
    pub secrets: Vec<SecretName>,
    /// What the backend can do.
    pub capabilities: Capabilities,
}

/// Where a backend is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ConnectionView {
    /// What it is called.
    pub label: String,
    /// It is the embedded rehearsal.
    pub rehearsal: bool,
    /// Its address.
    pub address: String,
    /// What it speaks, once that is known.
    pub protocol: Option<Protocol>,
    /// What was wrong with it the last time it was asked.
    pub trouble: Option<String>,
    /// A key is stored.
    pub key_set: bool,
    /// It was given on the command line: the page cannot change it.
    pub fixed: bool,
}

/// What a test of the connection found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionReport {
    /// It can be used.
    pub good: bool,
    /// What was found, or what is wrong and what to do.
    pub text: String,
}
