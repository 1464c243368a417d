//! OpenID Connect: the authorization code flow with PKCE, state and nonce, each valid once and in one browser.
//!
//! An ID token is accepted if it is signed with one of the provider's keys by an asymmetric algorithm, is meant for
//! this client, has not expired, and belongs to the flow that this browser began. Every other response is rejected;
//! the reason is logged.

mod flow;
mod http;
mod options;
mod protocol;

pub use options::Options;

use crate::people::{Caller, Identity};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flow::{Flow, Flows};
use openidconnect::core::{CoreAuthenticationFlow, CoreProviderMetadata};
use openidconnect::{
    AccessTokenHash, AuthorizationCode, ClientId, ClientSecret, IssuerUrl, Nonce,
    OAuth2TokenResponse as _, PkceCodeChallenge, RedirectUrl, RequestTokenError, Scope,
    TokenResponse as _,
};
use protocol::{ALGORITHMS, Answer, Client};
use serde::Deserialize;
use std::time::{Duration, Instant};
use thiserror::Error;
use tokio::sync::{Semaphore, SemaphorePermit};
use url::Url;

/// Requests that wait for the provider at a time. Further ones are refused at once: a password login must not wait for
/// those who wait for a slow provider (`completion::MOST`).
const WAITING: usize = 32;
/// How long the provider's metadata is cached; its keys rotate.
const KNOWN: Duration = Duration::from_secs(5 * 60);

/// Why a login failed.
#[derive(Debug, Error)]
pub enum OpenIdError {
    /// The provider is unreachable or sends no valid response.
    #[error("the provider does not respond: {0}")]
    Away(String),
    /// The response failed a check. The page does not say which one.
    #[error("the login was rejected: {0}")]
    Refused(String),
}

/// A provider.
pub struct OpenId {
    options: Options,
    issuer: IssuerUrl,
    id: ClientId,
    secret: Option<ClientSecret>,
    client: reqwest::Client,
    known: tokio::sync::Mutex<Known>,
    flows: Flows,
    waiting: Semaphore,
}

/// What is known of the provider.
#[derive(Default)]
struct Known {
    /// Its metadata, and since when.
    metadata: Option<(Instant, CoreProviderMetadata)>,
    /// When it last failed to send them, and why.
    failed: Option<(Instant, String)>,
}

