//! First-run setup, login and logout: plain HTML forms that work without a script.

use super::answer::Answer;
use super::form::PageForm;
use super::load::holding;
use super::next::{escaped, local};
use super::{Peer, Site};
use crate::api::SecretCookies;
use crate::people::{Caller, Format, LoginSecrets, NewLogin, PeopleError};
use crate::ui::auth::Said;
use axum::Extension;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use futures_util::TryStreamExt as _;
use serde::Deserialize;

/// Longest name that a form shows again, in characters.
const NAME: usize = 100;

/// The login form.
#[derive(Deserialize)]
pub struct LogIn {
    name: String,
    password: String,
    #[serde(default)]
    next: String,
}

/// Logs the user in and redirects to the page they asked for.
pub async fn log_in(
    State(site): State<Site>,
    Extension(Peer(address)): Extension<Peer>,
    Extension(cookies): Extension<SecretCookies>,
    headers: HeaderMap,
    PageForm(form): PageForm<LogIn>,
) -> Response {
    let next = local(&form.next, &site.base).unwrap_or_else(|| site.base.clone());
    let new = NewLogin {
        name: &form.name,
        password: &form.password,
        device: device(&headers),
        known: cookies.device.read(&headers).unwrap_or_default(),
        address: &address,
    };
    match site.people.log_in(new).await {
        Ok(secrets) => logged_in(&site, &cookies, &headers, &address, &secrets, &next).await,
        Err(PeopleError::SecondFactor(half)) => half_logged_in(&site, &cookies, &half, &next),
        Err(error) => {
            let page = format!("login?next={}&name={}", escaped(&next), kept(&form.name));
            refused(&site, &page, error, (&headers, &cookies)).await
        }
    }
}

