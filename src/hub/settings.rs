//! The settings of a backend, passed through. Every change reads first: some backends replace all of them
//! at once. A backend is named by its label; the empty one is the first.

use super::{Hub, HubError, error::backend_for_people};
use crate::backend::{McpServer, Secret, Settings};
use crate::live::{ConnectionReport, SettingsView};
use crate::people::{Caller, Deed};

impl Hub {
    /// The settings, with what can be chosen.
    pub async fn settings(&self, backend: &str) -> Result<SettingsView, HubError> {
        let backend = self.backend(backend).await?;
        let settings = backend.settings().await?;
        // Without these the settings can still be read and changed.
        let options = backend.options().await.unwrap_or_else(|error| {
            tracing::info!(%error, "what can be chosen could not be read");
            Default::default()
        });
        let secrets = backend.secrets().await.unwrap_or_else(|error| {
            tracing::info!(%error, "the names of the secrets could not be read");
            Vec::new()
        });
        Ok(SettingsView {
            settings,
            options,
            secrets,
            capabilities: backend.capabilities(),
        })
    }

    /// Changes the settings. Keys that are empty stay as they are, and so do the MCP servers.
    pub async fn save_settings(
        &self,
        by: &Caller,
        backend: &str,
        mut settings: Settings,
    ) -> Result<(), HubError> {
        settings.api_key = settings.api_key.and_then(|key| given(&key.0));
        settings.search_api_key = settings.search_api_key.and_then(|key| given(&key.0));
        self.noted(by, Deed::new("save settings"), async {
            let backend = self.backend(backend).await?;
            settings.mcp = backend.settings().await?.mcp;
            Ok(backend.save_settings(settings).await?)
        })
        .await
    }

    /// Adds an MCP server. `kind` is `http`, `sse` or `stdio`; for the last `address` is a command line.
    pub async fn add_mcp_server(
        &self,
        by: &Caller,
        backend: &str,
        kind: &str,
        address: &str,
        name: &str,
        key: &str,
    ) -> Result<(), HubError> {
        let server = mcp_server(kind, address.trim(), name.trim(), key.trim())?;
        let backend = self.backend(backend).await?;
        let mut settings = backend.settings().await?;
        let address = address_of(&server);
        if settings
            .mcp
            .iter()
            .any(|other| address_of(other) == address)
        {
            return Err(HubError::Invalid(
                "There is an MCP server of this address already. Remove it first.".to_owned(),
            ));
        }
        settings.mcp.push(server);
        let deed = Deed::new("add MCP server").exactly(&address);
        self.noted(by, deed, async {
            Ok(backend.save_settings(settings).await?)
        })
        .await
    }

    /// Tries an MCP server out before it is added, in words.
    pub async fn test_mcp_server(
        &self,
        by: &Caller,
        backend: &str,
        kind: &str,
        address: &str,
        name: &str,
        key: &str,
    ) -> Result<ConnectionReport, HubError> {
        let server = mcp_server(kind, address.trim(), name.trim(), key.trim())?;
        let backend = self.backend(backend).await?;
        let deed = Deed::new("test MCP server").exactly(&address_of(&server));
        let tested = self
            .noted(by, deed, async { Ok(backend.test_mcp(server).await) })
            .await?;
        Ok(match tested {
            Ok(tools) if tools.is_empty() => ConnectionReport {
                good: true,
                text: "It answers, and offers no tools.".to_owned(),
            },
            Ok(tools) => ConnectionReport {
                good: true,
                text: format!("It answers. Its tools: {}.", tools.join(", ")),
            },
            Err(error) => ConnectionReport {
                good: false,
                text: backend_for_people(&error).1,
            },
        })
    }

