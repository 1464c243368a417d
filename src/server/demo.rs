//! The rehearsal alone: `handrail demo`, in a temporary folder and without a login, and as a stand-in for OpenHands.

use super::config::Config;
use super::{backends, run, say, stop_on_signal, wait_for_signal};
use crate::backend::rehearsal;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Serves on the address of the options, or on a free port if that is taken, until a signal; then the folder is deleted.
///
/// # Errors
/// A sentence that says what failed.
pub async fn serve(config: &Config) -> Result<(), String> {
    let folder = tempfile::Builder::new().prefix("handrail-demo-").tempdir();
    let folder = folder.map_err(|error| format!("there is no temporary folder: {error}."))?;
    let config = Config {
        data_dir: folder.path().to_owned(),
        trust_local: true,
        backend: vec!["rehearsal".to_owned()],
        backend_key: Vec::new(),
        backend_key_file: Vec::new(),
        ..config.clone()
    };
    config.check()?;
    let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let listener = match TcpListener::bind(config.listen).await {
        Ok(listener) => listener,
        Err(_) => TcpListener::bind(free)
            .await
            .map_err(|error| format!("no port of this machine is free: {error}."))?,
    };
    let stopping = CancellationToken::new();
    tokio::spawn(stop_on_signal(stopping.clone()));
    let print = |text: &str| {
        say(text);
        if text.starts_with("Handrail is serving") {
            say(
                "This is a demo with scripted agents that execute nothing. Start with the suggestion \"Tour: a bit of \
                 everything\". Ctrl-C stops it and deletes everything.",
            );
        }
    };
    run(config, listener, stopping, print).await
}

/// Serves only the rehearsal, as a stand-in for OpenHands, until a signal stops it.
///
/// # Errors
/// A sentence that says what failed.
pub async fn rehearse(config: &Config) -> Result<(), String> {
    let options = rehearsal::Options {
        port: config.listen.port(),
        ..backends::rehearsal_options(&config.rehearsal)
    };
    let rehearsal = backends::start_rehearsal(options)
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
