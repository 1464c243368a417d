//! The server: options, router, guards, live connection, graceful shutdown.
//!
//! Long because it puts the program together.

mod accept;
mod access;
mod answer;
mod api_limits;
mod assets;
mod auth;
mod backends;
mod backup;
mod base_path;
mod bodies;
mod budget;
mod commands;
mod completion;
pub mod config;
mod config_file;
mod conversation_path;
mod database;
mod demo;
mod doctor;
mod entering;
mod exchange;
mod files;
mod form;
mod front_check;
mod guards;
mod health;
mod healthcheck;
mod host_names;
mod invitation_routes;
mod live;
mod load;
mod lock;
mod metrics_readers;
mod metrics_route;
mod needs;
mod next;
mod node;
mod node_options;
mod openid;
mod openid_routes;
mod passkey_routes;
mod proxies;
mod request_limit;
mod router;
mod service_manager;
mod site;
mod slots;
#[cfg(debug_assertions)]
mod style;
mod telemetry;
mod tls;
mod v1;
mod worker;

pub use assets::embed as embed_site;
pub use needs::{API, Need};
use router::router;
pub use router::{every_route, needed};
pub use site::{Peer, Site};

use crate::backend::Permit;
use crate::hub::{Hub, HubError, MIN_VIEW_TIME};
use crate::journal::Journal;
use crate::notify::{self, Notifier};
use crate::people::{People, SET_UP_FILE};
use accept::Entrance;
use commands::{AuditCommand, Command};
use config::Config;
use config_file::Configured;
use futures_util::future::OptionFuture;
use openid::OpenId;
use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Time that open requests and connections get to end in a graceful shutdown.
const GRACE: Duration = Duration::from_secs(5);
/// Interval at which an expired set-up code is looked for.
const EXPIRY_CHECK: Duration = Duration::from_secs(30);
/// Time that live connections get to announce the shutdown.
const FAREWELL: Duration = Duration::from_millis(1500);

/// The program: parses the options, serves, and prints a sentence on failure.
pub async fn main() -> ExitCode {
    let configured = match Configured::read(std::env::args_os()) {
        Ok(configured) => configured,
        Err(text) => return ended(Err(text)),
    };
    if let Some(Command::Config(command)) = &configured.config.command {
        return ended(configured.run(command).map(|text| say(&text)));
    }
    let config = configured.config;
    match &config.command {
        Some(Command::Client(command)) => return ended(crate::client::run(command).await),
        Some(Command::Audit(AuditCommand::Verify {
            file: Some(file),
            seen,
        })) => return ended(commands::verify_file(file, seen.as_deref())),
        Some(Command::Completions { shell }) => {
            let mut program = <Config as clap::CommandFactory>::command();
            clap_complete::generate(*shell, &mut program, "handrail", &mut io::stdout());
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    let outcome = match config.check().and_then(|()| telemetry::start(&config)) {
        Err(text) => Err(text),
        Ok(()) => match &config.command {
            Some(Command::Doctor { push, url }) => doctor::run(&config, *push, url.as_ref()).await,
            Some(Command::Demo) => demo::serve(&config).await,
            Some(Command::Healthcheck) => healthcheck::run(&config).await,
            Some(command) => commands::run(&config.data_dir, &config.database, command).await,
            None if config.rehearsal.only => demo::rehearse(&config).await,
            None => start(config).await,
        },
    };
    ended(outcome)
}

/// Prints why the program fails, if it does.
fn ended(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("handrail: {text}");
            ExitCode::FAILURE
        }
    }
}

/// Why a node ends that another one has taken over from. Its next start makes it one that waits.
const LOST: &str = "another node has taken over from this one, which was stopped for too long or could not reach the database. It ends, to be \
                    started again.";

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
    run(config, listener, stopping, say).await
}

