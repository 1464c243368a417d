//! OpenID Connect: the code flow with PKCE, state and nonce, each of which is good once and in one browser.
//!
//! What a provider says is believed when it is signed with one of its keys, by an algorithm with two of them, for us,
//! now, and for the very flow that this browser began. Everything else is a refusal, with its reason in the log.

pub mod doors;
mod http;
mod options;
mod protocol;

pub use options::Options;

use crate::people::Identity;
use openidconnect::core::{CoreAuthenticationFlow, CoreProviderMetadata};
use openidconnect::{
    AccessTokenHash, AuthorizationCode, ClientId, ClientSecret, CsrfToken, IssuerUrl, Nonce,
    OAuth2TokenResponse as _, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RequestTokenError,
    Scope, TokenResponse as _,
};
use protocol::{ALGORITHMS, Answer, Client};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use thiserror::Error;
use url::Url;

/// How long somebody may take to log in there.
const PATIENCE: Duration = Duration::from_secs(10 * 60);
/// People who are logging in at a time; the first of more have to begin anew.
const MOST: usize = 1000;
/// How long what a provider says of itself is believed: its keys change.
const KNOWN: Duration = Duration::from_secs(5 * 60);

/// Why somebody does not come in.
#[derive(Debug, Error)]
pub enum OpenIdError {
    /// The provider does not answer, or not as one does.
    #[error("the provider does not answer: {0}")]
    Away(String),
    /// Something is not as it has to be; it is not said what.
    #[error("the answer is refused: {0}")]
    Refused(String),
}

/// A provider, and those who are logging in with it.
pub struct OpenId {
    options: Options,
    issuer: IssuerUrl,
    id: ClientId,
    secret: Option<ClientSecret>,
    client: reqwest::Client,
    known: tokio::sync::Mutex<Option<(Instant, CoreProviderMetadata)>>,
    flows: Mutex<HashMap<String, Flow>>,
}

/// Somebody who is logging in.
pub struct Flow {
    state: CsrfToken,
    nonce: Nonce,
    verifier: PkceCodeVerifier,
    back: RedirectUrl,
    began: Instant,
    /// Where they wanted to go.
    pub next: String,
    /// The person who links their account, if they are logged in already.
    pub links: Option<i64>,
}

/// What comes back with the browser.
#[derive(Debug, Deserialize)]
pub struct Returned {
    #[serde(default)]
    code: String,
    #[serde(default)]
    state: String,
    iss: Option<String>,
    error: Option<String>,
}

impl OpenId {
    /// The provider of `options`; `None` if there is none.
    ///
    /// # Errors
    /// A sentence that says which option is wrong.
    pub fn of(options: &Options) -> Result<Option<Self>, String> {
        let (Some(issuer), Some(id)) = (&options.oidc_issuer, &options.oidc_client_id) else {
            return Ok(None);
        };
        let secret = match &options.oidc_client_secret_file {
            Some(file) => {
                let text = std::fs::read_to_string(file);
                let text = text.map_err(|error| {
                    let file = file.display();
                    format!(
                        "The file with the OpenID Connect secret, {file}, cannot be read: {error}."
                    )
                })?;
                let line = text.lines().next().unwrap_or_default();
                Some(ClientSecret::new(line.trim().to_owned()))
            }
            None => None,
        };
        let wrong =
            |error: &dyn std::fmt::Display| format!("--oidc-issuer cannot be used: {error}.");
        Ok(Some(Self {
            issuer: IssuerUrl::new(issuer.clone()).map_err(|error| wrong(&error))?,
            id: ClientId::new(id.clone()),
            secret,
            client: http::client().map_err(|error| wrong(&error))?,
            options: options.clone(),
            known: tokio::sync::Mutex::default(),
            flows: Mutex::default(),
        }))
    }

    /// What the button says.
    pub fn name(&self) -> &str {
        &self.options.oidc_name
    }

    /// Begins: answers what this browser has to bring back, and where it goes.
    pub async fn begin(
        &self,
        back: String,
        next: String,
        links: Option<i64>,
    ) -> Result<(String, Url), OpenIdError> {
        let back = RedirectUrl::new(back).map_err(|error| refused(&error))?;
        let client = self.provider().await?.set_redirect_uri(back.clone());
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let mut asked = client.authorize_url(
            CoreAuthenticationFlow::AuthorizationCode,
            CsrfToken::new_random,
            Nonce::new_random,
        );
        for scope in ["email", "profile"]
            .into_iter()
            .chain(self.options.oidc_scope.iter().map(String::as_str))
        {
            asked = asked.add_scope(Scope::new(scope.to_owned()));
        }
        let (address, state, nonce) = asked.set_pkce_challenge(challenge).url();
        let key = CsrfToken::new_random().into_secret();
        let flow = Flow {
            state,
            nonce,
            verifier,
            back,
            began: Instant::now(),
            next,
            links,
        };
        let mut flows = self.flows();
        flows.retain(|_, flow| flow.began.elapsed() < PATIENCE);
        if flows.len() >= MOST {
            let first = flows.iter().min_by_key(|(_, flow)| flow.began);
            if let Some(first) = first.map(|(key, _)| key.clone()) {
                flows.remove(&first);
            }
        }
        flows.insert(key.clone(), flow);
        Ok((key, address))
    }

