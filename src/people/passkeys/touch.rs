//! A touch: what a person's passkey signs for one approval, so that anybody can check it who has the audit entry.
//!
//! The challenge is the hash of what is approved ([`challenge_of`]), and the browser must verify its user. The page keeps what
//! was asked, sealed; it is good for two minutes, once, for the same login, host name, approval and text.
//!
//! Invariant: the challenge that an answer is compared with is made anew of what is approved, never taken from the page.

use super::super::{Caller, CanTouch, PasskeysHere, People, PeopleError};
use super::ceremony::{Place, refused};
use super::proof::{Proof, challenge_of};
use crate::clock::now;
use crate::journal::{NewTouch, PasskeyRecord};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use webauthn_rs::prelude::PublicKeyCredential;

const PURPOSE: &str = "a touch of a passkey";
/// How long a touch is good, in milliseconds.
pub const LASTS: i64 = 2 * 60 * 1000;
/// Longest answer of a browser, in bytes; that of a key with a long RSA signature has 3 KB.
const LONGEST: usize = 8 << 10;

/// What a touch is for.
#[derive(Debug, Clone, Copy)]
pub struct ToTouch<'a> {
    /// The token of the approval.
    pub token: &'a str,
    /// The hash of the text that is shown of it (`journal::hash_of_shown`).
    pub shown: &'a str,
    /// The text that is asked for instead, or empty.
    pub amended: &'a str,
}

/// What was asked, as the page keeps it.
#[derive(Serialize, Deserialize)]
struct Asked {
    id: String,
    began: i64,
    login: i64,
    place: String,
    /// What it is for, in a hash.
    about: String,
    nonce: String,
}

/// What the page sends.
#[derive(Deserialize)]
struct Given {
    asked: String,
    answer: Value,
}

/// The text that is asked for instead, as it is signed and approved: a form sends the ends of lines in its own way.
pub fn amended_text(typed: &str) -> String {
    typed.replace("\r\n", "\n").trim().to_owned()
}

impl ToTouch<'_> {
    /// The hash of the text that is asked for instead, or empty.
    fn amended(&self) -> String {
        match amended_text(self.amended).as_str() {
            "" => String::new(),
            text => HEXLOWER.encode(&Sha256::digest(text)),
        }
    }

    fn challenge(&self, by: &Caller, nonce: &str) -> [u8; 32] {
        challenge_of(by.person, self.token, self.shown, &self.amended(), nonce)
    }
}

impl People {
    /// Whether a person can touch, in the browser that asks.
    pub async fn can_touch(
        &self,
        place: Result<&Place, PasskeysHere>,
        by: &Caller,
    ) -> Result<CanTouch, PeopleError> {
        if by.login().is_err() {
            return Ok(CanTouch::NoAccount);
        }
        let place = match place {
            Ok(place) => place,
            Err(why) => return Ok(CanTouch::NotHere(why)),
        };
        let known = self.journal().passkeys(by.person).await?;
        Ok(match known.first() {
            None => CanTouch::NoPasskey,
            _ if known.iter().any(|one| one.place == place.name()) => CanTouch::Yes,
            Some(other) => CanTouch::Elsewhere(other.place.clone()),
        })
    }