/// Serves on `listener` until `stopping` is cancelled. `say` prints what an administrator must know, first the address.
///
/// # Errors
/// A sentence that says what failed and what to do.
pub async fn run(
    config: Config,
    listener: TcpListener,
    stopping: CancellationToken,
    say: impl Fn(&str),
) -> Result<(), String> {
    let address = listener
        .local_addr()
        .map_err(|error| format!("the listener has no address: {error}"))?;
    let unusable = |error: &dyn std::error::Error| {
        let folder = config.data_dir.display();
        format!("the data in {folder} cannot be used: {}", reasons(error))
    };
    backup::check(&config.data_dir)?;
    let _ours = lock::of(&config.data_dir).map_err(|error| unusable(&error))?;
    let schedule = config.database.schedule(&config.backup)?;
    // What is wrong with a file is better noticed now than when this node takes over.
    let (keys, openid) = (config.keys()?, OpenId::of(&config.openid)?.map(Arc::new));
    let readers = metrics_readers::Readers::new(config.metrics_token_file.as_deref())?;
    let node = node::ThisNode::of(&config).await?;
    let location = match &node {
        None => config.database.location(&config.data_dir)?,
        Some(node) => node.location(),
    };
    let lease = match &node {
        None => None,
        Some(node) => {
            let turn = node.stand_by(&listener, &config, &stopping, &say);
            match turn.await? {
                None => return Ok(()),
                lease => lease,
            }
        }
    };
    let journal = Journal::open(location, backends::read_event)
        .await
        .map_err(|error| unusable(&error))?;
    journal.limit_room(config.room_limits());
    let permit = Permit::of(lease.clone());
    let rehearsal = &config.rehearsal;
    let backends = backends::Backends::new(&config.backend, keys, rehearsal, permit)?;
    let base = config.base.0.clone();
    let (hub_journal, notify_journal, site_journal) =
        (journal.clone(), journal.clone(), journal.clone());
    let hub = Hub::new(journal, backends, &base, MIN_VIEW_TIME)
        .await
        .map_err(|error| match error {
            HubError::Journal(_) => unusable(&error),
            error => reasons(&error),
        })?;
    let people = People::new(hub_journal, &config.data_dir);
    people
        .audit()
        .log_head()
        .await
        .map_err(|error| unusable(&error))?;
    let notifying = notify::Options::new(config.push_host.clone(), config.trust_local);
    let notifier = Notifier::new(hub.clone(), notify_journal, notifying);
    let notifier = notifier.await.map_err(|error| unusable(&error))?;
    // Before the first page names them.
    let kept = assets::keep(site_journal).await;
    let mut site = Site::new(
        (hub.clone(), people, notifier.clone()),
        kept,
        base,
        &config,
        address,
        stopping.clone(),
    );
    site.openid = openid;
    site.metrics_readers = readers;
    let scheme = config.certificate().map_or("http", |_| "https");
    let path = config.base.0.trim_end_matches('/');
    // Whoever reads that it is serving finds the code.
    let code = match config.trust_local {
        true => None,
        false => {
            let offered = site.people.offer_set_up().await;
            offered.map_err(|error| reasons(&error))?
        }
    };
    say(&format!(
        "Handrail is serving on {scheme}://{address}{path}"
    ));
    if let Some(code) = code {
        say(&set_up_text(&code, address, &config));
    }
    tokio::spawn(service_manager::run(stopping.clone()));
    let (expiring, room) = (site.people.clone(), hub.clone());
    let expired = async {
        loop {
            tokio::time::sleep(EXPIRY_CHECK).await;
            // Looking logs what has changed.
            let _ = room.room();
            if expiring.forget_expired_code() {
                say("The set-up code has expired. For a new one, run: handrail set-up-code");
            }
        }
    };
    let watching = site.people.clone();
    let watching = tokio::spawn(async move { watching.watch().await });
    let notifying = tokio::spawn(async move { notifier.run().await });
    if let Some(schedule) = schedule {
        tokio::spawn(schedule.run(config.data_dir.clone(), stopping.clone()));
    }
    let entrance = Entrance {
        tls: config.certificate().map(tls::Files::watch).transpose()?,
        stopping: stopping.clone(),
        proxies: site.proxies.clone(),
        asker: None,
    };
    let connections = site.open_connections.clone();
    let changes = site.completion.clone();
    let router = router(site, &config);
    let for_nodes = node.map(|node| node.serve_nodes(router.clone(), stopping.clone()));
    let serving = async {
        let for_nodes = OptionFuture::from(for_nodes);
        tokio::join!(accept::serve(listener, entrance, router), for_nodes);
        // The server no longer waits for a change or a page whose client has disconnected.
        changes.ended().await;
    };
    let lost = async {
        match &lease {
            Some(lease) => lease.lost().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = serving => {}
        () = expired => {}
        () = lost => return Err(LOST.to_owned()),
        () = async { stopping.cancelled().await; tokio::time::sleep(GRACE).await } => {
            tracing::warn!("some requests did not finish in time");
        }
    }
    // The server no longer waits for an upgraded connection; without this wait some would not announce the shutdown.
    connections.close();
    if tokio::time::timeout(FAREWELL, connections.wait())
        .await
        .is_err()
    {
        tracing::warn!("some pages were not told about the shutdown");
    }
    watching.abort();
    // What was not sent is sent after the next start.
    notifying.abort();
    hub.shutdown().await;
    if let Some(lease) = lease {
        // Another node takes over at once.
        lease.release().await;
    }
    tracing::info!("stopped");
    Ok(())
}

/// An error and its sources, as one sentence.
fn reasons(error: &dyn std::error::Error) -> String {
    let chain = std::iter::successors(Some(error), |error| error.source());
    let texts: Vec<String> = chain.map(ToString::to_string).collect();
    format!("{}.", texts.join(": "))
}

/// Prints to standard output. Scripts read the first line, which holds the address.
fn say(text: &str) {
    use std::io::Write;
    let mut out = io::stdout();
    // A closed standard output is no reason to fail.
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// How the first owner is created.
fn set_up_text(code: &str, address: SocketAddr, config: &Config) -> String {
    format!(
        "There is no owner yet. To create one, open this on this machine within 30 minutes: {}set-up#{code}\n\
         (The code is also in {}. Until then Handrail serves this machine only. --trust-local disables the login.)",
        config.local_address(address),
        config.data_dir.join(SET_UP_FILE).display()
    )
}

/// Cancels `stopping` at the first SIGTERM or Ctrl-C; exits at the second.
async fn stop_on_signal(stopping: CancellationToken) {
    wait_for_signal().await;
    tracing::info!("stopping; a second signal exits at once");
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
