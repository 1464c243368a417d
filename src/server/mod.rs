//! The program around the pages: options, router, guards, live line, orderly stop.

mod access;
mod assets;
mod backends;
mod below;
mod bodies;
mod commands;
pub mod config;
mod doors;
mod doorway;
mod files;
mod guards;
mod health;
mod live;
mod next;
mod openid;
mod places;
mod proxies;
mod router;
mod site;
mod telemetry;
mod tls;

pub use access::Need;
use router::router;
pub use router::{every_route, needed};
pub use site::{Peer, Site};

use crate::backend::rehearsal::{self, Rehearsal};
use crate::hub::{Hub, HubError};
use crate::journal::Journal;
use crate::people::{People, SET_UP_FILE};
use axum::serve::ListenerExt;
use clap::Parser;
use config::Config;
use doorway::Doorway;
use openid::OpenId;
use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Time that open requests and lines get to end in an orderly stop.
const GRACE: Duration = Duration::from_secs(5);
/// Time that live lines get to say that we stop.
const FAREWELL: Duration = Duration::from_millis(1500);

/// The program: reads options, serves, and says in a sentence why it could not.
pub async fn main() -> ExitCode {
    let config = Config::parse();
    let outcome = match config.check().and_then(|()| telemetry::start(&config)) {
        Err(text) => Err(text),
        Ok(()) => match &config.command {
            Some(command) => commands::run(&config, command).await,
            None if config.rehearsal.only => rehearse(&config).await,
            None => start(config).await,
        },
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
    let base = config.base.0.clone();
    let hub_journal = journal.clone();
    let hub = Hub::new(journal, backends, &base)
        .await
        .map_err(|error| match error {
            HubError::Journal(_) => unusable(&error),
            error => reasons(&error),
        })?;
    let people = People::new(hub_journal, &config.data_dir);
    let mut site = Site::new(
        hub.clone(),
        people,
        base,
        &config,
        address,
        stopping.clone(),
    );
    site.openid = OpenId::of(&config.openid)?.map(Arc::new);
    let scheme = if config.certificate().is_some() {
        "https"
    } else {
        "http"
    };
    let path = config.base.0.trim_end_matches('/');
    say(&format!(
        "Handrail is serving on {scheme}://{address}{path}"
    ));
    if !config.trust_local {
        offer_set_up(&site.people, address, &config).await?;
    }
    let watching = site.people.clone();
    let watching = tokio::spawn(async move { watching.watch().await });
    let tls = config.certificate().map(tls::Files::watch).transpose()?;
    let doorway = Doorway::open(listener, tls)
        .map_err(|error| format!("the listener does not work: {error}"))?
        // Only so that the address of each connection is known to its requests.
        .tap_io(|_| ());
    let lines = site.open_lines.clone();
    let service = router(site, &config).into_make_service_with_connect_info::<SocketAddr>();
    let serving =
        axum::serve(doorway, service).with_graceful_shutdown(stopping.clone().cancelled_owned());
    tokio::select! {
        outcome = serving.into_future() => outcome.map_err(|error| format!("serving failed: {error}"))?,
        () = async { stopping.cancelled().await; tokio::time::sleep(GRACE).await } => {
            tracing::warn!("some requests did not end in time");
        }
    }
    // A live line is no request to the server any more: without waiting, some were not told.
    lines.close();
    if tokio::time::timeout(FAREWELL, lines.wait()).await.is_err() {
        tracing::warn!("some pages were not told that we stop");
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
            "Nobody is owner yet. Open this on this machine within 30 minutes: {}set-up#{code}\n\
             (The code is in {}, too. Until then only this machine is served. Start with --trust-local for no login at all.)",
            config.local_address(address),
            file.display()
        ));
    }
    Ok(())
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
