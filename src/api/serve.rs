//! What server functions need from the server: the caller, the hub, and redirects for plain forms.
//!
//! Only [`allowed`] and its siblings hand out the hub, and they take a right: a function without a permission check does
//! not compile.
//!
//! Long because the texts of all errors for users are here, next to the statuses that go with them.

use super::{ApiError, ApiErrorKind, SecretCookie, SecretCookies};
use crate::hub::{DATABASE_AWAY, DATABASE_LOST, DISK_FULL, Hub, HubError};
use crate::journal::JournalError;
use crate::notify::{Notifier, NotifyError};
use crate::people::{Caller, PasskeysHere, People, PeopleError, Place, Right, Role};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts};
use leptos::prelude::*;
use leptos_axum::ResponseOptions;

/// Base path of the app, ending in `/`.
#[derive(Debug, Clone)]
pub struct BasePath(pub String);

/// The login method besides a password.
#[derive(Debug, Clone)]
pub struct SignOn {
    /// Its name.
    pub name: String,
    /// The secret with which the account page starts linking: no other page has it.
    pub proof: String,
}

/// A caller with permission for this request.
pub(super) struct Allowed {
    pub(super) hub: Hub,
    pub(super) by: Caller,
}

/// The hub, for a caller with this right.
pub(super) fn allowed(right: Right) -> Result<Allowed, ApiError> {
    let by = caller(right)?;
    let hub = use_context::<Hub>().ok_or_else(not_set_up)?;
    Ok(Allowed { hub, by })
}

/// The hub, for a caller with this right in this conversation; their role in it may differ from their role elsewhere.
pub(super) fn allowed_in(right: Right, conversation: &str) -> Result<Allowed, ApiError> {
    let allowed = allowed(Right::See)?;
    check_right_in(&allowed.hub, &allowed.by, right, conversation).map_err(with_status)?;
    Ok(allowed)
}

/// The hub, for a caller who may see this conversation. Whoever has its address may be the first to come: it may not be
/// listed yet.
pub(super) async fn allowed_to_see(conversation: &str) -> Result<Allowed, ApiError> {
    let Allowed { hub, by } = allowed(Right::See)?;
    let found = hub.catalogue.find_role(&by, conversation).await;
    found.map_err(with_status)?;
    allowed_in(Right::See, conversation)
}

/// Checks that a caller has this right in this conversation.
///
/// # Errors
/// "Forbidden" if the role is too low, "not found" for callers without any access.
pub fn check_right_in(
    hub: &Hub,
    by: &Caller,
    right: Right,
    conversation: &str,
) -> Result<(), ApiError> {
    match hub.sharings.role_in(by, conversation) {
        Some(role) if role.may(right) => Ok(()),
        Some(role) => Err(refusal(Some(role))),
        None => Err(HubError::NotFound("conversation").into()),
    }
}

/// The accounts and the hub, for a caller who may share this conversation.
pub(super) fn allowed_sharing(conversation: &str) -> Result<(People, Allowed), ApiError> {
    let allowed = allowed_in(Right::Operate, conversation)?;
    allowed.hub.sharings.may_share(&allowed.by, conversation)?;
    Ok((use_context::<People>().ok_or_else(not_set_up)?, allowed))
}

/// The accounts, for a caller with this right.
pub(super) fn allowed_people(right: Right) -> Result<(People, Caller), ApiError> {
    let by = caller(right)?;
    Ok((use_context::<People>().ok_or_else(not_set_up)?, by))
}

/// The notifier, for a caller who may read.
pub(super) fn allowed_notifications() -> Result<(Notifier, Caller), ApiError> {
    let by = caller(Right::Read)?;
    Ok((use_context::<Notifier>().ok_or_else(not_set_up)?, by))
}

/// The accounts, for a user who is logged in: tokens and links have no access to the account page.
pub(super) fn own_account() -> Result<(People, Caller), ApiError> {
    let (people, by) = allowed_people(Right::Read)?;
    match by.login() {
        Ok(_) => Ok((people, by)),
        Err(error) => Err(with_status(error)),
    }
}

