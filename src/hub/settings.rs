//! The settings of a backend, passed through. Every change reads first: some backends replace all of them
//! at once. A backend is named by its label; the empty one is the first.

use super::error::not_stored;
use super::targets::report;
use super::{Connections, HubError, HubResult, invalid};
use crate::backend::{BackendError, Difference, McpServer, Secret, SecretName, Settings};
use crate::journal::digest;
use crate::live::{ConnectionReport, SavedSettings, SettingsView};
use crate::people::{AuditAction, Caller};

impl Connections {
    /// The settings, with what can be chosen.
    pub async fn settings(&self, backend: &str) -> HubResult<SettingsView> {
        let backend = self.backends.backend(backend).await?;
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
    /// seen none), and returns what is stored then. Empty keys and what the form does not offer stay unchanged.
    ///
    /// Errors: [`HubError::Changed`] if they are others by now.
    pub async fn save_settings(
        &self,
        by: &Caller,
        backend: &str,
        mut settings: Settings,
        seen: &str,
    ) -> HubResult<SavedSettings> {
        settings.api_key = settings.api_key.and_then(|key| given(&key.0));
        settings.search_api_key = settings.search_api_key.and_then(|key| given(&key.0));
        let changed =
            self.change_settings(by, backend, AuditAction::new("save settings"), |stored| {
                if !seen.is_empty() && seen != fingerprint(stored) {
                    return Err(HubError::Changed("settings"));
                }
                settings.keep(std::mem::take(stored));
                *stored = settings;
                Ok(())
            });
        let (differences, refused) = match changed.await {
            Ok(()) => (Vec::new(), false),
            Err(HubError::NotStored(differences)) => {
                let refused = differences.iter().any(Difference::is_about_approvals);
                (differences, refused)
            }
            Err(error) => return Err(error),
        };
        Ok(SavedSettings {
            seen: fingerprint(&self.backends.backend(backend).await?.settings().await?),
            trouble: match &differences[..] {
                [] => String::new(),
                differences => not_stored(differences),
            },
            refused,
        })
    }

    /// Reads the settings, changes them and saves them, one change after the other, and compares what is stored then.
    ///
    /// Errors: [`HubError::NotStored`] if it is something else.
    async fn change_settings(
        &self,
        by: &Caller,
        backend: &str,
        action: AuditAction,
        change: impl FnOnce(&mut Settings) -> HubResult,
    ) -> HubResult {
        let connected = self.backends.connected_as(backend)?;
        self.audit
            .record(by, action, async {
                let backend = self.backends.backend(&connected.target.label()).await?;
                let _one_at_a_time = connected.changing.lock().await;
                let mut settings = backend.settings().await?;
                change(&mut settings)?;
                backend.save_settings(settings.clone()).await?;
                match settings.differences(&backend.settings().await?) {
                    same if same.is_empty() => Ok(()),
                    differences => Err(HubError::NotStored(differences)),
                }
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
        let address = server.address();
        let action = AuditAction::new("add MCP server").exactly(&address);
        self.change_settings(by, backend, action, |settings| {
            let mut known = settings.mcp.iter();
            if known.any(|other| other.address() == address) {
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
        let backend = self.backends.backend(backend).await?;
        let action = AuditAction::new("test MCP server").exactly(&server.address());
        let test = async { Ok(backend.test_mcp(server).await) };
        let tested = self.audit.record(by, action, test).await?;
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
            mcp.retain(|server| server.address() != address.trim());
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
        let backend = self.backends.backend(backend).await?;
        let action = AuditAction::new("save secret").detail(name.trim());
        self.audit
            .record(by, action, async {
                let saved = backend.save_secret(name.trim(), value, description.trim());
                saved.await?;
                let is_it = |secret: &SecretName| secret.name == name.trim();
                match backend.secrets().await {
                    Ok(stored) if !stored.iter().any(is_it) => {
                        let why = "the secret was not stored".to_owned();
                        Err(BackendError::Unexpected(why).into())
                    }
                    _ => Ok(()),
                }
            })
            .await
    }

    /// Removes a secret.
    pub async fn delete_secret(&self, by: &Caller, backend: &str, name: &str) -> HubResult {
        let action = AuditAction::new("delete secret").detail(name);
        self.audit
            .record(by, action, async {
                let backend = self.backends.backend(backend).await?;
                Ok(backend.delete_secret(name).await?)
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

#[cfg(test)]
mod tests {
    use super::{McpServer, mcp_server};

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
        assert_eq!(server.address(), "uvx mcp-time --utc");
    }

    #[test]
    fn an_address_that_is_none_is_refused() {
        assert!(mcp_server("http", "file:///etc/passwd", "", "").is_err());
        assert!(mcp_server("carrier pigeon", "http://a", "", "").is_err());
    }
}
