//! `handrail doctor`: what is wrong with a set-up, and how to mend it, a sentence for each part.
//!
//! It is asked with the options of the server, also while that runs, and changes nothing: probes are temporary files.

mod folder;
mod front;
mod services;

use super::config::Config;
use super::healthcheck;
use super::node;
use super::say;
use std::io;
use std::net::TcpListener;
use url::Url;

/// The result of a check.
enum Finding {
    /// All is well.
    Good(String),
    /// It works, but somebody should know this.
    Note(String),
    /// It does not work; the sentence says what to do.
    Wrong(String),
}

use Finding::{Good, Note, Wrong};

/// Examines the set-up of the options and prints a line for each part; with `push` also the services of browsers,
/// and with `url` the way from that address to the running server.
///
/// # Errors
/// A sentence with the number of parts that are wrong.
pub async fn run(config: &Config, push: bool, url: Option<&Url>) -> Result<(), String> {
    let mut wrong = 0;
    let mut print = |part: &str, finding: Finding| {
        let (mark, text) = match finding {
            Good(text) => ("ok", text),
            Note(text) => ("note", text),
            Wrong(text) => {
                wrong += 1;
                ("WRONG", text)
            }
        };
        say(&format!("{mark:<6} {part:<9} {text}"));
    };
    let data_dir = &config.data_dir;
    print("port", port(config).await);
    print("folder", folder::access(data_dir));
    print("lock", folder::lock(data_dir));
    print("disk", folder::disk(data_dir, config.room_limits()));
    let glance = folder::glance(config);
    print("database", folder::database(config, &glance));
    match node::examine(config).await {
        Ok(None) => {}
        Ok(Some(text)) => print("node", Good(text)),
        Err(text) => print("node", Wrong(text.trim_end_matches('.').to_owned())),
    }
    print("clock", folder::clock(&glance));
    print("files", services::files(config));
    print("TLS", services::tls(config));
    for finding in services::backends(config, &glance).await {
        print("backend", finding);
    }
    if let Some(url) = url {
        for finding in front::examine(config, url).await {
            print("proxy", finding);
        }
    }
    if push {
        for finding in services::push().await {
            print("push", finding);
        }
    }
    match wrong {
        0 => Ok(()),
        1 => Err("one part of this set-up is wrong.".to_owned()),
        _ => Err(format!("{wrong} parts of this set-up are wrong.")),
    }
}

/// Whether the server can listen, or does so already.
async fn port(config: &Config) -> Finding {
    let address = config.listen;
    match TcpListener::bind(address) {
        Ok(_) => Good(format!("{address} is free")),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            match healthcheck::run(config).await {
                Ok(()) => Good(format!("Handrail serves on {address}")),
                Err(_) => Wrong(format!(
                    "{address} is taken by another program. Stop that one, or choose another port with --listen"
                )),
            }
        }
        Err(error) if error.kind() == io::ErrorKind::AddrNotAvailable => Wrong(format!(
            "this machine does not have the address {}. Listen on one of its own, or on 0.0.0.0",
            address.ip()
        )),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Wrong(format!(
            "this user may not listen on port {}. Choose one above 1023 with --listen",
            address.port()
        )),
        Err(error) => Wrong(format!(
            "cannot listen on {address}: {error}. Choose another address with --listen"
        )),
    }
}