    /// Removes the MCP server with this address (or command line).
    pub async fn remove_mcp_server(
        &self,
        by: &Caller,
        backend: &str,
        address: &str,
    ) -> Result<(), HubError> {
        let backend = self.backend(backend).await?;
        let mut settings = backend.settings().await?;
        let before = settings.mcp.len();
        settings
            .mcp
            .retain(|server| address_of(server) != address.trim());
        if settings.mcp.len() == before {
            return Err(HubError::NotFound("MCP server"));
        }
        let deed = Deed::new("remove MCP server").exactly(address);
        self.noted(by, deed, async {
            Ok(backend.save_settings(settings).await?)
        })
        .await
    }

    /// Stores a secret, or replaces it.
    pub async fn save_secret(
        &self,
        by: &Caller,
        backend: &str,
        name: &str,
        value: &str,
        description: &str,
    ) -> Result<(), HubError> {
        if name.trim().is_empty() || value.is_empty() {
            return Err(HubError::Invalid(
                "A secret has a name and a value.".to_owned(),
            ));
        }
        let backend = self.backend(backend).await?;
        let saved = backend.save_secret(name.trim(), value, description.trim());
        let deed = Deed::new("save secret").detail(name.trim());
        self.noted(by, deed, async { Ok(saved.await?) }).await
    }

    /// Removes a secret.
    pub async fn delete_secret(
        &self,
        by: &Caller,
        backend: &str,
        name: &str,
    ) -> Result<(), HubError> {
        let deed = Deed::new("delete secret").detail(name);
        self.noted(by, deed, async {
            Ok(self.backend(backend).await?.delete_secret(name).await?)
        })
        .await
    }
}

/// A key that somebody has typed; `None` if nobody did.
fn given(key: &str) -> Option<Secret> {
    let key = key.trim();
    (!key.is_empty()).then(|| Secret(key.to_owned()))
}

fn mcp_server(kind: &str, address: &str, name: &str, key: &str) -> Result<McpServer, HubError> {
    let key = given(key);
    let (url, key_set) = (address.to_owned(), key.is_some());
    let is_url = address.starts_with("http://") || address.starts_with("https://");
    match kind {
        "http" | "sse" if !is_url => Err(HubError::Invalid(
            "The address of an MCP server begins with http:// or https://.".to_owned(),
        )),
        "http" => Ok(McpServer::Http { url, key_set, key }),
        "sse" => Ok(McpServer::Sse { url, key_set, key }),
        "stdio" => {
            let mut words = words(address).into_iter();
            let command = words.next().filter(|_| !name.is_empty());
            let command = command.ok_or_else(|| {
                HubError::Invalid(
                    "An MCP server that is a program has a name and a command line.".to_owned(),
                )
            })?;
            Ok(McpServer::Stdio {
                name: name.to_owned(),
                command,
                args: words.collect(),
            })
        }
        _ => Err(HubError::Invalid(
            "An MCP server is of kind http, sse or stdio.".to_owned(),
        )),
    }
}

/// The address of a server, or its command line.
fn address_of(server: &McpServer) -> String {
    match server {
        McpServer::Http { url, .. } | McpServer::Sse { url, .. } => url.clone(),
        McpServer::Stdio { command, args, .. } => {
            let words: Vec<&str> = std::iter::once(command)
                .chain(args)
                .map(String::as_str)
                .collect();
            words.join(" ")
        }
    }
}

/// Words of a command line; quotes keep blanks together. Nothing is expanded: no shell is involved.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in line.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::{address_of, mcp_server, words};

    #[test]
    fn quotes_keep_words_together() {
        assert_eq!(
            words(r#"npx -y "my server" --root '' a"b c"d"#),
            ["npx", "-y", "my server", "--root", "", "ab cd"]
        );
    }

    #[test]
    fn a_program_is_known_by_its_command_line() {
        let server = mcp_server("stdio", "uvx  mcp-time --utc", "time", "")
            .expect("it has a name and a command");
        assert_eq!(address_of(&server), "uvx mcp-time --utc");
    }

    #[test]
    fn an_address_that_is_none_is_refused() {
        assert!(mcp_server("http", "file:///etc/passwd", "", "").is_err());
        assert!(mcp_server("carrier pigeon", "http://a", "", "").is_err());
    }
}