fn caller(right: Right) -> Result<Caller, ApiError> {
    match use_context::<Caller>() {
        Some(by) if by.may(right) => Ok(by),
        by => Err(with_status(refusal(by.map(|by| by.role)))),
    }
}

/// The request, if it is from a plain form.
pub(super) fn form_parts() -> Option<Parts> {
    use_context::<Parts>()
        .filter(|parts| parts.method == Method::POST && wants_page(&parts.headers))
}

/// The error for a missing right.
pub fn refusal(role: Option<Role>) -> ApiError {
    match role {
        None => ApiError::new(
            ApiErrorKind::SignedOut,
            "You are not logged in. Log in, then try again.",
        ),
        Some(role) => ApiError::new(
            ApiErrorKind::Forbidden,
            format!("Your role ({role}) does not allow this. Ask an owner if you need it."),
        ),
    }
}

/// Whether the response is for a browser page rather than a script.
pub fn wants_page(headers: &HeaderMap) -> bool {
    headers
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.contains("text/html"))
}

pub(super) fn not_set_up() -> ApiError {
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
            PeopleError::NotFound(what) => (Kind::NotFound, format!("The {what} was not found. Reload the page.")),
            PeopleError::Wrong => (Kind::SignedOut, "Wrong name or password.".to_owned()),
            PeopleError::NeedsLogin => (
                Kind::Forbidden,
                "Log in to see and change your account. An access token or a link is not enough."
                    .to_owned(),
            ),
            PeopleError::NeedsRecentLogin => (
                Kind::Forbidden,
                "This changes how you log in, so it needs a login of the last 15 minutes. Log out and in again, then repeat it.".to_owned(),
            ),
            PeopleError::Wait(seconds) => (
                Kind::Conflict,
                format!(
                    "Too many failed attempts. To protect the accounts, Handrail accepts no more for now. Wait {}, then try again.",
                    in_words(*seconds)
                ),
            ),
            PeopleError::LastOwner => (
                Kind::Conflict,
                "There must be at least one owner. Promote someone else first.".to_owned(),
            ),
            PeopleError::NoSetUp => (
                Kind::NotFound,
                "The code is wrong or has expired, or Handrail is already set up. For a new code, run on the machine that Handrail runs on: handrail set-up-code".to_owned(),
            ),
            PeopleError::NotInvited => (
                Kind::Forbidden,
                "You have no account here. Ask an owner to add you. If you have an account, link it on the Account page.".to_owned(),
            ),
            PeopleError::SecondFactor(_) => (
                Kind::SignedOut,
                "The password is right. A passkey must follow.".to_owned(),
            ),
            PeopleError::Passkey(_) => (
                Kind::SignedOut,
                "This passkey was not accepted. Try again, or use another way to log in.".to_owned(),
            ),
            PeopleError::WrongCode => (
                Kind::SignedOut,
                "This recovery code is wrong, or was used before. Each code works once.".to_owned(),
            ),
            PeopleError::Expired => (
                Kind::SignedOut,
                "This took too long, or was completed already. Start again.".to_owned(),
            ),
            PeopleError::NoInvitation => (
                Kind::NotFound,
                "This invitation was used or revoked, or has expired. Ask an owner for a new one.".to_owned(),
            ),
            PeopleError::NoLink => (
                Kind::NotFound,
                "This link has expired or was revoked. Ask for a new one.".to_owned(),
            ),
            PeopleError::Journal(JournalError::Away(_)) => (Kind::Away, DATABASE_AWAY.to_owned()),
            PeopleError::Journal(JournalError::Indeterminate(_)) => {
                (Kind::Indeterminate, DATABASE_LOST.to_owned())
            }
            PeopleError::Journal(JournalError::Full(_)) => (Kind::Full, DISK_FULL.to_owned()),
            PeopleError::Code(_) | PeopleError::Journal(_) | PeopleError::Hashing => (
                Kind::Internal,
                "Handrail cannot read or write its data. The disk may be full. The server log has details.".to_owned(),
            ),
        };
        if kind == Kind::Internal {
            tracing::error!(%error, "a request about people failed");
        }
        Self { kind, text }
    }
}