/// Query parameters of the provider's redirect.
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
    /// The provider in `options`; `None` if none is configured.
    ///
    /// # Errors
    /// A sentence that names the invalid option.
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
            flows: Flows::default(),
            waiting: Semaphore::new(WAITING),
        }))
    }

    /// The label of the login button.
    pub fn name(&self) -> &str {
        &self.options.oidc_name
    }

    /// Proves that the user's own account page started the linking, so that no other page can. Valid for one login
    /// session.
    pub fn proof(&self, by: &Caller) -> String {
        let of = format!("{} {:?}", by.person, by.credential);
        URL_SAFE_NO_PAD.encode(self.flows.mac("link", of.as_bytes()))
    }

    /// Starts a login: returns the sealed flow for the browser's cookie, and the provider's address to redirect to.
    /// Errors: `Away` if the provider's metadata cannot be read, `Refused` if `back` is no URL.
    pub async fn begin(
        &self,
        back: String,
        next: String,
        links: Option<i64>,
    ) -> Result<(String, Url), OpenIdError> {
        let back = RedirectUrl::new(back).map_err(|error| refused(&error))?;
        let _waits = self.wait()?;
        let client = self.provider().await?.set_redirect_uri(back.clone());
        let flow = self.flows.begin(back, next, links);
        let challenge = PkceCodeChallenge::from_code_verifier_sha256(&self.flows.verifier(&flow));
        let (state, nonce) = (self.flows.state(&flow), self.flows.nonce(&flow));
        let mut asked = client.authorize_url(
            CoreAuthenticationFlow::AuthorizationCode,
            move || state,
            move || nonce,
        );
        for scope in ["email", "profile"]
            .into_iter()
            .chain(self.options.oidc_scope.iter().map(String::as_str))
        {
            asked = asked.add_scope(Scope::new(scope.to_owned()));
        }
        let (address, _, _) = asked.set_pkce_challenge(challenge).url();
        Ok((self.flows.seal(&flow), address))
    }

    /// Finishes the login that this browser began, and returns the identity and the flow. Works once per flow.
    /// Errors: `Away` if the provider cannot be reached, `Refused` if a check fails.
    pub async fn finish(
        &self,
        cookie: &str,
        returned: Returned,
    ) -> Result<(Identity, Flow), OpenIdError> {
        let flow = self.flows.take(cookie);
        let flow = flow.ok_or_else(|| refused(&"this browser has not started a login"))?;
        if returned.state != *self.flows.state(&flow).secret() {
            return Err(refused(&"the state belongs to another login"));
        }
        if let Some(error) = returned.error {
            return Err(refused(&format!("the provider says {error:.100}")));
        }
        // RFC 9207: the response must come from the issuer that was asked.
        if returned
            .iss
            .is_some_and(|issuer| issuer != *self.issuer.as_str())
        {
            return Err(refused(&"the response comes from another issuer"));
        }
        let _waits = self.wait()?;
        let client = self.provider().await?.set_redirect_uri(flow.back.clone());
        let http = |request| http::ask(self.client.clone(), request);
        let answer = client
            .exchange_code(AuthorizationCode::new(returned.code))
            .map_err(|error| refused(&error))?
            .set_pkce_verifier(self.flows.verifier(&flow))
            .request_async(&http)
            .await
            .map_err(|error| match error {
                RequestTokenError::Request(error) => OpenIdError::Away(reasons(&error)),
                error => refused(&format!("the code was rejected: {error:?}")),
            })?;
        let identity = self.identity(&client, &answer, &self.flows.nonce(&flow))?;
        Ok((identity, flow))
    }

    /// Verifies the ID token and reads the identity from it.
    fn identity(
        &self,
        client: &Client,
        answer: &Answer,
        nonce: &Nonce,
    ) -> Result<Identity, OpenIdError> {
        let token = answer
            .id_token()
            .ok_or_else(|| refused(&"the ID token is missing"))?;
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
                return Err(refused(&"the access token does not match"));
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

    /// A place among those who wait for the provider.
    fn wait(&self) -> Result<SemaphorePermit<'_>, OpenIdError> {
        let place = self.waiting.try_acquire();
        place.map_err(|_| OpenIdError::Away("too many logins wait for it".to_owned()))
    }

    /// The client for the provider, from its cached metadata. Whoever has waited for an attempt to read them shares its
    /// failure.
    async fn provider(&self) -> Result<Client, OpenIdError> {
        let came = Instant::now();
        let mut known = self.known.lock().await;
        let fresh = known.metadata.as_ref();
        let metadata = match fresh.filter(|(since, _)| since.elapsed() < KNOWN) {
            Some((_, metadata)) => metadata.clone(),
            None => {
                if let Some((_, why)) = known.failed.as_ref().filter(|(at, _)| *at >= came) {
                    return Err(OpenIdError::Away(why.clone()));
                }
                let http = |request| http::ask(self.client.clone(), request);
                let found = CoreProviderMetadata::discover_async(self.issuer.clone(), &http).await;
                let found = found.map_err(|error| reasons(&error));
                if let Err(why) = &found {
                    known.failed = Some((Instant::now(), why.clone()));
                }
                let found = found.map_err(OpenIdError::Away)?;
                known.metadata.insert((Instant::now(), found)).1.clone()
            }
        };
        let (id, secret) = (self.id.clone(), self.secret.clone());
        Ok(Client::from_provider_metadata(metadata, id, secret))
    }
}

fn refused(why: &dyn std::fmt::Display) -> OpenIdError {
    OpenIdError::Refused(why.to_string())
}

/// An error and its sources.
fn reasons(error: &(dyn std::error::Error + 'static)) -> String {
    let chain = std::iter::successors(Some(error), |error| error.source());
    chain
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}
