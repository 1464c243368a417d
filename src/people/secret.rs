//! Generated secrets: long random texts, stored as hashes only.

use crate::journal::SecretHash;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::Rng as _;
use sha2::{Digest as _, Sha256};

/// Longest text that is looked up as a secret; generated secrets are shorter.
const LONGEST: usize = 128;

/// A new secret of 256 random bits.
pub fn new() -> String {
    URL_SAFE_NO_PAD.encode(rand::rng().random::<[u8; 32]>())
}

/// The stored hash of a secret. A plain hash is enough, since the secret is long and random.
pub fn hash(secret: &str) -> SecretHash {
    Sha256::digest(secret.as_bytes()).into()
}

/// The hash of a text from outside that may be a secret; `None` if it cannot be one.
pub fn hash_of_given(text: &str) -> Option<SecretHash> {
    (1..=LONGEST).contains(&text.len()).then(|| hash(text))
}
