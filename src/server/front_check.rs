//! What reaches this server of a request to its public address, for `handrail doctor --url`.
//!
//! Only who can write the data folder is answered: a request names a file there, which the command has just made. An answer
//! comes in two parts with a pause between them, so that it is seen whether something on the way collects them.

use super::Site;
use super::host_names::host_of;
use super::proxies::is_direct;
use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::rejection::ExtensionRejection;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocketUpgrade};
use axum::extract::{ConnectInfo, Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt as _, stream};
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::sleep;

/// The beginning of the file's name; what the request names follows.
const PREFIX: &str = "doctor-";
/// Letters and digits that a request names.
pub const LENGTH: usize = 32;
/// The pause between the two parts of an answer.
pub const PAUSE: Duration = Duration::from_millis(600);
/// The second part.
pub const END: &str = "\nend";

/// What reaches the server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The `Host` header.
    pub host: String,
    /// The host of the browser, as a trusted proxy says.
    pub forwarded_host: Option<String>,
    /// The address that the connection comes from.
    pub peer: String,
    /// Whether no header is of a proxy.
    pub is_direct: bool,
    /// Whether the peer is a trusted proxy.
    pub is_trusted: bool,
    /// Whether the peer says for whom it asks.
    pub says_for: bool,
    /// Whether the request counts as one over TLS.
    pub secure: bool,
    /// The base path.
    pub base: String,
}

/// The file that a request names.
pub fn file(data_dir: &std::path::Path, name: &str) -> PathBuf {
    data_dir.join(format!("{PREFIX}{name}"))
}

/// The route.
pub async fn answer(
    State(site): State<Site>,
    Path(name): Path<String>,
    peer: Result<Extension<ConnectInfo<SocketAddr>>, ExtensionRejection>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    request: Request,
) -> Response {
    let is_name = name.len() == LENGTH && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let Ok(Extension(ConnectInfo(peer))) = peer else {
        return StatusCode::NOT_FOUND.into_response();
    };
    if !is_name || !file(&site.data_dir, &name).exists() {
        return StatusCode::NOT_FOUND.into_response();
    }
    if let Ok(upgrade) = upgrade {
        return upgrade.on_upgrade(async |mut socket| {
            // Who asks may have left.
            let _ = socket.send(Message::from("here")).await;
            let _ = socket.send(Message::Close(None)).await;
        });
    }
    let seen = seen(
        &site,
        peer,
        host_of(&request).unwrap_or_default(),
        request.headers(),
    );
    let first = serde_json::to_vec(&seen).expect("it is plain data");
    let first = stream::once(async { Bytes::from(first) });
    let end = stream::once(async {
        sleep(PAUSE).await;
        Bytes::from_static(END.as_bytes())
    });
    let parts = first.chain(end).map(Ok::<_, Infallible>);
    Body::from_stream(parts).into_response()
}

fn seen(site: &Site, peer: SocketAddr, host: &str, headers: &HeaderMap) -> Seen {
    let peer = peer.ip().to_canonical();
    let origin = site.proxies.origin(peer, headers);
    Seen {
        host: host.to_owned(),
        forwarded_host: site
            .proxies
            .forwarded_host(peer, headers)
            .map(str::to_owned),
        peer: peer.to_string(),
        is_direct: is_direct(headers),
        is_trusted: site.proxies.knows(peer),
        says_for: headers.contains_key("x-forwarded-for"),
        secure: site.serves_tls() || origin.secure,
        base: site.base.clone(),
    }
}