/// The browser's User-Agent; empty if missing.
pub fn device(headers: &HeaderMap) -> &str {
    let device = headers.get(header::USER_AGENT);
    device
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// Sets the login and device cookies, and redirects to `next`.
pub async fn logged_in(
    site: &Site,
    cookies: &SecretCookies,
    headers: &HeaderMap,
    address: &str,
    secrets: &LoginSecrets,
    next: &str,
) -> Response {
    // A previous login in this browser ends.
    if let Some(before) = cookies.login.read(headers)
        && let Ok(Some(before)) = site.people.of_browser(before, address).await
        && let Err(error) = site.people.log_out(&before).await
    {
        tracing::warn!(%error, "cannot end the previous login");
    }
    let set = AppendHeaders([
        (header::SET_COOKIE, cookies.login.given(&secrets.login)),
        (header::SET_COOKIE, cookies.device.given(&secrets.device)),
    ]);
    (set, Redirect::to(next)).into_response()
}

/// Sends the browser to the page of the second factor.
pub fn half_logged_in(site: &Site, cookies: &SecretCookies, half: &str, next: &str) -> Response {
    let set = AppendHeaders([(header::SET_COOKIE, cookies.half.given(half))]);
    let next = escaped(next);
    let page = format!("{}second-factor?next={next}", site.base);
    (set, Redirect::to(&page)).into_response()
}

/// The setup form of the first owner.
#[derive(Deserialize)]
pub struct SetUp {
    code: String,
    name: String,
    password: String,
}

/// Creates the first owner and logs them in.
pub async fn set_up(
    State(site): State<Site>,
    Extension(Peer(address)): Extension<Peer>,
    Extension(cookies): Extension<SecretCookies>,
    headers: HeaderMap,
    PageForm(form): PageForm<SetUp>,
) -> Response {
    match site
        .people
        .set_up(&form.code, &form.name, &form.password, &address)
        .await
    {
        Ok(()) => {
            let form = LogIn {
                name: form.name,
                password: form.password,
                next: site.base.clone(),
            };
            log_in(
                State(site),
                Extension(Peer(address)),
                Extension(cookies),
                headers,
                PageForm(form),
            )
            .await
        }
        Err(error) => {
            let page = format!("set-up?name={}", kept(&form.name));
            refused(&site, &page, error, (&headers, &cookies)).await
        }
    }
}

/// A name that stays in its field, as the value of a query parameter.
pub fn kept(name: &str) -> String {
    let name: String = name.chars().take(NAME).collect();
    escaped(&name)
}

/// Logs out and redirects to the login page.
pub async fn log_out(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    Extension(cookies): Extension<SecretCookies>,
) -> Response {
    if let Err(error) = site.people.log_out(&by).await {
        tracing::error!(%error, "cannot end a login");
        return (
            StatusCode::INTERNAL_SERVER_ERROR,
            "Logging out failed. You are still logged in. Try again.",
        )
            .into_response();
    }
    let set = AppendHeaders([(header::SET_COOKIE, cookies.login.taken())]);
    (set, Redirect::to(&format!("{}login", site.base))).into_response()
}

/// The form of a link.
#[derive(Deserialize)]
pub struct Follow {
    /// The link, or its secret.
    pub code: String,
}

/// The secret of a link: users paste the whole link, or only the part after the #.
pub fn secret_in(code: &str) -> &str {
    code.rsplit('#').next().unwrap_or_default().trim()
}

/// Opens the conversation that a share link leads to. The page moves the secret from the fragment of `/link#…` into
/// a form, so the secret is never part of an address that a server, a proxy or another site can see.
pub async fn follow_link(
    State(site): State<Site>,
    Extension(Peer(address)): Extension<Peer>,
    Extension(cookies): Extension<SecretCookies>,
    by: Option<Extension<Caller>>,
    headers: HeaderMap,
    PageForm(form): PageForm<Follow>,
) -> Response {
    let secret = secret_in(&form.code);
    let sent = (&headers, &cookies);
    let (visitor, visit) = match site.people.of_link(secret, &address).await {
        Ok(Some(visitor)) => match visitor.visit() {
            Some(visit) => (visitor.clone(), visit.clone()),
            None => return refused(&site, "link", PeopleError::NoLink, sent).await,
        },
        Ok(None) => return refused(&site, "link", PeopleError::NoLink, sent).await,
        Err(error) => return refused(&site, "link", error, sent).await,
    };
    let page = Redirect::to(&format!("{}c/{}", site.base, visit.conversation));
    let account = by.filter(|Extension(by)| by.visit().is_none());
    match account {
        // A logged-in user opens the conversation with their own account, or not at all.
        Some(Extension(by)) if site.hub.sharings.sees(&by, &visit.conversation) => {
            page.into_response()
        }
        Some(_) => {
            let error = PeopleError::Invalid(HIDDEN.to_owned());
            refused(&site, "link", error, sent).await
        }
        None => {
            tracing::info!(link = -visitor.person, address, "a link was followed");
            let set = AppendHeaders([(header::SET_COOKIE, cookies.link.given(secret))]);
            (set, page).into_response()
        }
    }
}

const HIDDEN: &str = "Your account does not have access to this conversation. Open the link in a private window, or log \
                      out first.";

/// Renders the form's page again with the error, for the browser that sent these headers.
pub async fn refused(
    site: &Site,
    page: &str,
    error: PeopleError,
    sent: (&HeaderMap, &SecretCookies),
) -> Response {
    let wait = match error {
        PeopleError::Wait(seconds) => Some(seconds),
        _ => None,
    };
    let status = match error {
        PeopleError::Wait(_) => Some(StatusCode::TOO_MANY_REQUESTS),
        PeopleError::NoLink | PeopleError::NoInvitation => Some(StatusCode::GONE),
        _ => None,
    };
    let error = crate::api::ApiError::from(error);
    let status = status.unwrap_or_else(|| crate::api::status_of(error.kind));
    let said = Said(error.text);
    let mut response = site.page_of(page, status, said, sent).await;
    if let Some(seconds) = wait {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// The filter of the audit page.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Wanted {
    name: String,
    action: String,
    conversation: String,
    outcome: String,
}

/// Downloads the audit log as JSON Lines.
pub async fn audit_lines(
    site: State<Site>,
    by: Extension<Caller>,
    wanted: Query<Wanted>,
) -> Answer {
    let kind = "application/jsonl";
    audit(
        &site,
        &by,
        wanted.0,
        Format::JsonLines,
        (kind, "audit.jsonl"),
    )
}

/// Downloads the audit log as CSV.
pub async fn audit_table(
    site: State<Site>,
    by: Extension<Caller>,
    wanted: Query<Wanted>,
) -> Answer {
    let kind = "text/csv; charset=utf-8";
    audit(&site, &by, wanted.0, Format::Csv, (kind, "audit.csv"))
}

fn audit(
    site: &Site,
    by: &Caller,
    wanted: Wanted,
    format: Format,
    (kind, name): (&'static str, &str),
) -> Answer {
    let permit = site.load.export(by)?;
    let filter = crate::journal::AuditFilter {
        name: wanted.name,
        action: wanted.action,
        conversation: wanted.conversation,
        outcome: crate::journal::AuditOutcome::named(&wanted.outcome),
        before: None,
    };
    let pieces = site.people.audit().export(filter, format);
    let pieces = pieces.inspect_err(|error| tracing::error!(%error, "cannot read the audit log"));
    let body = holding(Body::from_stream(pieces), permit);
    Ok(super::files::download(kind, name, body))
}
