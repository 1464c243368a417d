//! The lease of the one node that serves from a database on a server, of several that could.
//!
//! No two clocks are compared. The holder counts, on a connection of its own, and changes a backend only within [`FRESH`] of having
//! begun to count successfully. A node takes the lease over when it has seen, by its own clock, that the holder has counted no further
//! for longer: [`GONE`] if the holder's connection has ended, [`SILENT`] otherwise. Each change of the database makes sure in its
//! transaction that its node holds the lease ([`Server::fence`]).

use super::engine::{self, Access, Connection, OptionalExtension as _, Place, Server, params};
use super::error::of_engine;
use super::{JournalError, off_thread};
use crate::clock;
use crate::sync::lock;
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
/// How often a node says that it is there.
const PRESENT: Duration = Duration::from_secs(2);
/// How long a node is listed that says so no more, in milliseconds.
const LISTED: i64 = 24 * 3_600_000;

/// What nodes of all versions share, so it is no part of the schema of a version.
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS lease (
        only_one BOOLEAN PRIMARY KEY DEFAULT true CHECK (only_one),
        -- How often it was taken.
        epoch BIGINT NOT NULL,
        node TEXT NOT NULL,
        beat BIGINT NOT NULL,
        is_released BIGINT NOT NULL
    );
    INSERT INTO lease (epoch, node, beat, is_released) VALUES (0, '', 0, 1) ON CONFLICT DO NOTHING;
    CREATE TABLE IF NOT EXISTS node (
        id TEXT PRIMARY KEY,
        address TEXT NOT NULL,
        version TEXT NOT NULL,
        -- Milliseconds since the Unix epoch, by the clock of the server.
        started BIGINT NOT NULL,
        seen BIGINT NOT NULL
    );";

/// The time of the server.
const SERVER_NOW: &str = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";

/// A process that serves from the database, or could.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its name, another one after each start.
    pub id: String,
    /// Where other nodes reach it: `HOST:PORT`.
    pub address: String,
    /// The version of its program.
    pub version: String,
}

/// A node, as owners see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedNode {
    /// The node.
    pub node: Node,
    /// Whether it holds the lease.
    pub is_serving: bool,
    /// For how many milliseconds it has been there.
    pub since: i64,
    /// How many milliseconds ago it has said so.
    pub seen: i64,
}

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

/// The lease, in the hands of this process.
#[derive(Debug)]
pub struct Lease {
    epoch: i64,
    state: watch::Sender<State>,
    /// Ends the thread that counts, which then gives it back.
    end: Mutex<Option<mpsc::Sender<()>>>,
    /// Whether that thread has ended.
    ended: watch::Receiver<bool>,
}

impl Lease {
    /// How often the lease had been taken when this process took it.
    pub fn epoch(&self) -> i64 {
        self.epoch
    }