    /// Ends the flow that a browser has begun: who they are, and what they wanted. A second time there is none.
    pub async fn finish(
        &self,
        key: &str,
        returned: Returned,
    ) -> Result<(Identity, Flow), OpenIdError> {
        let flow = self.flows().remove(key);
        let flow = flow.filter(|flow| flow.began.elapsed() < PATIENCE);
        let flow = flow.ok_or_else(|| refused(&"this browser has begun nothing"))?;
        if returned.state != *flow.state.secret() {
            return Err(refused(&"it is the state of another flow"));
        }
        if let Some(error) = returned.error {
            return Err(refused(&format!("the provider says {error:.100}")));
        }
        // RFC 9207: another provider than the one that was asked has answered.
        if returned
            .iss
            .is_some_and(|issuer| issuer != *self.issuer.as_str())
        {
            return Err(refused(&"it comes from another issuer"));
        }
        let client = self.provider().await?.set_redirect_uri(flow.back.clone());
        let http = |request| http::ask(self.client.clone(), request);
        let answer = client
            .exchange_code(AuthorizationCode::new(returned.code))
            .map_err(|error| refused(&error))?
            .set_pkce_verifier(PkceCodeVerifier::new(flow.verifier.secret().clone()))
            .request_async(&http)
            .await
            .map_err(|error| match error {
                RequestTokenError::Request(error) => OpenIdError::Away(reasons(&error)),
                error => refused(&format!("the code is not taken: {error:?}")),
            })?;
        let identity = self.identity(&client, &answer, &flow.nonce)?;
        Ok((identity, flow))
    }

    /// Who somebody is, by a token that is looked at from all sides.
    fn identity(
        &self,
        client: &Client,
        answer: &Answer,
        nonce: &Nonce,
    ) -> Result<Identity, OpenIdError> {
        let token = answer
            .id_token()
            .ok_or_else(|| refused(&"there is no token"))?;
        let verifier = client.id_token_verifier().set_allowed_algs(ALGORITHMS);
        let claims = token
            .claims(&verifier, nonce)
            .map_err(|error| refused(&error))?;
        if let Some(expected) = claims.access_token_hash() {
            let algorithm = token.signing_alg().map_err(|error| refused(&error))?;
            let key = token
                .signing_key(&verifier)
                .map_err(|error| refused(&error))?;
            let hash = AccessTokenHash::from_token(answer.access_token(), algorithm, key);
            if hash.map_err(|error| refused(&error))? != *expected {
                return Err(refused(&"the access token is another one"));
            }
        }
        let verified = claims.email_verified() == Some(true);
        let address = claims
            .email()
            .filter(|_| verified)
            .map(|address| address.as_str());
        let local = address.and_then(|address| Some(address.split_once('@')?.0));
        let called = claims.preferred_username().map(|name| name.as_str());
        Ok(Identity {
            issuer: claims.issuer().as_str().to_owned(),
            subject: claims.subject().as_str().to_owned(),
            name: called.or(local).unwrap_or_default().to_owned(),
            invited: self
                .options
                .role_for(address, &claims.additional_claims().groups),
        })
    }

    /// The provider as it describes itself, under the very name that it is known by.
    async fn provider(&self) -> Result<Client, OpenIdError> {
        let mut known = self.known.lock().await;
        let fresh = known.as_ref().filter(|(since, _)| since.elapsed() < KNOWN);
        let metadata = match fresh {
            Some((_, metadata)) => metadata.clone(),
            None => {
                let http = |request| http::ask(self.client.clone(), request);
                let found = CoreProviderMetadata::discover_async(self.issuer.clone(), &http).await;
                let found = found.map_err(|error| OpenIdError::Away(reasons(&error)))?;
                known.insert((Instant::now(), found)).1.clone()
            }
        };
        let (id, secret) = (self.id.clone(), self.secret.clone());
        Ok(Client::from_provider_metadata(metadata, id, secret))
    }

    fn flows(&self) -> MutexGuard<'_, HashMap<String, Flow>> {
        self.flows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refused(why: &dyn std::fmt::Display) -> OpenIdError {
    OpenIdError::Refused(why.to_string())
}

/// An error and what lies behind it.
fn reasons(error: &(dyn std::error::Error + 'static)) -> String {
    let chain = std::iter::successors(Some(error), |error| error.source());
    chain
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}
