//! A bad network: a TCP proxy that cuts, delays, swallows and refuses on demand.
//!
//! Whatever it does to the lines that are open, it does at once; what it does to new ones lasts until
//! [`Chaos::restore_networking`].

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// How the network is.
#[derive(Clone, Copy)]
struct Weather {
    target: SocketAddr,
    /// Lines of an older number are cut.
    number: u64,
    broken: bool,
    /// What clients and what servers say is swallowed.
    frozen: [bool; 2],
    delay: Duration,
}

/// What all lines share.
struct Shared {
    weather: watch::Receiver<Weather>,
    /// Bytes from the server until the next cut; negative for none.
    until_cut: AtomicI64,
    carried: AtomicUsize,
}

/// The proxy. It ends when this is dropped.
pub struct Chaos {
    pub address: SocketAddr,
    weather: watch::Sender<Weather>,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

impl Chaos {
    /// A proxy in good weather before `target`.
    pub async fn before(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let (weather, seen) = watch::channel(Weather {
            target,
            number: 0,
            broken: false,
            frozen: [false; 2],
            delay: Duration::ZERO,
        });
        let shared = Arc::new(Shared {
            weather: seen,
            until_cut: AtomicI64::new(-1),
            carried: AtomicUsize::new(0),
        });
        let lines = Arc::clone(&shared);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(carry(stream, Arc::clone(&lines)));
            }
        });
        Self {
            address,
            weather,
            shared,
            accepting,
        }
    }

    /// Cuts all lines and lets no new one through.
    pub fn break_networking(&self) {
        self.weather.send_modify(|weather| {
            weather.broken = true;
            weather.number += 1;
        });
    }

    /// Everything works again. Lines that were swallowed are cut: nobody knows what they have missed.
    pub fn restore_networking(&self) {
        self.shared.until_cut.store(-1, Ordering::SeqCst);
        self.weather.send_modify(|weather| {
            weather.number += u64::from(weather.frozen != [false; 2]);
            weather.broken = false;
            weather.frozen = [false; 2];
            weather.delay = Duration::ZERO;
        });
    }

    /// Cuts all lines; new ones are fine.
    pub fn drop_all(&self) {
        self.weather.send_modify(|weather| weather.number += 1);
    }

    /// Half-open: all lines stay, and nothing comes through them any more.
    pub fn freeze(&self) {
        self.weather
            .send_modify(|weather| weather.frozen = [true; 2]);
    }

    /// What clients say arrives, what servers answer does not.
    pub fn swallow_answers(&self) {
        self.weather
            .send_modify(|weather| weather.frozen = [false, true]);
    }

    /// Each piece takes this much longer.
    pub fn delay(&self, delay: Duration) {
        self.weather.send_modify(|weather| weather.delay = delay);
    }

    /// Cuts the line on which the server's next `bytes` end, in the middle of whatever that is.
    pub fn cut_after(&self, bytes: u32) {
        self.shared
            .until_cut
            .store(i64::from(bytes), Ordering::SeqCst);
    }

    /// Leads new lines elsewhere.
    pub fn lead_to(&self, target: SocketAddr) {
        self.weather.send_modify(|weather| weather.target = target);
    }

    /// Lines that there have been.
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

/// Carries one line until either side or the weather ends it.
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
        () = cut(shared.weather.clone(), weather.number) => {}
        () = pass(from_client, to_server, &shared, weather.number, false) => {}
        () = pass(from_server, to_client, &shared, weather.number, true) => {}
    }
}

async fn cut(mut weather: watch::Receiver<Weather>, number: u64) {
    // The proxy is gone: so is the line.
    let _ = weather.wait_for(|weather| weather.number != number).await;
}

/// One direction.
async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    shared: &Shared,
    number: u64,
    from_server: bool,
) {
    let mut weather = shared.weather.clone();
    let mut piece = vec![0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut piece).await {
        let Ok(now) = weather
            .wait_for(|weather| !weather.frozen[usize::from(from_server)])
            .await
            .map(|now| *now)
        else {
            return;
        };
        // Cut and thawed at once: what was swallowed never arrives.
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
