//! The only connection that changes the database, and the changes that wait for it.
//!
//! Whatever waits is committed together (a group commit), so that one wait for the disk serves all of it. Each change has
//! a savepoint: one that fails is undone alone. If the commit itself fails, as on a full disk, all of its changes have
//! failed.
//!
//! A commit never copies the write-ahead log back into the database: [`Writer::checkpoint`] does, on a connection of its
//! own, and commits go on meanwhile.
//!
//! Long because its tests need its connection.

use super::JournalError;
use super::blocking::off_thread;
use super::engine::{self, Access, Connection, Place, Transaction, pages_of_log};
use super::error::{of_change, of_engine};
use super::room::{RoomState, RoomWatch, below_reserve};
use crate::metrics;
use crate::sync::lock;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Most changes of one commit.
const MOST: usize = 64;
/// No further change joins a commit that has run for so long: the first of them should not wait for the last. A
/// development build on a busy machine takes many times as long.
const LONGEST: Duration = match cfg!(debug_assertions) {
    true => Duration::from_secs(1),
    false => Duration::from_millis(4),
};
/// Pages of the write-ahead log (4 KiB each) after which it is copied back again.
const CHECKPOINT: usize = 1_000;
/// Pages from which on commits wait until all of it is copied, or a log that never pauses would grow without end.
const CHECKPOINT_ALONE: usize = 16_000;
/// How long the outcome of a commit tells whether the database can be written.
const TELLS: Duration = Duration::from_secs(1);

/// Whether a committed change survives a power failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// Survives a crash of the process; after a power failure the data can be fetched from upstream again.
    Ordinary,
    /// On disk before `write` returns.
    OnDisk,
}

/// What the first change of a process does before everything else.
pub(super) type First = fn(&Transaction<'_>) -> engine::Result<()>;

/// A change that waits to be committed.
trait Waiting: Send {
    fn durability(&self) -> Durability;
    /// Whether it makes room on the disk, and so is made without much of it.
    fn frees(&self) -> bool;
    /// Whether nobody waits for its outcome any more.
    fn is_abandoned(&self) -> bool;
    fn run(&mut self, transaction: &Transaction<'_>) -> engine::Result<()>;
    fn tell(self: Box<Self>, outcome: Result<(), JournalError>);
}

/// A [`Waiting`] change with its result.
struct Change<T, W> {
    durability: Durability,
    frees: bool,
    work: Option<W>,
    result: Option<T>,
    answer: oneshot::Sender<Result<T, JournalError>>,
}

impl<T: Send, W: FnOnce(&Transaction<'_>) -> engine::Result<T> + Send> Waiting for Change<T, W> {
    fn durability(&self) -> Durability {
        self.durability
    }

    fn frees(&self) -> bool {
        self.frees
    }

    fn is_abandoned(&self) -> bool {
        self.answer.is_closed()
    }

    fn run(&mut self, transaction: &Transaction<'_>) -> engine::Result<()> {
        if let Some(work) = self.work.take() {
            self.result = Some(work(transaction)?);
        }
        Ok(())
    }

    fn tell(self: Box<Self>, outcome: Result<(), JournalError>) {
        let Self { result, answer, .. } = *self;
        let result = outcome.and_then(|()| result.ok_or(JournalError::Closing));
        // Whoever waited may have left.
        let _ = answer.send(result);
    }
}

/// See the module.
#[derive(Debug)]
pub(super) struct Writer {
    place: Place,
    room: RoomWatch,
    waiting: Mutex<Queue>,
    /// An async lock, taken before a blocking thread is: queued writers would otherwise occupy all of those threads.
    connection: Arc<tokio::sync::Mutex<Connection>>,
    /// To be done with the next change.
    first: Mutex<Option<First>>,
    /// Whether the last change could be stored, and when.
    last: Mutex<Option<(bool, Instant)>>,
    copying: Mutex<Copying>,
    #[cfg(test)]
    waits_for_disk: std::sync::atomic::AtomicUsize,
    /// The answer to the commit is lost in which this finds something.
    #[cfg(test)]
    loses: Mutex<Option<&'static str>>,
}

/// How the write-ahead log is copied back.
#[derive(Debug, Default)]
struct Copying {
    /// Pages that it had when it was last copied.
    pages: usize,
    is_under_way: bool,
    connection: Option<Connection>,
}

#[derive(Default)]
struct Queue(VecDeque<Box<dyn Waiting>>);

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} waiting", self.0.len())
    }
}

