//! Where an OpenHands is, and what may be put into its addresses.
//!
//! Everything that ends up in a path or a query goes through here first: 0.62 creates whatever
//! conversation is asked for, writes outside of its store for a crafted id and lets absolute paths
//! leave the workspace (`protocol/v0.md` sections 3 and 8).

use super::addresses::is_refused;
use crate::backend::BackendError;
use crate::wire::v0::BackendSettings;
use std::fmt;
use url::Url;

/// How to reach one OpenHands.
#[derive(Clone)]
pub struct Connection {
    /// Its address with the path that a proxy puts before everything, if any.
    pub base_url: Url,
    /// The key that it was started with (`SESSION_API_KEY`), if any.
    pub session_api_key: Option<String>,
}

impl Connection {
    /// From an address as a person writes it.
    pub fn at(address: &str, session_api_key: Option<String>) -> Result<Self, BackendError> {
        let base_url = Url::parse(address.trim()).map_err(|error| {
            BackendError::Invalid(format!(
                "This is no address of a backend: {error}. Write it like http://127.0.0.1:3000."
            ))
        })?;
        let connection = Self {
            base_url,
            session_api_key: session_api_key.filter(|key| !key.is_empty()),
        };
        connection.check()?;
        Ok(connection)
    }

    /// From the specification's settings: host, port, TLS, and what was added to them.
    pub fn of(settings: &BackendSettings) -> Result<Self, BackendError> {
        let BackendSettings {
            backend_host: host,
            backend_port: port,
            use_tls,
            session_api_key,
            path,
        } = settings;
        let scheme = if *use_tls { "https" } else { "http" };
        // An IPv6 address needs brackets in a URL and is written without them everywhere else.
        let host = if host.contains(':') && !host.starts_with('[') {
            format!("[{host}]")
        } else {
            host.clone()
        };
        let path = path.as_deref().unwrap_or_default().trim_matches('/');
        let base_url =
            Url::parse(&format!("{scheme}://{host}:{port}/{path}")).map_err(|error| {
                BackendError::Invalid(format!("This is no address of a backend: {error}."))
            })?;
        // An empty field of a form is no key.
        let session_api_key = session_api_key.clone().filter(|key| !key.is_empty());
        let connection = Self {
            base_url,
            session_api_key,
        };
        connection.check()?;
        Ok(connection)
    }

    /// Refuses what cannot be an address of OpenHands.
    pub(in crate::backend) fn check(&self) -> Result<(), BackendError> {
        let url = &self.base_url;
        let wrong = if !matches!(url.scheme(), "http" | "https") {
            "The address of the backend must begin with http:// or https://."
        } else if url.host_str().is_none_or(str::is_empty) {
            "The address of the backend names no host."
        } else if !url.username().is_empty() || url.password().is_some() {
            "The address of the backend must not hold a user name or password."
        } else if url.query().is_some() || url.fragment().is_some() {
            "The address of the backend must end before any ? or #."
        } else if is_refused(url) {
            "Addresses of the link, where clouds hand out secrets, are never asked. Use another address of the backend."
        } else {
            return Ok(());
        };
        Err(BackendError::Invalid(wrong.to_owned()))
    }

    /// The address of a route: the base, then `segments`, each encoded.
    pub(in crate::backend) fn url(&self, segments: &[&str], query: &[(&str, &str)]) -> Url {
        let mut url = self.base_url.clone();
        url.path_segments_mut()
            .expect("an http(s) URL has a path")
            .pop_if_empty()
            .extend(segments);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }

    /// The address of the Socket.IO endpoint. The slash at the end is part of it.
    pub(in crate::backend) fn socket_url(&self) -> Url {
        self.url(&["socket.io", ""], &[])
    }

    /// Host, port and prefix, for people.
    pub(in crate::backend) fn place(&self) -> String {
        self.base_url.as_str().trim_end_matches('/').to_owned()
    }
}

/// Never prints the key: it is as good as a shell on the backend's machine.
impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.session_api_key.as_ref().map(|_| "(hidden)");
        f.debug_struct("Connection")
            .field("base_url", &self.place())
            .field("session_api_key", &key)
            .finish()
    }
}

