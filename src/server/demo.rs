//! `handrail demo`: the rehearsal in a temporary folder, without a login, for a first look.

use super::config::Config;
use super::{run, say, stop_on_signal};
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