impl Writer {
    /// The connection for changes of the database in `place`.
    pub(super) fn new(place: Place, connection: Connection) -> Self {
        Self {
            room: RoomWatch::of(place.path()),
            place,
            waiting: Mutex::default(),
            connection: Arc::new(tokio::sync::Mutex::new(connection)),
            first: Mutex::default(),
            last: Mutex::default(),
            copying: Mutex::default(),
            #[cfg(test)]
            waits_for_disk: Default::default(),
            #[cfg(test)]
            loses: Default::default(),
        }
    }

    /// See [`super::database::Database::serve`].
    pub(super) async fn serve(&self, version: i64) -> Result<(), JournalError> {
        let mut connection = Arc::clone(&self.connection).lock_owned().await;
        off_thread(move || connection.serve(version))
            .await
            .map_err(|_| JournalError::Closing)?
            .map_err(of_engine)
    }

    /// Commits a change, with whatever else waits. If its caller leaves before it has begun, it is not made.
    ///
    /// Errors: that of `work`, which is undone, or that of the commit.
    pub(super) async fn write<T: Send + 'static>(
        self: &Arc<Self>,
        durability: Durability,
        work: impl FnOnce(&Transaction<'_>) -> engine::Result<T> + Send + 'static,
    ) -> Result<T, JournalError> {
        self.queue(durability, false, work).await
    }

