//! Compares what a backend has stored with what it was asked to store.
//!
//! A backend may ignore a value without saying so (an app server and `null`), so whatever is saved is read back.

use super::{McpServer, Secret, Settings};
use std::fmt;

/// Names of the settings that decide what needs approval.
const CONFIRMATION: &str = "Require approval before actions run";
const ANALYZER: &str = "Risk analyzer";

/// A setting that a backend has stored differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Its name on the page.
    pub name: &'static str,
    /// What is stored, in words.
    pub stored: String,
}

impl Difference {
    /// Whether it is about what needs approval.
    pub fn is_about_approvals(&self) -> bool {
        matches!(self.name, CONFIRMATION | ANALYZER)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}", self.name, self.stored)
    }
}

impl Settings {
    /// What a backend has stored, after a read, that differs from these settings.
    ///
    /// A limit without a number is the backend's default, whatever that is. Values of keys are never read.
    pub fn differences(&self, stored: &Self) -> Vec<Difference> {
        let text = |text: &str| match text {
            "" => "empty".to_owned(),
            text => format!("“{text}”"),
        };
        let on = |on: bool| if on { "on" } else { "off" }.to_owned();
        let number = |number: Option<u64>| {
            number.map_or_else(|| "empty".to_owned(), |number| number.to_string())
        };
        let key = |new: &Option<Secret>, is_set: bool| new.is_none() || is_set;
        let servers = |settings: &Self| {
            let mut servers: Vec<_> = settings.mcp.iter().map(McpServer::address).collect();
            servers.sort();
            servers
        };
        let own = self.acp.is_empty();
        let checks = [
            (self.model == stored.model, "Model", text(&stored.model)),
            (
                !own || self.base_url == stored.base_url,
                "Base URL",
                text(&stored.base_url),
            ),
            (
                !own || key(&self.api_key, stored.api_key_set),
                "API key",
                text(""),
            ),
            (
                !own || self.agent == stored.agent,
                "Agent",
                text(&stored.agent),
            ),
            (
                !own || self.confirmation == stored.confirmation,
                CONFIRMATION,
                on(stored.confirmation),
            ),
            (
                !own || self.analyzer == stored.analyzer,
                ANALYZER,
                text(&stored.analyzer),
            ),
            (
                self.max_iterations.is_none() || self.max_iterations == stored.max_iterations,
                "Max steps",
                number(stored.max_iterations),
            ),
            (
                self.max_budget == stored.max_budget,
                "Budget",
                text(
                    &stored
                        .max_budget
                        .map(|budget| budget.to_string())
                        .unwrap_or_default(),
                ),
            ),
            (
                !own || self.condenser == stored.condenser,
                "Summarize older events",
                on(stored.condenser),
            ),
            (
                !own || self.condenser_max_size.is_none()
                    || self.condenser_max_size == stored.condenser_max_size,
                "Summarize after",
                number(stored.condenser_max_size),
            ),
            (
                key(&self.search_api_key, stored.search_api_key_set),
                "Search API key",
                text(""),
            ),
            (
                self.git_user_name == stored.git_user_name,
                "Commit author",
                text(&stored.git_user_name),
            ),
            (
                self.git_user_email == stored.git_user_email,
                "Commit email",
                text(&stored.git_user_email),
            ),
            (
                servers(self) == servers(stored),
                "MCP servers",
                text(&servers(stored).join(", ")),
            ),
        ];
        let differs = checks.into_iter().filter(|(is_same, ..)| !is_same);
        differs
            .map(|(_, name, stored)| Difference { name, stored })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_differently_is_named_and_what_a_person_left_open_is_not() {
        let wanted = Settings {
            model: "m".to_owned(),
            confirmation: true,
            api_key: Some(Secret("k".to_owned())),
            max_iterations: None,
            ..Settings::default()
        };
        let stored = Settings {
            api_key: None,
            api_key_set: true,
            max_iterations: Some(500),
            ..wanted.clone()
        };
        assert_eq!(wanted.differences(&stored), []);
        let other = Settings {
            analyzer: "llm".to_owned(),
            api_key_set: false,
            git_user_name: "Ada".to_owned(),
            ..stored
        };
        let said: Vec<_> = wanted.differences(&other);
        let texts: Vec<_> = said.iter().map(Difference::to_string).collect();
        let expected = [
            "API key is empty",
            "Risk analyzer is “llm”",
            "Commit author is “Ada”",
        ];
        assert_eq!(texts, expected);
        let about_approvals = said.iter().filter(|one| one.is_about_approvals());
        assert_eq!(about_approvals.count(), 1);
    }
}
