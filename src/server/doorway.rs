//! Where connections come in: plain, or over TLS.
//!
//! A handshake takes as long as the other side likes, so each has a task of its own, a limit in time, and a
//! limit in number per address: who never finishes one keeps nobody else out.

use super::places::Places;
use axum::serve::Listener;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;

/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Handshakes of one address at a time.
const PENDING: u32 = 8;

/// A connection.
pub type Line = Either<TcpStream, Box<TlsStream<TcpStream>>>;

/// Where connections come in.
pub struct Doorway {
    lines: mpsc::Receiver<(Line, SocketAddr)>,
    address: SocketAddr,
}

impl Doorway {
    /// Lets in what comes to `listener`, over TLS if there is a certificate.
    pub fn open(
        listener: TcpListener,
        tls: Option<watch::Receiver<TlsAcceptor>>,
    ) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let (sender, lines) = mpsc::channel(64);
        tokio::spawn(accept(listener, tls, sender));
        Ok(Self { lines, address })
    }
}

impl Listener for Doorway {
    type Io = Line;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Line, SocketAddr) {
        match self.lines.recv().await {
            Some(line) => line,
            // The task ends with us alone; there is nothing more to come.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

async fn accept(
    mut listener: TcpListener,
    tls: Option<watch::Receiver<TlsAcceptor>>,
    lines: mpsc::Sender<(Line, SocketAddr)>,
) {
    let pending = Places::new(PENDING);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = Listener::accept(&mut listener) => accepted,
            () = lines.closed() => return,
        };
        // Without TCP_NODELAY a small frame waits up to 40 ms for the one before it to be acknowledged.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY is not to be had");
        }
        let Some(tls) = &tls else {
            // Nobody takes it any more: the loop ends at its next turn.
            let _ = lines.send((Either::Left(stream), peer)).await;
            continue;
        };
        let Some(place) = pending.enter(peer.ip()) else {
            tracing::info!(%peer, "too many handshakes at once");
            continue;
        };
        let (acceptor, lines) = (tls.borrow().clone(), lines.clone());
        tokio::spawn(async move {
            let shaken = tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await;
            drop(place);
            match shaken {
                Ok(Ok(stream)) => drop(lines.send((Either::Right(Box::new(stream)), peer)).await),
                Ok(Err(error)) => tracing::debug!(%peer, %error, "a handshake failed"),
                Err(_) => tracing::debug!(%peer, "a handshake took too long"),
            }
        });
    }
}
