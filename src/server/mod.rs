//! The program around the pages: options, router, guards, live line, orderly stop.

mod assets;
mod backends;
pub mod config;
mod files;
mod guards;
mod health;
mod live;
mod telemetry;

use crate::app::{App, shell};
use crate::backend::rehearsal::{self, Rehearsal};
use crate::hub::{Hub, HubError};
use crate::journal::Journal;
use crate::ui::shell::Cookies;
use axum::extract::{DefaultBodyLimit, FromRef, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Router, middleware};
use clap::Parser;
use config::Config;
use leptos::config::LeptosOptions;
use leptos::prelude::{provide_context, use_context};
use leptos_axum::{LeptosRoutes, ResponseOptions, generate_route_list};
use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower_http::compression::CompressionLayer;
use tower_http::trace::TraceLayer;

/// Time that open requests and lines get to end in an orderly stop.
const GRACE: Duration = Duration::from_secs(6);
/// Largest body of a form or a server function. Pictures travel in them as text (0.x takes 3 MiB).
const LARGEST_BODY: usize = 5 * 1024 * 1024;

/// What every route can reach.
#[derive(Clone)]
pub struct Site {
    /// The hub.
    pub hub: Hub,
    /// Path under which the pages live, ending in `/`.
    pub base: String,
    /// Cancelled when the server stops.
    pub stopping: CancellationToken,
    options: LeptosOptions,
}

impl FromRef<Site> for LeptosOptions {
    fn from_ref(site: &Site) -> Self {
        site.options.clone()
    }
}

/// The program: reads options, serves, and says in a sentence why it could not.
pub async fn main() -> ExitCode {
    let config = Config::parse();
    let outcome = match config.check().and_then(|()| telemetry::start(&config)) {
        Ok(()) if config.only_rehearsal => rehearse(&config).await,
        Ok(()) => start(config).await,
        Err(text) => Err(text),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("handrail: {text}");
            ExitCode::FAILURE
        }
    }
}

async fn start(config: Config) -> Result<(), String> {
    let listener = TcpListener::bind(config.listen)
        .await
        .map_err(|error| match error.kind() {
            io::ErrorKind::AddrInUse => {
                format!(
                    "{} is taken by another program. Choose another port with --listen.",
                    config.listen
                )
            }
            _ => format!("cannot listen on {}: {error}.", config.listen),
        })?;
    let stopping = CancellationToken::new();
    tokio::spawn(stop_on_signal(stopping.clone()));
    run(config, listener, stopping).await
}

/// Serves the rehearsal alone, as if it were an OpenHands, until it is told to stop.
async fn rehearse(config: &Config) -> Result<(), String> {
    let options = rehearsal::Options {
        port: config.listen.port(),
        ..backends::rehearsal_options(config)
    };
    let rehearsal = Rehearsal::start(options)
        .await
        .map_err(|error| format!("the rehearsal did not start: {error}."))?;
    say(&format!(
        "The rehearsal is serving on http://{}",
        rehearsal.addr()
    ));
    wait_for_signal().await;
    rehearsal.shutdown().await;
    Ok(())
}

/// Serves on `listener` until `stopping` is cancelled.
///
/// # Errors
/// A sentence that says what does not work and what to do.
pub async fn run(
    config: Config,
    listener: TcpListener,
    stopping: CancellationToken,
) -> Result<(), String> {
    let address = listener
        .local_addr()
        .map_err(|error| format!("the listener has no address: {error}"))?;
    let unusable = |error: &dyn std::error::Error| {
        let folder = config.data_dir.display();
        format!("the data in {folder} cannot be used: {}", reasons(error))
    };
    let journal = Journal::open(&config.data_dir, backends::read_event)
        .await
        .map_err(|error| unusable(&error))?;
    let backends = backends::Backends::new(&config)?;
    let base = "/".to_owned();
    let hub = Hub::new(journal, backends, &base)
        .await
        .map_err(|error| match error {
            HubError::Journal(_) => unusable(&error),
            error => reasons(&error),
        })?;
    let site = Site {
        hub: hub.clone(),
        base,
        stopping: stopping.clone(),
        options: LeptosOptions::builder()
            .output_name("handrail")
            .site_addr(address)
            .build(),
    };
    say(&format!("Handrail is serving on http://{address}"));
    // Without TCP_NODELAY a small frame waits up to 40 ms for the one before it to be acknowledged.
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY is not to be had");
        }
    });
    let service = router(site, &config).into_make_service_with_connect_info::<SocketAddr>();
    let serving =
        axum::serve(listener, service).with_graceful_shutdown(stopping.clone().cancelled_owned());
    tokio::select! {
        outcome = serving.into_future() => outcome.map_err(|error| format!("serving failed: {error}"))?,
        () = async { stopping.cancelled().await; tokio::time::sleep(GRACE).await } => {
            tracing::warn!("some requests did not end in time");
        }
    }
    hub.shutdown().await;
    tracing::info!("stopped");
    Ok(())
}

