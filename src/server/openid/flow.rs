//! Logins in progress. Each is in its browser's cookie, sealed with a key of this process: strangers who begin logins take
//! no memory here, and end nobody's. The secrets of the protocol are derived from its id, and so in no cookie.

use crate::clock::now;
use crate::people::Sealer;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use openidconnect::{CsrfToken, Nonce, PkceCodeVerifier, RedirectUrl};
use serde::{Deserialize, Serialize};

/// A login in progress.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Flow {
    id: String,
    began: i64,
    /// Where the provider sends the browser back to.
    pub back: RedirectUrl,
    /// The page to open after the login.
    pub next: String,
    /// The logged-in user who links this identity to their account, if any.
    pub links: Option<i64>,
}

/// The key of all flows, and the ids of those that were used. An id that is forgotten as used depends on its code, which is
/// valid once, too.
#[derive(Default)]
pub struct Flows(Sealer);

impl Flows {
    /// A new flow.
    pub fn begin(&self, back: RedirectUrl, next: String, links: Option<i64>) -> Flow {
        Flow {
            id: CsrfToken::new_random().into_secret(),
            began: now(),
            back,
            next,
            links,
        }
    }

    /// A flow as the value of a cookie.
    pub fn seal(&self, flow: &Flow) -> String {
        self.0.seal("flow", flow)
    }

    /// The flow in a cookie; `None` if it is not ours, has expired or was used before. From now on it is used.
    pub fn take(&self, cookie: &str) -> Option<Flow> {
        let flow: Flow = self.0.open("flow", cookie)?;
        let is_good = Sealer::is_current(flow.began) && self.0.use_once(&flow.id, flow.began);
        is_good.then_some(flow)
    }

    /// What the provider sends back unchanged.
    pub fn state(&self, flow: &Flow) -> CsrfToken {
        CsrfToken::new(self.secret("state", flow))
    }

    /// What the ID token must contain.
    pub fn nonce(&self, flow: &Flow) -> Nonce {
        Nonce::new(self.secret("nonce", flow))
    }

    /// What only the browser that began the flow can redeem the code with.
    pub fn verifier(&self, flow: &Flow) -> PkceCodeVerifier {
        PkceCodeVerifier::new(self.secret("verifier", flow))
    }

    fn secret(&self, purpose: &str, flow: &Flow) -> String {
        URL_SAFE_NO_PAD.encode(self.mac(purpose, flow.id.as_bytes()))
    }

    /// Proves knowledge of the key. `purpose` keeps different uses apart.
    pub fn mac(&self, purpose: &str, of: &[u8]) -> Vec<u8> {
        self.0.mac(purpose, of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(flows: &Flows) -> Flow {
        let back = RedirectUrl::new("https://box/login/openid/callback".to_owned());
        flows.begin(back.expect("an address"), "/inbox".to_owned(), Some(7))
    }

    #[test]
    fn a_flow_is_taken_once_however_many_begin_others() {
        let flows = Flows::default();
        let flow = begun(&flows);
        let cookie = flows.seal(&flow);
        for _ in 0..2_000 {
            flows.seal(&begun(&flows));
        }
        let taken = flows.take(&cookie).expect("it is ours");
        assert_eq!((taken.next.as_str(), taken.links), ("/inbox", Some(7)));
        assert_eq!(
            flows.verifier(&taken).secret(),
            flows.verifier(&flow).secret()
        );
        assert!(flows.take(&cookie).is_none(), "it was used");
    }

    #[test]
    fn a_flow_that_is_not_ours_or_was_changed_or_is_old_is_none() {
        let flows = Flows::default();
        let flow = begun(&flows);
        let cookie = flows.seal(&flow);
        assert!(Flows::default().take(&cookie).is_none(), "another key");
        let (json, seal) = cookie.split_once('.').expect("two parts");
        let changed = Flow {
            links: Some(1),
            ..flow.clone()
        };
        let changed = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&changed).expect("plain data"));
        for other in [
            String::new(),
            json.to_owned(),
            format!("{json}."),
            format!("{changed}.{seal}"),
        ] {
            assert!(flows.take(&other).is_none(), "{other}");
        }
        for began in [now() - 10 * 60_000 - 1, now() + 60_000] {
            let other = flows.seal(&Flow {
                began,
                ..flow.clone()
            });
            assert!(flows.take(&other).is_none(), "{began}");
        }
        assert!(flows.take(&cookie).is_some());
    }

    #[test]
    fn the_secrets_of_a_flow_differ_and_are_not_in_its_cookie() {
        let flows = Flows::default();
        let flow = begun(&flows);
        let secrets = [
            flows.state(&flow).into_secret(),
            flows.nonce(&flow).secret().clone(),
            flows.verifier(&flow).secret().clone(),
        ];
        let cookie = flows.seal(&flow);
        let (json, _) = cookie.split_once('.').expect("two parts");
        let json = URL_SAFE_NO_PAD.decode(json).expect("it is ours");
        let json = String::from_utf8(json).expect("a text");
        for secret in &secrets {
            assert!(secret.len() >= 43, "{secret}");
            assert!(!json.contains(secret), "{json}");
            assert_eq!(secrets.iter().filter(|other| *other == secret).count(), 1);
        }
    }
}