impl From<NotifyError> for ApiError {
    fn from(error: NotifyError) -> Self {
        match error {
            NotifyError::Hub(error) => error.into(),
            NotifyError::Invalid(text) => Self::new(ApiErrorKind::Invalid, text),
            NotifyError::NotFound(what) => HubError::NotFound(what).into(),
            NotifyError::Journal(error) => HubError::Journal(error).into(),
            NotifyError::Setup(_) => {
                tracing::error!(%error, "a request about notifications failed");
                not_set_up()
            }
        }
    }
}

/// A waiting time in words.
fn in_words(seconds: u64) -> String {
    match seconds {
        1 => "1 second".to_owned(),
        ..=90 => format!("{seconds} seconds"),
        _ => format!("{} minutes", seconds.div_ceil(60)),
    }
}

/// Redirects a plain form to a page of the app; has no effect on a request from a script.
pub(super) fn go_to(path: &str) {
    let base = use_context::<BasePath>().map_or_else(|| "/".to_owned(), |base| base.0);
    leptos_axum::redirect(&format!("{base}{path}"));
}

/// The page that a plain form returns to: its own, or the list if that is not a page of the app or is gone.
pub(super) fn go_back(page: &str, gone: &[&str]) {
    go_to(return_page(page, gone));
}

fn return_page<'a>(page: &'a str, gone: &[&str]) -> &'a str {
    let mut known = ["?", "c/", "inbox", "new"].into_iter();
    let is_ours = known.any(|start| page.starts_with(start))
        && page.bytes().all(|byte| byte.is_ascii_graphic());
    let shown = page.strip_prefix("c/").unwrap_or_default();
    let shown = shown.split(['?', '/']).next().unwrap_or_default();
    if is_ours && !gone.contains(&shown) {
        page
    } else {
        ""
    }
}

/// Sets the status of a page from its error: 404 if the subject does not exist. Responses of server functions get
/// their status from [`status_of`] in any case.
pub(super) fn with_status(error: impl Into<ApiError>) -> ApiError {
    let error = error.into();
    let is_told = matches!(
        error.kind,
        ApiErrorKind::SignedOut
            | ApiErrorKind::Forbidden
            | ApiErrorKind::NotFound
            | ApiErrorKind::Away
    );
    // A plain form returns to its page, which shows the error.
    if let Some(response) = use_context::<ResponseOptions>().filter(|_| form_parts().is_none())
        && is_told
    {
        response.set_status(status_of(error.kind));
    }
    error
}

