//! Slots for connections: limits in total and per address, and time limits per phase.
//!
//! A connection that waits for its client (in the handshake, within a request head, or idle between requests) has a
//! time limit, and is the first to be evicted when the slots run out, so open connections cannot lock others out.
//! Connections with a request in progress and live connections keep their slots.

use crate::sync::lock;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

/// Time limits of the handshake and of the request head: generous enough for a phone on a bad network.
const HANDSHAKE: Duration = Duration::from_secs(10);
const HEAD: Duration = Duration::from_secs(15);
/// How long a connection may be idle. Proxies keep theirs for 60 seconds and should close first: a request sent on a
/// connection that is just being closed is lost.
const IDLE: Duration = Duration::from_secs(75);
/// How long a client may accept no byte of a response.
const STALLED: Duration = Duration::from_secs(60);
/// How often the time limits are checked.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The phase of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The TLS handshake.
    Handshake,
    /// A request head has not arrived completely.
    Head,
    /// A request is being read, processed and answered.
    Busy,
    /// The next request has not begun.
    Idle,
    /// A live connection (WebSocket), which has limits of its own.
    Live,
}

impl Phase {
    /// How long to wait for the client; `None` while the server is not waiting for it.
    fn limit(self) -> Option<Duration> {
        match self {
            Self::Handshake => Some(HANDSHAKE),
            Self::Head => Some(HEAD),
            Self::Idle => Some(IDLE),
            Self::Busy | Self::Live => None,
        }
    }
}

/// Connection limits.
#[derive(Debug, Clone, Copy)]
pub struct Most {
    /// In total.
    pub all: usize,
    /// Per address. An IPv6 /64, which one household gets, counts as one address.
    pub of_one: usize,
}

/// All slots. Cheap to clone; clones share their state.
#[derive(Clone)]
pub struct Slots(Arc<Inner>);

struct Inner {
    most: Most,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    newest: u64,
    slots: HashMap<u64, Arc<Slot>>,
}

/// The slot of one connection. It is freed when the connection drops its [`SlotGuard`], or by eviction.
pub struct Slot {
    /// The client's network; `None` for a proxy, which serves many clients.
    from: Option<IpAddr>,
    now: Mutex<Now>,
    /// Cancelled when the connection is evicted.
    pub gone: CancellationToken,
}

struct Now {
    phase: Phase,
    since: Instant,
    /// Since when the client has accepted no bytes, although there were some to send.
    stalled: Option<Instant>,
}

/// Keeps a slot taken; owned by the connection.
pub struct SlotGuard {
    slot: Arc<Slot>,
    number: u64,
    slots: Weak<Inner>,
}

/// Cancelled when the connection of a request has lost its slot: in the extensions of the request, for what outlives it.
#[derive(Debug, Clone, Default)]
pub struct Gone(pub CancellationToken);

impl Slots {
    /// Creates the slots. Must be called within a runtime, since it spawns the task that enforces the time limits.
    pub fn new(most: Most) -> Self {
        let inner = Arc::new(Inner {
            most,
            taken: Mutex::default(),
        });
        let weak = Arc::downgrade(&inner);
        tokio::spawn(async move {
            let mut ticks = interval(CHECK_INTERVAL);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                ticks.tick().await;
                let Some(inner) = weak.upgrade() else {
                    return;
                };
                let overdue = |slot: &Arc<Slot>| slot.is_overdue();
                lock(&inner.taken).take_away(overdue);
            }
        });
        Self(inner)
    }

    /// A slot for a connection from this address, which stands for many clients if it is a `proxy`. If none is left, a
    /// connection that waits for its client is evicted; `None` if there is none.
    pub fn enter(&self, address: IpAddr, is_proxy: bool) -> Option<SlotGuard> {
        let from = (!is_proxy).then(|| network(address));
        let mut taken = lock(&self.0.taken);
        let mut of: HashMap<Option<IpAddr>, usize> = HashMap::new();
        for slot in taken.slots.values() {
            *of.entry(slot.from).or_default() += 1;
        }
        let too_many_of_one = from.is_some()
            && of
                .get(&from)
                .is_some_and(|count| *count >= self.0.most.of_one);
        if too_many_of_one || taken.slots.len() >= self.0.most.all {
            let may_go = taken.slots.iter().filter(|(_, slot)| {
                slot.phase().limit().is_some() && (!too_many_of_one || slot.from == from)
            });
            // Evict the longest-waiting one of the address with the most slots, so that clients with few are spared.
            let first = may_go
                .max_by_key(|(_, slot)| (of.get(&slot.from), std::cmp::Reverse(slot.since())));
            let number = *first?.0;
            taken.slots.remove(&number)?.gone.cancel();
        }
        taken.newest += 1;
        let (slot, number) = (Arc::new(Slot::new(from)), taken.newest);
        taken.slots.insert(number, Arc::clone(&slot));
        Some(SlotGuard {
            slot,
            number,
            slots: Arc::downgrade(&self.0),
        })
    }
}

impl Taken {
    fn take_away(&mut self, is_it: impl Fn(&Arc<Slot>) -> bool) {
        self.slots.retain(|_, slot| {
            let goes = is_it(slot);
            if goes {
                slot.gone.cancel();
            }
            !goes
        });
    }
}

impl Slot {
    fn new(from: Option<IpAddr>) -> Self {
        Self {
            from,
            now: Mutex::new(Now {
                phase: Phase::Handshake,
                since: Instant::now(),
                stalled: None,
            }),
            gone: CancellationToken::new(),
        }
    }

    /// The connection's phase.
    pub fn phase(&self) -> Phase {
        lock(&self.now).phase
    }

    fn since(&self) -> Instant {
        lock(&self.now).since
    }

    /// Enters a phase. A live connection never leaves its phase.
    pub fn is(&self, phase: Phase) {
        let mut now = lock(&self.now);
        if now.phase != Phase::Live {
            (now.phase, now.since) = (phase, Instant::now());
        }
    }

    /// Bytes have arrived: an idle connection begins its next request.
    pub fn on_bytes(&self) {
        if self.phase() == Phase::Idle {
            self.is(Phase::Head);
        }
    }

    /// Records whether the client accepts the bytes that are sent.
    pub fn takes(&self, takes: bool) {
        let mut now = lock(&self.now);
        match takes {
            true => now.stalled = None,
            false => drop(now.stalled.get_or_insert_with(Instant::now)),
        }
    }

    fn is_overdue(&self) -> bool {
        let now = lock(&self.now);
        now.phase
            .limit()
            .is_some_and(|limit| now.since.elapsed() >= limit)
            || now.stalled.is_some_and(|since| since.elapsed() >= STALLED)
    }
}

impl SlotGuard {
    /// The slot.
    pub fn slot(&self) -> &Arc<Slot> {
        &self.slot
    }
}

impl Drop for SlotGuard {
    fn drop(&mut self) {
        if let Some(slots) = self.slots.upgrade() {
            lock(&slots.taken).slots.remove(&self.number);
        }
    }
}

/// The network of an address: a /64 for IPv6, where one client has that many addresses; IPv4 addresses as they are.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64)).into(),
    }
}

#[cfg(test)]
mod tests;
