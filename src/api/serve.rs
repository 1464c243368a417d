//! What server functions need of the server: who asks, the hub, and where to go after a form.
//!
//! The hub is handed out by [`allowed`] alone, which wants a right for it: a function that forgets to ask
//! for one does not compile.

use super::{ApiError, ApiErrorKind, SecretCookies};
use crate::hub::{Hub, HubError};
use crate::people::{Caller, People, PeopleError, Right, Role};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts};
use leptos::prelude::*;
use leptos_axum::ResponseOptions;

/// Path under which the app lives, ending in `/`.
#[derive(Debug, Clone)]
pub struct BasePath(pub String);

/// With what people can log in beside a password.
#[derive(Debug, Clone)]
pub struct SignOn(pub String);

/// Somebody who may do what they are about to do.
pub(super) struct Allowed {
    pub(super) hub: Hub,
    pub(super) by: Caller,
}

/// The hub, for somebody who has this right.
pub(super) fn allowed(right: Right) -> Result<Allowed, ApiError> {
    let by = caller(right)?;
    let hub = use_context::<Hub>().ok_or_else(not_set_up)?;
    Ok(Allowed { hub, by })
}

/// The hub, for somebody who has this right in this conversation, where it may be more or less than elsewhere.
pub(super) fn allowed_in(right: Right, conversation: &str) -> Result<Allowed, ApiError> {
    let allowed = allowed(Right::See)?;
    match allowed.hub.role_in(&allowed.by, conversation) {
        Some(role) if role.may(right) => Ok(allowed),
        Some(role) => Err(refused(Some(role))),
        None => Err(with_status(HubError::NotFound("conversation"))),
    }
}

/// The people and the hub, for somebody who may say who sees this conversation.
pub(super) fn allowed_sharing(conversation: &str) -> Result<(People, Allowed), ApiError> {
    let allowed = allowed_in(Right::Operate, conversation)?;
    allowed.hub.may_share(&allowed.by, conversation)?;
    Ok((use_context::<People>().ok_or_else(not_set_up)?, allowed))
}

/// The people, for somebody who has this right.
pub(super) fn allowed_people(right: Right) -> Result<(People, Caller), ApiError> {
    let by = caller(right)?;
    Ok((use_context::<People>().ok_or_else(not_set_up)?, by))
}

fn caller(right: Right) -> Result<Caller, ApiError> {
    match use_context::<Caller>() {
        Some(by) if by.may(right) => Ok(by),
        by => Err(refused(by.map(|by| by.role))),
    }
}

/// Refuses, with the status that fits.
fn refused(role: Option<Role>) -> ApiError {
    let error = refusal(role);
    // A plain form goes back to its page, which says what is wrong.
    if let Some(response) = use_context::<ResponseOptions>().filter(|_| form_parts().is_none()) {
        response.set_status(match error.kind {
            ApiErrorKind::SignedOut => StatusCode::UNAUTHORIZED,
            _ => StatusCode::FORBIDDEN,
        });
    }
    error
}

/// The request, if it is a plain form.
fn form_parts() -> Option<Parts> {
    use_context::<Parts>()
        .filter(|parts| parts.method == Method::POST && wants_page(&parts.headers))
}

/// What somebody is told who may not.
pub fn refusal(role: Option<Role>) -> ApiError {
    match role {
        None => ApiError::new(
            ApiErrorKind::SignedOut,
            "You are not logged in, or not any more. Log in, then try again.",
        ),
        Some(role) => ApiError::new(
            ApiErrorKind::Forbidden,
            format!("Your role ({role}) does not allow this. Ask an owner for another one."),
        ),
    }
}

/// Whether a person will read the answer in a browser, rather than a script.
pub fn wants_page(headers: &HeaderMap) -> bool {
    headers
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.contains("text/html"))
}

fn not_set_up() -> ApiError {
    ApiError::new(
        ApiErrorKind::Internal,
        "The server is not set up for this request.",
    )
}

