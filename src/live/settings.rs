//! Settings of the backend and of the line to it, as a page shows them.

use crate::backend::{Options, SecretName, Settings};
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
}

/// Where the backend is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ConnectionView {
    /// The embedded rehearsal is used instead of a backend.
    pub rehearsal: bool,
    /// Name or address.
    pub host: String,
    /// Port.
    pub port: u16,
    /// Over TLS.
    pub tls: bool,
    /// Path that it lives under, or empty.
    pub path: String,
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
