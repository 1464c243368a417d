//! The routes of passkeys, recovery codes and invitations: plain forms, and what their script asks for before it sends them.
//!
//! They are open: each finds out by itself who asks. Half a login gives no access anywhere else.

use super::auth::{Follow, device, half_logged_in, kept, logged_in, refused, secret_in};
use super::form::PageForm;
use super::next::{escaped, local};
use super::{Peer, Site};
use crate::api::{ApiError, SecretCookies, here, refusal, status_of};
use crate::people::{
    Caller, Credential, Half, LoginSecrets, NewLogin, PeopleError, Registered, Registrant,
};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use axum::{Extension, Json};
use serde::Deserialize;

/// A form that a passkey answers.
#[derive(Deserialize)]
pub struct Answered {
    /// The browser's answer, as JSON; empty without a script.
    #[serde(default)]
    answer: String,
    /// Name of a new passkey.
    #[serde(default)]
    name: String,
    #[serde(default)]
    next: String,
}

/// What every route reads of a request.
struct Asked<'a> {
    site: &'a Site,
    cookies: &'a SecretCookies,
    headers: &'a HeaderMap,
    address: &'a str,
}

impl Asked<'_> {
    fn half(&self) -> Option<Half> {
        self.site.people.half(self.cookies.half.read(self.headers)?)
    }

    fn challenge(&self) -> &str {
        self.cookies
            .challenge
            .read(self.headers)
            .unwrap_or_default()
    }

    fn new_login<'a>(&'a self, name: &'a str, password: &'a str) -> NewLogin<'a> {
        NewLogin {
            name,
            password,
            device: device(self.headers),
            known: self.cookies.device.read(self.headers).unwrap_or_default(),
            address: self.address,
        }
    }

    /// Logs the browser in, and forgets its half login.
    async fn enter(&self, secrets: &LoginSecrets, next: &str) -> Response {
        let next = local(next, &self.site.base).unwrap_or_else(|| self.site.base.clone());
        let done = logged_in(
            self.site,
            self.cookies,
            self.headers,
            self.address,
            secrets,
            &next,
        );
        (self.forget(), done.await).into_response()
    }

    fn forget(&self) -> impl axum::response::IntoResponseParts + use<> {
        let taken = |cookie: &crate::api::SecretCookie| (header::SET_COOKIE, cookie.taken());
        AppendHeaders([taken(&self.cookies.half), taken(&self.cookies.challenge)])
    }
}

/// What a script asks a browser for: JSON, and the challenge in a cookie.
fn asks(cookies: &SecretCookies, begun: Result<(String, String), PeopleError>) -> Response {
    match begun {
        Ok((asked, challenge)) => {
            let set = AppendHeaders([(header::SET_COOKIE, cookies.challenge.given(&challenge))]);
            let kind = [(header::CONTENT_TYPE, "application/json")];
            (set, kind, asked).into_response()
        }
        Err(error) => {
            let error = ApiError::from(error);
            (status_of(error.kind), Json(error)).into_response()
        }
    }
}

/// What a browser is asked to log in with a passkey.
pub async fn login_options(
    State(site): State<Site>,
    Extension(Peer(address)): Extension<Peer>,
    Extension(cookies): Extension<SecretCookies>,
    headers: HeaderMap,
    PageForm(form): PageForm<Second>,
) -> Response {
    let (site, cookies, headers) = (&site, &cookies, &headers);
    let asked = Asked {
        site,
        cookies,
        headers,
        address: &address,
    };
    let Ok(place) = here(cookies, headers) else {
        return asks(cookies, Err(PeopleError::Expired));
    };
    let half = asked.half();
    let begun = match form.second {
        true if half.is_none() => Err(PeopleError::Expired),
        true => site.people.begin_passkey_login(&place, half.as_ref()).await,
        false => site.people.begin_passkey_login(&place, None).await,
    };
    asks(cookies, begun)
}

/// Whether a form belongs to the page of the second factor.
#[derive(Deserialize)]
pub struct Second {
    #[serde(default)]
    second: bool,
}

/// Logs in with a passkey alone.
pub async fn log_in(
    State(site): State<Site>,
    Extension(Peer(address)): Extension<Peer>,
    Extension(cookies): Extension<SecretCookies>,
    headers: HeaderMap,
    PageForm(form): PageForm<Answered>,
) -> Response {
    let (site, cookies, headers) = (&site, &cookies, &headers);
    let asked = Asked {
        site,
        cookies,
        headers,
        address: &address,
    };
    finish_login(&asked, None, &form, "login").await
}

