//! A bad network: a TCP proxy that cuts, delays, swallows and refuses on demand.
//!
//! Faults apply to open connections at once, and to new connections until [`Chaos::restore_networking`].

use crate::tab::LONG;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The state of the network.
#[derive(Clone, Copy)]
struct Weather {
    target: SocketAddr,
    /// The generation: connections of an older one are cut.
    number: u64,
    broken: bool,
    /// Whether data of the clients, and of the servers, is swallowed.
    frozen: [bool; 2],
    /// What `frozen` becomes when a client sends this text.
    to_freeze: Option<(&'static str, [bool; 2])>,
    delay: Duration,
}

/// The state shared by all connections.
struct Shared {
    weather: watch::Sender<Weather>,
    /// Bytes from the server until the next cut; negative for none.
    until_cut: AtomicI64,
    carried: AtomicUsize,
    /// What clients have sent.
    heard: Mutex<Vec<u8>>,
}

/// The proxy. Dropping it stops it.
pub struct Chaos {
    pub address: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

impl Chaos {
    /// A proxy without faults in front of `target`.
    pub async fn before(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let shared = Arc::new(Shared {
            weather: watch::Sender::new(Weather {
                target,
                number: 0,
                broken: false,
                frozen: [false; 2],
                to_freeze: None,
                delay: Duration::ZERO,
            }),
            until_cut: AtomicI64::new(-1),
            carried: AtomicUsize::new(0),
            heard: Mutex::default(),
        });
        let state = Arc::clone(&shared);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(carry(stream, Arc::clone(&state)));
            }
        });
        Self {
            address,
            shared,
            accepting,
        }
    }

    fn change(&self, change: impl FnOnce(&mut Weather)) {
        self.shared.weather.send_modify(change);
    }

    /// Cuts all connections and refuses new ones.
    pub fn break_networking(&self) {
        self.change(|weather| {
            weather.broken = true;
            weather.number += 1;
        });
    }

    /// Removes all faults. Connections with swallowed data are cut: the missing data is lost.
    pub fn restore_networking(&self) {
        self.shared.until_cut.store(-1, Ordering::SeqCst);
        self.change(|weather| {
            weather.number += u64::from(weather.frozen != [false; 2]);
            weather.broken = false;
            weather.frozen = [false; 2];
            weather.to_freeze = None;
            weather.delay = Duration::ZERO;
        });
    }

    /// Cuts all connections; new ones work.
    pub fn drop_all(&self) {
        self.change(|weather| weather.number += 1);
    }

    /// Half-open: all connections stay open, and no data passes.
    pub fn freeze(&self) {
        self.change(|weather| weather.frozen = [true; 2]);
    }

    /// Data from clients arrives, responses of servers do not.
    pub fn swallow_answers(&self) {
        self.change(|weather| weather.frozen = [false, true]);
    }

    /// [`Self::swallow_answers`], as soon as a client sends this text, which arrives.
    pub fn swallow_answers_to(&self, text: &'static str) {
        self.change(|weather| weather.to_freeze = Some((text, [false, true])));
    }

    /// Waits until data is swallowed.
    pub async fn is_frozen(&self) {
        let mut weather = self.shared.weather.subscribe();
        let frozen = weather.wait_for(|weather| weather.frozen != [false; 2]);
        let frozen = tokio::time::timeout(LONG, frozen).await;
        drop(frozen.expect("a client sends the text"));
    }

    /// Watches for a text: [`Self::has_passed`] waits until a client sends it. Nothing is swallowed.
    pub fn watch_for(&self, text: &'static str) {
        self.change(|weather| weather.to_freeze = Some((text, [false; 2])));
    }

    /// Waits until a client has sent the text of [`Self::watch_for`].
    pub async fn has_passed(&self) {
        let mut weather = self.shared.weather.subscribe();
        let passed = weather.wait_for(|weather| weather.to_freeze.is_none());
        let passed = tokio::time::timeout(LONG, passed).await;
        drop(passed.expect("a client sends the text"));
    }

    /// Delays each chunk of data.
    pub fn delay(&self, delay: Duration) {
        self.change(|weather| weather.delay = delay);
    }

    /// Cuts the connection on which the server's next `bytes` bytes end, even in the middle of a frame.
    pub fn cut_after(&self, bytes: u32) {
        self.shared
            .until_cut
            .store(i64::from(bytes), Ordering::SeqCst);
    }

    /// Redirects new connections to another target.
    pub fn lead_to(&self, target: SocketAddr) {
        self.change(|weather| weather.target = target);
    }

    /// Whether a client has sent this text, in one piece.
    pub fn has_heard(&self, text: &str) -> bool {
        let heard = self.shared.heard.lock().expect("no test panics with it");
        heard
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    }

    /// Number of connections so far.
    pub fn carried(&self) -> usize {
        self.shared.carried.load(Ordering::SeqCst)
    }
}

impl Drop for Chaos {
    fn drop(&mut self) {
        self.accepting.abort();
        self.drop_all();
    }
}

/// Carries one connection until either side or a fault ends it.
async fn carry(client: TcpStream, shared: Arc<Shared>) {
    let weather = *shared.weather.borrow();
    if weather.broken {
        return;
    }
    let Ok(server) = TcpStream::connect(weather.target).await else {
        return;
    };
    for stream in [&client, &server] {
        stream.set_nodelay(true).expect("it is open");
    }
    shared.carried.fetch_add(1, Ordering::SeqCst);
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::select! {
        () = cut(shared.weather.subscribe(), weather.number) => {}
        () = pass(from_client, to_server, &shared, weather.number, false) => {}
        () = pass(from_server, to_client, &shared, weather.number, true) => {}
    }
}

async fn cut(mut weather: watch::Receiver<Weather>, number: u64) {
    // Dropping the proxy ends the connection, too.
    let _ = weather.wait_for(|weather| weather.number != number).await;
}

/// Carries one direction of a connection.
async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    shared: &Shared,
    number: u64,
    from_server: bool,
) {
    let mut weather = shared.weather.subscribe();
    let mut piece = vec![0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut piece).await {
        if !from_server {
            let mut heard = shared.heard.lock().expect("no test panics with it");
            heard.extend(&piece[..read]);
            drop(heard);
            shared.weather.send_if_modified(|weather| {
                let data = String::from_utf8_lossy(&piece[..read]);
                match weather.to_freeze.take_if(|(text, _)| data.contains(*text)) {
                    Some((_, frozen)) => weather.frozen = frozen,
                    None => return false,
                }
                true
            });
        }
        let Ok(now) = weather
            .wait_for(|weather| !weather.frozen[usize::from(from_server)])
            .await
            .map(|now| *now)
        else {
            return;
        };
        // Cut and unfrozen at once: swallowed data never arrives.
        if now.number != number {
            return;
        }
        if !now.delay.is_zero() {
            tokio::time::sleep(now.delay).await;
        }
        let left = match from_server && shared.until_cut.load(Ordering::SeqCst) >= 0 {
            true => shared.until_cut.fetch_sub(read as i64, Ordering::SeqCst),
            false => i64::MAX,
        };
        let fits = usize::try_from(left).unwrap_or(0);
        if to.write_all(&piece[..read.min(fits)]).await.is_err() {
            return;
        }
        if fits < read {
            shared.until_cut.store(-1, Ordering::SeqCst);
            return;
        }
    }
}