/// Passes an id of a conversation: 32 hexadecimal digits, or a UUID with dashes, lower case.
pub(in crate::backend) fn conversation_id(id: &str) -> Result<&str, BackendError> {
    let hex = |text: &str| {
        text.bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let plain = id.len() == 32 && hex(id);
    let dashed = id.len() == 36
        && id.split('-').map(str::len).eq([8, 4, 4, 4, 12])
        && id.split('-').all(hex);
    if plain || dashed {
        Ok(id)
    } else {
        Err(BackendError::Invalid(
            "This is no id of a conversation.".to_owned(),
        ))
    }
}

/// Passes a path inside of the workspace: relative, without `..`.
pub(in crate::backend) fn workspace_path(path: &str) -> Result<&str, BackendError> {
    let says = |why: &str| {
        Err(BackendError::Invalid(format!(
            "This path cannot be opened: {why}."
        )))
    };
    if path.starts_with(['/', '\\', '~']) || path.as_bytes().get(1) == Some(&b':') {
        says("it must be relative to the workspace")
    } else if path.split(['/', '\\']).any(|part| part == "..") {
        says("it leaves the workspace")
    } else if path.len() > 4096 || path.chars().any(char::is_control) {
        says("it is too long or holds control characters")
    } else {
        Ok(path)
    }
}

/// Passes the name of a file without directories.
pub(in crate::backend) fn file_name(name: &str) -> Result<&str, BackendError> {
    if name.is_empty()
        || name.len() > 255
        || matches!(name, "." | "..")
        || name.contains(['/', '\\'])
        || name.chars().any(char::is_control)
    {
        return Err(BackendError::Invalid(
            "This is no name of a file.".to_owned(),
        ));
    }
    Ok(name)
}

/// Passes the name of a secret: it becomes an environment variable, so it has to look like one.
pub(in crate::backend) fn secret_name(name: &str) -> Result<&str, BackendError> {
    let mut bytes = name.bytes();
    let first = bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    if first && name.len() <= 100 && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    {
        return Ok(name);
    }
    Err(BackendError::Invalid("The name of a secret consists of letters, digits and underscores and begins with no digit.".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(url: &str) -> Connection {
        Connection {
            base_url: Url::parse(url).unwrap(),
            session_api_key: Some("k/e y".to_owned()),
        }
    }

    #[test]
    fn a_route_keeps_the_prefix_and_encodes_what_it_is_given() {
        let expected = "https://host/oh/api/secrets/A%2FB%3F?x=1%262";
        assert_eq!(
            at("https://host/oh/")
                .url(&["api", "secrets", "A/B?"], &[("x", "1&2")])
                .as_str(),
            expected
        );
        assert_eq!(
            at("https://host/oh")
                .url(&["api", "secrets", "A/B?"], &[("x", "1&2")])
                .as_str(),
            expected
        );
    }

    #[test]
    fn the_socket_address_ends_in_a_slash() {
        assert_eq!(
            at("http://h:3000").socket_url().as_str(),
            "http://h:3000/socket.io/"
        );
        assert_eq!(
            at("http://h:3000/a/b").socket_url().as_str(),
            "http://h:3000/a/b/socket.io/"
        );
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
    fn a_host_of_the_specification_becomes_an_address() {
        let of = |host: &str, use_tls, path: &str| {
            let settings = BackendSettings {
                backend_host: host.to_owned(),
                use_tls,
                path: Some(path.to_owned()),
                ..BackendSettings::default()
            };
            Connection::of(&settings).map(|connection| connection.place())
        };
        assert_eq!(of("::1", false, "").unwrap(), "http://[::1]:3000");
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
        for id in [
            "",
            "../../x",
            "0123456789ABCDEF0123456789abcdef",
            "0123456789abcdef0123456789abcde/",
            "0123456789ab-cdef-0123-4567-89abcdef",
            "0123456789abcdef0123456789abcdef0123",
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