/// Completes a login with a passkey.
pub async fn log_in_second(
    State(site): State<Site>,
    Extension(Peer(address)): Extension<Peer>,
    Extension(cookies): Extension<SecretCookies>,
    headers: HeaderMap,
    PageForm(form): PageForm<Answered>,
) -> Response {
    let (site, cookies, headers) = (&site, &cookies, &headers);
    let asked = Asked {
        site,
        cookies,
        headers,
        address: &address,
    };
    let Some(half) = asked.half() else {
        return refused(site, "login", PeopleError::Expired, (headers, cookies)).await;
    };
    finish_login(&asked, Some(&half), &form, "second-factor").await
}

async fn finish_login(
    asked: &Asked<'_>,
    half: Option<&Half>,
    form: &Answered,
    page: &str,
) -> Response {
    let people = &asked.site.people;
    let outcome = match here(asked.cookies, asked.headers) {
        _ if form.answer.is_empty() => Err(no_script()),
        Err(_) => Err(PeopleError::Expired),
        Ok(place) => {
            let answer = (asked.challenge(), form.answer.as_str());
            let new = asked.new_login("", "");
            people.log_in_with_passkey(&place, half, answer, new).await
        }
    };
    match outcome {
        Ok(secrets) => asked.enter(&secrets, &form.next).await,
        Err(error) => again(asked, page, &form.next, error).await,
    }
}

/// Shows a page again, with the error.
async fn again(asked: &Asked<'_>, page: &str, next: &str, error: PeopleError) -> Response {
    let page = format!("{page}?next={}", escaped(next));
    refused(asked.site, &page, error, (asked.headers, asked.cookies)).await
}

fn no_script() -> PeopleError {
    PeopleError::Invalid("Nothing was sent: passkeys need JavaScript.".to_owned())
}

/// The form of a recovery code.
#[derive(Deserialize)]
pub struct Code {
    code: String,
    #[serde(default)]
    next: String,
}

/// Completes a login with a recovery code.
pub async fn recover(
    State(site): State<Site>,
    Extension(Peer(address)): Extension<Peer>,
    Extension(cookies): Extension<SecretCookies>,
    headers: HeaderMap,
    PageForm(form): PageForm<Code>,
) -> Response {
    let (site, cookies, headers) = (&site, &cookies, &headers);
    let asked = Asked {
        site,
        cookies,
        headers,
        address: &address,
    };
    let Some(half) = asked.half() else {
        return refused(site, "login", PeopleError::Expired, (headers, cookies)).await;
    };
    let new = asked.new_login("", "");
    match site.people.log_in_with_code(&half, &form.code, new).await {
        Ok(secrets) => asked.enter(&secrets, &form.next).await,
        Err(error) => again(&asked, "second-factor", &form.next, error).await,
    }
}

/// What a browser is asked to register a passkey.
pub async fn register_options(
    State(site): State<Site>,
    Extension(Peer(address)): Extension<Peer>,
    Extension(cookies): Extension<SecretCookies>,
    by: Option<Extension<Caller>>,
    headers: HeaderMap,
) -> Response {
    let (site, cookies, headers) = (&site, &cookies, &headers);
    let asked = Asked {
        site,
        cookies,
        headers,
        address: &address,
    };
    let Ok(place) = here(cookies, headers) else {
        return asks(cookies, Err(PeopleError::Expired));
    };
    let (by, half) = (login_of(by), asked.half());
    match registrant(by.as_ref(), half.as_ref()) {
        Some(registrant) => asks(cookies, site.people.begin_passkey(&place, registrant).await),
        None => (StatusCode::UNAUTHORIZED, Json(refusal(None))).into_response(),
    }
}

/// Registers a passkey; the browser is logged in afterwards, and sees new recovery codes once.
pub async fn register(
    State(site): State<Site>,
    Extension(Peer(address)): Extension<Peer>,
    Extension(cookies): Extension<SecretCookies>,
    by: Option<Extension<Caller>>,
    headers: HeaderMap,
    PageForm(form): PageForm<Answered>,
) -> Response {
    let (site, cookies, headers) = (&site, &cookies, &headers);
    let asked = Asked {
        site,
        cookies,
        headers,
        address: &address,
    };
    let (by, half) = (login_of(by), asked.half());
    let Some(registrant) = registrant(by.as_ref(), half.as_ref()) else {
        return refused(site, "login", PeopleError::Expired, (headers, cookies)).await;
    };
    let outcome = match here(cookies, headers) {
        _ if form.answer.is_empty() => Err(no_script()),
        Err(_) => Err(PeopleError::Expired),
        Ok(place) => {
            let answer = (asked.challenge(), form.answer.as_str());
            let new = asked.new_login("", "");
            let registered = site
                .people
                .finish_passkey(&place, registrant, answer, &form.name, new);
            registered.await
        }
    };
    match outcome {
        Ok(registered) => show(&asked, registered).await,
        Err(error) => again(&asked, "passkey", &form.next, error).await,
    }
}

