//! An authenticator in software: what a browser answers with a passkey, and what a faulty or hostile one does.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use openssl::bn::{BigNum, BigNumContext};
use openssl::ec::{EcGroup, EcKey};
use openssl::ecdsa::EcdsaSig;
use openssl::nid::Nid;
use openssl::pkey::Private;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// One passkey, and how its authenticator behaves.
pub struct Authenticator {
    group: EcGroup,
    key: EcKey<Private>,
    id: [u8; 32],
    handle: Option<String>,
    /// The counter of the next answer; it stays 0 if it is 0.
    pub counter: u32,
    /// Whether it verifies its user.
    pub verifies: bool,
    /// Whether it says whose passkey it is.
    pub names_user: bool,
}

impl Authenticator {
    pub fn new() -> Self {
        let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).expect("a known curve");
        let key = EcKey::generate(&group).expect("a key");
        Self {
            group,
            key,
            id: rand::random(),
            handle: None,
            counter: 0,
            verifies: true,
            names_user: true,
        }
    }

    /// Another key that claims to be the same passkey.
    #[allow(dead_code, reason = "not all that include this file have a use for it")]
    pub fn like(other: &Self) -> Self {
        Self {
            id: other.id,
            handle: other.handle.clone(),
            ..Self::new()
        }
    }

    /// Answers a registration on a page of `origin`.
    pub fn create(&mut self, origin: &str, asked: &str) -> String {
        let asked: Value = serde_json::from_str(asked).expect("JSON");
        let asked = &asked["publicKey"];
        assert_eq!(
            asked["authenticatorSelection"]["userVerification"],
            "required"
        );
        self.handle = asked["user"]["id"].as_str().map(str::to_owned);
        let mut data = self.data(&asked["rp"]["id"], 0x40);
        data.extend([0; 16]);
        data.extend([0, 32]);
        data.extend(self.id);
        data.extend(self.cose());
        let mut object = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        object.push(u8::try_from(data.len()).expect("it is short"));
        object.extend(data);
        let client = client("webauthn.create", origin, asked);
        let response =
            json!({ "attestationObject": encoded(&object), "clientDataJSON": encoded(&client) });
        self.answer(response)
    }

    /// Answers a login on a page of `origin`.
    pub fn get(&mut self, origin: &str, asked: &str) -> String {
        let asked: Value = serde_json::from_str(asked).expect("JSON");
        let asked = &asked["publicKey"];
        let data = self.data(&asked["rpId"], 0);
        let client = client("webauthn.get", origin, asked);
        let mut signed = data.clone();
        signed.extend(Sha256::digest(&client));
        let signature = EcdsaSig::sign(&Sha256::digest(&signed), &self.key).expect("a key");
        let handle = self.handle.as_ref().filter(|_| self.names_user);
        let response = json!({
            "authenticatorData": encoded(&data),
            "clientDataJSON": encoded(&client),
            "signature": encoded(&signature.to_der().expect("a signature")),
            "userHandle": handle,
        });
        self.answer(response)
    }

    fn answer(&self, response: Value) -> String {
        let id = encoded(&self.id);
        json!({ "id": id, "rawId": id, "type": "public-key", "response": response }).to_string()
    }

    /// Hash of the host name, flags and counter.
    fn data(&mut self, name: &Value, flags: u8) -> Vec<u8> {
        let mut data = Sha256::digest(name.as_str().expect("a name")).to_vec();
        data.push(flags | if self.verifies { 0x05 } else { 0x01 });
        data.extend(self.counter.to_be_bytes());
        if self.counter > 0 {
            self.counter += 1;
        }
        data
    }

    /// The public key, as authenticators encode it.
    fn cose(&self) -> Vec<u8> {
        let (mut x, mut y) = (
            BigNum::new().expect("a number"),
            BigNum::new().expect("a number"),
        );
        let mut context = BigNumContext::new().expect("a context");
        let point = self.key.public_key();
        let found = point.affine_coordinates(&self.group, &mut x, &mut y, &mut context);
        found.expect("a point");
        let mut key = vec![0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01];
        for (label, number) in [(0x21, x), (0x22, y)] {
            key.extend([label, 0x58, 0x20]);
            key.extend(number.to_vec_padded(32).expect("it fits"));
        }
        key
    }
}

fn client(kind: &str, origin: &str, asked: &Value) -> Vec<u8> {
    let challenge = &asked["challenge"];
    json!({ "type": kind, "challenge": challenge, "origin": origin, "crossOrigin": false })
        .to_string()
        .into_bytes()
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
