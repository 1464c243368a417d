//! The settings of a backend, passed through. Every change reads first: some backends replace all of them
//! at once. A backend is named by its label; the empty one is the first.

use super::connection::report;
use super::{Hub, HubError, HubResult, invalid};
use crate::backend::{McpServer, Secret, Settings};
use crate::journal::digest;
use crate::live::{ConnectionReport, SettingsView};
use crate::people::{AuditAction, Caller};

impl Hub {
    /// The settings, with what can be chosen.
    pub async fn settings(&self, backend: &str) -> HubResult<SettingsView> {
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
            seen: fingerprint(&settings),
            settings,
            options,
            secrets,
            capabilities: backend.capabilities(),
        })
    }

    /// Changes the settings, if they are still those that were `seen` ([`SettingsView::seen`]; empty if the caller has
    /// seen none), and returns their new fingerprint. Empty keys and the MCP servers stay unchanged.
    ///
    /// Errors: [`HubError::Changed`] if they are others by now.
    pub async fn save_settings(
        &self,
        by: &Caller,
        backend: &str,
        mut settings: Settings,
        seen: &str,
    ) -> HubResult<String> {
        settings.api_key = settings.api_key.and_then(|key| given(&key.0));
        settings.search_api_key = settings.search_api_key.and_then(|key| given(&key.0));
        self.change_settings(by, backend, AuditAction::new("save settings"), |stored| {
            if !seen.is_empty() && seen != fingerprint(stored) {
                return Err(HubError::Changed("settings"));
            }
            settings.mcp = std::mem::take(&mut stored.mcp);
            *stored = settings;
            Ok(())
        })
        .await?;
        Ok(fingerprint(&self.backend(backend).await?.settings().await?))
    }

    /// Reads the settings, changes them and saves them, one change after the other.
    async fn change_settings(
        &self,
        by: &Caller,
        backend: &str,
        action: AuditAction,
        change: impl FnOnce(&mut Settings) -> HubResult,
    ) -> HubResult {
        let connected = self.connected_as(backend)?;
        self.audited(by, action, async {
            let backend = self.backend(&connected.target.label()).await?;
            let _one_at_a_time = connected.changing.lock().await;
            let mut settings = backend.settings().await?;
            change(&mut settings)?;
            Ok(backend.save_settings(settings).await?)
        })
        .await
    }

    /// Adds an MCP server. `kind` is `http`, `sse` or `stdio`; for the last `address` is a command line.
    ///
    /// Errors: [`HubError::Invalid`] for a kind or an address that cannot be used, and if the address is there already.
    pub async fn add_mcp_server(
        &self,
        by: &Caller,
        backend: &str,
        kind: &str,
        address: &str,
        name: &str,
        key: &str,
    ) -> HubResult {
        let server = mcp_server(kind, address.trim(), name.trim(), key.trim())?;
        let address = address_of(&server);
        let action = AuditAction::new("add MCP server").exactly(&address);
        self.change_settings(by, backend, action, |settings| {
            let mut known = settings.mcp.iter();
            if known.any(|other| address_of(other) == address) {
                return invalid("An MCP server with this address already exists. Remove it first.");
            }
            settings.mcp.push(server);
            Ok(())
        })
        .await
    }

    /// Tries an MCP server out before it is added, in words.
    ///
    /// Errors: [`HubError::Invalid`] for a kind or an address that cannot be used.
    pub async fn test_mcp_server(
        &self,
        by: &Caller,
        backend: &str,
        kind: &str,
        address: &str,
        name: &str,
        key: &str,
    ) -> HubResult<ConnectionReport> {
        let server = mcp_server(kind, address.trim(), name.trim(), key.trim())?;
        let backend = self.backend(backend).await?;
        let action = AuditAction::new("test MCP server").exactly(&address_of(&server));
        let test = async { Ok(backend.test_mcp(server).await) };
        let tested = self.audited(by, action, test).await?;
        let found = tested.map(|tools| match &tools[..] {
            [] => "The server answered. It offers no tools.".to_owned(),
            tools => format!("The server answered. Its tools: {}.", tools.join(", ")),
        });
        Ok(report(found, None))
    }

    /// Removes the MCP server with this address (or command line). Errors: [`HubError::NotFound`] if there is none.
    pub async fn remove_mcp_server(&self, by: &Caller, backend: &str, address: &str) -> HubResult {
        let action = AuditAction::new("remove MCP server").exactly(address);
        self.change_settings(by, backend, action, |settings| {
            let before = settings.mcp.len();
            let mcp = &mut settings.mcp;
            mcp.retain(|server| address_of(server) != address.trim());
            if settings.mcp.len() == before {
                return Err(HubError::NotFound("MCP server"));
            }
            Ok(())
        })
        .await
    }

    /// Stores a secret, or replaces it. Errors: [`HubError::Invalid`] without a name or a value.
    pub async fn save_secret(
        &self,
        by: &Caller,
        backend: &str,
        name: &str,
        value: &str,
        description: &str,
    ) -> HubResult {
        if name.trim().is_empty() || value.is_empty() {
            return invalid("A secret needs a name and a value.");
        }
        let backend = self.backend(backend).await?;
        let saved = backend.save_secret(name.trim(), value, description.trim());
        let action = AuditAction::new("save secret").detail(name.trim());
        self.audited(by, action, async { Ok(saved.await?) }).await
    }

    /// Removes a secret.
    pub async fn delete_secret(&self, by: &Caller, backend: &str, name: &str) -> HubResult {
        let action = AuditAction::new("delete secret").detail(name);
        self.audited(by, action, async {
            Ok(self.backend(backend).await?.delete_secret(name).await?)
        })
        .await
    }
}

