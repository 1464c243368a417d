//! Proxies that stand before us: only what a listed one says of a request is believed.

use axum::http::{HeaderMap, HeaderName};
use ipnet::IpNet;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;

/// A proxy that is believed, as it is given on the command line: an address, or a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proxy(IpNet);

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
    "whoever can reach Handrail could then say that they are somebody else; name the proxy's own address".to_owned()
}

/// The proxies that are believed.
#[derive(Debug, Clone, Default)]
pub struct Proxies(Arc<[IpNet]>);

/// From where a request really comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// The address of the browser, or of the last one that is not believed.
    pub address: IpAddr,
    /// It came over TLS to the proxy that is believed.
    pub secure: bool,
}

impl Proxies {
    /// These and no others.
    pub fn new(proxies: &[Proxy]) -> Self {
        Self(proxies.iter().map(|proxy| proxy.0).collect())
    }

    /// From where a request comes that `peer` has brought.
    pub fn origin(&self, peer: IpAddr, headers: &HeaderMap) -> Origin {
        let peer = peer.to_canonical();
        if !self.knows(peer) {
            return Origin {
                address: peer,
                secure: false,
            };
        }
        // Each proxy writes behind what it was given: the last that is not one of ours is who it is.
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

    fn knows(&self, address: IpAddr) -> bool {
        self.0.iter().any(|net| net.contains(&address))
    }
}

/// All lines of a header as one.
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