    /// The same for a change that makes room on the disk.
    pub(super) async fn write_to_free<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Transaction<'_>) -> engine::Result<T> + Send + 'static,
    ) -> Result<T, JournalError> {
        self.queue(Durability::OnDisk, true, work).await
    }

    async fn queue<T: Send + 'static>(
        self: &Arc<Self>,
        durability: Durability,
        frees: bool,
        work: impl FnOnce(&Transaction<'_>) -> engine::Result<T> + Send + 'static,
    ) -> Result<T, JournalError> {
        let (answer, mut answered) = oneshot::channel();
        let change = Change {
            durability,
            frees,
            work: Some(work),
            result: None,
            answer,
        };
        lock(&self.waiting).0.push_back(Box::new(change));
        loop {
            let mut connection = tokio::select! {
                biased;
                outcome = &mut answered => return outcome.unwrap_or(Err(JournalError::Closing)),
                connection = Arc::clone(&self.connection).lock_owned() => connection,
            };
            let writer = Arc::clone(self);
            let commit = move || {
                writer.commit(&mut connection);
                pages_of_log()
            };
            let pages = off_thread(commit)
                .await
                .map_err(|_| JournalError::Closing)?;
            self.checkpoint(pages);
        }
    }

    /// Commits what waits, up to [`MOST`] changes and about [`LONGEST`].
    fn commit(&self, connection: &mut Connection) {
        pages_of_log();
        let mut group: Vec<_> = {
            let mut waiting = lock(&self.waiting);
            waiting.0.retain(|change| !change.is_abandoned());
            let count = waiting.0.len().min(MOST);
            waiting.0.drain(..count).collect()
        };
        let (room, state) = self.room.look();
        if state == RoomState::Reserve {
            let refused = group.extract_if(.., |change| !change.frees());
            for change in refused {
                *lock(&self.last) = Some((false, Instant::now()));
                change.tell(Err(below_reserve(room)));
            }
        }
        if group.is_empty() {
            return;
        }
        let mut failures = Vec::with_capacity(group.len());
        let committed = self.try_commit(connection, &mut group, &mut failures);
        metrics::GROUPS.count(failures.len() as f64);
        let left = group.split_off(failures.len());
        let mut waiting = lock(&self.waiting);
        for change in left.into_iter().rev() {
            waiting.0.push_front(change);
        }
        drop(waiting);
        let failed = committed.err().map(of_change);
        let is_full = |error: &JournalError| matches!(error, JournalError::Full(_));
        let is_full =
            failed.as_ref().is_some_and(is_full) || failures.iter().flatten().any(is_full);
        let is_stored = failed.is_none() && failures.iter().any(Option::is_none);
        if is_stored || is_full {
            *lock(&self.last) = Some((!is_full, Instant::now()));
        }
        for (change, failure) in group.into_iter().zip(failures) {
            change.tell(match (&failed, failure) {
                (Some(failed), _) => Err(failed.again()),
                (None, Some(failure)) => Err(failure),
                (None, None) => Ok(()),
            });
        }
    }

    /// Runs changes of `group` and commits them; `failures` has one entry for each that was run.
    fn try_commit(
        &self,
        connection: &mut Connection,
        group: &mut [Box<dyn Waiting>],
        failures: &mut Vec<Option<JournalError>>,
    ) -> engine::Result<()> {
        let is_on_disk = group
            .iter()
            .any(|change| change.durability() == Durability::OnDisk);
        let begun = Instant::now();
        // If it cannot begin, nothing of the group can be stored.
        let transaction = connection.begin_change(is_on_disk).and_then(|transaction| {
            let first = *lock(&self.first);
            first.map_or(Ok(()), |first| first(&transaction))?;
            Ok(transaction)
        });
        let transaction =
            transaction.inspect_err(|_| failures.resize_with(group.len(), || None))?;
        let is_alone = group.len() == 1;
        for change in group {
            if !failures.is_empty() && begun.elapsed() > LONGEST {
                break;
            }
            failures.push(None);
            let ran = attempt(&transaction, change.as_mut(), is_alone)?;
            *failures.last_mut().expect("it was just pushed") = ran.err();
        }
        if is_alone && failures.iter().any(Option::is_some) {
            return transaction.finish();
        }
        let committing = std::time::Instant::now();
        #[cfg(test)]
        let lost = lock(&self.loses)
            .take_if(|sql| matches!(transaction.query_row(sql, [], |_| Ok(())), Ok(())));
        transaction.commit()?;
        #[cfg(test)]
        if lost.is_some() {
            return Err(engine::Error::Unknown);
        }
        let times = match is_on_disk {
            true => &metrics::COMMITS_ON_DISK,
            false => &metrics::COMMITS,
        };
        times.took(committing.elapsed());
        #[cfg(test)]
        self.waits_for_disk.fetch_add(
            usize::from(is_on_disk),
            std::sync::atomic::Ordering::Relaxed,
        );
        lock(&self.first).take();
        Ok(())
    }

    /// Copies a write-ahead log of so many `pages` back in the background, if it has grown enough.
    fn checkpoint(self: &Arc<Self>, pages: usize) {
        if pages == 0 {
            return;
        }
        let mut copying = lock(&self.copying);
        // A commit has begun it anew.
        if pages < copying.pages {
            copying.pages = 0;
        }
        if pages < copying.pages + CHECKPOINT || copying.is_under_way {
            return;
        }
        copying.pages = pages;
        copying.is_under_way = true;
        drop(copying);
        let writer = Arc::clone(self);
        tokio::spawn(async move {
            writer.copy_back().await;
            if pages >= CHECKPOINT_ALONE {
                // Little is left by now.
                let _alone = Arc::clone(&writer.connection).lock_owned().await;
                writer.copy_back().await;
            }
            lock(&writer.copying).is_under_way = false;
        });
    }

    /// Copies the write-ahead log back as far as no reader needs it.
    async fn copy_back(self: &Arc<Self>) {
        let writer = Arc::clone(self);
        let copied = off_thread(move || -> engine::Result<()> {
            let kept = lock(&writer.copying).connection.take();
            let connection = match kept {
                Some(connection) => connection,
                None => writer.place.connect(Access::Write)?,
            };
            connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
            lock(&writer.copying).connection = Some(connection);
            Ok(())
        });
        if let Ok(Err(error)) = copied.await {
            tracing::warn!(%error, "the journal's write-ahead log could not be copied back");
        }
    }

    /// The room on its disk.
    pub(super) fn room(&self) -> &RoomWatch {
        &self.room
    }

    /// Has the next change do this before everything else.
    pub(super) fn begin_with(&self, first: First) {
        *lock(&self.first) = Some(first);
    }

    /// Whether there was no change since [`Self::begin_with`].
    pub(super) fn is_unmarked(&self) -> bool {
        lock(&self.first).is_some()
    }

    /// Whether the database can be written, if a change has shown it just now.
    pub(super) fn was_writable(&self) -> Option<bool> {
        let last = *lock(&self.last);
        last.filter(|(_, at)| at.elapsed() < TELLS)
            .map(|(is_writable, _)| is_writable)
    }

    /// Has the answer to a commit be lost, once, in which this query finds something.
    #[cfg(test)]
    pub(super) fn lose_answer_to(&self, sql: &'static str) {
        *lock(&self.loses) = Some(sql);
    }

    /// How often a commit has waited for the disk.
    #[cfg(test)]
    pub(super) fn waits_for_disk(&self) -> usize {
        self.waits_for_disk
            .load(std::sync::atomic::Ordering::Relaxed)
    }

    /// The connection, between two commits.
    #[cfg(test)]
    pub(super) async fn connection(&self) -> tokio::sync::OwnedMutexGuard<Connection> {
        Arc::clone(&self.connection).lock_owned().await
    }
}

