//! Accepts connections, plain or over TLS, and serves requests on them.
//!
//! Each connection has its own task and one of the [`Slots`], so a client that never finishes a handshake or a request
//! head does not block the others.
//!
//! Long because its streams and its test belong to the connections.

use super::load::holding;
use super::proxies::Proxies;
use super::slots::{Gone, Most, Phase, Slot, SlotGuard, Slots};
use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

/// Open connections: a thousand followers, and as many for requests.
const MOST: usize = 2048;
/// File descriptors reserved for the journal, backend connections and uploads.
const OTHER_FILES: usize = 128;
/// Read buffer of a connection, in bytes. Headers may take half of it.
const BUFFER: usize = 32 * 1024;

/// The response when no slot is free.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\ncontent-length: 59\r\n\
                      retry-after: 5\r\nconnection: close\r\n\r\n\
                      Too many connections are open. Try again in a few seconds.\n";

/// Connection limits: as many as the file descriptor limit allows, and at most [`MOST`].
pub fn most() -> Most {
    let all = files().map_or(MOST, |files| {
        MOST.min(files.saturating_sub(OTHER_FILES).max(files / 2))
    });
    Most {
        all,
        of_one: all / 2,
    }
}

/// The file descriptor limit of this process, after raising it to the hard limit.
fn files() -> Option<usize> {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        let more = Rlimit {
            current: limit.maximum,
            maximum: limit.maximum,
        };
        let current = match setrlimit(Resource::Nofile, more) {
            Ok(()) => limit.maximum,
            Err(_) => limit.current,
        };
        current.map(|files| usize::try_from(files).unwrap_or(usize::MAX))
    }
    #[cfg(not(unix))]
    None
}

/// How connections are accepted.
pub struct Entrance {
    /// The certificate; `None`: without TLS.
    pub tls: Option<watch::Receiver<TlsAcceptor>>,
    /// Ends it.
    pub stopping: CancellationToken,
    /// Proxies, which may have more connections than others.
    pub proxies: Proxies,
    /// Who has asked the node that connects, if only other nodes do.
    pub asker: Option<fn(&HeaderMap) -> Option<SocketAddr>>,
}

/// Serves `router` on `listener` until `stopping` is cancelled and all requests in progress are answered.
pub async fn serve(mut listener: TcpListener, entrance: Entrance, router: Router) {
    let Entrance {
        tls,
        stopping,
        proxies,
        asker,
    } = entrance;
    let (slots, tasks) = (Slots::new(most()), TaskTracker::new());
    loop {
        let (stream, peer) = tokio::select! {
            accepted = Listener::accept(&mut listener) => accepted,
            () = stopping.cancelled() => break,
        };
        let address = peer.ip().to_canonical();
        let is_proxy = asker.is_some() || address.is_loopback() || proxies.knows(address);
        let Some(guard) = slots.enter(address, is_proxy) else {
            tracing::warn!(%peer, "too many connections are open");
            if tls.is_none() {
                // Best effort: a client that does not read this response sees a closed connection.
                let _ = stream.try_write(FULL);
            }
            continue;
        };
        // Without TCP_NODELAY a small frame waits up to 40 ms for the ACK of the previous one.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "cannot set TCP_NODELAY");
        }
        let acceptor = tls.as_ref().map(|tls| tls.borrow().clone());
        let (router, stopping) = (router.clone(), stopping.clone());
        tasks.spawn(async move {
            let gone = guard.slot().gone.clone();
            tokio::select! {
                () = attend(stream, peer, acceptor, router, guard, stopping, asker) => {}
                () = gone.cancelled() => tracing::debug!(%peer, "a connection timed out or lost its slot"),
            }
        });
    }
    drop(listener);
    tasks.close();
    tasks.wait().await;
}

