//! The services that notifications may be sent to: an address comes from a browser, and anybody could make one up.

use std::str::FromStr;
use url::{Host, Url};

/// Push services of browsers, and the public ntfy server.
const KNOWN: [&str; 5] = [
    "fcm.googleapis.com",
    "updates.push.services.mozilla.com",
    "*.push.apple.com",
    "*.notify.windows.com",
    "ntfy.sh",
];

/// A service that an owner allows: a host name such as `push.example.org` or `*.example.org`, which is reached over
/// TLS, or an origin such as `http://ntfy.lan:8080`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushHost(Pattern);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    Name(String),
    Below(String),
    Origin(String),
}

impl FromStr for PushHost {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!("{text:?} is neither a host name nor an origin such as http://ntfy.lan:8080")
        };
        if text.contains("://") {
            let url = Url::parse(text).map_err(|_| wrong())?;
            let is_origin = matches!(url.scheme(), "http" | "https")
                && url.path() == "/"
                && url.query().is_none()
                && url.username().is_empty();
            let origin = url.origin().ascii_serialization();
            return match is_origin {
                true => Ok(Self(Pattern::Origin(origin))),
                false => Err(wrong()),
            };
        }
        let (name, below) = match text.strip_prefix("*.") {
            Some(name) => (name, true),
            None => (text, false),
        };
        match Host::parse(name) {
            Ok(Host::Domain(name)) if below => Ok(Self(Pattern::Below(format!(".{name}")))),
            Ok(host) if !below => Ok(Self(Pattern::Name(host.to_string()))),
            _ => Err(wrong()),
        }
    }
}

impl PushHost {
    fn allows(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let is_default = url.scheme() == "https" && url.port().is_none();
        match &self.0 {
            Pattern::Name(name) => is_default && host == name,
            Pattern::Below(end) => is_default && host.ends_with(end),
            Pattern::Origin(origin) => url.origin().ascii_serialization() == *origin,
        }
    }
}

/// The services that may be sent to.
#[derive(Debug, Clone)]
pub struct PushHosts(Vec<PushHost>);

impl PushHosts {
    /// The known services and these.
    pub fn new(more: &[PushHost]) -> Self {
        let known = KNOWN.iter().filter_map(|name| name.parse().ok());
        Self(known.chain(more.iter().cloned()).collect())
    }

    /// Whether an address may be sent to.
    pub fn allow(&self, url: &Url) -> bool {
        url.username().is_empty()
            && url.password().is_none()
            && self.0.iter().any(|host| host.allows(url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_push_services_and_what_an_owner_allows_are_sent_to() {
        let more = ["http://ntfy.lan:8080", "push.example.org"];
        let more: Vec<PushHost> = more.map(|host| host.parse().expect("a host")).to_vec();
        let hosts = PushHosts::new(&more);
        let allows = |address: &str| hosts.allow(&Url::parse(address).expect("an address"));
        for address in [
            "https://fcm.googleapis.com/fcm/send/abc",
            "https://updates.push.services.mozilla.com/wpush/v2/abc",
            "https://web.push.apple.com/abc",
            "https://db5p.notify.windows.com/w/?token=abc",
            "https://FCM.googleapis.com/abc",
            "http://ntfy.lan:8080/agents",
            "https://push.example.org/abc",
        ] {
            assert!(allows(address), "{address}");
        }
        for address in [
            "http://fcm.googleapis.com/fcm/send/abc",
            "https://fcm.googleapis.com:8443/abc",
            "https://fcm.googleapis.com.evil.example/abc",
            "https://evilfcm.googleapis.com/abc",
            "https://push.apple.com/abc",
            "https://evil.example/fcm.googleapis.com",
            "https://user@fcm.googleapis.com/abc",
            "https://169.254.169.254/latest",
            "http://127.0.0.1:4100/api",
            "http://ntfy.lan/agents",
            "http://push.example.org/abc",
        ] {
            assert!(!allows(address), "{address}");
        }
        for wrong in [
            "",
            "*.",
            "ftp://a",
            "http://a/b",
            "http://u@a",
            "a b",
            "*.1.2.3.4",
        ] {
            assert!(wrong.parse::<PushHost>().is_err(), "{wrong}");
        }
    }
}
