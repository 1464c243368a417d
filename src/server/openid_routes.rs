//! The two routes of an OpenID Connect login: its start, and the provider's callback.

use super::auth::{device, half_logged_in, logged_in};
use super::next::{escaped, local};
use super::openid::{OpenIdError, Returned};
use super::{Peer, Site};
use crate::api::{ApiError, SecretCookies, status_of};
use crate::people::{Caller, Credential, PeopleError};
use crate::ui::auth::Said;
use axum::Extension;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use serde::Deserialize;

/// Longest address of a page to open after the login, in bytes.
const LONGEST: usize = 1_500;

/// Query of a login's start.
#[derive(Deserialize)]
pub struct Wanted {
    #[serde(default)]
    next: String,
    /// Set to link the identity to the logged-in user's account; contains the proof that only their account page knows.
    link: Option<String>,
}

/// Redirects to the provider.
pub async fn begin(
    State(site): State<Site>,
    Extension(cookies): Extension<SecretCookies>,
    by: Option<Extension<Caller>>,
    Query(wanted): Query<Wanted>,
    headers: HeaderMap,
) -> Response {
    let Some(openid) = &site.openid else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let by = by.map(|Extension(by)| by);
    let login = by.filter(|by| matches!(by.credential, Credential::Login(_)));
    let links = match (&wanted.link, login) {
        (None, _) => None,
        (Some(proof), Some(by)) if openid.proof(&by) == *proof && from_our_page(&headers) => {
            Some(by)
        }
        (Some(_), _) => {
            let error =
                OpenIdError::Refused("the request does not come from the account page".to_owned());
            return refused(&site, &error).await;
        }
    };
    let next = if links.is_some() {
        format!("{}account", site.base)
    } else {
        // It is part of the cookie, which browsers keep up to 4 KiB.
        let next = local(&wanted.next, &site.base).filter(|next| next.len() <= LONGEST);
        next.unwrap_or_else(|| site.base.clone())
    };
    let scheme = if cookies.is_secure() { "https" } else { "http" };
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let back = format!(
        "{scheme}://{}{}login/openid/callback",
        host.unwrap_or_default(),
        site.base
    );
    match openid.begin(back, next, links.map(|by| by.person)).await {
        Ok((flow, address)) => {
            let set = AppendHeaders([(header::SET_COOKIE, cookies.openid.given(&flow))]);
            (set, Redirect::to(address.as_str())).into_response()
        }
        Err(error) => refused(&site, &error).await,
    }
}

/// Handles the provider's callback.
pub async fn callback(
    State(site): State<Site>,
    Extension(Peer(address)): Extension<Peer>,
    Extension(cookies): Extension<SecretCookies>,
    by: Option<Extension<Caller>>,
    Query(returned): Query<Returned>,
    headers: HeaderMap,
) -> Response {
    let Some(openid) = &site.openid else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let cookie = cookies.openid.read(&headers).unwrap_or_default();
    let (identity, flow) = match openid.finish(cookie, returned).await {
        Ok(finished) => finished,
        Err(error) => return refused(&site, &error).await,
    };
    let Some(person) = flow.links else {
        let device = device(&headers);
        let known = cookies.device.read(&headers).unwrap_or_default();
        let entered = site.people.log_in_as(&identity, device, known, &address);
        return match entered.await {
            Ok(secrets) => {
                logged_in(&site, &cookies, &headers, &address, &secrets, &flow.next).await
            }
            Err(PeopleError::SecondFactor(half)) => {
                half_logged_in(&site, &cookies, &half, &flow.next)
            }
            Err(error) => not_let_in(&site, error, &flow.next).await,
        };
    };
    // The user who started the linking must still be the one who is logged in.
    let by = by.map(|Extension(by)| by).filter(|by| by.person == person);
    let Some(by) = by else {
        return say(&site, StatusCode::FORBIDDEN, OTHER_LOGIN, &flow.next).await;
    };
    match site.people.add_identity(&by, &identity).await {
        Ok(()) => Redirect::to(&flow.next).into_response(),
        Err(error) => not_let_in(&site, error, &flow.next).await,
    }
}

const OTHER_LOGIN: &str = "Nothing was linked: you are no longer logged in to the account that asked for it. Log in, then \
                           link it again.";

/// Whether the browser came from a page of ours; true if its headers do not say.
fn from_our_page(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site");
    site.is_none_or(|site| site == "same-origin")
}

async fn refused(site: &Site, error: &OpenIdError) -> Response {
    tracing::warn!(%error, "OpenID Connect login failed");
    let (status, text) = match error {
        OpenIdError::Away(_) => (
            StatusCode::BAD_GATEWAY,
            "The login service does not respond. Try again later, or log in with a password.",
        ),
        OpenIdError::Refused(_) => (
            StatusCode::BAD_REQUEST,
            "The login failed. Try again. If it keeps failing, ask an owner to look into the server log.",
        ),
    };
    say(site, status, text, "").await
}

async fn not_let_in(site: &Site, error: PeopleError, next: &str) -> Response {
    let is_taken = matches!(error, PeopleError::Invalid(_));
    let error = ApiError::from(error);
    let status = if is_taken {
        StatusCode::CONFLICT
    } else {
        status_of(error.kind)
    };
    say(site, status, &error.text, next).await
}

/// Renders the login page with an error; a login there leads to `next`.
async fn say(site: &Site, status: StatusCode, text: &str, next: &str) -> Response {
    let page = format!("login?next={}", escaped(next));
    site.page(&page, status, (None, Said(text.to_owned())))
        .await
}
