//! What server functions need of the server: who asks, the hub, and where to go after a form.
//!
//! The hub is handed out by [`allowed`] alone, which wants a right for it: a function that forgets to ask
//! for one does not compile.

use super::{ApiError, ApiErrorKind};
use crate::hub::{Hub, HubError};
use crate::people::{Caller, People, PeopleError, Right};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts};
use leptos::prelude::*;
use leptos_axum::ResponseOptions;

/// Path under which the app lives, ending in `/`.
#[derive(Debug, Clone)]
pub struct BasePath(pub String);

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

/// The hub, for somebody who has this right and sees this conversation.
pub(super) fn allowed_in(right: Right, conversation: &str) -> Result<Allowed, ApiError> {
    let allowed = allowed(right)?;
    if allowed.hub.sees(&allowed.by, conversation) {
        Ok(allowed)
    } else {
        Err(with_status(HubError::NotFound("conversation")))
    }
}

/// The people, for somebody who has this right.
pub(super) fn allowed_people(right: Right) -> Result<(People, Caller), ApiError> {
    let by = caller(right)?;
    Ok((use_context::<People>().ok_or_else(not_set_up)?, by))
}

fn caller(right: Right) -> Result<Caller, ApiError> {
    match use_context::<Caller>() {
        Some(by) if by.may(right) => Ok(by),
        by => {
            let error = refusal(by.as_ref());
            // A plain form goes back to its page, which says what is wrong.
            let is_form = use_context::<Parts>()
                .is_some_and(|parts| parts.method == Method::POST && wants_page(&parts.headers));
            if let Some(response) = use_context::<ResponseOptions>().filter(|_| !is_form) {
                response.set_status(match error.kind {
                    ApiErrorKind::SignedOut => StatusCode::UNAUTHORIZED,
                    _ => StatusCode::FORBIDDEN,
                });
            }
            Err(error)
        }
    }
}

/// What somebody is told who may not.
pub fn refusal(by: Option<&Caller>) -> ApiError {
    match by {
        None => ApiError::new(
            ApiErrorKind::SignedOut,
            "You are not logged in, or not any more. Log in, then try again.",
        ),
        Some(by) => ApiError::new(
            ApiErrorKind::Forbidden,
            format!(
                "Your role ({}) does not allow this. Ask an owner for another one.",
                by.role
            ),
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

/// The cookie that holds the secret of a login.
#[derive(Debug, Clone)]
pub struct LoginCookie {
    name: &'static str,
    attributes: String,
}

impl LoginCookie {
    /// For pages below `base`; over TLS it is bound to exactly this host.
    pub fn new(base: &str, tls: bool) -> Self {
        let (name, path, secure) = if tls {
            ("__Host-handrail", "/", "; Secure")
        } else {
            ("handrail", base, "")
        };
        Self {
            name,
            attributes: format!("Path={path}; HttpOnly; SameSite=Lax{secure}"),
        }
    }

    /// Gives a browser a secret.
    pub fn given(&self, secret: &str) -> HeaderValue {
        // The server ends a login itself; the browser need not keep it longer than that.
        value(&format!(
            "{}={secret}; Max-Age=2592000; {}",
            self.name, self.attributes
        ))
    }

    /// Takes it away again.
    pub fn taken(&self) -> HeaderValue {
        value(&format!("{}=; Max-Age=0; {}", self.name, self.attributes))
    }

    /// The secret of a request. Two of them are none: one was put there by somebody else.
    pub fn read<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let cookies = headers.get_all(header::COOKIE).iter();
        let mut ours = cookies
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|cookie| cookie.trim().split_once('='))
            .filter(|(name, _)| *name == self.name)
            .map(|(_, secret)| secret);
        let first = ours.next()?;
        ours.next().is_none().then_some(first)
    }
}

fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).expect("secrets and paths of ours are printable ASCII")
}

/// Gives this browser another secret.
pub(super) fn renew_login(secret: &str) {
    if let (Some(cookie), Some(response)) = (
        use_context::<LoginCookie>(),
        use_context::<ResponseOptions>(),
    ) {
        response.append_header(header::SET_COOKIE, cookie.given(secret));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cookies: &[&'static str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for cookie in cookies {
            headers.append(header::COOKIE, HeaderValue::from_static(cookie));
        }
        LoginCookie::new("/", false)
            .read(&headers)
            .map(str::to_owned)
    }

    #[test]
    fn a_cookie_is_read_if_there_is_exactly_one() {
        assert_eq!(read(&["theme=dark; handrail=abc"]).as_deref(), Some("abc"));
        assert_eq!(read(&["handrail=abc; handrail=def"]), None);
        assert_eq!(read(&["handrail=abc", "handrail=abc"]), None);
        assert_eq!(read(&["nothandrail=abc; handrail"]), None);
    }

    #[test]
    fn over_tls_a_cookie_belongs_to_this_host_alone() {
        let plain = LoginCookie::new("/a/b/", false).given("s");
        assert_eq!(
            plain,
            "handrail=s; Max-Age=2592000; Path=/a/b/; HttpOnly; SameSite=Lax"
        );
        let secure = LoginCookie::new("/a/b/", true).given("s");
        assert_eq!(
            secure,
            "__Host-handrail=s; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax; Secure"
        );
    }
}
