//! TLS of all connections to other servers.

use native_tls::{Protocol, TlsConnector};
use std::sync::LazyLock;

/// One for all connections, because each reads all certificates of the system.
static CONNECTOR: LazyLock<Option<TlsConnector>> = LazyLock::new(|| {
    let mut builder = TlsConnector::builder();
    builder.min_protocol_version(Some(Protocol::Tlsv12));
    builder.build().ok()
});

/// The connector; `None` if the system has none, which each client reports by itself.
pub(in crate::backend) fn connector() -> Option<TlsConnector> {
    CONNECTOR.clone()
}