/// The fingerprint of settings that are saved as a whole: without keys and MCP servers.
fn fingerprint(settings: &Settings) -> String {
    let plain = Settings {
        api_key_set: false,
        api_key: None,
        search_api_key_set: false,
        search_api_key: None,
        mcp: Vec::new(),
        ..settings.clone()
    };
    let json = serde_json::to_vec(&plain).expect("settings are plain data");
    digest(&json, &[])
}

/// A key from a form; `None` if it is empty.
fn given(key: &str) -> Option<Secret> {
    let key = key.trim();
    (!key.is_empty()).then(|| Secret(key.to_owned()))
}

fn mcp_server(kind: &str, address: &str, name: &str, key: &str) -> HubResult<McpServer> {
    let key = given(key);
    let (url, key_set) = (address.to_owned(), key.is_some());
    let is_url = address.starts_with("http://") || address.starts_with("https://");
    match kind {
        "http" | "sse" if !is_url => {
            invalid("The address of an MCP server must start with http:// or https://.")
        }
        "http" => Ok(McpServer::Http { url, key_set, key }),
        "sse" => Ok(McpServer::Sse { url, key_set, key }),
        "stdio" => {
            let mut words = shlex::split(address).unwrap_or_default().into_iter();
            let Some(command) = words.next().filter(|_| !name.is_empty()) else {
                let text = "An MCP server that is a program needs a name and a command line with closed quotes.";
                return invalid(text);
            };
            Ok(McpServer::Stdio {
                name: name.to_owned(),
                command,
                args: words.collect(),
            })
        }
        _ => invalid("The kind of an MCP server must be http, sse or stdio."),
    }
}

/// The address of a server, or its command line.
fn address_of(server: &McpServer) -> String {
    match server {
        McpServer::Http { url, .. } | McpServer::Sse { url, .. } => url.clone(),
        McpServer::Stdio { command, args, .. } => {
            let words = [std::slice::from_ref(command), args.as_slice()];
            words.concat().join(" ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{McpServer, address_of, mcp_server};

    #[test]
    fn a_command_line_has_the_words_that_a_shell_would_see() {
        let line = r#"npx -y "my server" --root '' a"b c"d"#;
        let server = mcp_server("stdio", line, "mine", "").expect("it has a name and a command");
        let McpServer::Stdio { command, args, .. } = server else {
            panic!("it is a program")
        };
        assert_eq!(command, "npx");
        assert_eq!(args, ["-y", "my server", "--root", "", "ab cd"]);
        assert!(mcp_server("stdio", "npx 'my server", "mine", "").is_err());
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
