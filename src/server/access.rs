//! Access control: one table that maps every route to what it requires, and the middleware that enforces it.
//!
//! The middleware runs before every route. A route that is missing from the table is restricted to owners, so a
//! forgotten entry fails closed, and the test `every_route_has_its_need` finds it. Server functions require a login
//! (or a share link) here; each one then checks the specific right itself with `api::allowed`.
//!
//! Long because the table of all routes is here, next to what enforces it.

use super::files::Refused;
use super::next::{escaped, local};
use super::proxies::is_direct;
use super::there::{Named, named};
use super::{Peer, Site};
use crate::api::{ApiError, SecretCookies, refusal, status_of, wants_page};
use crate::hub::HubError;
use crate::people::{Caller, PeopleError, Right, Role};
use crate::ui::auth::Said;
use axum::Json;
use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use url::Url;

/// What a route requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Public: no login.
    Open,
    /// Only available while the server has no owner account.
    NoOwner,
    /// A caller with this right.
    May(Right),
}

/// The routes and what each requires.
pub const NEEDS: [(&str, Need); 42] = [
    ("/healthz", Need::Open),
    ("/readyz", Need::Open),
    ("/pkg/{*name}", Need::Open),
    ("/login", Need::Open),
    ("/login/openid", Need::Open),
    ("/login/openid/callback", Need::Open),
    ("/link", Need::Open),
    ("/not-allowed", Need::Open),
    ("/offline", Need::Open),
    ("/service-worker.js", Need::Open),
    ("/manifest.webmanifest", Need::Open),
    ("/set-up", Need::NoOwner),
    ("/logout", Need::May(Right::Read)),
    ("/", Need::May(Right::Read)),
    ("/inbox", Need::May(Right::Read)),
    ("/search", Need::May(Right::Read)),
    ("/account", Need::May(Right::Read)),
    ("/notifications", Need::May(Right::Read)),
    ("/c/{id}", Need::May(Right::See)),
    ("/c/{id}/replay", Need::May(Right::See)),
    ("/c/{id}/sharing", Need::May(Right::Operate)),
    ("/c/{id}/insight", Need::May(Right::Read)),
    ("/insight", Need::May(Right::Read)),
    ("/live", Need::May(Right::See)),
    ("/c/{id}/event/{seq}", Need::May(Right::Read)),
    ("/c/{id}/event/{seq}/image/{number}", Need::May(Right::See)),
    ("/c/{id}/trajectory.json", Need::May(Right::Read)),
    ("/c/{id}/export", Need::May(Right::Read)),
    ("/c/{id}/export.md", Need::May(Right::Read)),
    ("/c/{id}/messages.json", Need::May(Right::Read)),
    ("/c/{id}/export.html", Need::May(Right::Read)),
    ("/c/{id}/workspace", Need::May(Right::Read)),
    ("/c/{id}/file", Need::May(Right::Read)),
    ("/c/{id}/upload", Need::May(Right::Operate)),
    ("/new", Need::May(Right::Operate)),
    ("/import", Need::May(Right::Operate)),
    ("/share", Need::May(Right::Operate)),
    ("/install", Need::May(Right::Read)),
    ("/settings", Need::May(Right::Own)),
    ("/settings/connection", Need::May(Right::Own)),
    ("/people", Need::May(Right::Own)),
    ("/audit", Need::May(Right::Own)),
];

/// Downloads of the audit log; owners only, because they are not in [`NEEDS`].
pub const AUDIT_FILES: [&str; 2] = ["/audit.jsonl", "/audit.csv"];

/// The page of all parts with its style sheet, in development builds; owners only, for the same reason.
#[cfg(debug_assertions)]
pub const DEVELOPMENT: [&str; 2] = ["/style", "/style.css"];
#[cfg(all(test, not(debug_assertions)))]
pub const DEVELOPMENT: [&str; 0] = [];

