//! Secrets that we give out: long random texts, of which we keep the hash alone.

use crate::journal::SecretHash;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::Rng as _;
use sha2::{Digest as _, Sha256};

/// Longest text that is looked up as a secret; ours are shorter.
const LONGEST: usize = 128;

/// A secret of 256 random bits.
pub fn new() -> String {
    URL_SAFE_NO_PAD.encode(rand::rng().random::<[u8; 32]>())
}

/// What is kept of it. As it is random and long, a plain hash is enough.
pub fn hash(secret: &str) -> SecretHash {
    Sha256::digest(secret.as_bytes()).into()
}

/// What is kept of a text that may be one; `None` when it cannot be.
pub fn hash_of_given(text: &str) -> Option<SecretHash> {
    (1..=LONGEST).contains(&text.len()).then(|| hash(text))
}
