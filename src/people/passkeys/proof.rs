//! What a passkey has signed for an approval, as the audit log keeps it, and how anybody can check it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use webauthn_rs::prelude::COSEKey;

/// What was signed, and everything by which it can be checked, as the audit log has it. Bytes are Base64 for URLs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Proof {
    /// The host name that the passkey belongs to.
    pub place: String,
    /// Id of the passkey.
    pub credential: String,
    /// Its public key.
    pub public_key: COSEKey,
    /// The hash of the text that was shown.
    pub shown: String,
    /// The hash of the text that was asked for instead; none if the action itself was approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amended: Option<String>,
    /// Random.
    pub nonce: String,
    /// What the authenticator has signed, beside the hash of the next.
    pub authenticator_data: String,
    /// What the browser says of itself and the challenge.
    #[serde(rename = "clientDataJSON")]
    pub client_data: String,
    /// The signature.
    pub signature: String,
}

/// The challenge: SHA-256 of these lines, each with its end.
pub fn challenge_of(person: i64, token: &str, shown: &str, amended: &str, nonce: &str) -> [u8; 32] {
    let lines = [
        "handrail touch 1",
        shown,
        token,
        &person.to_string(),
        amended,
        nonce,
    ];
    let mut hash = Sha256::new();
    for line in lines {
        hash.update(line);
        hash.update("\n");
    }
    hash.finalize().into()
}

impl Proof {
    /// Checks that the key in it has signed exactly the approval with this token, for this person, and had verified its user.
    /// It needs nothing else, but says nothing of whose key it is.
    ///
    /// # Errors
    /// What is wrong, in the middle of a sentence.
    pub fn check(&self, person: i64, token: &str) -> Result<(), &'static str> {
        let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).map_err(|_| "it is damaged");
        let (data, client) = (bytes(&self.authenticator_data)?, bytes(&self.client_data)?);
        let said: Value = serde_json::from_slice(&client).map_err(|_| "it is damaged")?;
        let amended = self.amended.as_deref().unwrap_or_default();
        let challenge = challenge_of(person, token, &self.shown, amended, &self.nonce);
        if said["type"] != "webauthn.get" || said["challenge"] != URL_SAFE_NO_PAD.encode(challenge)
        {
            return Err("it is for another approval");
        }
        // Hash of the host name, flags (user present and verified), counter.
        let (name, rest) = data.split_at_checked(32).ok_or("it is damaged")?;
        if name != Sha256::digest(&self.place).as_slice() {
            return Err("it is for another host name");
        }
        if rest.first().is_none_or(|flags| flags & 0x05 != 0x05) {
            return Err("its user was not verified");
        }
        let mut signed = data;
        signed.extend(Sha256::digest(&client));
        match self
            .public_key
            .verify_signature(&bytes(&self.signature)?, &signed)
        {
            Ok(true) => Ok(()),
            _ => Err("its signature is wrong"),
        }
    }
}