/// What the route with this pattern requires. `None` means that no route matched the path.
pub fn need(route: Option<&str>, is_file: impl Fn(&str) -> bool) -> Need {
    match route {
        // The "page not found" page shows the conversation list, so it requires the right to read.
        None => Need::May(Right::Read),
        Some(route) if route.starts_with("/api/") => Need::May(Right::See),
        Some(route) if is_file(route) => Need::Open,
        Some(route) => {
            let known = NEEDS.iter().find(|(path, _)| *path == route);
            known.map_or(Need::May(Right::Own), |(_, need)| *need)
        }
    }
}

/// The right that the route of a request requires.
pub fn right_of(parts: &Parts) -> Right {
    let route = parts.extensions.get::<MatchedPath>();
    match need(route.map(MatchedPath::as_str), |_| false) {
        Need::May(right) => right,
        Need::Open | Need::NoOwner => Right::Own,
    }
}

/// Authenticates the caller, authorizes the request, and stores the [`Caller`] in the request's extensions.
pub async fn let_in(State(site): State<Site>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let named = named(&mut parts).await;
    let mut request = Request::from_parts(parts, body);
    let route = request.extensions().get::<MatchedPath>();
    let need = need(route.map(MatchedPath::as_str), |path| site.is_file(path));
    let peer = request
        .extensions()
        .get::<ConnectInfo<SocketAddr>>()
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip());
    let owned = match site.has_owner().await {
        Ok(owned) => owned,
        Err(error) => return unreadable(&error),
    };
    let only_here = site.trust_local || !owned;
    if only_here
        && need != Need::Open
        && !(peer.to_canonical().is_loopback() && is_direct(request.headers()))
    {
        return (StatusCode::FORBIDDEN, ONLY_HERE).into_response();
    }
    let origin = site.proxies.origin(peer, request.headers());
    let address = origin.address.to_string();
    let cookies = site.cookies(origin.secure).clone();
    let caller = match who(&site, request.headers(), &cookies, &address).await {
        Ok(caller) => caller,
        Err(error) => return unreadable(&error),
    };
    request.extensions_mut().insert(Peer(address));
    request.extensions_mut().insert(cookies);
    match (need, caller) {
        (Need::NoOwner, _) if owned => site.no_such_page(request).await,
        (Need::Open | Need::NoOwner, caller) => {
            if let Some(caller) = caller {
                request.extensions_mut().insert(caller);
            }
            next.run(request).await
        }
        (Need::May(right), Some(caller)) => match role_at(&site, &caller, &named).await {
            Ok(Some(role)) if role.may(right) => {
                request.extensions_mut().insert(caller);
                next.run(request).await
            }
            Ok(Some(_)) => not_allowed(&site, request, caller).await,
            Ok(None) => {
                request.extensions_mut().insert(caller);
                site.no_such_page(request).await
            }
            Err(error) => {
                request.extensions_mut().insert(caller);
                not_found_out(&site, request, error).await
            }
        },
        (Need::May(_), None) => not_logged_in(&site, owned, request, &named).await,
    }
}

const ONLY_HERE: &str = "Handrail is not set up yet. Open it directly on the machine that it runs on and set it up there, or \
                         create an owner with: handrail user add NAME --role owner";

/// The caller's role at an address; `None` if it names a conversation that the caller cannot see.
async fn role_at(site: &Site, caller: &Caller, named: &Named) -> Result<Option<Role>, HubError> {
    match named {
        Named::Conversation(id) => site.hub.find_role(caller, id).await,
        Named::None => Ok(Some(caller.role)),
        Named::Nonsense => Ok(None),
    }
}

/// Authenticates the caller by bearer token, login cookie or link cookie, in this order.
async fn who(
    site: &Site,
    headers: &HeaderMap,
    cookies: &SecretCookies,
    address: &str,
) -> Result<Option<Caller>, PeopleError> {
    if site.trust_local {
        return Ok(Some(Caller::at_the_machine()));
    }
    if let Some(given) = headers.get(header::AUTHORIZATION) {
        let token = given
            .to_str()
            .ok()
            .and_then(|text| text.strip_prefix("Bearer "));
        return match token {
            Some(token) => site.people.of_token(token.trim(), address).await,
            None => Ok(None),
        };
    }
    if let Some(secret) = cookies.login.read(headers)
        && let Some(caller) = site.people.of_browser(secret, address).await?
    {
        return Ok(Some(caller));
    }
    match cookies.link.read(headers) {
        Some(secret) => site.people.of_link(secret, address).await,
        None => Ok(None),
    }
}

