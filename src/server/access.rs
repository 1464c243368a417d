//! Access control: the middleware that authenticates callers, and lets them do what `needs` says.
//!
//! It runs before every route.

use super::answer::Refused;
use super::conversation_path::{Named, named};
use super::needs::{Need, is_for, need};
use super::next::{escaped, local};
use super::proxies::is_direct;
use super::v1::{OutOfScope, is_api};
use super::{Peer, Site};
use crate::api::{ApiError, SecretCookies, refusal, status_of, wants_page};
use crate::hub::HubError;
use crate::people::{Caller, PeopleError, Role};
use crate::ui::auth::Said;
use axum::Json;
use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use url::Url;

/// Authenticates the caller, authorizes the request, and stores the [`Caller`] in the request's extensions.
pub async fn authorize(State(site): State<Site>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let named = named(&mut parts).await;
    let mut request = Request::from_parts(parts, body);
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map(MatchedPath::as_str).map(str::to_owned);
    let need = need(request.method(), route.as_deref(), |path| {
        site.is_file(path)
    });
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
    let caller = match authenticate(&site, request.headers(), &cookies, &address).await {
        Ok(caller) => caller,
        Err(error) => return unreadable(&error),
    };
    if route.is_none() && caller.is_some() && is_api(request.uri().path()) {
        return Refused::from(HubError::NotFound("address")).into_response();
    }
    request.extensions_mut().insert(Peer(address));
    request.extensions_mut().insert(cookies);
    let method = request.method().clone();
    let is_for = |caller: &Caller| is_for(caller, &method, route.as_deref());
    let caller = match (need, caller) {
        // What is for everybody is so without a credential.
        (Need::Open | Need::NoOwner, caller) => caller.filter(is_for),
        (Need::May(_), Some(caller)) if !is_for(&caller) => return OutOfScope.into_response(),
        (Need::May(_), caller) => caller,
    };
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
            Ok(None) if is_api(request.uri().path()) => {
                Refused::from(HubError::NotFound("conversation")).into_response()
            }
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
        Named::Conversation(id) => site.hub.catalogue.find_role(caller, id).await,
        Named::None => Ok(Some(caller.role)),
        Named::Nonsense => Ok(None),
    }
}

/// Authenticates the caller by bearer token, login cookie or link cookie, in this order.
async fn authenticate(
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
    if !wants_page(request.headers()) || is_api(request.uri().path()) {
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
