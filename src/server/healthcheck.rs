//! `handrail healthcheck`: asks a server that was started with the same options whether it responds.

use super::config::Config;
use super::reasons;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

/// How long the server may take.
const PATIENCE: Duration = Duration::from_secs(4);

/// Asks for `/healthz`.
///
/// # Errors
/// A sentence if the server does not respond.
pub async fn run(config: &Config) -> Result<(), String> {
    let scheme = match config.certificate() {
        Some(_) => "https",
        None => "http",
    };
    let url = format!("{scheme}://{}{}healthz", here(config.listen), config.base.0);
    let client = reqwest::Client::builder()
        .timeout(PATIENCE)
        .no_proxy()
        // Its certificate is for the names that browsers use, and only this machine is asked.
        .danger_accept_invalid_certs(true)
        .build()
        .map_err(|error| reasons(&error))?;
    let answer = client.get(&url).send().await;
    let answer = answer.map_err(|error| format!("{url} does not respond: {}", reasons(&error)))?;
    match answer.status().is_success() {
        true => Ok(()),
        false => Err(format!("{url} answers with {}.", answer.status())),
    }
}

/// The address under which this machine reaches a server that listens at `address`.
pub fn here(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}