    /// What a browser is asked to touch for an approval, as JSON, with what the page has to send back.
    ///
    /// # Errors
    /// [`PeopleError::NeedsLogin`], and [`PeopleError::Invalid`] if the person has no passkey here.
    pub async fn begin_touch(
        &self,
        place: &Place,
        by: &Caller,
        what: ToTouch<'_>,
    ) -> Result<String, PeopleError> {
        let login = by.login()?;
        let known = self.journal().passkeys(by.person).await?;
        let is_here = |one: &PasskeyRecord| one.place == place.name();
        let known: Vec<PasskeyRecord> = known.into_iter().filter(is_here).collect();
        if known.is_empty() {
            return Err(no_touch(
                "you have no passkey for this address. Add one on the Account page.",
            ));
        }
        let nonce = URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>());
        let challenge = what.challenge(by, &nonce);
        let public_key = place.asked_to_touch(&known, &challenge, LASTS)?;
        let asked = Asked {
            id: super::super::secret::new(),
            began: now(),
            login,
            place: place.name().to_owned(),
            about: HEXLOWER.encode(&what.challenge(by, "")),
            nonce,
        };
        let sealed = self.0.sealer.seal(PURPOSE, &asked);
        Ok(json!({ "publicKey": public_key, "asked": sealed }).to_string())
    }

    /// Verifies what a browser has answered; the touch is used up.
    ///
    /// # Errors
    /// [`PeopleError::NeedsLogin`], [`PeopleError::Invalid`] if the answer is not for this approval and text and from this login
    /// and place, or not in time, or was used, and [`PeopleError::Passkey`] if it is not by a passkey of this person.
    pub async fn finish_touch(
        &self,
        place: &Place,
        by: &Caller,
        what: ToTouch<'_>,
        given: &str,
    ) -> Result<NewTouch, PeopleError> {
        let login = by.login()?;
        let given = Some(given).filter(|given| given.len() <= LONGEST);
        let given = given.and_then(|given| serde_json::from_str::<Given>(given).ok());
        let opened = given.and_then(|given| {
            let asked: Asked = self.0.sealer.open(PURPOSE, &given.asked)?;
            let is_good = asked.login == login
                && asked.place == place.name()
                && asked.about == HEXLOWER.encode(&what.challenge(by, ""))
                && (0..=LASTS).contains(&(now() - asked.began))
                // Of two answers one counts.
                && self.0.sealer.use_once(&asked.id, asked.began);
            is_good.then_some((asked, given.answer))
        });
        let expired = "this touch of a passkey is for something else, was used, or took longer than 2 minutes. Try again.";
        let (asked, answer) = opened.ok_or_else(|| no_touch(expired))?;
        self.verify_touch(place, by, what, &asked, answer).await
    }

    async fn verify_touch(
        &self,
        place: &Place,
        by: &Caller,
        what: ToTouch<'_>,
        asked: &Asked,
        answer: Value,
    ) -> Result<NewTouch, PeopleError> {
        let answer: PublicKeyCredential =
            serde_json::from_value(answer).map_err(|error| refused(&error))?;
        let known = self.journal().passkeys(by.person).await?;
        let is_it = |one: &PasskeyRecord| one.id == answer.get_credential_id();
        let known = known
            .into_iter()
            .find(|one| is_it(one) && one.place == place.name());
        let passkey =
            known.ok_or_else(|| refused(&"it belongs to another account or host name"))?;
        let handle = answer.get_user_unique_id();
        if handle.is_some_and(|handle| handle != passkey.handle) {
            return Err(refused(&"it belongs to another account"));
        }
        let challenge = what.challenge(by, &asked.nonce);
        let (after, public_key) = place.finish_touch(&answer, &challenge, &passkey)?;
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let response = &answer.response;
        let amended = what.amended();
        let proof = Proof {
            place: place.name().to_owned(),
            credential: text(&passkey.id),
            public_key,
            shown: what.shown.to_owned(),
            amended: Some(amended).filter(|hash| !hash.is_empty()),
            nonce: asked.nonce.clone(),
            authenticator_data: text(response.authenticator_data.as_ref()),
            client_data: text(response.client_data_json.as_ref()),
            signature: text(response.signature.as_ref()),
        };
        // What the audit log will say must convince others, too.
        proof
            .check(by.person, what.token)
            .map_err(|why| refused(&why))?;
        Ok(NewTouch {
            person: by.person,
            token: what.token.to_owned(),
            shown: what.shown.to_owned(),
            amended: amended_text(what.amended),
            until: asked.began + LASTS,
            passkey: passkey.number,
            before: passkey.credential,
            after,
            proof: serde_json::to_string(&proof).expect("plain data"),
        })
    }
}

fn no_touch(why: &str) -> PeopleError {
    PeopleError::Invalid(format!("Nothing was sent: {why}"))
}