impl From<PeopleError> for ApiError {
    fn from(error: PeopleError) -> Self {
        use ApiErrorKind as Kind;
        let (kind, text) = match &error {
            PeopleError::Invalid(text) => (Kind::Invalid, text.clone()),
            PeopleError::NotFound(what) => (Kind::NotFound, format!("There is no such {what}.")),
            PeopleError::Wrong => (Kind::SignedOut, "The name or the password is wrong.".to_owned()),
            PeopleError::Wait(seconds) => (
                Kind::Conflict,
                format!("That was tried too often. Wait {seconds} seconds, then try again."),
            ),
            PeopleError::LastOwner => (
                Kind::Conflict,
                "There must be an owner. Make somebody else owner first.".to_owned(),
            ),
            PeopleError::NoSetUp => (
                Kind::NotFound,
                "The code is wrong or too old, or Handrail is set up already.".to_owned(),
            ),
            PeopleError::NotInvited => (
                Kind::Forbidden,
                "You have no account here. Ask an owner to let you in; who has one links it on the account page.".to_owned(),
            ),
            PeopleError::NoLink => (
                Kind::NotFound,
                "This link has expired or was revoked. Ask whoever gave it to you for another one.".to_owned(),
            ),
            PeopleError::Code(_) | PeopleError::Journal(_) | PeopleError::Hashing => (
                Kind::Internal,
                "Handrail cannot read or write its own data. Is the disk full? The server's log says more.".to_owned(),
            ),
        };
        if kind == Kind::Internal {
            tracing::error!(%error, "a request about people failed");
        }
        Self { kind, text }
    }
}

/// Sends a plain form to a page of ours; with a script nothing happens.
pub(super) fn go_to(path: &str) {
    let base = use_context::<BasePath>().map_or_else(|| "/".to_owned(), |base| base.0);
    leptos_axum::redirect(&format!("{base}{path}"));
}

/// Gives the answer the status of its error: a page of something that does not exist is a 404.
pub(super) fn with_status(error: HubError) -> ApiError {
    let error = ApiError::from(error);
    if error.kind == ApiErrorKind::NotFound
        && let Some(response) = use_context::<ResponseOptions>()
    {
        response.set_status(StatusCode::NOT_FOUND);
    }
    error
}

impl From<HubError> for ApiError {
    fn from(error: HubError) -> Self {
        let (kind, text) = error.for_people();
        if kind == ApiErrorKind::Internal {
            tracing::error!(%error, "a request failed");
        } else {
            tracing::info!(%error, "a request was refused");
        }
        Self { kind, text }
    }
}

/// Gives this browser another secret of its login.
pub(super) fn renew_login(secret: &str) {
    if let Some(cookies) = use_context::<SecretCookies>() {
        set_cookie(cookies.login.given(secret));
    }
}

/// Has a secret that a plain form has made shown by its page, this once. With a script it is in the answer.
pub(super) fn show_once(page: &str, secret: &str) {
    if let (Some(cookies), Some(_)) = (use_context::<SecretCookies>(), form_parts()) {
        set_cookie(cookies.made(page).given(secret));
    }
}

/// The secret that a plain form has made for this page; it is not there a second time.
pub(super) fn made_for(page: &str) -> Option<String> {
    let cookie = use_context::<SecretCookies>()?.made(page);
    let parts = use_context::<Parts>()?;
    let secret = cookie.read(&parts.headers)?.to_owned();
    set_cookie(cookie.taken());
    Some(secret)
}

/// The whole address of a page of ours, as this browser has reached us.
pub(super) fn address_here(path: &str) -> String {
    let base = use_context::<BasePath>().map_or_else(|| "/".to_owned(), |base| base.0);
    let secure = use_context::<SecretCookies>().is_some_and(|cookies| cookies.is_secure());
    let scheme = if secure { "https" } else { "http" };
    let host = use_context::<Parts>().and_then(|parts| {
        let host = parts.headers.get(header::HOST)?.to_str().ok()?;
        Some(host.to_owned())
    });
    match host {
        Some(host) => format!("{scheme}://{host}{base}{path}"),
        None => format!("{base}{path}"),
    }
}

fn set_cookie(cookie: HeaderValue) {
    if let Some(response) = use_context::<ResponseOptions>() {
        response.append_header(header::SET_COOKIE, cookie);
    }
}
