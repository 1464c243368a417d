//! Who may read `/metrics`: whoever has the token of a file, or without one this machine, not through a proxy.

use super::proxies::is_direct;
use crate::journal::digest;
use axum::http::{HeaderMap, header};
use std::net::SocketAddr;
use std::path::Path;

/// Who may read the metrics.
#[derive(Debug, Clone, Default)]
pub struct Readers {
    /// Digest of the token.
    token: Option<String>,
}

impl Readers {
    /// Whoever has the token in a file, or this machine without one.
    ///
    /// # Errors
    /// A sentence if the file cannot be read or is empty.
    pub fn new(token: Option<&Path>) -> Result<Self, String> {
        let Some(file) = token else {
            return Ok(Self::default());
        };
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("{} cannot be read: {error}.", file.display()))?;
        match text.lines().next().map(str::trim) {
            Some(token) if !token.is_empty() => Ok(Self {
                token: Some(digest(token.as_bytes(), &[])),
            }),
            _ => Err(format!(
                "{} has no token on its first line.",
                file.display()
            )),
        }
    }

    /// Whether a request from `peer` with these headers may read them.
    pub fn include(&self, peer: Option<SocketAddr>, headers: &HeaderMap) -> bool {
        match &self.token {
            None => peer
                .is_some_and(|peer| peer.ip().to_canonical().is_loopback() && is_direct(headers)),
            Some(token) => headers
                .get(header::AUTHORIZATION)
                .and_then(|given| given.to_str().ok()?.strip_prefix("Bearer "))
                .is_some_and(|given| digest(given.trim().as_bytes(), &[]) == *token),
        }
    }
}
