//! Addresses that are blocked, whatever the address of a backend says.
//!
//! Clouds serve a machine's credentials at link-local addresses to any process on it (SSRF). An address is checked when
//! it is written as an IP address, after each DNS lookup for HTTP, and before a socket is opened by name. IPv6 has many
//! notations for an IPv4 address, and a gateway may translate any of them, so all are checked.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use url::{Host, Url};

/// The error for a name that resolves only to blocked addresses.
const REFUSED: &str = "its name leads to a link-local or cloud metadata address, which is blocked";

/// Metadata services with other addresses: those of Alibaba, Oracle and Azure.
const METADATA_V4: [Ipv4Addr; 3] = [
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
    Ipv4Addr::new(168, 63, 129, 16),
];
/// The same for IPv6: two of AWS, and that of Google.
const METADATA_V6: [Ipv6Addr; 3] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
];

/// Whether the host of a URL is a blocked IP address. Names are not resolved.
pub(super) fn is_refused(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => is_off_limits(address.into()),
        Some(Host::Ipv6(address)) => is_off_limits(address.into()),
        Some(Host::Domain(_)) | None => false,
    }
}

/// Resolves the host of `url` if it is a name.
///
/// # Errors
/// The reason, for the middle of a sentence, if the lookup fails or any result is blocked.
pub(super) async fn check_lookup(url: &Url) -> Result<(), String> {
    let Some(Host::Domain(name)) = url.host() else {
        return Ok(());
    };
    let found = tokio::net::lookup_host((name, 0)).await;
    let mut found = found.map_err(|error| error.to_string())?;
    if found.any(|at| is_off_limits(at.ip())) {
        return Err(REFUSED.to_owned());
    }
    Ok(())
}

fn is_off_limits(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_off_limits_v4(address),
        IpAddr::V6(address) => {
            address.is_unicast_link_local()
                || METADATA_V6.contains(&address)
                || embedded(address).any(is_off_limits_v4)
        }
    }
}

fn is_off_limits_v4(address: Ipv4Addr) -> bool {
    address.is_link_local() || METADATA_V4.contains(&address)
}

/// The IPv4 addresses that an IPv6 address may contain.
fn embedded(address: Ipv6Addr) -> impl Iterator<Item = Ipv4Addr> {
    let bytes = address.octets();
    let at = |places: [usize; 4]| Some(Ipv4Addr::from(places.map(|place| bytes[place])));
    let end = [12, 13, 14, 15];
    let found = match address.segments() {
        // IPv4-mapped, IPv4-compatible and IPv4-translated (RFC 4291, RFC 2765).
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => {
            [at(end), None, None, None]
        }
        // NAT64 (RFC 6052).
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => [at(end), None, None, None],
        // NAT64 with a local prefix (RFC 8215) of any length; byte 8 is never part of the address.
        [0x64, 0xff9b, 1, ..] => [
            at([6, 7, 9, 10]),
            at([7, 9, 10, 11]),
            at([9, 10, 11, 12]),
            at(end),
        ],
        // 6to4 (RFC 3056).
        [0x2002, ..] => [at([2, 3, 4, 5]), None, None, None],
        // Teredo (RFC 4380): the server's address, and the client's with all bits inverted.
        [0x2001, 0, ..] => {
            let client = end.map(|place| !bytes[place]);
            [at([4, 5, 6, 7]), Some(Ipv4Addr::from(client)), None, None]
        }
        // ISATAP (RFC 5214).
        [_, _, _, _, 0 | 0x200, 0x5efe, ..] => [at(end), None, None, None],
        _ => [None; 4],
    };
    found.into_iter().flatten()
}

/// The system's resolver, without blocked addresses.
pub(super) struct Lookup;

impl Resolve for Lookup {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            // reqwest sets the port.
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
            "0251.0376.0251.0376",
            "169.254.43518",
            "\u{ff11}69.254.169.254",
            "169.254.169.254.",
            "[::ffff:169.254.169.254]",
            "[::169.254.169.254]",
            "[::ffff:0:169.254.169.254]",
            "[64:ff9b::169.254.169.254]",
            "[64:ff9b::a9fe:a9fe]",
            "[64:ff9b:1:a9fe:a9:fe00::]",
            "[64:ff9b:1:a9:fe:a9fe::]",
            "[64:ff9b:1:0:a9:fea9:fe00::]",
            "[64:ff9b:1:2:3:4:a9fe:a9fe]",
            "[2002:a9fe:a9fe::1]",
            "[2002:6464:64c8::1]",
            "[2001:0:a9fe:a9fe::]",
            "[2001:0:c000:201::5601:5601]",
            "[fd00::5efe:169.254.169.254]",
            "[fe80::1]",
            "[fd00:ec2::254]",
            "100.100.100.200",
        ] {
            let url = Url::parse(&format!("http://{host}:3000/")).unwrap();
            assert!(is_refused(&url), "{host}");
        }
        for host in [
            "127.0.0.1",
            "192.168.0.7",
            "[::1]",
            "[fd00::7]",
            "[64:ff9b::192.168.0.7]",
            "[2002:c0a8:7::1]",
            "[2001:db8::a9fe:a9fe]",
            "box.lan",
        ] {
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
