//! Which machines are never asked, whatever a backend's address says.
//!
//! Clouds hand out a machine's secrets at link-local addresses, to whoever asks from that machine. An address is looked at
//! where it is written as numbers, and again whenever a name has been looked up. The sockets of a backend are opened only
//! after it has answered over HTTP, so they need no lookup of their own.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use url::{Host, Url};

/// What is said of a name that leads nowhere else.
const REFUSED: &str = "the name leads to an address of the link, which is never asked";

/// Metadata services that are not link-local: Alibaba's, and that of AWS in IPv6.
const METADATA: [IpAddr; 2] = [
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
];

/// Whether the host of an address is one that is never asked. A name is not looked up.
pub(super) fn is_refused(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => is_off_limits(address.into()),
        Some(Host::Ipv6(address)) => is_off_limits(address.into()),
        Some(Host::Domain(_)) | None => false,
    }
}

fn is_off_limits(address: IpAddr) -> bool {
    // An address of IPv4 can be written as one of IPv6.
    let address = address.to_canonical();
    METADATA.contains(&address)
        || match address {
            IpAddr::V4(address) => address.is_link_local(),
            IpAddr::V6(address) => address.is_unicast_link_local(),
        }
}

/// Looks names up as the system does, and leaves out what is never asked.
pub(super) struct Lookup;

impl Resolve for Lookup {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            // The port is put in later.
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(Box::new(allowed(found)?.into_iter()) as Addrs)
        })
    }
}

fn allowed(found: impl Iterator<Item = SocketAddr>) -> Result<Vec<SocketAddr>, String> {
    let (refused, allowed): (Vec<_>, Vec<_>) = found.partition(|at| is_off_limits(at.ip()));
    if allowed.is_empty() && !refused.is_empty() {
        return Err(REFUSED.to_owned());
    }
    Ok(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_the_link_is_never_asked_however_it_is_written() {
        for host in [
            "169.254.169.254",
            "0xa9fea9fe",
            "2852039166",
            "[::ffff:169.254.169.254]",
            "[fe80::1]",
            "[fd00:ec2::254]",
            "100.100.100.200",
        ] {
            let url = Url::parse(&format!("http://{host}:3000/")).unwrap();
            assert!(is_refused(&url), "{host}");
        }
        for host in ["127.0.0.1", "192.168.0.7", "[::1]", "[fd00::7]", "box.lan"] {
            let url = Url::parse(&format!("http://{host}:3000/")).unwrap();
            assert!(!is_refused(&url), "{host}");
        }
    }

    #[test]
    fn a_name_leads_only_to_what_may_be_asked() {
        let at = |address: &str| format!("{address}:0").parse::<SocketAddr>().unwrap();
        let (secret, box_) = (at("169.254.169.254"), at("192.168.0.7"));
        assert_eq!(allowed([secret, box_].into_iter()), Ok(vec![box_]));
        assert_eq!(allowed([secret].into_iter()), Err(REFUSED.to_owned()));
        assert_eq!(allowed([].into_iter()), Ok(vec![]));
    }

    #[tokio::test]
    async fn a_name_is_looked_up_as_the_system_does() {
        let found = Lookup
            .resolve("localhost".parse().unwrap())
            .await
            .expect("every machine has this name");
        assert!(found.into_iter().all(|at| at.ip().is_loopback()));
    }
}
