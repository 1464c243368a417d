//! The address of a backend, and validation of everything that is put into its URLs.
//!
//! Every path and query parameter is validated here first: 0.62 creates any conversation that is requested, writes
//! outside of its store for a crafted id, and accepts absolute paths outside of the workspace (`docs/protocol/v0.md`
//! sections 3 and 8). Long because all checks are in this one file, so that there is one place to review.

use super::addresses::{check_lookup, is_refused};
use crate::backend::permit::Permit;
use crate::backend::{Answer, BackendError};
use crate::conversation::is_id;
use crate::wire::v0::BackendSettings;
use serde_json::Value;
use std::{fmt, time::Duration};
use tokio::time::timeout;
use url::Url;

/// Timeout of a DNS lookup.
const LOOKUP: Duration = Duration::from_secs(5);

/// How to reach a backend.
#[derive(Clone)]
pub struct Connection {
    /// Base URL, including a proxy's path prefix if any.
    pub base_url: Url,
    /// The backend's session API key (`SESSION_API_KEY`), if it has one.
    pub session_api_key: Option<String>,
    /// Whether it may be changed.
    pub permit: Permit,
}

impl Connection {
    /// Parses an address as a user writes it; an empty key is none. Errors: an invalid or blocked address.
    pub fn at(address: &str, session_api_key: Option<String>) -> Answer<Self> {
        let base_url = Url::parse(address.trim()).map_err(|error| {
            BackendError::Invalid(format!(
                "This is not a valid address: {error}. Enter it like http://127.0.0.1:8000."
            ))
        })?;
        let connection = Self {
            base_url,
            session_api_key: session_api_key.filter(|key| !key.is_empty()),
            permit: Permit::default(),
        };
        connection.check()?;
        Ok(connection)
    }

    /// Builds the address from its parts as OpenHands' documentation names them: host, port, TLS and path. Errors: as
    /// [`Self::at`].
    pub fn of(settings: &BackendSettings) -> Answer<Self> {
        let scheme = if settings.use_tls { "https" } else { "http" };
        let (host, port) = (&settings.backend_host, settings.backend_port);
        // An IPv6 address needs brackets in a URL only.
        let host = match host.contains(':') && !host.starts_with('[') {
            true => format!("[{host}]"),
            false => host.clone(),
        };
        let path = settings.path.as_deref().unwrap_or_default();
        let address = format!("{scheme}://{host}:{port}/{}", path.trim_matches('/'));
        Self::at(&address, settings.session_api_key.clone())
    }

    /// Rejects URLs that cannot be a backend's address.
    pub(in crate::backend) fn check(&self) -> Answer<()> {
        let url = &self.base_url;
        let wrong = if !matches!(url.scheme(), "http" | "https") {
            "The address of the backend must start with http:// or https://."
        } else if url.host_str().is_none_or(str::is_empty) {
            "The address of the backend has no host."
        } else if !url.username().is_empty() || url.password().is_some() {
            "The address of the backend must not contain a user name or password. Enter its session API key in the key field."
        } else if url.query().is_some() || url.fragment().is_some() {
            "The address of the backend must not contain ? or #. Enter its session API key in the key field."
        } else if is_refused(url) {
            "Link-local and cloud metadata addresses are blocked, because clouds serve secrets there. Use another address."
        } else {
            return Ok(());
        };
        Err(BackendError::invalid(wrong))
    }

    /// An address as written, without user name, password, query and fragment, which may be secret. `None`: no address.
    pub fn without_secrets(address: &str) -> Option<String> {
        let url = Url::parse(address.trim()).ok();
        let mut url = url.filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let may_hold_secrets = !url.username().is_empty()
            || url.password().is_some()
            || url.query().is_some()
            || url.fragment().is_some();
        if !may_hold_secrets {
            return Some(address.to_owned());
        }
        // This fails only for an address without a host.
        url.set_username("").ok()?;
        url.set_password(None).ok()?;
        url.set_query(None);
        url.set_fragment(None);
        Some(url.as_str().trim_end_matches('/').to_owned())
    }

    /// Checks the DNS lookup before a socket is opened by name, because the results may change at any time.
    ///
    /// # Errors
    /// The reason, if the lookup fails or its result is blocked.
    pub(in crate::backend) async fn check_lookup(&self) -> Result<(), String> {
        let looked_up = timeout(LOOKUP, check_lookup(&self.base_url)).await;
        looked_up.unwrap_or_else(|_| Err("its name could not be looked up in time".to_owned()))
    }

    /// The URL of a route: the base URL, then the segments of `path`, each percent-encoded.
    pub(in crate::backend) fn url<S: AsRef<str>>(&self, path: &[S], query: &[(&str, S)]) -> Url {
        let mut url = self.base_url.clone();
        url.path_segments_mut()
            .expect("an http(s) URL has a path")
            .pop_if_empty()
            .extend(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }
}

/// Hides the key, which is as good as a shell on the backend's machine.
impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.session_api_key.as_ref().map(|_| "(hidden)");
        f.debug_struct("Connection")
            .field("base_url", &self.base_url.as_str())
            .field("session_api_key", &key)
            .finish()
    }
}

/// Validates a conversation id: 32 hexadecimal digits in 0.62, a UUID in 1.x, or what another client has chosen.
pub(in crate::backend) fn conversation_id(id: &str) -> Answer<&str> {
    let named = is_id(id).then_some(id);
    named.ok_or_else(|| BackendError::invalid("This is not a valid conversation id."))
}

