//! What the routes of passkeys, recovery codes and invitations read of a request, and how they let a browser in.

use super::auth::{device, logged_in, refused};
use super::next::local;
use super::{Peer, Site};
use crate::api::{SecretCookie, SecretCookies, here};
use crate::people::{
    Caller, Credential, Half, LoginSecrets, NewLogin, PasskeysHere, PeopleError, Place,
};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use std::convert::Infallible;

/// The request of a browser that is to be let in.
pub struct Entering {
    /// The site.
    pub site: Site,
    /// Our cookies.
    pub cookies: SecretCookies,
    /// The headers of the request.
    pub headers: HeaderMap,
    /// Network address of the client.
    pub address: String,
    by: Option<Caller>,
}

impl FromRequestParts<Site> for Entering {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, site: &Site) -> Result<Self, Infallible> {
        let extensions = &parts.extensions;
        let cookies = extensions.get::<SecretCookies>();
        let address = extensions.get::<Peer>();
        Ok(Self {
            site: site.clone(),
            cookies: cookies.expect("`access` has set them").clone(),
            address: address.expect("`access` has set it").0.clone(),
            headers: parts.headers.clone(),
            by: extensions.get::<Caller>().cloned(),
        })
    }
}

impl Entering {
    /// The half login of this browser.
    pub fn half(&self) -> Option<Half> {
        self.site
            .people
            .half(self.cookies.half.read(&self.headers)?)
    }

    /// What this browser was asked; empty if nothing.
    pub fn challenge(&self) -> &str {
        let challenge = self.cookies.challenge.read(&self.headers);
        challenge.unwrap_or_default()
    }

    /// A caller who is logged in: a token registers nothing.
    pub fn login(&self) -> Option<&Caller> {
        let by = self.by.as_ref();
        by.filter(|by| matches!(by.credential, Credential::Login(_)))
    }

    /// Where passkeys belong to. Errors: as [`here`].
    pub fn place(&self) -> Result<Place, PasskeysHere> {
        here(&self.cookies, &self.headers)
    }

    /// Shows a page again, with the error.
    pub async fn refuse(&self, page: &str, error: PeopleError) -> Response {
        refused(&self.site, page, error, (&self.headers, &self.cookies)).await
    }

    /// A login of this browser.
    pub fn new_login<'a>(&'a self, name: &'a str, password: &'a str) -> NewLogin<'a> {
        NewLogin {
            name,
            password,
            device: device(&self.headers),
            known: self.cookies.device.read(&self.headers).unwrap_or_default(),
            address: &self.address,
        }
    }

    /// Logs the browser in, forgets its half login, and opens the page `next`.
    pub async fn enter(&self, secrets: &LoginSecrets, next: &str) -> Response {
        let next = local(next, &self.site.base).unwrap_or_else(|| self.site.base.clone());
        let (site, address) = (&self.site, &self.address);
        let entered = logged_in(site, &self.cookies, &self.headers, address, secrets, &next);
        (self.forget(), entered.await).into_response()
    }

    /// Deletes the cookies of the half login.
    pub fn forget(&self) -> AppendHeaders<[(header::HeaderName, HeaderValue); 2]> {
        let taken = |cookie: &SecretCookie| (header::SET_COOKIE, cookie.taken());
        AppendHeaders([taken(&self.cookies.half), taken(&self.cookies.challenge)])
    }
}
