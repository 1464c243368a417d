//! The settings of a backend, said neutrally.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A text that is never printed: neither in a log nor in an error.
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
    /// Name of the model, as the provider wants it.
    pub model: String,
    /// Address of the model's provider, or empty for its own.
    pub base_url: String,
    /// A key is stored.
    pub api_key_set: bool,
    /// A new key; `None` leaves the stored one. Always `None` when read.
    pub api_key: Option<Secret>,
    /// Class of the agent.
    pub agent: String,
    /// Ask before actions are carried out.
    pub confirmation: bool,
    /// Which analyzer judges the risk; empty for none.
    pub analyzer: String,
    /// Steps at most; `None` for the backend's own limit.
    pub max_iterations: Option<u64>,
    /// US dollars at most for one task.
    pub max_budget: Option<f64>,
    /// Older events are condensed into a summary.
    pub condenser: bool,
    /// From how many events on; `None` for the backend's own number (0.x: at least 20).
    pub condenser_max_size: Option<u64>,
    /// Key of a search provider is stored.
    pub search_api_key_set: bool,
    /// A new key of the search provider; `None` leaves the stored one. Always `None` when read.
    pub search_api_key: Option<Secret>,
    /// Name that commits are made under.
    pub git_user_name: String,
    /// Address that commits are made under.
    pub git_user_email: String,
    /// MCP servers.
    pub mcp: Vec<McpServer>,
}

/// An MCP server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum McpServer {
    /// Streamable HTTP.
    Http {
        /// Its address.
        url: String,
        /// A key is stored for it.
        key_set: bool,
        /// A new key; `None` leaves the stored one.
        #[serde(default)]
        key: Option<Secret>,
    },
    /// Server-sent events.
    Sse {
        /// Its address.
        url: String,
        /// A key is stored for it.
        key_set: bool,
        /// A new key; `None` leaves the stored one.
        #[serde(default)]
        key: Option<Secret>,
    },
    /// A program on the backend's machine.
    Stdio {
        /// What it is called.
        name: String,
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
    },
}

/// What can be chosen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Options {
    /// Names of models.
    pub models: Vec<String>,
    /// Classes of agents.
    pub agents: Vec<String>,
    /// Names of analyzers.
    pub analyzers: Vec<String>,
}

/// A stored secret, without its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretName {
    /// Its name.
    pub name: String,
    /// What it is for.
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
}
