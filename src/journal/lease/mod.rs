//! The lease of the one node that serves from a database on a server, of several that could.
//!
//! No two clocks are compared. The holder counts, on a connection of its own, and changes a backend only within [`FRESH`] of having
//! begun to count successfully. A node takes the lease over when it has seen, by its own clock, that the holder has counted no further
//! for longer: [`GONE`] if the holder's connection has ended, [`SILENT`] otherwise. Each change of the database makes sure in its
//! transaction that its node holds the lease ([`Server::fence`]).
//!
//! Long because the holder and those who wait keep the same times.

mod directory;
#[cfg(test)]
mod tests;

pub use directory::{ListedNode, Node, serving};

use super::engine::{self, Server};
use super::error::of_engine;
use super::{JournalError, off_thread};
use crate::sync::lock;
use crate::{clock, metrics};
use directory::{Count, Directory, Found};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// How often the holder counts.
const BEAT: Duration = Duration::from_millis(500);
/// How often the others look.
const LOOK: Duration = Duration::from_millis(250);
/// How long the holder may change a backend after it has begun to count.
const FRESH: Duration = Duration::from_secs(3);
/// How long a change of a backend waits for the holder to count again, before it is refused.
const PATIENCE: Duration = Duration::from_secs(10);
/// After how much time without counting others take over, if the connection of the holder has ended.
const GONE: Duration = Duration::from_secs(4);
/// The same if it has not: the holder was stopped, or its machine has vanished.
const SILENT: Duration = Duration::from_secs(15);
const _: () = assert!(FRESH.as_millis() + BEAT.as_millis() <= GONE.as_millis());
/// How long a node takes at most to say that it is there no more.
const LEAVING: Duration = Duration::from_secs(3);
/// How often a node says that it is there.
const PRESENT: Duration = Duration::from_secs(2);

/// Whether the node holds the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It has, when it began to count last: the time that the machine has been running.
    Counted(Duration),
    /// Another node has it.
    Lost,
    /// It was given back.
    Released,
}

/// For how much longer a holder may change a backend that began to count at `counted`, successfully.
fn remaining(counted: Duration, now: Duration) -> Duration {
    FRESH.saturating_sub(now.saturating_sub(counted))
}

/// The lease, in the hands of this process.
#[derive(Debug)]
pub struct Lease {
    epoch: i64,
    state: Arc<watch::Sender<State>>,
    /// Ends the thread that counts, which then gives it back: also when this is dropped.
    end: Mutex<Option<mpsc::Sender<()>>>,
    /// Whether that thread has ended.
    ended: watch::Receiver<bool>,
}

impl Lease {
    /// A lease that was counted up so long ago, and its end.
    #[cfg(test)]
    pub(crate) fn counted(ago: Duration) -> Arc<Self> {
        let at = clock::running().saturating_sub(ago);
        Arc::new(Self {
            epoch: 1,
            state: Arc::new(watch::Sender::new(State::Counted(at))),
            end: Mutex::default(),
            ended: watch::channel(true).1,
        })
    }

    /// Lets another node have taken it over.
    #[cfg(test)]
    pub(crate) fn lose(&self) {
        self.state.send_replace(State::Lost);
    }

    /// How often the lease had been taken when this process took it.
    pub fn epoch(&self) -> i64 {
        self.epoch
    }

    /// For how much longer a backend may be changed.
    pub fn remaining(&self) -> Duration {
        match *self.state.borrow() {
            State::Counted(at) => remaining(at, clock::running()),
            State::Lost | State::Released => Duration::ZERO,
        }
    }

    /// Whether a backend may be changed now. Waits a while if the database has not been heard of lately.
    pub async fn is_confirmed(&self) -> bool {
        let mut state = self.state.subscribe();
        let fresh = state.wait_for(|state| match state {
            State::Counted(at) => !remaining(*at, clock::running()).is_zero(),
            State::Lost | State::Released => true,
        });
        match tokio::time::timeout(PATIENCE, fresh).await {
            Ok(Ok(state)) => matches!(*state, State::Counted(_)),
            _ => false,
        }
    }

    /// Waits until another node has taken it over.
    pub async fn lost(&self) {
        let mut state = self.state.subscribe();
        let _ = state.wait_for(|state| *state == State::Lost).await;
    }

    /// Gives it back, for another node to take at once. Nothing may be changed any more.
    pub async fn release(&self) {
        self.state.send_replace(State::Released);
        drop(lock(&self.end).take());
        let mut ended = self.ended.clone();
        let _ = tokio::time::timeout(PATIENCE, ended.wait_for(|ended| *ended)).await;
    }
}

/// A node that waits for its turn.
#[derive(Debug)]
pub struct Turn {
    /// The node that serves; `None` while there is none.
    pub serving: watch::Receiver<Option<Node>>,
    /// The lease, when this node has it. Whoever drops this waits no more.
    pub lease: oneshot::Receiver<Arc<Lease>>,
    /// Ends with the thread that waits.
    waiting: oneshot::Receiver<()>,
}

impl Turn {
    /// Waits no more, and says that this node is there no more.
    pub async fn leave(self) {
        drop(self.lease);
        let _ = tokio::time::timeout(LEAVING, self.waiting).await;
    }
}

