//! The rows of the lease and of the nodes, and the connection by which they are read and changed.

use super::super::engine::{
    self, Access, Connection, OptionalExtension as _, Place, Server, params,
};
use super::super::error::of_engine;
use super::super::{Journal, JournalError, off_thread};
use std::sync::Arc;

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

/// A node, as owners see it. Times are those of the database's server, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedNode {
    /// Where other nodes reach it.
    pub address: String,
    /// The version of its program.
    pub version: String,
    /// Whether it has the lease.
    pub is_serving: bool,
    /// When it was started.
    pub started: i64,
    /// When it last said that it is there.
    pub seen: i64,
    /// Now.
    pub now: i64,
}

/// The node that has the lease of a database; `None` if there is none.
pub async fn serving(server: Arc<Server>) -> Result<Option<Node>, JournalError> {
    let look = move || {
        let server = Arc::new(server.for_lease());
        let mut connection = Place::Server(server).connect(Access::Read)?;
        if !connection.has_table("lease")? || !connection.has_table("node")? {
            return Ok(None);
        }
        let transaction = connection.begin_read(true)?;
        let sql = "SELECT n.id, n.address, n.version FROM lease l JOIN node n ON n.id = l.node WHERE l.is_released = 0";
        let found = transaction.query_row(sql, [], |row| {
            Ok(Node {
                id: row.get(0)?,
                address: row.get(1)?,
                version: row.get(2)?,
            })
        });
        found.optional()
    };
    off_thread(look)
        .await
        .map_err(|_| JournalError::Closing)?
        .map_err(of_engine)
}

impl Journal {
    /// The nodes of the last day, the one that serves first; none if there were none.
    pub async fn nodes(&self) -> Result<Vec<ListedNode>, JournalError> {
        self.database
            .read(|transaction| {
                if !transaction.has_table("node")? {
                    return Ok(Vec::new());
                }
                let sql = format!(
                    "SELECT n.address, n.version, CAST(l.node IS NOT NULL AS INTEGER), n.started, n.seen, {SERVER_NOW}
                     FROM node n LEFT JOIN lease l ON l.node = n.id AND l.is_released = 0
                     WHERE n.seen > {SERVER_NOW} - ?1 ORDER BY l.node NULLS LAST, n.address, n.id"
                );
                let mut nodes = transaction.prepare_cached(&sql)?;
                let nodes = nodes.query_map([LISTED], |row| {
                    Ok(ListedNode {
                        address: row.get(0)?,
                        version: row.get(1)?,
                        is_serving: row.get::<_, i64>(2)? == 1,
                        started: row.get(3)?,
                        seen: row.get(4)?,
                        now: row.get(5)?,
                    })
                })?;
                nodes.collect()
            })
            .await
    }
}

/// What a look at the lease finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) count: Count,
    pub(super) is_released: bool,
    /// Whether the connection of the holder, or of a server without nodes, is there.
    pub(super) is_connected: bool,
    pub(super) holder: Option<Node>,
}

/// How far the holder has counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) epoch: i64,
    pub(super) node: String,
    pub(super) beat: i64,
}

/// A connection that knows nothing but the lease and the nodes.
pub(super) struct Directory {
    node: Node,
    pub(super) connection: Connection,
    /// The generation of the connection that has the lock of the one server.
    locked: Option<u32>,
}

impl Directory {
    pub(super) fn open(server: &Arc<Server>, node: Node) -> engine::Result<Self> {
        let server = Arc::new(server.for_lease());
        let mut connection = Place::Server(server).connect(Access::Write)?;
        connection.check()?;
        // Only the first node waits for others' changes.
        if !connection.has_table("lease")? || !connection.has_table("node")? {
            let transaction = connection.begin_unfenced_change()?;
            let schemas = "SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = 'handrail'";
            if transaction.one::<i64>(schemas, [])? == 0 {
                transaction.execute_batch("CREATE SCHEMA handrail")?;
            }
            transaction.execute_batch(TABLES)?;
            transaction.commit()?;
        }
        // An earlier process of the same node.
        let former = "DELETE FROM node WHERE address = ?1";
        connection.execute_at_once(former, params![node.address])?;
        let mut directory = Self {
            node,
            connection,
            locked: None,
        };
        directory.be_present()?;
        Ok(directory)
    }