/// An error and what lies behind it, as one sentence.
fn reasons(error: &dyn std::error::Error) -> String {
    let chain = std::iter::successors(Some(error), |error| error.source());
    let texts: Vec<String> = chain.map(ToString::to_string).collect();
    format!("{}.", texts.join(": "))
}

/// Says on standard output where we are: the first line, which scripts read.
fn say(text: &str) {
    use std::io::Write;
    let mut out = io::stdout();
    // Nobody may be reading; that is no reason not to serve.
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

fn router(site: Site, config: &Config) -> Router {
    let pages = generate_route_list(App);
    let assets = assets::addresses(&site.base);
    let context = {
        let (hub, base) = (site.hub.clone(), site.base.clone());
        move || {
            provide_context(hub.clone());
            provide_context(assets.clone());
            provide_context(crate::api::BasePath(base.clone()));
            provide_cookies();
            guard_page();
        }
    };
    let options = site.options.clone();
    let mut router = Router::new()
        .route("/live", get(live::open))
        .route("/c/{id}/event/{seq}/image/{number}", get(files::image))
        .route("/c/{id}/event/{seq}", get(files::event))
        .route("/c/{id}/trajectory.json", get(files::trajectory))
        .route("/c/{id}/export.md", get(files::markdown))
        .route("/c/{id}/workspace.zip", get(files::workspace))
        .route("/c/{id}/file", get(files::file))
        .route(
            "/c/{id}/upload",
            post(files::upload).layer(DefaultBodyLimit::max(files::LARGEST_UPLOAD)),
        )
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/pkg/{*name}", get(assets::hashed))
        .leptos_routes_with_context(&site, pages, context.clone(), {
            let options = options.clone();
            move || shell(options.clone())
        })
        .fallback(move |request: Request| no_such_page(request, context.clone(), options.clone()));
    for name in assets::plain_names() {
        let path = format!("/{name}");
        let name: &'static str = name.leak();
        router = router.route(&path, get(move |headers| assets::plain(name, headers)));
    }
    router
        .with_state(site)
        .layer(CompressionLayer::new())
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(middleware::from_fn_with_state(guards::Hosts::new(&config.allow_host), guards::check_origin))
        .layer(middleware::from_fn(guards::add_headers))
        .layer(TraceLayer::new_for_http().make_span_with(|request: &axum::extract::Request| {
            // The path only: a query may hold what somebody searches for.
            tracing::info_span!("request", method = %request.method(), path = request.uri().path())
        }))
}

/// The page that says that there is no such page.
async fn no_such_page(
    request: Request,
    context: impl Fn() + Clone + Send + Sync + 'static,
    options: LeptosOptions,
) -> Response {
    let page = leptos_axum::render_app_async_with_context(context, move || shell(options.clone()));
    let mut response = page(request).await;
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

/// Gives the page that is being rendered the cookies of its request: they say how it shall look.
fn provide_cookies() {
    let parts = use_context::<axum::http::request::Parts>();
    let header =
        parts.and_then(|parts| Some(parts.headers.get(header::COOKIE)?.to_str().ok()?.to_owned()));
    provide_context(Cookies(header.unwrap_or_default()));
}

/// Gives the page that is being rendered its content security policy, with the nonce of its scripts.
fn guard_page() {
    let (Some(nonce), Some(response)) =
        (leptos::nonce::use_nonce(), use_context::<ResponseOptions>())
    else {
        return;
    };
    if let Ok(policy) = HeaderValue::from_str(&guards::page_policy(&nonce)) {
        response.insert_header(header::CONTENT_SECURITY_POLICY, policy);
    }
}

/// Cancels `stopping` at the first SIGTERM or Ctrl-C; ends the process at the second.
async fn stop_on_signal(stopping: CancellationToken) {
    wait_for_signal().await;
    tracing::info!("stopping; once more ends it at once");
    stopping.cancel();
    wait_for_signal().await;
    std::process::exit(1);
}

async fn wait_for_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
