//! VAPID (RFC 8292): how Handrail identifies itself to push services.

use super::{NotifyError, now};
use crate::journal::Journal;
use crate::sync::lock;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::collections::HashMap;
use std::sync::Mutex;
use url::Url;
use web_push_native::p256::ecdsa::signature::Signer as _;
use web_push_native::p256::ecdsa::{Signature, SigningKey};

/// The setting that holds the private key, base64url.
const SETTING: &str = "vapid";
/// How long a token is valid, in seconds; at most 24 hours are allowed.
const VALID: i64 = 12 * 60 * 60;
/// A token is made anew when it is valid for less than this, in seconds.
const LEAST_VALID: i64 = 60 * 60;
/// Tokens kept, far more than there are push services.
const MOST: usize = 64;

/// The keys, and the tokens in use.
pub(super) struct Vapid {
    key: SigningKey,
    public: String,
    /// By audience and subject, each with the time of its expiry.
    tokens: Mutex<HashMap<(String, String), (i64, String)>>,
}

impl Vapid {
    /// The keys in the journal, or new ones.
    pub(super) async fn of(journal: &Journal) -> Result<Self, NotifyError> {
        if let Some(stored) = journal.setting(SETTING).await? {
            let bytes = URL_SAFE_NO_PAD.decode(stored).ok();
            let key = bytes.and_then(|bytes| SigningKey::from_slice(&bytes).ok());
            let wrong =
                || NotifyError::Setup("the stored key for push services is invalid".to_owned());
            return key.map(Self::new).ok_or_else(wrong);
        }
        // Nearly every number is a key.
        let key = loop {
            let bytes: [u8; 32] = rand::random();
            if let Ok(key) = SigningKey::from_slice(&bytes) {
                break key;
            }
        };
        let kept = URL_SAFE_NO_PAD.encode(key.to_bytes());
        journal.keep_setting(SETTING, &kept).await?;
        Ok(Self::new(key))
    }

    fn new(key: SigningKey) -> Self {
        let public = key.verifying_key().to_encoded_point(false);
        Self {
            public: URL_SAFE_NO_PAD.encode(public.as_bytes()),
            key,
            tokens: Mutex::default(),
        }
    }

    /// The public key, base64url.
    pub(super) fn public(&self) -> &str {
        &self.public
    }

    /// The value of the `Authorization` header for a request to `endpoint`. `subject` is the address of the pages, at
    /// which the service finds out whom to contact.
    pub(super) fn authorization(&self, endpoint: &Url, subject: &str) -> String {
        let at = now() / 1_000;
        let audience = endpoint.origin().ascii_serialization();
        let mut tokens = lock(&self.tokens);
        if tokens.len() > MOST {
            tokens.clear();
        }
        // Services take secure addresses only; on this machine the pages may have another.
        let subject = subject.replacen("http://", "https://", 1);
        let key = (audience, subject);
        let kept = tokens
            .get(&key)
            .filter(|(until, _)| until - at > LEAST_VALID);
        let token = match kept {
            Some((_, token)) => token.clone(),
            None => {
                let (audience, subject) = &key;
                let token = self.sign(audience, subject, at + VALID);
                tokens.insert(key, (at + VALID, token.clone()));
                token
            }
        };
        format!("vapid t={token}, k={}", self.public)
    }

    /// A JSON Web Token with ES256 (RFC 7515, RFC 7518).
    fn sign(&self, audience: &str, subject: &str, until: i64) -> String {
        let claims = serde_json::json!({ "aud": audience, "exp": until, "sub": subject });
        let part = |json: &str| URL_SAFE_NO_PAD.encode(json);
        let header = part(r#"{"typ":"JWT","alg":"ES256"}"#);
        let signed = format!("{header}.{}", part(&claims.to_string()));
        let signature: Signature = self.key.sign(signed.as_bytes());
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.to_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::{SETTING, Vapid};
    use crate::journal::tests::sample::journal_in;
    use tempfile::TempDir;

    #[tokio::test]
    async fn a_stored_key_stays_the_one_that_browsers_have_subscribed_with() {
        let folder = TempDir::new().expect("a temporary folder");
        let journal = journal_in(folder.path()).await;
        // The pair of keys in RFC 8291, appendix A.
        let stored = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw";
        journal
            .keep_setting(SETTING, stored)
            .await
            .expect("healthy");
        let vapid = Vapid::of(&journal).await.expect("it is a key");
        assert_eq!(
            vapid.public(),
            "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
        );
    }
}
