//! Digests of texts: of approval requests and of audited actions.

use sha2::{Digest, Sha256};

/// SHA-256, in hexadecimal, of `head` and the length-prefixed `texts`; the prefixes keep the split into texts
/// unambiguous.
pub fn digest(head: &[u8], texts: &[&str]) -> String {
    let mut hash = Sha256::new_with_prefix(head);
    for text in texts {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