    /// Says that this node is there.
    pub(super) fn be_present(&mut self) -> engine::Result<()> {
        let upsert = format!(
            "INSERT INTO node (id, address, version, started, seen) VALUES (?1, ?2, ?3, {SERVER_NOW}, {SERVER_NOW})
             ON CONFLICT (id) DO UPDATE SET seen = EXCLUDED.seen"
        );
        let node = &self.node;
        let values = params![node.id, node.address, node.version];
        self.connection.execute_at_once(&upsert, values).map(drop)
    }

    pub(super) fn look(&mut self) -> engine::Result<Found> {
        let sql = "SELECT l.epoch, l.node, l.beat, l.is_released, n.address, n.version,
                          EXISTS (SELECT 1 FROM pg_stat_activity a
                                  WHERE a.application_name = 'handrail ' || l.node AND a.datname = current_database())
                   FROM lease l LEFT JOIN node n ON n.id = l.node";
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
                is_connected: row.get::<_, i64>(6)? == 1,
                holder,
            })
        })
    }

    /// Takes the lease, unless somebody has counted since `seen`; returns its epoch.
    pub(super) fn take(&mut self, seen: &Count) -> engine::Result<Option<i64>> {
        if !seen.node.is_empty() {
            if self.look()?.count != *seen {
                return Ok(None);
            }
            // A change that it has begun would keep others from making any.
            self.connection.end_connections_of(&seen.node)?;
        }
        // Its connection takes a moment to end, and a server without nodes has this lock, too.
        self.connection.lock_serving_as_node()?;
        let generation = self.connection.generation();
        let taken = self.take_locked(seen);
        match taken {
            Ok(Some(_)) => self.locked = Some(generation),
            // Without a connection there is no lock, either.
            _ => drop(self.connection.unlock_serving()),
        }
        taken
    }

    fn take_locked(&mut self, seen: &Count) -> engine::Result<Option<i64>> {
        let sql = "UPDATE lease SET epoch = epoch + 1, node = ?1, beat = 0, is_released = 0
                   WHERE epoch = ?2 AND node = ?3 AND beat = ?4 RETURNING epoch";
        let values = params![self.node.id, seen.epoch, seen.node, seen.beat];
        let transaction = self.connection.begin_unfenced_change()?;
        let taken = transaction.one(sql, values);
        let taken = taken.optional()?;
        if taken.is_some() {
            let old = format!("DELETE FROM node WHERE seen < {SERVER_NOW} - ?1");
            transaction.execute(&old, [LISTED])?;
        }
        transaction.commit()?;
        Ok(taken)
    }

    /// Counts one further; returns whether this node still holds the lease.
    pub(super) fn count(&mut self) -> engine::Result<bool> {
        let sql = "UPDATE lease SET beat = beat + 1 WHERE node = ?1 AND is_released = 0";
        let counted = self
            .connection
            .execute_at_once(sql, params![self.node.id])?;
        Ok(counted == 1)
    }

    /// Takes the lock of the one server again if the connection was made again.
    pub(super) fn keep_lock(&mut self) -> engine::Result<()> {
        let generation = self.connection.generation();
        if self.locked != Some(generation) && self.connection.try_lock_serving()? {
            self.locked = Some(generation);
        }
        Ok(())
    }

    /// The name of the node.
    pub(super) fn id(&self) -> &str {
        &self.node.id
    }

    /// Gives the lease back.
    pub(super) fn release(&mut self) -> engine::Result<()> {
        let sql = "UPDATE lease SET is_released = 1 WHERE node = ?1";
        self.connection
            .execute_at_once(sql, params![self.node.id])?;
        self.leave()?;
        self.connection.unlock_serving()
    }

    /// Says that this node is there no more.
    pub(super) fn leave(&mut self) -> engine::Result<()> {
        let sql = "DELETE FROM node WHERE id = ?1";
        let left = self.connection.execute_at_once(sql, params![self.node.id]);
        left.map(drop)
    }
}
