//! Several nodes on one database: one serves, the others forward what they are asked to it and wait for its lease.

mod forward;
mod identity;

use super::accept::{self, Entrance};
use super::config::Config;
use super::proxies::Proxies;
use super::{reasons, service_manager};
use crate::journal::{Lease, Location, Node, Server, serving_node, wait_for_turn};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use forward::{CONTRADICTION, Forwarder, OPTIONS};
use identity::Identity;
use rand::distr::{Alphanumeric, SampleString as _};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, lookup_host};
use tokio_util::sync::CancellationToken;

/// How long the node that serves may take to accept another one, when a set-up is examined.
const EXAMINING: Duration = Duration::from_secs(5);
/// How long requests that are being forwarded get to end when this node begins to serve.
const ENDING: Duration = Duration::from_secs(2);

/// The identity of the node that the options describe, its database, and the addresses behind its name; `None` without such
/// options.
///
/// Errors: a sentence that says what is wrong with an option.
async fn described(config: &Config) -> Result<Option<(Identity, Server, Vec<SocketAddr>)>, String> {
    let (Some(address), Some(file)) = (&config.node.node_address, &config.node.cluster_secret_file)
    else {
        return Ok(None);
    };
    let server = config.database.new_server()?;
    let server =
        server.ok_or("several nodes need a database on a server: give --database, too.")?;
    let identity = Identity::of_file(file)?;
    let wrong = |error: &dyn std::fmt::Display| format!("--node-address {address}: {error}.");
    let found = lookup_host(address.as_str()).await;
    let addresses: Vec<SocketAddr> = found.map_err(|error| wrong(&error))?.collect();
    let is_here_only = addresses.iter().all(|address| address.ip().is_loopback());
    if config.trust_local && !is_here_only {
        return Err(wrong(
            &"with --trust-local nodes can be on this machine only",
        ));
    }
    if is_here_only && !config.listen.ip().is_loopback() {
        let text = "it is an address of this machine alone, so no other node could reach it (see /etc/hosts). Name one of the network";
        return Err(wrong(&text));
    }
    Ok(Some((identity, server, addresses)))
}

/// Whether the node that serves would accept the one that the options describe, in words; `None` without such options.
///
/// # Errors
/// A sentence that says what is wrong.
pub async fn examine(config: &Config) -> Result<Option<String>, String> {
    let Some((identity, server, _)) = described(config).await? else {
        return Ok(None);
    };
    let serving = serving_node(Arc::new(server))
        .await
        .map_err(|error| reasons(&error))?;
    let Some(node) = serving else {
        return Ok(Some("no node serves yet".to_owned()));
    };
    let address = node.address.clone();
    let forwarder = Forwarder::new(
        tokio::sync::watch::channel(Some(node)).1,
        identity,
        common_options(config),
        CancellationToken::new(),
        &config.base.0,
    );
    match tokio::time::timeout(EXAMINING, forwarder.introduce()).await {
        Ok(accepted) => accepted.map(|()| Some(format!("{address} serves, and accepts this node"))),
        Err(_) => Err(format!(
            "the node at {address} has the lease and cannot be reached from here. Open that port between the nodes."
        )),
    }
}

/// This process as one of several nodes.
pub struct ThisNode {
    node: Node,
    /// The database as this node uses it.
    server: Arc<Server>,
    identity: Identity,
    /// The options that have to be the same on all nodes, as a header.
    options: HeaderValue,
    listener: TcpListener,
}

