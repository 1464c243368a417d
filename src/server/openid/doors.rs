//! The two addresses of a login by OpenID Connect: where it begins, and where the browser comes back to.

use super::{OpenIdError, Returned};
use crate::api::{ApiError, SecretCookies};
use crate::people::{Caller, Credential, PeopleError};
use crate::server::doors::{device, logged_in};
use crate::server::next::local;
use crate::server::{Peer, Site};
use crate::ui::doors::Said;
use axum::Extension;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use serde::Deserialize;

/// What a browser wants that begins.
#[derive(Deserialize)]
pub struct Wanted {
    #[serde(default)]
    next: String,
    /// Who is logged in wants to log in this way from now on.
    link: Option<String>,
}

/// Leads to the provider.
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
    let links = login.filter(|_| wanted.link.is_some() && from_our_page(&headers));
    let next = if links.is_some() {
        format!("{}account", site.base)
    } else {
        local(&wanted.next, &site.base).unwrap_or_else(|| site.base.clone())
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
        Ok((key, address)) => {
            let set = AppendHeaders([(header::SET_COOKIE, cookies.openid.given(&key))]);
            (set, Redirect::to(address.as_str())).into_response()
        }
        Err(error) => refused(&site, &error).await,
    }
}

/// The browser comes back.
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
    let key = cookies.openid.read(&headers).unwrap_or_default();
    let (identity, flow) = match openid.finish(key, returned).await {
        Ok(finished) => finished,
        Err(error) => return refused(&site, &error).await,
    };
    let Some(person) = flow.links else {
        let device = device(&headers);
        return match site.people.log_in_as(&identity, device, &address).await {
            Ok(secret) => logged_in(&site, &cookies, &headers, &address, &secret, &flow.next).await,
            Err(error) => not_let_in(&site, error).await,
        };
    };
    // Whoever began must still be there: the link is theirs and nobody else's.
    let by = by.map(|Extension(by)| by).filter(|by| by.person == person);
    let linked = match &by {
        Some(by) => site.people.add_identity(by, &identity).await,
        None => Err(PeopleError::Wrong),
    };
    match linked {
        Ok(()) => Redirect::to(&flow.next).into_response(),
        Err(error) => not_let_in(&site, error).await,
    }
}

/// Whether a browser says that a page of ours has led here, where it says something.
fn from_our_page(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site");
    site.is_none_or(|site| site == "same-origin")
}

async fn refused(site: &Site, error: &OpenIdError) -> Response {
    tracing::warn!(%error, "a login by OpenID Connect failed");
    let (status, text) = match error {
        OpenIdError::Away(_) => (
            StatusCode::BAD_GATEWAY,
            "The service that you log in with does not answer. Try again later, or log in with a password.",
        ),
        OpenIdError::Refused(_) => (
            StatusCode::BAD_REQUEST,
            "This login did not work, so nobody was let in. Begin again; the server's log says more.",
        ),
    };
    site.page("login", status, (None, Said(text.to_owned())))
        .await
}

async fn not_let_in(site: &Site, error: PeopleError) -> Response {
    let status = match error {
        PeopleError::NotInvited | PeopleError::Wrong => StatusCode::FORBIDDEN,
        PeopleError::Invalid(_) => StatusCode::CONFLICT,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let said = Said(ApiError::from(error).text);
    site.page("login", status, (None, said)).await
}
