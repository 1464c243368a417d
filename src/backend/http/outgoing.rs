//! HTTP clients for addresses that people enter.

use super::{
    addresses::{Lookup, is_refused},
    tls,
};
use reqwest::{Client, ClientBuilder, redirect};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// What all of Handrail's clients have in common: no redirects, no proxy, and no names that lead to blocked addresses.
pub(super) fn careful(builder: ClientBuilder) -> ClientBuilder {
    with_shared_tls(builder)
        .redirect(redirect::Policy::none())
        .no_proxy()
        .dns_resolver(Arc::new(Lookup))
        .connect_timeout(Duration::from_secs(5))
        .user_agent(concat!("Handrail/", env!("CARGO_PKG_VERSION")))
}

/// Uses the TLS settings of all connections. Without them, each client reads all certificates of the system by itself.
pub fn with_shared_tls(builder: ClientBuilder) -> ClientBuilder {
    match tls::connector() {
        Some(connector) => builder.use_preconfigured_tls(connector),
        None => builder,
    }
}

/// A client for services other than a backend; each request ends after `timeout`. Addresses that are written as numbers
/// are to be checked with [`is_blocked`].
///
/// # Errors
/// There is no TLS on this machine.
pub fn outgoing_client(timeout: Duration) -> reqwest::Result<Client> {
    careful(Client::builder()).timeout(timeout).build()
}

/// Whether the host of a URL is a blocked IP address, whatever it is written like. Names are checked by the client.
pub fn is_blocked(url: &Url) -> bool {
    is_refused(url)
}