/// Runs a change; undoes it alone if it fails or panics. One that `is_alone` in its transaction is undone with that.
///
/// Errors: the transaction has ended, with all of its changes undone.
fn attempt(
    transaction: &Transaction<'_>,
    change: &mut dyn Waiting,
    is_alone: bool,
) -> engine::Result<Result<(), JournalError>> {
    if !is_alone {
        transaction.prepare_cached("SAVEPOINT change")?.send([])?;
    }
    let ran = catch_unwind(AssertUnwindSafe(|| change.run(transaction)));
    let outcome = match ran {
        _ if is_alone => ran,
        Ok(Ok(())) => Ok(transaction.execute_batch("RELEASE change")),
        failed => failed,
    };
    let failure = match outcome {
        Ok(Ok(())) => return Ok(Ok(())),
        // A full disk, for instance, has undone everything.
        Ok(Err(error)) if transaction.is_autocommit() => return Err(error),
        Ok(Err(error)) => of_change(error),
        // The panic was reported by its hook.
        Err(_) => JournalError::Closing,
    };
    if !is_alone {
        transaction.execute_batch("ROLLBACK TO change; RELEASE change")?;
    }
    Ok(Err(failure))
}

#[cfg(test)]
mod tests {
    use super::super::database::Database;
    use super::super::room::{Room, RoomLimits};
    use super::*;
    use crate::journal::engine::params;
    use tempfile::TempDir;
    use tokio::task::JoinHandle;

    async fn database() -> (Database, TempDir) {
        let folder = TempDir::new().expect("a temporary folder");
        let database = Database::open(folder.path()).await.expect("it is made");
        (database, folder)
    }

    /// On a server its failure shows later.
    fn set(transaction: &Transaction<'_>, key: &'static str) -> engine::Result<()> {
        let sql = "INSERT INTO setting (key, value) VALUES (?1, '')";
        transaction.prepare_cached(sql)?.send(params![key])
    }

