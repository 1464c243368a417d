//! Setting up, logging in, logging out: plain forms, which need no script.

use super::next::local;
use super::{Peer, Site};
use crate::api::SecretCookies;
use crate::people::{Caller, Format, NewLogin, PeopleError, export};
use crate::ui::doors::Said;
use axum::Extension;
use axum::Form;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use serde::Deserialize;

/// What somebody logs in with.
#[derive(Deserialize)]
pub struct LogIn {
    name: String,
    password: String,
    #[serde(default)]
    next: String,
}

/// Logs somebody in and leads them to where they wanted to go.
pub async fn log_in(
    State(site): State<Site>,
    Extension(Peer(address)): Extension<Peer>,
    Extension(cookies): Extension<SecretCookies>,
    headers: HeaderMap,
    Form(form): Form<LogIn>,
) -> Response {
    let next = local(&form.next, &site.base).unwrap_or_else(|| site.base.clone());
    let new = NewLogin {
        name: &form.name,
        password: &form.password,
        device: device(&headers),
        address: &address,
    };
    match site.people.log_in(new).await {
        Ok(secret) => logged_in(&site, &cookies, &headers, &address, &secret, &next).await,
        Err(error) => {
            let query = format!("login?next={}", super::next::escaped(&next));
            refused(&site, &query, error).await
        }
    }
}

/// What a browser calls itself.
pub fn device(headers: &HeaderMap) -> &str {
    let device = headers.get(header::USER_AGENT);
    device
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

/// Gives a browser its new login, and leads it on.
pub async fn logged_in(
    site: &Site,
    cookies: &SecretCookies,
    headers: &HeaderMap,
    address: &str,
    secret: &str,
    next: &str,
) -> Response {
    // Whoever was logged in here before is not any more.
    if let Some(before) = cookies.login.read(headers)
        && let Ok(Some(before)) = site.people.of_browser(before, address).await
        && let Err(error) = site.people.log_out(&before).await
    {
        tracing::warn!(%error, "the login of before could not be ended");
    }
    let set = AppendHeaders([(header::SET_COOKIE, cookies.login.given(secret))]);
    (set, Redirect::to(next)).into_response()
}

/// What the first owner is made of.
#[derive(Deserialize)]
pub struct SetUp {
    code: String,
    name: String,
    password: String,
}

/// Makes the first owner and logs them in.
pub async fn set_up(
    State(site): State<Site>,
    Extension(Peer(address)): Extension<Peer>,
    Extension(cookies): Extension<SecretCookies>,
    headers: HeaderMap,
    Form(form): Form<SetUp>,
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
                Form(form),
            )
            .await
        }
        Err(error) => refused(&site, "set-up", error).await,
    }
}

/// Logs out and leads to the login page.
pub async fn log_out(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    Extension(cookies): Extension<SecretCookies>,
) -> Response {
    if let Err(error) = site.people.log_out(&by).await {
        tracing::error!(%error, "a login could not be ended");
        return (
            StatusCode::INTERNAL_SERVER_ERROR,
            "You are still logged in. Try again.",
        )
            .into_response();
    }
    let set = AppendHeaders([(header::SET_COOKIE, cookies.login.taken())]);
    (set, Redirect::to(&format!("{}login", site.base))).into_response()
}

/// What somebody has who was given a link.
#[derive(Deserialize)]
pub struct Follow {
    code: String,
}

/// Lets somebody watch the conversation that a link leads to. The secret comes in a form: `/link#…` is put into it
/// by the page, so that it is in no address that a server, a proxy or another site sees.
pub async fn follow_link(
    State(site): State<Site>,
    Extension(Peer(address)): Extension<Peer>,
    Extension(cookies): Extension<SecretCookies>,
    by: Option<Extension<Caller>>,
    Form(form): Form<Follow>,
) -> Response {
    // Pasted whole, or what stands behind the # alone.
    let secret = form.code.rsplit('#').next().unwrap_or_default().trim();
    let (visitor, visit) = match site.people.of_link(secret, &address).await {
        Ok(Some(visitor)) => match visitor.visit() {
            Some(visit) => (visitor.clone(), visit.clone()),
            None => return refused(&site, "link", PeopleError::NoLink).await,
        },
        Ok(None) => return refused(&site, "link", PeopleError::NoLink).await,
        Err(error) => return refused(&site, "link", error).await,
    };
    let page = Redirect::to(&format!("{}c/{}", site.base, visit.conversation));
    let account = by.filter(|Extension(by)| by.visit().is_none());
    match account {
        // Who is logged in sees it as themselves, or not at all.
        Some(Extension(by)) if site.hub.sees(&by, &visit.conversation) => page.into_response(),
        Some(_) => refused(&site, "link", PeopleError::Invalid(HIDDEN.to_owned())).await,
        None => {
            tracing::info!(link = -visitor.person, address, "a link was followed");
            let set = AppendHeaders([(header::SET_COOKIE, cookies.link.given(secret))]);
            (set, page).into_response()
        }
    }
}

const HIDDEN: &str = "You are logged in, and as who you are you do not see this conversation. Open the link in a \
                      private window, or log out first.";

/// The page once more, and why it was not done.
async fn refused(site: &Site, page: &str, error: PeopleError) -> Response {
    let wait = match error {
        PeopleError::Wait(seconds) => Some(seconds),
        _ => None,
    };
    let status = match error {
        PeopleError::Wait(_) => StatusCode::TOO_MANY_REQUESTS,
        PeopleError::Wrong => StatusCode::UNAUTHORIZED,
        PeopleError::NoSetUp => StatusCode::NOT_FOUND,
        PeopleError::NoLink => StatusCode::GONE,
        PeopleError::Invalid(_) => StatusCode::BAD_REQUEST,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let said = Said(crate::api::ApiError::from(error).text);
    let mut response = site.page(page, status, (None, said)).await;
    if let Some(seconds) = wait {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Which entries of the audit are wanted, in the words of its page.
#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Wanted {
    name: String,
    action: String,
    conversation: String,
}

/// The audit as JSON lines.
pub async fn audit_lines(site: State<Site>, wanted: Query<Wanted>) -> Response {
    audit(
        site,
        wanted,
        Format::JsonLines,
        "application/jsonl",
        "audit.jsonl",
    )
    .await
}

/// The audit as a table.
pub async fn audit_table(site: State<Site>, wanted: Query<Wanted>) -> Response {
    audit(
        site,
        wanted,
        Format::Csv,
        "text/csv; charset=utf-8",
        "audit.csv",
    )
    .await
}

async fn audit(
    State(site): State<Site>,
    Query(wanted): Query<Wanted>,
    format: Format,
    kind: &'static str,
    name: &str,
) -> Response {
    let filter = crate::journal::AuditFilter {
        name: wanted.name,
        action: wanted.action,
        conversation: wanted.conversation,
        before: None,
    };
    match site.people.audit().all(filter).await {
        Ok(records) => super::files::download(kind, name, export(&records, format).into()),
        Err(error) => {
            tracing::error!(%error, "the audit cannot be read");
            (
                StatusCode::INTERNAL_SERVER_ERROR,
                "The audit cannot be read. The server's log says more.",
            )
                .into_response()
        }
    }
}
