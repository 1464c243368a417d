//! Pools of read connections, one per purpose.
//!
//! No purpose waits for another: however many searches run, people can log in and pages load.

use super::JournalError;
use super::engine::{self, Connection, Place};
use crate::sync::lock;
use std::ffi::c_int;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The purpose of a read connection. Larger pools would not read faster on the machines this runs on, and each
/// connection has its own page cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Authentication, without which no request is served, and the checks whether a right was revoked.
    Account,
    /// Content of a page.
    Page,
    /// A query whose cost depends on a person's input; it is interrupted after [`SEARCH_TIME`].
    Search,
}

/// A search in a million events takes a third of this. A development build, beside the tests of all processors, takes
/// several times as long.
pub(super) const SEARCH_TIME: Duration = match cfg!(debug_assertions) {
    true => Duration::from_millis(1_000),
    false => Duration::from_millis(250),
};
/// SQLite checks the clock after this many steps of its virtual machine, about every 0.1 ms.
const STEPS: c_int = 200;

impl Purpose {
    const ALL: [Self; 3] = [Self::Account, Self::Page, Self::Search];

    /// Size of the pool of connections to a file.
    const fn readers(self) -> usize {
        match self {
            Self::Account | Self::Search => 2,
            Self::Page => 4,
        }
    }

    /// Starts the time limit of this purpose, if it has one. It never interrupts the end of a transaction, which takes
    /// fewer steps than [`STEPS`].
    pub(super) fn begin(self, reader: &mut Connection) -> engine::Result<()> {
        match self {
            Self::Account | Self::Page => Ok(()),
            Self::Search => reader.limit_time(SEARCH_TIME, STEPS),
        }
    }
}

/// One pool per purpose.
#[derive(Debug)]
pub(super) struct Readers {
    pools: [Pool; Purpose::ALL.len()],
    /// How long one waits for a connection; for ever if that is not limited.
    patience: Option<Duration>,
}

#[derive(Debug)]
struct Pool {
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

impl Readers {
    /// The pools for a database.
    pub(super) fn of(place: &Place) -> Self {
        let server = place.server();
        let size = |purpose: Purpose| match (server, purpose) {
            (Some(server), Purpose::Page) => server.pool.max(1),
            (_, purpose) => purpose.readers(),
        };
        Self {
            pools: Purpose::ALL.map(|purpose| Pool {
                idle: Mutex::default(),
                permits: Arc::new(Semaphore::new(size(purpose))),
            }),
            patience: server.map(|server| server.patience),
        }
    }

    /// Waits for a permit to read for this purpose.
    ///
    /// Errors: [`JournalError::Away`] if one takes too long.
    pub(super) async fn permit(
        &self,
        purpose: Purpose,
    ) -> Result<OwnedSemaphorePermit, JournalError> {
        let permit = Arc::clone(&self.pools[purpose as usize].permits).acquire_owned();
        let permit = match self.patience {
            None => permit.await,
            Some(patience) => tokio::time::timeout(patience, permit).await.map_err(|_| {
                JournalError::Away("all connections are in use: see --database-pool".into())
            })?,
        };
        Ok(permit.expect("the semaphore is never closed"))
    }

    /// An idle connection, if the pool has one.
    pub(super) fn idle(&self, purpose: Purpose) -> Option<Connection> {
        lock(&self.pools[purpose as usize].idle).pop()
    }

    /// Returns a connection to the pool.
    pub(super) fn put_back(&self, purpose: Purpose, reader: Connection) {
        lock(&self.pools[purpose as usize].idle).push(reader);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::database::Database;
    use crate::journal::engine::Transaction;

    /// A query that never ends.
    fn endless(transaction: &Transaction<'_>) -> engine::Result<i64> {
        transaction.one(
            "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
            [],
        )
    }

    #[tokio::test]
    async fn a_search_that_takes_too_long_is_given_up_and_the_next_one_works() {
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        let database = Database::open(folder.path()).await.expect("it is made");
        for _ in 0..2 {
            let given_up = database.read_for(Purpose::Search, endless).await;
            assert!(
                matches!(given_up, Err(JournalError::TooSlow)),
                "{given_up:?}"
            );
            // Its transaction has ended, so the connection was put back.
            let reader = database
                .readers()
                .idle(Purpose::Search)
                .expect("an idle one");
            database.readers().put_back(Purpose::Search, reader);
        }
        let works = database
            .read_for(Purpose::Search, |transaction| {
                transaction.one::<i64>("SELECT 7", [])
            })
            .await;
        assert_eq!(works.expect("it is quick"), 7);
    }

    #[tokio::test]
    async fn busy_pages_do_not_delay_the_end_of_a_right() {
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        let journal = crate::journal::tests::sample::journal_in(folder.path()).await;
        let readers = journal.database.readers();
        let mut busy = Vec::new();
        for _ in 0..Purpose::Page.readers() {
            busy.push(readers.permit(Purpose::Page).await.expect("it is free"));
        }
        let checks = async {
            journal.people_version().await.expect("healthy");
            journal.person("ada").await.expect("healthy");
            journal.logins(1).await.expect("healthy");
            journal.tokens(1).await.expect("healthy");
            journal.links("c").await.expect("healthy");
        };
        let checked = tokio::time::timeout(Duration::from_secs(10), checks).await;
        checked.expect("nobody waits for a page");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn neither_pages_nor_searches_keep_anybody_from_being_let_in() {
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        let database = Database::open(folder.path()).await.expect("it is made");
        let (hold, held) = std::sync::mpsc::channel::<()>();
        let held = Arc::new(Mutex::new(held));
        let mut readers = Vec::new();
        for purpose in [Purpose::Page, Purpose::Search] {
            for _ in 0..purpose.readers() {
                let (database, held) = (database.clone(), Arc::clone(&held));
                readers.push(tokio::spawn(async move {
                    let stuck = move |_: &Transaction<'_>| {
                        // Blocks until the end of the test.
                        let _ = lock(&held).recv();
                        Ok(())
                    };
                    database.read_for(purpose, stuck).await
                }));
            }
        }
        let all_busy = |purpose: Purpose| {
            database.readers().pools[purpose as usize]
                .permits
                .available_permits()
                == 0
        };
        while !(all_busy(Purpose::Page) && all_busy(Purpose::Search)) {
            tokio::task::yield_now().await;
        }
        let owned = database.read_for(Purpose::Account, |transaction| {
            transaction.query_row("SELECT count(*) FROM person", [], |row| {
                row.get::<_, i64>(0)
            })
        });
        let owned = tokio::time::timeout(Duration::from_secs(30), owned).await;
        drop(hold);
        assert_eq!(owned.expect("it waits for nobody").expect("healthy"), 0);
        for reader in readers {
            reader.await.expect("no panic").expect("healthy");
        }
    }
}
