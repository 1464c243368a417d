//! Trusted proxies: the forwarding headers of any other peer are ignored.

use axum::http::{HeaderMap, HeaderName};
use ipnet::IpNet;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;

/// A trusted proxy, as given on the command line: an address or a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proxy(IpNet);

impl std::fmt::Display for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Proxy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let net = match text.parse::<IpAddr>() {
            Ok(address) => Ok(IpNet::from(address)),
            Err(_) => text.parse::<IpNet>(),
        };
        match net {
            Ok(net) if net.prefix_len() == 0 => Err(everybody()),
            Ok(net) => Ok(Self(net)),
            Err(_) if text.contains('*') => Err(everybody()),
            Err(_) => {
                Err("it is neither an address nor a network such as 172.18.0.0/16".to_owned())
            }
        }
    }
}

fn everybody() -> String {
    "then anyone who can reach Handrail could claim another address; name the proxy's own address"
        .to_owned()
}

/// The trusted proxies.
#[derive(Debug, Clone, Default)]
pub struct Proxies(Arc<[IpNet]>);

/// Where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// The address of the browser, or of the last hop that is not trusted.
    pub address: IpAddr,
    /// Whether the request reached the trusted proxy over TLS.
    pub secure: bool,
}

impl Proxies {
    /// Trusts exactly these proxies.
    pub fn new(proxies: &[Proxy]) -> Self {
        Self(proxies.iter().map(|proxy| proxy.0).collect())
    }

    /// The origin of a request that arrived from `peer`.
    pub fn origin(&self, peer: IpAddr, headers: &HeaderMap) -> Origin {
        let peer = peer.to_canonical();
        if !self.knows(peer) {
            return Origin {
                address: peer,
                secure: false,
            };
        }
        // Each proxy appends the address of its peer, so the last address that is not a proxy of ours is the client.
        let forwarded = all(headers, "x-forwarded-for");
        let mut address = peer;
        for hop in forwarded.rsplit(',') {
            let Ok(hop) = hop.trim().parse::<IpAddr>() else {
                break;
            };
            address = hop.to_canonical();
            if !self.knows(address) {
                break;
            }
        }
        let scheme = all(headers, "x-forwarded-proto");
        Origin {
            address,
            secure: scheme
                .rsplit(',')
                .next()
                .is_some_and(|scheme| scheme.trim() == "https"),
        }
    }

    /// The host that the browser asked for, if a trusted proxy has replaced it and says so.
    pub fn forwarded_host<'h>(&self, peer: IpAddr, headers: &'h HeaderMap) -> Option<&'h str> {
        let mut lines = headers.get_all("x-forwarded-host").iter();
        let (host, more) = (lines.next()?, lines.next());
        let host = host.to_str().ok()?.trim();
        let is_one = more.is_none() && !host.is_empty() && !host.contains(',');
        (is_one && self.knows(peer.to_canonical())).then_some(host)
    }

    /// Whether this address is a trusted proxy.
    pub fn knows(&self, address: IpAddr) -> bool {
        self.0.iter().any(|net| net.contains(&address))
    }
}

/// Whether no proxy is in between: behind a proxy on this machine, every client would seem to be local.
pub fn is_direct(headers: &HeaderMap) -> bool {
    let of_a_proxy = |name: &str| {
        name.starts_with("x-forwarded")
            || name.starts_with("x-original")
            || name.starts_with("cf-")
            || matches!(
                name,
                "forwarded"
                    | "via"
                    | "x-real-ip"
                    | "x-client-ip"
                    | "x-cluster-client-ip"
                    | "true-client-ip"
            )
    };
    !headers.keys().any(|name| of_a_proxy(name.as_str()))
}

/// All values of a header, joined by commas.
fn all(headers: &HeaderMap, name: &'static str) -> String {
    let lines = headers.get_all(HeaderName::from_static(name)).iter();
    let lines: Vec<&str> = lines.filter_map(|line| line.to_str().ok()).collect();
    lines.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn origin(peer: &str, lines: &[(&'static str, &'static str)]) -> (String, bool) {
        let proxies = ["10.0.0.1", "172.18.0.0/16", "::1"].map(|text| text.parse().unwrap());
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
        }
        let origin = Proxies::new(&proxies).origin(peer.parse().unwrap(), &headers);
        (origin.address.to_string(), origin.secure)
    }

    #[test]
    fn nobody_but_a_listed_proxy_is_believed() {
        let says = [
            ("x-forwarded-for", "203.0.113.9"),
            ("x-forwarded-proto", "https"),
        ];
        for peer in ["192.0.2.1", "10.0.0.2", "172.19.0.1", "127.0.0.1"] {
            assert_eq!(origin(peer, &says), (peer.to_owned(), false));
        }
        for peer in ["10.0.0.1", "172.18.3.4", "::1", "::ffff:10.0.0.1"] {
            assert_eq!(
                origin(peer, &says),
                ("203.0.113.9".to_owned(), true),
                "{peer}"
            );
        }
    }

    #[test]
    fn what_a_browser_wrote_before_the_proxy_counts_for_nothing() {
        let faked = [("x-forwarded-for", "127.0.0.1, 203.0.113.9")];
        assert_eq!(origin("10.0.0.1", &faked).0, "203.0.113.9");
        let two = [
            ("x-forwarded-for", "127.0.0.1"),
            ("x-forwarded-for", "203.0.113.9, 172.18.0.2"),
        ];
        assert_eq!(origin("10.0.0.1", &two).0, "203.0.113.9");
        let nonsense = [
            ("x-forwarded-for", "203.0.113.9, unknown"),
            ("x-forwarded-proto", "https, http"),
        ];
        assert_eq!(
            origin("10.0.0.1", &nonsense),
            ("10.0.0.1".to_owned(), false)
        );
    }

    #[test]
    fn a_replaced_host_is_that_of_a_listed_proxy_which_says_one() {
        let proxies = Proxies::new(&["10.0.0.1".parse().unwrap()]);
        let host = |peer: &str, lines: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append("x-forwarded-host", HeaderValue::from_static(line));
            }
            let host = proxies.forwarded_host(peer.parse().unwrap(), &headers);
            host.map(str::to_owned)
        };
        assert_eq!(host("10.0.0.1", &["box.lan"]).as_deref(), Some("box.lan"));
        assert_eq!(host("10.0.0.2", &["box.lan"]), None);
        for several in [&["a, b"] as &[_], &["a", "b"], &[""], &[]] {
            assert_eq!(host("10.0.0.1", several), None, "{several:?}");
        }
    }

    #[test]
    fn everybody_is_no_proxy() {
        for bad in [
            "*",
            "0.0.0.0/0",
            "::/0",
            "10.*",
            "box.lan",
            "",
            "10.0.0.1/33",
        ] {
            assert!(bad.parse::<Proxy>().is_err(), "{bad}");
        }
    }
}