/// The HTTP status for this kind of error.
pub fn status_of(kind: ApiErrorKind) -> StatusCode {
    match kind {
        ApiErrorKind::Invalid => StatusCode::BAD_REQUEST,
        ApiErrorKind::SignedOut => StatusCode::UNAUTHORIZED,
        ApiErrorKind::Forbidden => StatusCode::FORBIDDEN,
        ApiErrorKind::NotFound => StatusCode::NOT_FOUND,
        ApiErrorKind::Conflict => StatusCode::CONFLICT,
        ApiErrorKind::BackendAway | ApiErrorKind::BackendRefuses => StatusCode::BAD_GATEWAY,
        ApiErrorKind::Indeterminate | ApiErrorKind::Connection => StatusCode::GATEWAY_TIMEOUT,
        ApiErrorKind::Full => StatusCode::INSUFFICIENT_STORAGE,
        ApiErrorKind::Away => StatusCode::SERVICE_UNAVAILABLE,
        ApiErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl From<HubError> for ApiError {
    fn from(error: HubError) -> Self {
        let (kind, text) = error.for_people();
        if matches!(
            kind,
            ApiErrorKind::Internal | ApiErrorKind::Full | ApiErrorKind::Away
        ) {
            tracing::error!(%error, "a request failed");
        } else {
            tracing::info!(%error, "a request was refused");
        }
        Self { kind, text }
    }
}

/// Gives this browser a new secret for its login.
pub(super) fn renew_login(secret: &str) {
    if let Some(cookies) = use_context::<SecretCookies>() {
        set_cookie(cookies.login.given(secret));
    }
}

/// Where passkeys belong to in this request.
///
/// # Errors
/// What they need that is not so.
pub fn here(cookies: &SecretCookies, headers: &HeaderMap) -> Result<Place, PasskeysHere> {
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    Place::new(cookies.is_secure(), host.unwrap_or_default())
}

/// The same for the request of a page or a function.
pub(super) fn place_here() -> Result<Place, PasskeysHere> {
    match (use_context::<SecretCookies>(), use_context::<Parts>()) {
        (Some(cookies), Some(parts)) => here(&cookies, &parts.headers),
        _ => Err(PasskeysHere::default()),
    }
}

/// Whether passkeys work in this request.
pub(super) fn passkeys_here() -> PasskeysHere {
    place_here().err().unwrap_or(PasskeysHere::Work)
}

/// The secret in one of the cookies of this request.
pub(super) fn secret_of(cookie: impl Fn(&SecretCookies) -> &SecretCookie) -> Option<String> {
    let (cookies, parts) = (use_context::<SecretCookies>()?, use_context::<Parts>()?);
    cookie(&cookies).read(&parts.headers).map(str::to_owned)
}

/// Has the page of a plain form show a new secret once. A script gets it in the response.
pub(super) fn show_once(page: &str, secret: &str) {
    if let (Some(cookies), Some(_)) = (use_context::<SecretCookies>(), form_parts()) {
        set_cookie(cookies.one_time_secret(page).given(secret));
    }
}

/// The secret that a plain form has created for this page; it can be read once.
pub(super) fn one_time_secret_for(page: &str) -> Option<String> {
    let cookie = use_context::<SecretCookies>()?.one_time_secret(page);
    let parts = use_context::<Parts>()?;
    let secret = cookie.read(&parts.headers)?.to_owned();
    set_cookie(cookie.taken());
    Some(secret)
}

/// The absolute URL of a page of the app, with the host that this browser uses.
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

/// The browser's description of itself; empty without one.
pub(super) fn browser_here() -> String {
    let described = use_context::<Parts>().and_then(|parts| {
        let described = parts.headers.get(header::USER_AGENT)?.to_str().ok()?;
        Some(described.to_owned())
    });
    described.unwrap_or_default()
}

/// Keeps a choice, `name=value`, for a year in a cookie that scripts read and set, too.
pub(super) fn keep_choice(choice: &str) {
    let known = choice.split_once('=').is_some_and(|(name, value)| {
        ["theme", "text", "lines", "diffs"].contains(&name)
            && value.bytes().all(|byte| byte.is_ascii_lowercase())
    });
    let base = use_context::<BasePath>().map_or_else(|| "/".to_owned(), |base| base.0);
    let cookie = format!("{choice}; Path={base}; Max-Age=31536000; SameSite=Lax");
    if let (true, Ok(cookie)) = (known, cookie.parse()) {
        set_cookie(cookie);
    }
}

fn set_cookie(cookie: HeaderValue) {
    if let Some(response) = use_context::<ResponseOptions>() {
        response.append_header(header::SET_COOKIE, cookie);
    }
}

#[cfg(test)]
mod tests {
    use super::return_page;

    #[test]
    fn a_form_returns_only_to_an_existing_page_of_the_app() {
        for page in ["?q=parser&show=mine", "c/1?panel=files", "inbox", ""] {
            assert_eq!(return_page(page, &["2"]), page);
        }
        for page in [
            "c/2",
            "c/2?panel=files",
            "/elsewhere.example",
            "https://e",
            "?a\r\nb",
        ] {
            assert_eq!(return_page(page, &["2"]), "");
        }
    }
}
