//! The host names and the scheme under which browsers reach this server.

use super::proxies::Proxies;
use axum::extract::{ConnectInfo, Request};
use axum::http::header;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// The host names and the scheme under which browsers reach this server.
#[derive(Debug, Clone)]
pub struct HostNames {
    names: Arc<[String]>,
    tls: bool,
    proxies: Proxies,
}

impl HostNames {
    /// Allows `localhost` and `more`. IP addresses are always allowed, because DNS rebinding needs a name. `tls`: this
    /// server terminates TLS itself.
    pub fn new(more: &[String], tls: bool, proxies: Proxies) -> Self {
        let names = std::iter::once("localhost".to_owned())
            .chain(more.iter().map(|name| name.to_ascii_lowercase()));
        Self {
            names: names.collect(),
            tls,
            proxies,
        }
    }

    /// Whether the name in this `Host` header is allowed.
    pub fn allows(&self, host: &str) -> bool {
        let name = without_port(host).to_ascii_lowercase();
        name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok() || self.names.contains(&name)
    }

    /// The origin of our pages in the requesting browser: scheme and host. A tunnel may have replaced the host; where a
    /// trusted proxy says what it was, that counts, if it is allowed.
    pub fn origin(&self, request: &Request, host: &str) -> String {
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map(|peer| peer.0.ip());
        let secure = || Some(self.proxies.origin(peer?, request.headers()).secure);
        let secure = self.tls || secure().unwrap_or_default();
        let forwarded = || self.proxies.forwarded_host(peer?, request.headers());
        let host = forwarded().filter(|name| self.allows(name)).unwrap_or(host);
        format!("{}://{host}", if secure { "https" } else { "http" })
    }
}

/// The host that a request names; `None` if it names none, or several that differ.
pub fn host_of(request: &Request) -> Option<&str> {
    let mut named = request.headers().get_all(header::HOST).iter();
    let (host, more) = (named.next(), named.next());
    let host = host.and_then(|host| host.to_str().ok());
    let whole = request.uri().authority().map(|named| named.as_str());
    match (host, more, whole) {
        (Some(host), None, Some(whole)) => host.eq_ignore_ascii_case(whole).then_some(host),
        (host, None, whole) => host.or(whole),
        (_, Some(_), _) => None,
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port))
            if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            name
        }
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_and_addresses_are_answered() {
        let hosts = HostNames::new(&["box.lan".to_owned()], false, Proxies::default());
        for good in [
            "localhost:4100",
            "127.0.0.1:4100",
            "[::1]:4100",
            "192.168.0.7",
            "BOX.lan",
            "box.lan:80",
        ] {
            assert!(hosts.allows(good), "{good}");
        }
        for bad in [
            "evil.example",
            "localhost.evil.example",
            "",
            "127.0.0.1.evil.example:4100",
        ] {
            assert!(!hosts.allows(bad), "{bad}");
        }
    }
}