/// Leads to the account page, which shows the recovery codes.
async fn show(asked: &Asked<'_>, registered: Registered) -> Response {
    let page = format!("{}account", asked.site.base);
    let response = match &registered.login {
        Some(secrets) => asked.enter(secrets, &page).await,
        None => (asked.forget(), Redirect::to(&page)).into_response(),
    };
    if registered.codes.is_empty() {
        return response;
    }
    let codes = asked.cookies.one_time_secret("account");
    let codes = codes.given(&registered.codes.join("."));
    (AppendHeaders([(header::SET_COOKIE, codes)]), response).into_response()
}

/// A caller who is logged in: a token registers nothing.
fn login_of(by: Option<Extension<Caller>>) -> Option<Caller> {
    let by = by.map(|Extension(by)| by);
    by.filter(|by| matches!(by.credential, Credential::Login(_)))
}

/// Whoever has begun to log in does so for that account, and not for the one that this browser was logged in to.
fn registrant<'a>(by: Option<&'a Caller>, half: Option<&'a Half>) -> Option<Registrant<'a>> {
    let half = half.map(Registrant::Half);
    half.or_else(|| by.map(Registrant::Caller))
}

/// Opens an invitation: its secret, which no address contains, is kept in a cookie for the form that makes the account.
pub async fn open_invitation(
    State(site): State<Site>,
    Extension(Peer(address)): Extension<Peer>,
    Extension(cookies): Extension<SecretCookies>,
    headers: HeaderMap,
    PageForm(form): PageForm<Follow>,
) -> Response {
    let secret = secret_in(&form.code);
    match site.people.open_invitation(secret, &address).await {
        Ok(()) => {
            let set = AppendHeaders([(header::SET_COOKIE, cookies.invitation.given(secret))]);
            (set, Redirect::to(&format!("{}invitation", site.base))).into_response()
        }
        Err(error) => refused(&site, "invitation", error, (&headers, &cookies)).await,
    }
}

/// The form of an invited person.
#[derive(Deserialize)]
pub struct Accept {
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
    /// Set to log in with a passkey instead of a password.
    #[serde(default)]
    passkey: bool,
}

/// Makes the account of an invited person.
pub async fn accept_invitation(
    State(site): State<Site>,
    Extension(Peer(address)): Extension<Peer>,
    Extension(cookies): Extension<SecretCookies>,
    headers: HeaderMap,
    PageForm(form): PageForm<Accept>,
) -> Response {
    let (site, cookies, headers) = (&site, &cookies, &headers);
    let asked = Asked {
        site,
        cookies,
        headers,
        address: &address,
    };
    let secret = cookies.invitation.read(headers).unwrap_or_default();
    let base = site.base.clone();
    let end = AppendHeaders([(header::SET_COOKIE, cookies.invitation.taken())]);
    if form.passkey {
        return match site
            .people
            .begin_invitation(secret, &form.name, &address)
            .await
        {
            Ok(half) => {
                let set = AppendHeaders([(header::SET_COOKIE, cookies.half.given(&half))]);
                (set, Redirect::to(&format!("{base}passkey"))).into_response()
            }
            Err(error) => invited_again(&asked, &form.name, error).await,
        };
    }
    let new = asked.new_login(&form.name, &form.password);
    match site.people.accept_invitation(secret, new).await {
        Ok(secrets) => (end, asked.enter(&secrets, &base).await).into_response(),
        Err(PeopleError::SecondFactor(half)) => {
            (end, half_logged_in(site, cookies, &half, &base)).into_response()
        }
        Err(error) => invited_again(&asked, &form.name, error).await,
    }
}

async fn invited_again(asked: &Asked<'_>, name: &str, error: PeopleError) -> Response {
    let page = format!("invitation?name={}", kept(name));
    refused(asked.site, &page, error, (asked.headers, asked.cookies)).await
}