impl ThisNode {
    /// The node that the options describe, which other nodes can connect to; `None` without such options.
    ///
    /// # Errors
    /// A sentence that says what is wrong with an option.
    pub async fn of(config: &Config) -> Result<Option<Self>, String> {
        let Some((identity, server, addresses)) = described(config).await? else {
            return Ok(None);
        };
        let address = config.node.node_address.clone().unwrap_or_default();
        let taken = |error: std::io::Error| {
            format!("--node-address {address}: this cannot be listened on: {error}.")
        };
        let listener = TcpListener::bind(addresses.as_slice()).await;
        let id = Alphanumeric.sample_string(&mut rand::rng(), 16);
        Ok(Some(Self {
            server: Arc::new(server.for_node(&id)),
            node: Node {
                id,
                address: address.clone(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            },
            identity,
            options: common_options(config),
            listener: listener.map_err(taken)?,
        }))
    }

    /// Where the journal is.
    pub fn location(&self) -> Location {
        Location::Server(Arc::clone(&self.server))
    }

    /// Forwards what arrives at `listener` to the node that serves, until this one has the lease. `None`: `stopping` was
    /// cancelled before.
    ///
    /// # Errors
    /// A sentence: the database cannot be used, or the node that serves does not accept this one.
    pub async fn stand_by(
        &self,
        listener: &TcpListener,
        config: &Config,
        stopping: &CancellationToken,
        say: &impl Fn(&str),
    ) -> Result<Option<Arc<Lease>>, String> {
        let turn = wait_for_turn(Arc::clone(&self.server), self.node.clone()).await;
        let mut turn = turn.map_err(|error| reasons(&error))?;
        let failed = |error: std::io::Error| format!("the listener cannot be used: {error}.");
        // The socket stays open when this one is closed, and whoever connects meanwhile waits.
        let listener = duplicate(listener).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        // Ends what is forwarded when this node takes over, and accepting also when it stops.
        let (taken_over, closed) = (CancellationToken::new(), stopping.child_token());
        let forwarder = Arc::new(Forwarder::new(
            turn.serving.clone(),
            self.identity.clone(),
            self.options.clone(),
            taken_over.clone(),
            &config.base.0,
        ));
        // A node that does not fit is better noticed now than when it has taken over.
        tokio::select! {
            accepted = forwarder.introduce() => accepted?,
            lease = &mut turn.lease => return Ok(lease.ok()),
            () = stopping.cancelled() => {
                turn.leave().await;
                return Ok(None);
            }
        }
        let scheme = config.certificate().map_or("http", |_| "https");
        let path = config.base.0.trim_end_matches('/');
        say(&format!("Handrail stands by on {scheme}://{address}{path}"));
        say("Another node serves. This one forwards to it, and takes over when it ends.");
        // Until it serves: to take over may take longer than the service manager waits.
        tokio::spawn(service_manager::ready(stopping.clone()));
        let entrance = Entrance {
            tls: config
                .certificate()
                .map(super::tls::Files::watch)
                .transpose()?,
            stopping: closed.clone(),
            proxies: Proxies::new(&config.trusted_proxy),
            asker: None,
        };
        let router = Router::new()
            .fallback(forward::answer)
            .with_state(forwarder);
        let serving = tokio::spawn(accept::serve(listener, entrance, router));
        let lease = tokio::select! {
            lease = &mut turn.lease => lease.ok(),
            () = stopping.cancelled() => None,
        };
        closed.cancel();
        if lease.is_some() {
            taken_over.cancel();
        }
        if tokio::time::timeout(ENDING, serving).await.is_err() {
            tracing::warn!("requests to another node did not end in time");
        }
        if lease.is_none() {
            turn.leave().await;
        }
        Ok(lease)
    }

    /// Answers what other nodes forward, until `stopping` is cancelled.
    pub async fn serve_nodes(self, router: Router, stopping: CancellationToken) {
        let (tls, options) = (self.identity.acceptor(), self.options);
        let entrance = Entrance {
            tls: Some(tls),
            stopping,
            proxies: Proxies::default(),
            asker: Some(forward::peer),
        };
        let router = router.layer(middleware::from_fn_with_state(options, check_options));
        accept::serve(self.listener, entrance, router).await;
    }
}

/// Another handle of a listening socket.
fn duplicate(listener: &TcpListener) -> std::io::Result<TcpListener> {
    #[cfg(unix)]
    let copy = {
        use std::os::fd::AsFd as _;
        std::net::TcpListener::from(listener.as_fd().try_clone_to_owned()?)
    };
    #[cfg(windows)]
    let copy = {
        use std::os::windows::io::AsSocket as _;
        std::net::TcpListener::from(listener.as_socket().try_clone_to_owned()?)
    };
    TcpListener::from_std(copy)
}

/// The options that decide what a person may do and where they are: a digest of each, as none is to be told to others.
fn common_options(config: &Config) -> HeaderValue {
    let digest = |value: String| data_encoding::HEXLOWER.encode(&Sha256::digest(value)[..6]);
    let openid = &config.openid;
    let proxies: Vec<_> = config
        .trusted_proxy
        .iter()
        .map(ToString::to_string)
        .collect();
    let options = [
        ("--base", config.base.0.clone()),
        ("--trust-local", config.trust_local.to_string()),
        ("--trusted-proxy", proxies.join(",")),
        ("--allow-host", config.allow_host.join(",")),
        ("--hsts", config.hsts.to_string()),
        ("--tls", config.certificate().is_some().to_string()),
        ("--oidc-issuer", format!("{:?}", openid.oidc_issuer)),
        ("--oidc-client-id", format!("{:?}", openid.oidc_client_id)),
        ("--backend", config.backend.join(",")),
    ];
    let options = options.map(|(name, value)| format!("{name}={}", digest(value)));
    HeaderValue::from_str(&options.join(",")).expect("names and digits")
}

/// Refuses a node whose options contradict those of this one.
async fn check_options(State(own): State<HeaderValue>, request: Request, next: Next) -> Response {
    let read = |value: &HeaderValue| -> HashMap<String, String> {
        let text = value.to_str().unwrap_or_default();
        let pairs = text.split(',').filter_map(|option| option.split_once('='));
        let pairs = pairs.map(|(name, digest)| (name.to_owned(), digest.to_owned()));
        pairs.collect()
    };
    // Only nodes get here, and all of them say their options; another version may have others.
    let theirs = request.headers().get(OPTIONS).map(read).unwrap_or_default();
    let own = read(&own);
    let differs = |(name, digest): &(&String, &String)| {
        theirs.get(*name).is_some_and(|theirs| theirs != *digest)
    };
    let mut names: Vec<&str> = own
        .iter()
        .filter(differs)
        .map(|(name, _)| name.as_str())
        .collect();
    if names.is_empty() {
        return match request.uri().path() == forward::INTRODUCTION {
            true => StatusCode::NO_CONTENT.into_response(),
            false => next.run(request).await,
        };
    }
    names.sort_unstable();
    (StatusCode::CONFLICT, [(CONTRADICTION, names.join(", "))]).into_response()
}
