//! Generated secrets: long random texts, stored as hashes only.

use crate::journal::SecretHash;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

/// Longest text that is looked up as a secret; generated secrets are shorter.
const LONGEST: usize = 128;

/// A new secret of 256 random bits.
pub fn new() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

/// The stored hash of a secret. A plain hash is enough, since the secret is long and random.
pub fn hash(secret: &str) -> SecretHash {
    Sha256::digest(secret.as_bytes()).into()
}

/// The hash of a text from outside that may be a secret; `None` if it cannot be one.
pub fn hash_of_given(text: &str) -> Option<SecretHash> {
    (1..=LONGEST).contains(&text.len()).then(|| hash(text))
}

#[cfg(test)]
mod tests {
    use super::hash;
    use data_encoding::HEXLOWER;

    #[test]
    fn the_stored_hash_is_that_of_every_version() {
        // As OpenSSL computes it: `printf handrail_secret | openssl dgst -sha256`.
        assert_eq!(
            HEXLOWER.encode(&hash("handrail_secret")),
            "803a2ec61111b715bd1bc48a4d1102d5045ee118d0911ef292b76950897df84d"
        );
    }
}
