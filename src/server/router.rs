//! The router: all routes, and the layers around them.

use super::config::Config;
use super::host_names::HostNames;
use super::proxies::Proxies;
use super::{
    Need, Site, access, assets, auth, base_path, bodies, completion, exchange, files, front_check,
    guards, health, invitation_routes, live, metrics_route, needs, openid_routes, passkey_routes,
    request_limit, v1, worker,
};
use crate::app::{App, shell};
use crate::request_id::{self, RequestId};
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::{HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use axum::{Router, middleware};
use leptos::server_fn::axum::server_fn_paths;
use leptos_axum::{LeptosRoutes, generate_route_list};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::trace::TraceLayer;

/// A route beside pages and server functions: its method, its pattern and its handler.
type Extra = (Method, &'static str, MethodRouter<Site>);

/// All routes beside pages and server functions.
fn routes() -> Vec<Extra> {
    let [lines, table] = needs::AUDIT_FILES;
    let mut routes = vec![
        (Method::GET, "/live", get(live::open)),
        (
            Method::GET,
            "/c/{id}/event/{seq}/image/{number}",
            get(files::image),
        ),
        (Method::GET, "/c/{id}/event/{seq}", get(files::event)),
        (
            Method::GET,
            "/c/{id}/trajectory.json",
            get(exchange::trajectory),
        ),
        (Method::GET, "/c/{id}/messages.json", get(files::messages)),
        (Method::GET, "/c/{id}/export.md", get(exchange::markdown)),
        (Method::GET, "/c/{id}/export.html", get(exchange::html)),
        (
            Method::GET,
            "/c/{id}/evidence.html",
            get(exchange::evidence_page),
        ),
        (
            Method::GET,
            "/c/{id}/evidence.json",
            get(exchange::evidence_json),
        ),
        (Method::POST, "/import", post(exchange::import)),
        (Method::GET, "/c/{id}/workspace", get(files::workspace)),
        (Method::GET, "/c/{id}/file", get(files::file)),
        (Method::POST, "/c/{id}/upload", post(files::upload)),
        (Method::POST, "/login", post(auth::log_in)),
        (Method::GET, "/login/openid", get(openid_routes::begin)),
        (
            Method::GET,
            "/login/openid/callback",
            get(openid_routes::callback),
        ),
        (
            Method::POST,
            "/login/passkey/options",
            post(passkey_routes::login_options),
        ),
        (Method::POST, "/login/passkey", post(passkey_routes::log_in)),
        (
            Method::POST,
            "/second-factor",
            post(passkey_routes::log_in_second),
        ),
        (
            Method::POST,
            "/second-factor/code",
            post(passkey_routes::recover),
        ),
        (
            Method::POST,
            "/passkey/options",
            post(passkey_routes::register_options),
        ),
        (Method::POST, "/passkey", post(passkey_routes::register)),
        (
            Method::POST,
            "/invitation",
            post(invitation_routes::open_invitation),
        ),
        (
            Method::POST,
            "/invitation/accept",
            post(invitation_routes::accept_invitation),
        ),
        (Method::POST, "/set-up", post(auth::set_up)),
        (Method::POST, "/link", post(auth::follow_link)),
        (Method::POST, "/logout", post(auth::log_out)),
        (Method::GET, lines, get(auth::audit_lines)),
        (Method::GET, table, get(auth::audit_table)),
        (Method::GET, "/service-worker.js", get(worker::script)),
        (Method::GET, "/manifest.webmanifest", get(worker::manifest)),
        (Method::POST, "/share", post(worker::share)),
        (Method::GET, "/healthz", get(health::alive)),
        (Method::GET, "/readyz", get(health::ready)),
        (Method::GET, "/doctor/{name}", get(front_check::answer)),
        (Method::GET, "/metrics", get(metrics_route::text)),
        (Method::GET, "/pkg/{*name}", get(assets::hashed)),
    ];
    routes.extend(v1::routes());
    routes.extend(development());
    routes
}

/// The routes of development builds.
#[cfg(debug_assertions)]
fn development() -> Vec<Extra> {
    let [page, sheet] = needs::DEVELOPMENT;
    vec![
        (Method::GET, page, get(super::style::page)),
        (Method::GET, sheet, get(super::style::sheet)),
    ]
}

/// A release build has none.
#[cfg(not(debug_assertions))]
fn development() -> Vec<Extra> {
    Vec::new()
}

/// All routes, from the lists that the router is built of; for tests that must cover every route.
pub fn every_route() -> Vec<(Method, String)> {
    let pages = generate_route_list(App);
    let pages = pages
        .iter()
        .map(|page| (Method::GET, page.path().to_owned()));
    let functions = server_fn_paths().map(|(path, method)| (method, path.to_owned()));
    let others = routes()
        .into_iter()
        .map(|(method, path, _)| (method, path.to_owned()));
    pages.chain(functions).chain(others).collect()
}

/// What a route requires, by its method and pattern in [`every_route`].
pub fn needed(method: &Method, route: &str) -> Need {
    needs::need(method, Some(route), |_| false)
}

/// Builds the router with all its layers.
pub fn router(site: Site, config: &Config) -> Router {
    let pages = generate_route_list(App);
    let (context, options) = (site.context(), site.options.clone());
    let mut router = Router::new();
    for (_, path, handler) in routes() {
        router = router.route(path, handler);
    }
    let fallback = site.clone();
    router = router
        .leptos_routes_with_context(&site, pages, context, move || shell(options.clone()))
        .fallback(async move |request: Request| fallback.no_such_page(request).await);
    for name in assets::plain_names() {
        let path = format!("/{name}");
        let name: &'static str = name.leak();
        router = router.route(&path, get(move |headers| assets::plain(name, headers)));
    }
    let router = router
        // `bodies` limits the size of the bodies.
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn_with_state(site.clone(), v1::once))
        .layer(middleware::from_fn_with_state(
            site.completion.clone(),
            completion::run,
        ))
        .layer(middleware::from_fn(bodies::status_of_functions))
        .layer(middleware::from_fn_with_state(
            site.clone(),
            bodies::page_of_refusal,
        ))
        .layer(middleware::from_fn_with_state(site.clone(), bodies::take))
        .layer(middleware::from_fn_with_state(
            site.clone(),
            request_limit::check,
        ))
        .layer(middleware::from_fn_with_state(site.clone(), v1::check))
        .layer(middleware::from_fn_with_state(
            site.clone(),
            access::authorize,
        ))
        .with_state(site);
    let hsts = config.hsts;
    let proxies = Proxies::new(&config.trusted_proxy);
    let host_names = HostNames::new(&config.allow_host, config.certificate().is_some(), proxies);
    // The base path must be stripped before routing, so this layer wraps the router from outside.
    Router::new()
        .fallback_service(router)
        .layer(middleware::from_fn_with_state(config.base.clone(), base_path::strip))
        .layer(CatchPanicLayer::custom(guards::own_fault))
        .layer(middleware::from_fn_with_state(host_names, guards::check_origin))
        .layer(middleware::from_fn(v1::of_other_layers))
        .layer(CompressionLayer::new())
        .layer(middleware::from_fn_with_state(hsts, guards::add_headers))
        .layer(middleware::from_fn(metrics_route::measure))
        .layer(TraceLayer::new_for_http().make_span_with(|request: &axum::extract::Request| {
            let id = RequestId::current().map(|id| id.to_string());
            // Only the path: a query may contain a user's search.
            tracing::info_span!("request", id, method = %request.method(), path = request.uri().path())
        }))
        .layer(middleware::from_fn(number))
}

/// Gives a request its id, which its response says.
async fn number(request: Request, next: Next) -> Response {
    let id = RequestId::new();
    let value = HeaderValue::from_str(id.as_str());
    let mut response = id.scope(next.run(request)).await;
    if let Ok(value) = value {
        response.headers_mut().insert(request_id::HEADER, value);
    }
    response
}
