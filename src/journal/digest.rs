//! Digests: of approval requests, audited actions and secrets.

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// SHA-256 of a secret.
pub type SecretHash = [u8; 32];

/// SHA-256, in hexadecimal, of `head` and the length-prefixed `texts`; the prefixes keep the split into texts
/// unambiguous.
pub fn digest(head: &[u8], texts: &[&str]) -> String {
    let mut hash = Sha256::new_with_prefix(head);
    for text in texts {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text.as_bytes());
    }
    HEXLOWER.encode(&hash.finalize())
}
