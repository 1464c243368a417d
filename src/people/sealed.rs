//! What a browser keeps for this process: sealed with a key that no other process has, and good once.
//!
//! So what strangers begin takes no memory here, and ends nobody else's.

use crate::clock::now;
use crate::sync::lock;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Serialize, de::DeserializeOwned};
use sha2::Sha256;
use std::collections::HashMap;
use std::sync::Mutex;

/// Ids that are remembered as used. Beyond it the oldest are forgotten.
const MOST_USED: usize = 10_000;
/// How long an id is remembered at least, in milliseconds; nothing that is sealed is good for longer.
pub const LONGEST: i64 = 10 * 60_000;

/// The key of one process, and the ids that were used.
#[derive(Debug)]
pub struct Sealer {
    key: [u8; 32],
    used: Mutex<HashMap<String, i64>>,
}

impl Default for Sealer {
    /// With a random key.
    fn default() -> Self {
        Self {
            key: rand::random(),
            used: Mutex::default(),
        }
    }
}

impl Sealer {
    /// Plain data as the value of a cookie. `purpose` keeps different uses apart.
    pub fn seal(&self, purpose: &str, data: &impl Serialize) -> String {
        let json = serde_json::to_vec(data).expect("it is plain data");
        let part = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        format!("{}.{}", part(&json), part(&self.mac(purpose, &json)))
    }

    /// What was sealed for this purpose; `None` if it was not, or not by this process.
    pub fn open<T: DeserializeOwned>(&self, purpose: &str, sealed: &str) -> Option<T> {
        let (json, seal) = sealed.split_once('.')?;
        let json = URL_SAFE_NO_PAD.decode(json).ok()?;
        let seal = URL_SAFE_NO_PAD.decode(seal).ok()?;
        self.hashing(purpose, &json).verify_slice(&seal).ok()?;
        serde_json::from_slice(&json).ok()
    }

    /// Whether what began at this time, in milliseconds since the Unix epoch, is still good.
    pub fn is_current(began: i64) -> bool {
        (0..=LONGEST).contains(&(now() - began))
    }

    /// Uses an id; `false` if it was used before.
    pub fn use_once(&self, id: &str, began: i64) -> bool {
        let mut used = lock(&self.used);
        if used.contains_key(id) {
            return false;
        }
        if used.len() >= MOST_USED {
            used.retain(|_, began| Self::is_current(*began));
        }
        if used.len() >= MOST_USED {
            let oldest = used.iter().min_by_key(|(_, began)| **began);
            if let Some(oldest) = oldest.map(|(id, _)| id.clone()) {
                used.remove(&oldest);
            }
        }
        used.insert(id.to_owned(), began);
        true
    }

    /// Whether an id was used.
    pub fn was_used(&self, id: &str) -> bool {
        lock(&self.used).contains_key(id)
    }

    /// Proves knowledge of the key.
    pub fn mac(&self, purpose: &str, of: &[u8]) -> Vec<u8> {
        self.hashing(purpose, of).finalize().into_bytes().to_vec()
    }

    fn hashing(&self, purpose: &str, of: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::new_from_slice(&self.key).expect("HMAC takes keys of any length");
        mac.update(purpose.as_bytes());
        mac.update(b"\n");
        mac.update(of);
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_is_opened_for_the_same_purpose_by_the_same_process() {
        let sealer = Sealer::default();
        let sealed = sealer.seal("login", &("ada", 7));
        let opened: Option<(String, i64)> = sealer.open("login", &sealed);
        assert_eq!(opened, Some(("ada".to_owned(), 7)));
        let refused = |sealer: &Sealer, purpose: &str, sealed: &str| {
            sealer.open::<(String, i64)>(purpose, sealed).is_none()
        };
        assert!(refused(&sealer, "other", &sealed));
        assert!(refused(&Sealer::default(), "login", &sealed));
        let (json, seal) = sealed.split_once('.').expect("two parts");
        let changed = URL_SAFE_NO_PAD.encode(r#"["bob",7]"#);
        for other in [
            String::new(),
            format!("{json}."),
            format!("{changed}.{seal}"),
        ] {
            assert!(refused(&sealer, "login", &other), "{other}");
        }
    }

    #[test]
    fn used_ids_take_a_bounded_memory() {
        let sealer = Sealer::default();
        for id in 0..MOST_USED + 5 {
            // Without the cost of looking for the oldest one each time.
            if id < MOST_USED {
                lock(&sealer.used).insert(id.to_string(), now());
            } else {
                assert!(sealer.use_once(&id.to_string(), now()));
                assert!(!sealer.use_once(&id.to_string(), now()), "it was used");
            }
        }
        assert_eq!(lock(&sealer.used).len(), MOST_USED);
    }
}
