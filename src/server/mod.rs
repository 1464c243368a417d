//! The program around the pages: options, router, guards, live line, orderly stop.

mod access;
mod assets;
mod backends;
mod commands;
pub mod config;
mod doors;
mod files;
mod guards;
mod health;
mod live;
mod next;
mod site;
mod telemetry;

pub use access::Need;
pub use site::{Peer, Site};

use crate::app::{App, shell};
use crate::backend::rehearsal::{self, Rehearsal};
use crate::hub::{Hub, HubError};
use crate::journal::Journal;
use crate::people::{People, SET_UP_FILE};
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::Method;
use axum::routing::{MethodRouter, get, post};
use axum::serve::ListenerExt;
use axum::{Router, middleware};
use clap::Parser;
use config::Config;
use leptos::server_fn::axum::server_fn_paths;
use leptos_axum::{LeptosRoutes, generate_route_list};
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

/// The program: reads options, serves, and says in a sentence why it could not.
pub async fn main() -> ExitCode {
    let config = Config::parse();
    let outcome = match config.check().and_then(|()| telemetry::start(&config)) {
        Ok(()) if config.command.is_some() => match &config.command {
            Some(command) => commands::run(&config, command).await,
            None => Ok(()),
        },
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
    let hub_journal = journal.clone();
    let hub = Hub::new(journal, backends, &base)
        .await
        .map_err(|error| match error {
            HubError::Journal(_) => unusable(&error),
            error => reasons(&error),
        })?;
    let people = People::new(hub_journal, &config.data_dir);
    let site = Site::new(
        hub.clone(),
        people,
        base,
        &config,
        address,
        stopping.clone(),
    );
    say(&format!("Handrail is serving on http://{address}"));
    if !config.trust_local {
        offer_set_up(&site.people, address, &config).await?;
    }
    let watching = site.people.clone();
    let watching = tokio::spawn(async move { watching.watch().await });
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
    watching.abort();
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

/// Says where the first owner is made, if nobody is owner yet.
async fn offer_set_up(people: &People, address: SocketAddr, config: &Config) -> Result<(), String> {
    let code = people
        .offer_set_up()
        .await
        .map_err(|error| reasons(&error))?;
    if let Some(code) = code {
        let file = config.data_dir.join(SET_UP_FILE);
        say(&format!(
            "Nobody is owner yet. Open http://127.0.0.1:{}/set-up and give this code within 30 minutes: {code}\n\
             (It is in {}, too. Until then only this machine is served. Start with --trust-local for no login at all.)",
            address.port(),
            file.display()
        ));
    }
    Ok(())
}

/// Everything that is served beside pages and server functions.
fn routes() -> Vec<(Method, &'static str, MethodRouter<Site>)> {
    let [lines, table] = access::AUDIT_FILES;
    let form = || DefaultBodyLimit::max(doors::LARGEST_FORM);
    vec![
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
            get(files::trajectory),
        ),
        (Method::GET, "/c/{id}/export.md", get(files::markdown)),
        (Method::GET, "/c/{id}/workspace.zip", get(files::workspace)),
        (Method::GET, "/c/{id}/file", get(files::file)),
        (
            Method::POST,
            "/c/{id}/upload",
            post(files::upload).layer(DefaultBodyLimit::max(files::LARGEST_UPLOAD)),
        ),
        (Method::POST, "/login", post(doors::log_in).layer(form())),
        (Method::POST, "/set-up", post(doors::set_up).layer(form())),
        (Method::POST, "/logout", post(doors::log_out).layer(form())),
        (Method::GET, lines, get(doors::audit_lines)),
        (Method::GET, table, get(doors::audit_table)),
        (Method::GET, "/healthz", get(health::alive)),
        (Method::GET, "/readyz", get(health::ready)),
        (Method::GET, "/pkg/{*name}", get(assets::hashed)),
    ]
}

/// Everything that is served, from the lists that the router is made of: for tests that leave nothing out.
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

/// What this route needs, as [`every_route`] names it.
pub fn needed(route: &str) -> Need {
    access::need(Some(route), |_| false)
}

fn router(site: Site, config: &Config) -> Router {
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
    router
        .layer(middleware::from_fn_with_state(site.clone(), access::let_in))
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