async fn not_allowed(site: &Site, request: Request, caller: Caller) -> Response {
    if request.method() == Method::GET && wants_page(request.headers()) {
        return site
            .page(
                "not-allowed",
                StatusCode::FORBIDDEN,
                (Some(caller), Said::default()),
            )
            .await;
    }
    (StatusCode::FORBIDDEN, Json(refusal(Some(caller.role)))).into_response()
}

/// The conversation could not be looked up: a page shows the error and retries; other clients get the error.
async fn not_found_out(site: &Site, request: Request, error: HubError) -> Response {
    let error = ApiError::from(error);
    if request.method() != Method::GET || !wants_page(request.headers()) {
        return Refused::from(error).into_response();
    }
    let mut response = site.no_such_page(request).await;
    *response.status_mut() = status_of(error.kind);
    response
}

async fn not_logged_in(site: &Site, owned: bool, request: Request, named: &Named) -> Response {
    if !wants_page(request.headers()) {
        return (StatusCode::UNAUTHORIZED, Json(refusal(None))).into_response();
    }
    if !owned {
        return Redirect::to(&format!("{}set-up", site.base)).into_response();
    }
    let cookies = request.extensions().get::<SecretCookies>();
    let came_by_link =
        cookies.is_some_and(|cookies| cookies.link.read(request.headers()).is_some());
    if came_by_link && *named != Named::None {
        let said = Said(ApiError::from(PeopleError::NoLink).text);
        return site.page("link", StatusCode::GONE, (None, said)).await;
    }
    // After the login, a submitted form leads back to its page; the submission itself is not repeated.
    let wanted = if request.method() == Method::GET {
        let inner = request.uri().path_and_query().map(ToString::to_string);
        inner.map(|inner| format!("{}{inner}", site.base.trim_end_matches('/')))
    } else {
        page_of(request.headers())
    };
    let next = wanted
        .and_then(|wanted| local(&wanted, &site.base))
        .filter(|wanted| *wanted != site.base)
        .map_or_else(String::new, |wanted| format!("?next={}", escaped(&wanted)));
    Redirect::to(&format!("{}login{next}", site.base)).into_response()
}

/// Path of the page that a form was submitted from.
fn page_of(headers: &HeaderMap) -> Option<String> {
    let page = Url::parse(headers.get(header::REFERER)?.to_str().ok()?).ok()?;
    Some(page.path().to_owned())
}

fn unreadable(error: &PeopleError) -> Response {
    tracing::error!(%error, "cannot authenticate callers");
    let text = "Handrail cannot read its data and denies all access. The server log has details.";
    (StatusCode::SERVICE_UNAVAILABLE, text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::every_route;
    use std::collections::BTreeSet;

    // Generating the list of pages renders them, which needs an async runtime.
    #[tokio::test]
    async fn every_route_has_its_need() {
        let known: BTreeSet<&str> = NEEDS
            .iter()
            .map(|(path, _)| *path)
            .chain(AUDIT_FILES)
            .chain(DEVELOPMENT)
            .collect();
        let (mut served, mut functions) = (BTreeSet::new(), 0);
        for (_, path) in every_route() {
            if path.starts_with("/api/") {
                functions += 1;
            } else {
                served.insert(path);
            }
        }
        let served: BTreeSet<&str> = served.iter().map(String::as_str).collect();
        assert!(functions > 30, "only {functions} functions were found");
        assert_eq!(served, known, "left: served; right: in the table");
    }

    #[test]
    fn what_nobody_entered_is_for_owners_alone() {
        assert_eq!(need(Some("/new-route"), |_| false), Need::May(Right::Own));
        assert_eq!(need(Some("/c/{id}/new"), |_| false), Need::May(Right::Own));
        assert_eq!(need(None, |_| false), Need::May(Right::Read));
    }
}
