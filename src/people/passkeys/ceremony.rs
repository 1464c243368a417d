//! The ceremonies of WebAuthn, by `webauthn-rs`: what a browser is asked, and what its answer proves.
//!
//! A browser signs for one host name and one origin. The name must have been checked: `server/host_names.rs` accepts only
//! configured ones.

use super::super::{PasskeysHere, PeopleError};
use crate::journal::PasskeyRecord;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use std::fmt;
use url::{Host, Url};
use webauthn_rs::prelude::{
    COSEKey, DiscoverableAuthentication, DiscoverableKey, Passkey, PasskeyRegistration,
    PublicKeyCredential, RegisterPublicKeyCredential, Uuid, Webauthn, WebauthnBuilder,
};

/// The name of this service in the dialogs of browsers.
const SERVICE: &str = "Handrail";

/// An address at which passkeys work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    name: String,
    origin: Url,
}

impl Place {
    /// The place at this host, with a port if it has one; `secure` if the browser is connected over TLS.
    ///
    /// # Errors
    /// What passkeys need that is not so.
    pub fn new(secure: bool, host: &str) -> Result<Self, PasskeysHere> {
        let scheme = if secure { "https" } else { "http" };
        let origin = Url::parse(&format!("{scheme}://{host}/"));
        let origin = origin.map_err(|_| PasskeysHere::NeedName)?;
        let Some(Host::Domain(name)) = origin.host() else {
            return Err(PasskeysHere::NeedName);
        };
        if !secure && name != "localhost" {
            return Err(PasskeysHere::NeedTls);
        }
        Ok(Self {
            name: name.to_owned(),
            origin,
        })
    }

    /// The host name that passkeys belong to.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What a browser is asked to make a passkey, for a person who is known by `handle` and has `others` already.
    pub(super) fn begin_registration(
        &self,
        handle: Uuid,
        person: &str,
        others: &[PasskeyRecord],
    ) -> Result<(Value, PasskeyRegistration), PeopleError> {
        let begun = self
            .webauthn()?
            .start_passkey_registration(handle, person, person, None);
        let (asked, state) = begun.map_err(|error| refused(&error))?;
        let mut asked = json!(asked);
        asked["publicKey"]["excludeCredentials"] = descriptors(others);
        // Without a name typed, only such a passkey is found. A key without room for it still is a second factor.
        asked["publicKey"]["authenticatorSelection"]["residentKey"] = json!("preferred");
        Ok((asked, state))
    }

    /// The passkey in a browser's answer.
    pub(super) fn finish_registration(
        &self,
        answer: &str,
        state: &PasskeyRegistration,
    ) -> Result<Passkey, PeopleError> {
        let answer: RegisterPublicKeyCredential =
            serde_json::from_str(answer).map_err(|error| refused(&error))?;
        let made = self.webauthn()?.finish_passkey_registration(&answer, state);
        made.map_err(|error| refused(&error))
    }

    /// What a browser is asked to log in with one of `known`, or with any passkey that it has.
    pub(super) fn begin_login(
        &self,
        known: Option<&[PasskeyRecord]>,
    ) -> Result<(Value, DiscoverableAuthentication), PeopleError> {
        let begun = self.webauthn()?.start_discoverable_authentication();
        let (asked, state) = begun.map_err(|error| refused(&error))?;
        let mut asked = json!({ "publicKey": json!(asked)["publicKey"] });
        if let Some(known) = known {
            asked["publicKey"]["allowCredentials"] = descriptors(known);
        }
        Ok((asked, state))
    }

    /// Verifies a browser's answer with this passkey; returns the passkey's new state.
    pub(super) fn finish_login(
        &self,
        answer: &PublicKeyCredential,
        state: DiscoverableAuthentication,
        passkey: &PasskeyRecord,
    ) -> Result<String, PeopleError> {
        let mut known: Passkey =
            serde_json::from_str(&passkey.credential).map_err(|error| refused(&error))?;
        let keys = [DiscoverableKey::from(&known)];
        let verified = self
            .webauthn()?
            .finish_discoverable_authentication(answer, state, &keys);
        let verified = verified.map_err(|error| refused(&error))?;
        known.update_credential(&verified);
        serde_json::to_string(&known).map_err(|error| refused(&error))
    }

    /// What a browser is asked to sign this challenge with, by one of these passkeys, within so many milliseconds.
    pub(super) fn asked_to_touch(
        &self,
        known: &[PasskeyRecord],
        challenge: &[u8],
        lasts: i64,
    ) -> Result<Value, PeopleError> {
        let (mut asked, _) = self.begin_login(Some(known))?;
        let mut asked = asked["publicKey"].take();
        asked["challenge"] = json!(URL_SAFE_NO_PAD.encode(challenge));
        asked["timeout"] = json!(lasts);
        Ok(asked)
    }

    /// Verifies that this passkey has signed this challenge; returns the passkey's new state, and its public key.
    pub(super) fn finish_touch(
        &self,
        answer: &PublicKeyCredential,
        challenge: &[u8],
        passkey: &PasskeyRecord,
    ) -> Result<(String, COSEKey), PeopleError> {
        let (_, state) = self.begin_login(None)?;
        // The library chooses challenges by chance; ours is the hash of what is approved.
        let mut state = serde_json::to_value(state).map_err(|error| refused(&error))?;
        state["ast"]["challenge"] = json!(URL_SAFE_NO_PAD.encode(challenge));
        let state = serde_json::from_value(state).map_err(|error| refused(&error))?;
        let after = self.finish_login(answer, state, passkey)?;
        let known: Passkey =
            serde_json::from_str(&passkey.credential).map_err(|error| refused(&error))?;
        Ok((after, known.get_public_key().clone()))
    }

    fn webauthn(&self) -> Result<Webauthn, PeopleError> {
        WebauthnBuilder::new(&self.name, &self.origin)
            .and_then(|builder| builder.rp_name(SERVICE).build())
            .map_err(|error| refused(&error))
    }
}

/// The ids of passkeys, as WebAuthn names them.
fn descriptors(passkeys: &[PasskeyRecord]) -> Value {
    let named = |passkey: &PasskeyRecord| json!({ "type": "public-key", "id": URL_SAFE_NO_PAD.encode(&passkey.id) });
    passkeys.iter().map(named).collect()
}

pub(super) fn refused(error: &dyn fmt::Display) -> PeopleError {
    PeopleError::Passkey(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passkeys_need_tls_and_a_name() {
        for (secure, host, name) in [
            (true, "box.lan", "box.lan"),
            (true, "Box.LAN:8443", "box.lan"),
            (false, "localhost:4100", "localhost"),
        ] {
            let place = Place::new(secure, host).expect("they work there");
            assert_eq!(place.name(), name);
            assert!(place.webauthn().is_ok(), "{host}");
        }
        for (secure, host, missing) in [
            (false, "box.lan", PasskeysHere::NeedTls),
            (false, "localhost.evil.example", PasskeysHere::NeedTls),
            (true, "192.168.0.7", PasskeysHere::NeedName),
            (false, "127.0.0.1:4100", PasskeysHere::NeedName),
            (true, "[::1]:4100", PasskeysHere::NeedName),
            (true, "", PasskeysHere::NeedName),
            (true, "evil/@box.lan", PasskeysHere::NeedTls),
        ] {
            match Place::new(secure, host) {
                Err(needs) => assert_eq!(needs, missing, "{host}"),
                // What is not a host is no name of ours.
                Ok(place) => assert_ne!(place.name(), "box.lan", "{host}"),
            }
        }
    }
}