/// Waits for the lease of a database as `node`.
///
/// # Errors
/// The database cannot be used.
pub async fn wait_for_turn(server: Arc<Server>, node: Node) -> Result<Turn, JournalError> {
    let first = {
        let (server, node) = (Arc::clone(&server), node.clone());
        off_thread(move || Directory::open(&server, node)).await
    };
    let directory = first
        .map_err(|_| JournalError::Closing)?
        .map_err(of_engine)?;
    let (told, serving) = watch::channel(None);
    let (give, lease) = oneshot::channel();
    let (waits, waiting) = oneshot::channel::<()>();
    let wait = move || {
        let _waits = waits;
        Candidate::new(server, directory).run(&told, give);
    };
    let thread = thread::Builder::new().name("lease".to_owned());
    thread.spawn(wait).map_err(|_| JournalError::Closing)?;
    Ok(Turn {
        serving,
        lease,
        waiting,
    })
}

/// How far the holder had counted, and since when.
#[derive(Debug, Default)]
struct Watch(Option<(Count, Duration)>);

impl Watch {
    /// Whether the lease is to be taken, of which `found` was seen between these two times.
    fn is_turn(&mut self, asked: Duration, answered: Duration, found: &Found) -> bool {
        if found.is_released {
            return true;
        }
        match &self.0 {
            Some((count, since)) if *count == found.count => {
                let limit = if found.is_connected { SILENT } else { GONE };
                asked.saturating_sub(*since) >= limit
            }
            _ => {
                self.0 = Some((found.count.clone(), answered));
                false
            }
        }
    }
}

/// See [`wait_for_turn`].
struct Candidate {
    server: Arc<Server>,
    directory: Directory,
    watch: Watch,
    /// When this node has last said that it is there.
    present: Duration,
}

impl Candidate {
    fn new(server: Arc<Server>, directory: Directory) -> Self {
        Self {
            server,
            directory,
            watch: Watch::default(),
            present: clock::running(),
        }
    }

    fn run(mut self, told: &watch::Sender<Option<Node>>, give: oneshot::Sender<Arc<Lease>>) {
        while !give.is_closed() {
            match self.step(told) {
                Ok(None) => {}
                Ok(Some(epoch)) => return self.hold(epoch, give),
                Err(error) => {
                    // Nobody who holds the lease can count meanwhile, either.
                    self.watch = Watch::default();
                    tracing::warn!(%error, "the lease cannot be read");
                }
            }
            thread::sleep(LOOK);
        }
        let _ = self.directory.leave();
    }

    fn step(&mut self, told: &watch::Sender<Option<Node>>) -> engine::Result<Option<i64>> {
        let now = clock::running();
        if now.saturating_sub(self.present) >= PRESENT {
            self.directory.be_present()?;
            self.present = now;
        }
        let found = self.directory.look()?;
        let is_turn = self.watch.is_turn(now, clock::running(), &found);
        told.send_if_modified(|known| {
            let holder = found.holder.filter(|_| !found.is_released);
            let is_new = *known != holder;
            *known = holder;
            is_new
        });
        if !is_turn {
            return Ok(None);
        }
        Ok(self.directory.take(&found.count).unwrap_or_else(|error| {
            tracing::warn!(%error, "the lease cannot be taken");
            None
        }))
    }

    /// Counts until the lease is given back or lost.
    fn hold(mut self, epoch: i64, give: oneshot::Sender<Arc<Lease>>) {
        let id = self.directory.id().to_owned();
        tracing::info!(epoch, node = %id, "this node has the lease");
        self.server.fence(&id);
        metrics::LEASE_EPOCH.set(epoch);
        let (end, ending) = mpsc::channel();
        let (told, ended) = watch::channel(false);
        // Nothing may be changed before it has counted.
        let state = Arc::new(watch::Sender::new(State::Counted(Duration::ZERO)));
        let lease = Arc::new(Lease {
            epoch,
            state: Arc::clone(&state),
            end: Mutex::new(Some(end)),
            ended,
        });
        if give.send(lease).is_err() {
            let _ = self.directory.release();
            return;
        }
        loop {
            let begun = clock::running();
            match self.directory.count() {
                Ok(true) => {
                    state.send_if_modified(|state| {
                        let counts = matches!(state, State::Counted(_));
                        if counts {
                            *state = State::Counted(begun);
                        }
                        counts
                    });
                    if let Err(error) = self.directory.keep_lock() {
                        tracing::warn!(%error, "the lock of the database cannot be taken again");
                    }
                }
                Ok(false) => {
                    tracing::error!(epoch, "another node has taken over");
                    state.send_replace(State::Lost);
                    break;
                }
                Err(error) => tracing::warn!(%error, "the lease cannot be renewed"),
            }
            if begun.saturating_sub(self.present) >= PRESENT && self.directory.be_present().is_ok()
            {
                self.present = begun;
            }
            let is_over = ending.recv_timeout(BEAT) != Err(mpsc::RecvTimeoutError::Timeout);
            if is_over {
                if let Err(error) = self.directory.release() {
                    tracing::warn!(%error, "the lease cannot be given back: another node takes it in a while");
                }
                break;
            }
        }
        told.send_replace(true);
    }
}