/// The id of a conversation that the backend has just created. Errors: `Unexpected` if it is missing or invalid.
pub(in crate::backend) fn created(id: &Value, what: &str) -> Answer<String> {
    let id = id.as_str().filter(|id| is_id(id)).map(str::to_owned);
    id.ok_or_else(|| BackendError::Unexpected(format!("{what} without an id")))
}

/// Validates a path in the workspace: relative, without `..`.
pub(in crate::backend) fn workspace_path(path: &str) -> Answer<&str> {
    let why = if path.starts_with(['/', '\\', '~']) || path.as_bytes().get(1) == Some(&b':') {
        "it must be relative to the workspace"
    } else if path.split(['/', '\\']).any(|part| part == "..") {
        "it leads out of the workspace"
    } else if path.len() > 4096 || path.chars().any(char::is_control) {
        "it is too long or contains control characters"
    } else {
        return Ok(path);
    };
    let why = format!("This path cannot be opened: {why}.");
    Err(BackendError::Invalid(why))
}

/// Validates a file name without directories.
pub(in crate::backend) fn file_name(name: &str) -> Answer<&str> {
    if name.is_empty()
        || name.len() > 255
        || matches!(name, "." | "..")
        || name.contains(['/', '\\'])
        || name.chars().any(char::is_control)
    {
        return Err(BackendError::invalid("This is not a valid file name."));
    }
    Ok(name)
}

/// Validates the name of a secret, which becomes an environment variable.
pub(in crate::backend) fn secret_name(name: &str) -> Answer<&str> {
    let mut bytes = name.bytes();
    let first = bytes.next();
    let first = first.is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    if first && name.len() <= 100 && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    {
        return Ok(name);
    }
    Err(BackendError::Invalid("The name of a secret can contain only letters, digits and underscores, and must not start with a digit.".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(url: &str) -> Connection {
        Connection {
            base_url: Url::parse(url).unwrap(),
            session_api_key: Some("k/e y".to_owned()),
            permit: Permit::default(),
        }
    }

    #[test]
    fn a_route_keeps_the_prefix_and_encodes_what_it_is_given() {
        for base in ["https://host/oh/", "https://host/oh"] {
            let url = at(base).url(&["api", "secrets", "A/B?"], &[("x", "1&2")]);
            assert_eq!(url.as_str(), "https://host/oh/api/secrets/A%2FB%3F?x=1%262");
        }
    }

    #[test]
    fn the_socket_address_ends_in_a_slash() {
        for base in ["http://h:3000", "http://h:3000/a/b"] {
            let url = at(base).url(&["socket.io", ""], &[]);
            assert_eq!(url.as_str(), format!("{base}/socket.io/"));
        }
    }

    #[test]
    fn the_key_is_never_printed() {
        assert!(!format!("{:?}", at("http://h")).contains("k/e y"));
    }

    #[test]
    fn addresses_that_cannot_be_a_backend_are_refused() {
        for url in [
            "ftp://h/",
            "http://me@h/",
            "http://me:pw@h/",
            "http://h/?a=b",
            "http://h/#x",
            "data:text/plain,x",
        ] {
            assert!(at(url).check().is_err(), "{url}");
        }
    }

    #[test]
    fn what_may_be_a_secret_is_taken_out_of_an_address() {
        for (written, kept) in [
            (
                "http://me:hunter2@box:3000/a/?key=hunter2#hunter2",
                "http://box:3000/a",
            ),
            ("http://hunter2@box:3000", "http://box:3000"),
            ("http://box:3000/a?hunter2", "http://box:3000/a"),
            ("http://Box:3000", "http://Box:3000"),
        ] {
            assert_eq!(Connection::without_secrets(written).as_deref(), Some(kept));
        }
        assert_eq!(Connection::without_secrets("http://me:hunter2@bo x"), None);
        assert_eq!(Connection::without_secrets("me:hunter2@box"), None);
    }

    #[test]
    fn a_host_with_its_parts_becomes_an_address() {
        let of = |host: &str, use_tls, path: &str| {
            let settings = BackendSettings {
                backend_host: host.to_owned(),
                use_tls,
                path: Some(path.to_owned()),
                ..BackendSettings::default()
            };
            Connection::of(&settings).map(|connection| connection.base_url.to_string())
        };
        assert_eq!(of("::1", false, "").unwrap(), "http://[::1]:3000/");
        assert_eq!(
            of("oh.example", true, "/up/").unwrap(),
            "https://oh.example:3000/up"
        );
        assert!(of("a b", false, "").is_err() && of("me@host", false, "").is_err());
    }

    #[test]
    fn only_real_ids_pass() {
        assert!(conversation_id("0123456789abcdef0123456789abcdef").is_ok());
        assert!(conversation_id("01234567-89ab-cdef-0123-456789abcdef").is_ok());
        assert!(conversation_id("nightly_build-7").is_ok());
        for id in [
            "",
            "..",
            "../../x",
            "%2e%2e",
            "0123456789abcdef0123456789abcde/",
            &"0123456789abcdef".repeat(9),
        ] {
            assert!(conversation_id(id).is_err(), "{id}");
        }
    }

    #[test]
    fn paths_stay_in_the_workspace() {
        for path in ["", "src/main.rs", ".git", "a..b/c", "with space"] {
            assert!(workspace_path(path).is_ok(), "{path}");
        }
        for path in [
            "/etc",
            "\\\\x",
            "~/x",
            "C:\\x",
            "..",
            "a/../../b",
            "a\\..\\b",
            "a\0b",
        ] {
            assert!(workspace_path(path).is_err(), "{path}");
        }
    }
}