    /// Whether a backend may be changed now. Waits a while if the database has not been heard of lately.
    pub async fn is_confirmed(&self) -> bool {
        let mut state = self.state.subscribe();
        let fresh = state.wait_for(|state| match state {
            State::Counted(at) => clock::running().saturating_sub(*at) < FRESH,
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
    let waiting = move || Candidate::new(server, directory).run(&told, give);
    let thread = thread::Builder::new().name("lease".to_owned());
    thread.spawn(waiting).map_err(|_| JournalError::Closing)?;
    Ok(Turn { serving, lease })
}

/// What a look at the lease finds.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    count: Count,
    is_released: bool,
    /// Whether the connection of the holder, or of a server without nodes, is there.
    is_connected: bool,
    holder: Option<Node>,
}

/// How far the holder has counted.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Count {
    epoch: i64,
    node: String,
    beat: i64,
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

/// A connection that knows nothing but the lease and the nodes.
struct Directory {
    node: Node,
    connection: Connection,
}

impl Directory {
    fn open(server: &Arc<Server>, node: Node) -> engine::Result<Self> {
        let mut connection = Place::Server(Arc::clone(server)).connect(Access::Write)?;
        connection.check()?;
        let transaction = connection.begin_unfenced_change()?;
        let schemas = "SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = 'handrail'";
        if transaction.query_row(schemas, [], |row| row.get::<_, i64>(0))? == 0 {
            transaction.execute_batch("CREATE SCHEMA handrail")?;
        }
        if !transaction.has_table("lease")? || !transaction.has_table("node")? {
            transaction.execute_batch(TABLES)?;
        }
        transaction.commit()?;
        let mut directory = Self { node, connection };
        directory.be_present()?;
        Ok(directory)
    }

    /// Says that this node is there.
    fn be_present(&mut self) -> engine::Result<()> {
        let upsert = format!(
            "INSERT INTO node (id, address, version, started, seen) VALUES (?1, ?2, ?3, {SERVER_NOW}, {SERVER_NOW})
             ON CONFLICT (id) DO UPDATE SET seen = EXCLUDED.seen"
        );
        let node = &self.node;
        let values = params![node.id, node.address, node.version];
        self.connection.execute_at_once(&upsert, values).map(drop)
    }

    fn look(&mut self) -> engine::Result<Found> {
        let sql = "SELECT l.epoch, l.node, l.beat, l.is_released, n.address, n.version FROM lease l LEFT JOIN node n ON n.id = l.node";
        let is_locked = self.connection.is_serving_locked()?;
        let transaction = self.connection.begin_read(true)?;
        transaction.query_row(sql, [], |row| {
            let node: String = row.get(1)?;
            let address: Option<String> = row.get(4)?;
            let version: Option<String> = row.get(5)?;
            let holder = address.zip(version).map(|(address, version)| Node {
                id: node.clone(),
                address,
                version,
            });
            Ok(Found {
                count: Count {
                    epoch: row.get(0)?,
                    beat: row.get(2)?,
                    node,
                },
                is_released: row.get::<_, i64>(3)? == 1,
                is_connected: is_locked,
                holder,
            })
        })
    }

    /// Takes the lease, unless somebody has counted since `seen`; returns its epoch.
    fn take(&mut self, seen: &Count) -> engine::Result<Option<i64>> {
        if !seen.node.is_empty() {
            self.connection.end_connections_of(&seen.node)?;
        }
        // A server without nodes has it, too.
        if !self.connection.try_lock_serving()? {
            let text = "another Handrail uses this database, which was not started as a node: stop that one";
            return Err(engine::away(text));
        }
        let sql = "UPDATE lease SET epoch = epoch + 1, node = ?1, beat = 0, is_released = 0
                   WHERE epoch = ?2 AND node = ?3 AND beat = ?4 RETURNING epoch";
        let values = params![self.node.id, seen.epoch, seen.node, seen.beat];
        let transaction = self.connection.begin_unfenced_change()?;
        let taken = transaction.query_row(sql, values, |row| row.get(0));
        let taken = taken.optional()?;
        if taken.is_some() {
            let old = format!("DELETE FROM node WHERE seen < {SERVER_NOW} - ?1");
            transaction.execute(&old, [LISTED])?;
        }
        transaction.commit()?;
        if taken.is_none() {
            self.connection.unlock_serving()?;
        }
        Ok(taken)
    }

    /// Counts one further; returns whether this node still holds the lease.
    fn count(&mut self) -> engine::Result<bool> {
        let sql = "UPDATE lease SET beat = beat + 1 WHERE node = ?1 AND is_released = 0";
        let counted = self
            .connection
            .execute_at_once(sql, params![self.node.id])?;
        Ok(counted == 1)
    }

    fn release(&mut self) -> engine::Result<()> {
        let sql = "UPDATE lease SET is_released = 1 WHERE node = ?1";
        self.connection
            .execute_at_once(sql, params![self.node.id])?;
        let sql = "DELETE FROM node WHERE id = ?1";
        self.connection
            .execute_at_once(sql, params![self.node.id])?;
        self.connection.unlock_serving()
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
        let sql = "DELETE FROM node WHERE id = ?1";
        let id = params![self.directory.node.id];
        let _ = self.directory.connection.execute_at_once(sql, id);
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
        match is_turn {
            true => self.directory.take(&found.count),
            false => Ok(None),
        }
    }

    /// Counts until the lease is given back or lost.
    fn hold(mut self, epoch: i64, give: oneshot::Sender<Arc<Lease>>) {
        let id = self.directory.node.id.clone();
        tracing::info!(epoch, node = %id, "this node has the lease");
        self.server.fence(&id);
        let (end, ending) = mpsc::channel();
        let (told, ended) = watch::channel(false);
        let lease = Arc::new(Lease {
            epoch,
            state: watch::Sender::new(State::Counted(Duration::ZERO)),
            end: Mutex::new(Some(end)),
            ended,
        });
        if give.send(Arc::clone(&lease)).is_err() {
            let _ = self.directory.release();
            return;
        }
        let mut is_locked = true;
        loop {
            let begun = clock::running();
            match self.directory.count() {
                Ok(true) => {
                    // The connection was made again.
                    is_locked = is_locked
                        || self
                            .directory
                            .connection
                            .try_lock_serving()
                            .is_ok_and(|locked| locked);
                    lease.state.send_if_modified(|state| {
                        let counts = matches!(state, State::Counted(_));
                        if counts {
                            *state = State::Counted(begun);
                        }
                        counts
                    });
                }
                Ok(false) => {
                    tracing::error!(epoch, "another node has taken over");
                    lease.state.send_replace(State::Lost);
                    break;
                }
                Err(error) => {
                    is_locked = false;
                    tracing::warn!(%error, "the lease cannot be renewed");
                }
            }
            if begun.saturating_sub(self.present) >= PRESENT && self.directory.be_present().is_ok()
            {
                self.present = begun;
            }
            if !matches!(
                ending.recv_timeout(BEAT),
                Err(mpsc::RecvTimeoutError::Timeout)
            ) {
                if let Err(error) = self.directory.release() {
                    tracing::warn!(%error, "the lease cannot be given back: another node takes it in a while");
                }
                break;
            }
        }
        told.send_replace(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(beat: i64, is_connected: bool) -> Found {
        Found {
            count: Count {
                epoch: 3,
                node: "a".to_owned(),
                beat,
            },
            is_released: false,
            is_connected,
            holder: None,
        }
    }

    #[test]
    fn a_lease_is_taken_when_its_holder_counts_no_further() {
        let mut watch = Watch::default();
        let at = Duration::from_millis;
        assert!(!watch.is_turn(at(1_000), at(1_000), &found(1, true)));
        assert!(!watch.is_turn(at(4_000), at(4_000), &found(2, false)));
        assert!(!watch.is_turn(at(7_999), at(7_999), &found(2, false)));
        assert!(watch.is_turn(at(8_000), at(8_000), &found(2, false)));
        assert!(!watch.is_turn(at(8_000), at(8_000), &found(2, true)));
        assert!(watch.is_turn(at(19_000), at(19_000), &found(2, true)));
        assert!(!watch.is_turn(at(19_000), at(19_000), &found(3, false)));
        let released = Found {
            is_released: true,
            ..found(4, true)
        };
        assert!(watch.is_turn(at(19_001), at(19_001), &released));
    }

    #[tokio::test]
    async fn a_backend_is_changed_only_soon_after_counting() {
        let (_told, ended) = watch::channel(true);
        let lease = Lease {
            epoch: 1,
            state: watch::Sender::new(State::Counted(clock::running())),
            end: Mutex::default(),
            ended,
        };
        assert!(lease.is_confirmed().await);
        let long_ago = clock::running().saturating_sub(FRESH);
        lease.state.send_replace(State::Counted(long_ago));
        let waits = tokio::time::timeout(Duration::from_millis(20), lease.is_confirmed()).await;
        assert!(waits.is_err(), "it waits for the database");
        lease.state.send_replace(State::Lost);
        assert!(!lease.is_confirmed().await);
        lease.lost().await;
        lease.release().await;
        assert!(!lease.is_confirmed().await);
    }
}
