//! The settings of a backend, independent of its protocol.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A secret text. `Debug` hides its value from logs and errors.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(pub String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}

/// Settings that apply to new conversations.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Name of the program if the agent is one of ACP ("claude-code"), else empty. Such an agent asks nobody, has its own
    /// key and condenser, and its model may be empty: the program's own.
    pub acp: String,
    /// Name of the model, as its provider calls it.
    pub model: String,
    /// Base URL of the model's provider; empty for the default.
    pub base_url: String,
    /// Whether an API key is stored.
    pub api_key_set: bool,
    /// A new API key; `None` keeps the stored one. Always `None` when read.
    pub api_key: Option<Secret>,
    /// Agent class.
    pub agent: String,
    /// Confirmation mode: actions need approval before they run.
    pub confirmation: bool,
    /// The security analyzer that rates risks; empty for none.
    pub analyzer: String,
    /// Step limit; `None` for the backend's default.
    pub max_iterations: Option<u64>,
    /// Budget for one task, in US dollars.
    pub max_budget: Option<f64>,
    /// Whether older events are condensed into a summary.
    pub condenser: bool,
    /// Number of events above which they are condensed; `None` for the backend's default (0.x: at least 20).
    pub condenser_max_size: Option<u64>,
    /// Whether a key of a search provider is stored.
    pub search_api_key_set: bool,
    /// A new key of the search provider; `None` keeps the stored one. Always `None` when read.
    pub search_api_key: Option<Secret>,
    /// Git user name for commits.
    pub git_user_name: String,
    /// Git email address for commits.
    pub git_user_email: String,
    /// MCP servers.
    pub mcp: Vec<McpServer>,
}

impl Settings {
    /// Takes over what a form does not offer: the MCP servers, and of an ACP agent all that it does not use.
    pub fn keep(&mut self, stored: Self) {
        if !stored.acp.is_empty() {
            *self = Self {
                model: std::mem::take(&mut self.model),
                max_iterations: self.max_iterations,
                ..stored
            };
            return;
        }
        (self.acp, self.mcp) = (stored.acp, stored.mcp);
    }
}

/// An MCP server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum McpServer {
    /// Streamable HTTP.
    Http {
        /// URL of the server.
        url: String,
        /// Whether a key is stored.
        key_set: bool,
        /// A new key; `None` keeps the stored one.
        #[serde(default)]
        key: Option<Secret>,
    },
    /// Server-sent events.
    Sse {
        /// URL of the server.
        url: String,
        /// Whether a key is stored.
        key_set: bool,
        /// A new key; `None` keeps the stored one.
        #[serde(default)]
        key: Option<Secret>,
    },
    /// A local process on the backend's machine.
    Stdio {
        /// Name of the server.
        name: String,
        /// Command to run.
        command: String,
        /// Arguments of the command.
        args: Vec<String>,
    },
}

impl McpServer {
    /// Its address, or its command line.
    pub fn address(&self) -> String {
        match self {
            Self::Http { url, .. } | Self::Sse { url, .. } => url.clone(),
            Self::Stdio { command, args, .. } => {
                let parts = [std::slice::from_ref(command), args.as_slice()];
                parts.concat().join(" ")
            }
        }
    }
}

/// The choices that the settings offer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Options {
    /// Model names.
    pub models: Vec<String>,
    /// Agent classes.
    pub agents: Vec<String>,
    /// Security analyzers.
    pub analyzers: Vec<String>,
}

/// A stored secret, without its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretName {
    /// Name.
    pub name: String,
    /// Description.
    pub description: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sent_and_not_printed() {
        let settings = Settings {
            api_key: Some(Secret("sk-1234".to_owned())),
            mcp: vec![McpServer::Sse {
                url: "http://a".to_owned(),
                key_set: true,
                key: Some(Secret("sk-5678".to_owned())),
            }],
            ..Settings::default()
        };
        let printed = format!("{settings:?}");
        assert!(!printed.contains("sk-"), "{printed}");
        let sent = serde_json::to_string(&settings).expect("plain data");
        assert!(
            sent.contains("\"sk-1234\"") && sent.contains("\"sk-5678\""),
            "{sent}"
        );
    }

    #[test]
    fn a_form_changes_no_setting_that_it_does_not_offer() {
        let stored = Settings {
            acp: "claude-code".to_owned(),
            confirmation: true,
            condenser: true,
            max_iterations: Some(500),
            ..Settings::default()
        };
        let mut posted = Settings {
            model: "sonnet".to_owned(),
            ..Settings::default()
        };
        posted.keep(stored.clone());
        let expected = Settings {
            model: "sonnet".to_owned(),
            max_iterations: None,
            ..stored
        };
        assert_eq!(posted, expected);
    }
}
