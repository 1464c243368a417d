//! Recovery codes: ten, each good once in place of a passkey, after the password.

use super::super::secret;
use crate::journal::SecretHash;
use data_encoding::BASE32_NOPAD;

/// Number of codes.
const COUNT: usize = 10;
/// Random bytes of a code.
const BYTES: usize = 10;
/// Letters of a code between two hyphens.
const GROUP: usize = 4;

/// New codes, and what is stored of them. A plain hash is enough, since codes are random and tried slowly.
pub(super) fn new() -> (Vec<String>, Vec<SecretHash>) {
    let code = |_| {
        let letters = BASE32_NOPAD
            .encode(&rand::random::<[u8; BYTES]>())
            .to_lowercase();
        let groups: Vec<&str> = (0..letters.len())
            .step_by(GROUP)
            .map(|at| &letters[at..at + GROUP])
            .collect();
        groups.join("-")
    };
    let codes: Vec<String> = (0..COUNT).map(code).collect();
    let hashes = codes.iter().map(|code| hash(code)).collect();
    (codes, hashes)
}

/// The hash of a code as it was typed.
pub(super) fn hash(typed: &str) -> SecretHash {
    let letters = typed.chars().filter(char::is_ascii_alphanumeric).take(64);
    let letters: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    secret::hash(&letters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ten_codes_differ_and_are_known_however_they_are_typed() {
        let (codes, hashes) = new();
        assert_eq!(codes.iter().collect::<HashSet<_>>().len(), 10);
        for (code, stored) in codes.iter().zip(hashes) {
            assert_eq!(code.len(), 19, "{code}");
            assert_eq!(hash(code), stored);
            assert_eq!(
                hash(&format!(" {} ", code.to_uppercase().replace('-', " "))),
                stored
            );
            assert_ne!(hash(&code[1..]), stored);
        }
    }
}