    /// Has a change wait, in the order of the calls.
    async fn queue(
        database: &Database,
        work: impl FnOnce(&Transaction<'_>) -> engine::Result<()> + Send + 'static,
    ) -> JoinHandle<Result<(), JournalError>> {
        let own = database.clone();
        let waiting = tokio::spawn(async move { own.write(Durability::OnDisk, work).await });
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        waiting
    }

    async fn has(database: &Database, key: &'static str) -> bool {
        let sql = "SELECT 1 FROM setting WHERE key = ?1";
        let found = database.find(sql, [key], |_| Ok(())).await;
        found.expect("healthy").is_some()
    }

    #[tokio::test]
    async fn what_waits_is_committed_together_and_what_fails_is_undone_alone() {
        let (database, _folder) = database().await;
        let connection = database.connection().await;
        let first = queue(&database, |transaction| set(transaction, "first")).await;
        let failing = queue(&database, |transaction| {
            set(transaction, "half")?;
            set(transaction, "first")
        });
        let failing = failing.await;
        let last = queue(&database, |transaction| set(transaction, "last")).await;
        // Last, because its report takes longer than a commit may.
        let panicking = queue(&database, |transaction| {
            set(transaction, "lost")?;
            panic!("a change that panics");
        });
        let panicking = panicking.await;
        drop(connection);
        assert!(first.await.expect("no panic").is_ok());
        let failed = failing.await.expect("no panic");
        assert!(matches!(failed, Err(JournalError::Broken(_))), "{failed:?}");
        let panicked = panicking.await.expect("no panic");
        assert!(matches!(panicked, Err(JournalError::Closing)));
        assert!(last.await.expect("no panic").is_ok());
        assert_eq!(database.waits_for_disk(), 1);
        for (key, is_stored) in [
            ("first", true),
            ("half", false),
            ("lost", false),
            ("last", true),
        ] {
            assert_eq!(has(&database, key).await, is_stored, "{key}");
        }
    }

    #[tokio::test]
    async fn a_change_that_fails_by_itself_is_undone_and_the_next_one_is_stored() {
        let (database, _folder) = database().await;
        let set_one = database.write(Durability::OnDisk, |one| set(one, "one"));
        set_one.await.expect("healthy");
        let failing = database.write(Durability::OnDisk, |transaction| {
            set(transaction, "half")?;
            set(transaction, "one")
        });
        let failed = failing.await;
        assert!(matches!(failed, Err(JournalError::Broken(_))), "{failed:?}");
        let next = database.write(Durability::OnDisk, |next| set(next, "next"));
        next.await.expect("healthy");
        for (key, is_stored) in [("one", true), ("half", false), ("next", true)] {
            assert_eq!(has(&database, key).await, is_stored, "{key}");
        }
    }

    #[tokio::test]
    async fn one_change_that_has_to_be_on_disk_is_enough() {
        let (database, _folder) = database().await;
        let connection = database.connection().await;
        let own = database.clone();
        let ordinary = async move { own.write(Durability::Ordinary, |one| set(one, "one")).await };
        let ordinary = tokio::spawn(ordinary);
        tokio::task::yield_now().await;
        let durable = queue(&database, |transaction| set(transaction, "other")).await;
        drop(connection);
        for waiting in [ordinary, durable] {
            waiting.await.expect("no panic").expect("healthy");
        }
        assert_eq!(database.waits_for_disk(), 1);
    }

    #[tokio::test]
    async fn on_a_full_disk_all_that_waits_fails() {
        let (database, _folder) = database().await;
        let connection = database.connection().await;
        connection.fill(true).expect("an open database");
        let one = queue(&database, |transaction| set(transaction, "one")).await;
        let other = queue(&database, |transaction| set(transaction, "other")).await;
        drop(connection);
        for waiting in [one, other] {
            let outcome = waiting.await.expect("no panic");
            assert!(matches!(outcome, Err(JournalError::Full(_))), "{outcome:?}");
        }
        assert!(!database.is_writable().await);
        database.fill(false).await;
        let again = database.write(Durability::OnDisk, |transaction| set(transaction, "one"));
        again.await.expect("there is room");
    }

    #[tokio::test]
    async fn a_commit_that_fails_has_failed_for_all_of_its_changes() {
        // It is about the file.
        let _file = crate::journal::engine::in_a_file();
        let (database, _folder) = database().await;
        let connection = database.connection().await;
        let one = queue(&database, |transaction| set(transaction, "one")).await;
        // What SQLite does by itself when the disk is full in the middle of a commit.
        let full = queue(&database, |transaction| {
            transaction.execute_batch("ROLLBACK")?;
            Err(engine::Error::full())
        });
        let full = full.await;
        let later = queue(&database, |transaction| set(transaction, "later")).await;
        drop(connection);
        for waiting in [one, full] {
            let outcome = waiting.await.expect("no panic");
            assert!(matches!(outcome, Err(JournalError::Full(_))), "{outcome:?}");
        }
        // It was not part of that commit, and is tried by itself.
        later.await.expect("no panic").expect("there is room");
        assert!(!has(&database, "one").await && has(&database, "later").await);
    }

    #[tokio::test]
    async fn below_the_reserve_only_what_makes_room_is_stored_until_there_is_more() {
        // It is about the file.
        let _file = crate::journal::engine::in_a_file();
        let (database, _folder) = database().await;
        let journal = crate::journal::Journal::of_database(database.clone());
        journal.limit_room(RoomLimits {
            low: "2GB".parse().expect("a size"),
            reserve: "1GB".parse().expect("a size"),
        });
        let size = 10_000_000_000;
        let is_there = |free| database.room().pretend(Room { free, size });
        is_there(1_500_000_000);
        assert_eq!(database.room().look().1, RoomState::Low);
        let stored = database.write(Durability::Ordinary, |one| set(one, "early"));
        stored.await.expect("there is room");
        is_there(999_000_000);
        let refused = database.write(Durability::OnDisk, |one| set(one, "refused"));
        let refused = refused.await.expect_err("there is none");
        assert!(matches!(refused, JournalError::Full(_)), "{refused:?}");
        assert!(!database.is_writable().await && has(&database, "early").await);
        let frees = database.write_to_free(|one| set(one, "frees"));
        frees.await.expect("it makes room");
        is_there(3_000_000_000);
        let again = database.write(Durability::OnDisk, |one| set(one, "again"));
        again.await.expect("there is room again");
        assert_eq!(database.room().look().1, RoomState::Enough);
        assert!(!has(&database, "refused").await && has(&database, "again").await);
    }

    #[tokio::test]
    async fn a_change_that_nobody_waits_for_is_not_begun() {
        let (database, _folder) = database().await;
        let connection = database.connection().await;
        let left = queue(&database, |transaction| set(transaction, "left")).await;
        left.abort();
        let _ = left.await;
        drop(connection);
        let last = database.write(Durability::Ordinary, |transaction| set(transaction, "last"));
        last.await.expect("healthy");
        assert!(!has(&database, "left").await);
    }

    #[tokio::test]
    async fn the_write_ahead_log_is_copied_back_beside_the_commits() {
        // It is about the file.
        let _file = crate::journal::engine::in_a_file();
        let (database, folder) = database().await;
        let file = folder.path().join("handrail.db");
        let size = || std::fs::metadata(&file).expect("it is there").len();
        let long = move |transaction: &Transaction<'_>| {
            let sql = "INSERT INTO setting (key, value) VALUES ('long', hex(zeroblob(3000000)))";
            transaction.execute(sql, []).map(drop)
        };
        database
            .write(Durability::Ordinary, long)
            .await
            .expect("healthy");
        for _ in 0..1_000 {
            if size() > 6_000_000 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("the database still has {} bytes", size());
    }
}
