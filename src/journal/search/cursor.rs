//! Where a query continues, sealed for its way through an address.
//!
//! Events are numbered over all conversations: whoever read the numbers would know how much happens in those of others.

use data_encoding::BASE64URL_NOPAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::sync::LazyLock;

/// The key of this process: after a restart a search begins anew.
static KEY: LazyLock<[u8; 32]> = LazyLock::new(rand::random);

/// Bytes of a nonce, of what is sealed, and of its proof.
const NONCE: usize = 8;
/// See [`NONCE`].
const CONTENT: usize = 17;
/// See [`NONCE`].
const PROOF: usize = 8;

/// Where a query continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// Whether words that begin with the last word of the query are looked for, rather than the word itself.
    pub(super) longer: bool,
    /// The newest event that was not looked at.
    pub(super) event: i64,
    /// Hits so far.
    pub(super) found: usize,
}

impl Cursor {
    /// The cursor as text, for URLs.
    pub fn in_address(self) -> String {
        let mut content = [0; CONTENT];
        content[0] = u8::from(self.longer);
        content[1..9].copy_from_slice(&self.event.to_be_bytes());
        content[9..].copy_from_slice(&(self.found as u64).to_be_bytes());
        let nonce: [u8; NONCE] = rand::random();
        mask(&nonce, &mut content);
        let mut sealed = [&nonce[..], &content].concat();
        sealed.extend_from_slice(&keyed(b"proof", &sealed)[..PROOF]);
        BASE64URL_NOPAD.encode(&sealed)
    }

    /// The cursor of a text that this process has made.
    pub fn of(text: &str) -> Option<Self> {
        let sealed = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
        let (inner, proof) = sealed.split_at_checked(NONCE + CONTENT)?;
        if proof != &keyed(b"proof", inner)[..PROOF] {
            return None;
        }
        let (nonce, content) = inner.split_at(NONCE);
        let mut content: [u8; CONTENT] = content.try_into().ok()?;
        mask(nonce, &mut content);
        Some(Self {
            longer: content[0] == 1,
            event: i64::from_be_bytes(content[1..9].try_into().ok()?),
            found: u64::from_be_bytes(content[9..].try_into().ok()?) as usize,
        })
    }
}

fn mask(nonce: &[u8], content: &mut [u8; CONTENT]) {
    for (byte, with) in content.iter_mut().zip(keyed(b"mask", nonce)) {
        *byte ^= with;
    }
}

fn keyed(purpose: &[u8], data: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(&*KEY).expect("HMAC takes keys of every length");
    mac.update(purpose);
    mac.update(data);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::Cursor;

    #[test]
    fn a_cursor_survives_the_address_says_nothing_in_it_and_cannot_be_made_up() {
        let cursor = Cursor {
            longer: true,
            event: 12,
            found: 3,
        };
        let text = cursor.in_address();
        assert_eq!(Cursor::of(&text), Some(cursor));
        let other = Cursor {
            event: 1 << 40,
            ..cursor
        }
        .in_address();
        assert_eq!(text.len(), other.len());
        assert_ne!(text, cursor.in_address());
        let changed = text.replacen(|letter| letter != 'A', "A", 1);
        for text in ["", "w.12.3", &changed, &text[1..]] {
            assert_eq!(Cursor::of(text), None, "{text}");
        }
    }
}