/// Serves one connection until it closes.
async fn attend(
    stream: TcpStream,
    peer: SocketAddr,
    acceptor: Option<TlsAcceptor>,
    router: Router,
    guard: SlotGuard,
    stopping: CancellationToken,
    asker: Option<fn(&HeaderMap) -> Option<SocketAddr>>,
) {
    let stream = match acceptor {
        None => Either::Left(stream),
        Some(acceptor) => {
            let shaken = tokio::select! {
                shaken = acceptor.accept(stream) => shaken,
                () = stopping.cancelled() => return,
            };
            match shaken {
                Ok(stream) => Either::Right(Box::new(stream)),
                Err(error) => return tracing::debug!(%peer, %error, "TLS handshake failed"),
            }
        }
    };
    let slot = Arc::clone(guard.slot());
    slot.is(Phase::Head);
    let answering = Arc::clone(&slot);
    let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        let asker = asker.and_then(|asker| asker(request.headers()));
        let peer = asker.unwrap_or(peer);
        answer(router.clone(), request, peer, Answering::by(&answering))
    });
    let connection = http1::Builder::new()
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(SlotStream { stream, guard }), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    tokio::select! {
        outcome = connection.as_mut() => return ended(peer, outcome),
        () = stopping.cancelled() => {}
    }
    // Requests in progress are answered. Clients that have not sent a request yet are disconnected.
    if slot.phase() != Phase::Head {
        connection.as_mut().graceful_shutdown();
        ended(peer, connection.await);
    }
}

fn ended(peer: SocketAddr, outcome: hyper::Result<()>) {
    if let Err(error) = outcome {
        tracing::debug!(%peer, %error, "a connection failed");
    }
}

async fn answer(
    router: Router,
    request: hyper::Request<hyper::body::Incoming>,
    peer: SocketAddr,
    answering: Answering,
) -> Result<Response, Infallible> {
    let mut request: Request = request.map(Body::new);
    request.extensions_mut().insert(ConnectInfo(peer));
    request
        .extensions_mut()
        .insert(Gone(answering.0.gone.clone()));
    let response = router.oneshot(request).await?;
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        answering.0.is(Phase::Live);
    }
    Ok(response.map(|body| holding(body, answering)))
}

/// Guard: a request is in progress while it exists.
struct Answering(Arc<Slot>);

impl Answering {
    fn by(slot: &Arc<Slot>) -> Self {
        slot.is(Phase::Busy);
        Self(Arc::clone(slot))
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.is(Phase::Idle);
    }
}

/// A connection, which keeps its slot while it is open, also after an upgrade to a WebSocket.
struct SlotStream {
    stream: Either<TcpStream, Box<TlsStream<TcpStream>>>,
    guard: SlotGuard,
}

impl SlotStream {
    fn sent<T>(&self, outcome: Poll<T>) -> Poll<T> {
        self.guard.slot().takes(outcome.is_ready());
        outcome
    }
}

impl AsyncRead for SlotStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.guard.slot().on_bytes();
        }
        outcome
    }
}

impl AsyncWrite for SlotStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.sent(outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.sent(outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_flush(context);
        self.sent(outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    #[tokio::test]
    async fn a_request_is_in_progress_until_its_client_has_taken_the_response() {
        const SIZE: usize = 1024 * 1024;
        let slots = Slots::new(Most { all: 2, of_one: 2 });
        let peer: SocketAddr = "192.0.2.1:9".parse().expect("an address");
        let guard = slots.enter(peer.ip(), false).expect("there is room");
        let slot = Arc::clone(guard.slot());
        let answering = Arc::clone(&slot);
        let router = Router::new().route("/", get(async || vec![b'x'; SIZE]));
        let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            answer(router.clone(), request, peer, Answering::by(&answering))
        });
        let (mut client, server) = tokio::io::duplex(1024);
        let connection = http1::Builder::new()
            .max_buf_size(BUFFER)
            .serve_connection(TokioIo::new(server), service);
        let serving = tokio::spawn(connection);
        let request = b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
        client.write_all(request).await.expect("it is open");
        let mut some = [0; 1000];
        client.read_exact(&mut some).await.expect("it answers");
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(slot.phase(), Phase::Busy, "most is still to be sent");
        let mut rest = Vec::new();
        client.read_to_end(&mut rest).await.expect("it answers");
        assert!(rest.len() > SIZE - some.len());
        serving.await.expect("no panic").expect("no error");
        assert_eq!(slot.phase(), Phase::Idle);
    }
}
