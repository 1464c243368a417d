//! What becomes of a change if the connection is lost during its commit. A proxy before the server's socket loses it.

use super::super::JournalError;
use super::super::database::Durability;
use super::super::engine::{Location, OnServer, socket};
use super::*;
use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The socket of a server in its folder.
const SOCKET: &str = ".s.PGSQL.5432";
/// How a client asks for a commit.
const COMMIT: &[u8] = b"COMMIT\0";

/// What a proxy does.
const PASSES: u8 = 0;
/// It ends a connection that asks for a commit, before the server hears of it.
const LOSES_QUESTION: u8 = 1;
/// The same when the server has answered.
const LOSES_ANSWER: u8 = 2;
/// The same, and nobody reaches the server afterwards.
const LOSES_ALL: u8 = 3;
/// It ends the connections of clients, and the server does not hear of that.
const VANISHES: u8 = 4;
const REFUSES: u8 = 5;

struct Proxy {
    folder: TempDir,
    does: Arc<AtomicU8>,
    /// Bytes that clients have received.
    received: Arc<AtomicU64>,
}

impl Proxy {
    fn new() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let does = Arc::new(AtomicU8::new(PASSES));
        let received = Arc::new(AtomicU64::new(0));
        let listener = UnixListener::bind(folder.path().join(SOCKET)).expect("a socket");
        let (ours, count) = (Arc::clone(&does), Arc::clone(&received));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if ours.load(Ordering::SeqCst) != REFUSES {
                    let (does, count) = (Arc::clone(&ours), Arc::clone(&count));
                    thread::spawn(move || pass(&client, &does, &count));
                }
            }
        });
        Self {
            folder,
            does,
            received,
        }
    }

    fn then(&self, does: u8) {
        self.does.store(does, Ordering::SeqCst);
    }

    async fn journal(&self, folder: &Path, patience: Duration) -> Journal {
        let server = OnServer {
            socket: Some(self.folder.path()),
            patience: Some(patience),
        };
        let server = Location::Server(server.database_of(folder));
        Journal::open(server, reader).await.expect("healthy")
    }
}

/// Passes what a client and the server say to each other.
fn pass(client: &UnixStream, does: &AtomicU8, count: &AtomicU64) {
    let server = UnixStream::connect(socket().join(SOCKET)).expect("the server runs");
    let is_asked = AtomicU8::new(PASSES);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut bytes = vec![0; 1 << 16];
            let (mut from, mut to) = (client, &server);
            while let Ok(length @ 1..) = from.read(&mut bytes) {
                let commits = bytes[..length]
                    .windows(COMMIT.len())
                    .any(|part| part == COMMIT);
                let now = does.load(Ordering::SeqCst);
                if now == VANISHES {
                    does.store(PASSES, Ordering::SeqCst);
                    let _ = client.shutdown(Shutdown::Both);
                    // The server's end stays open with the other thread.
                    return;
                }
                if commits && (LOSES_QUESTION..=LOSES_ALL).contains(&now) {
                    does.store(
                        if now == LOSES_ALL { REFUSES } else { PASSES },
                        Ordering::SeqCst,
                    );
                    is_asked.store(now, Ordering::SeqCst);
                    if now == LOSES_QUESTION {
                        break;
                    }
                }
                if to.write_all(&bytes[..length]).is_err() {
                    break;
                }
            }
            let _ = client.shutdown(Shutdown::Both);
            let _ = server.shutdown(Shutdown::Both);
        });
        let mut bytes = vec![0; 1 << 16];
        let (mut from, mut to) = (&server, client);
        while let Ok(length @ 1..) = from.read(&mut bytes) {
            if is_asked.load(Ordering::SeqCst) != PASSES {
                let _ = client.shutdown(Shutdown::Both);
                break;
            }
            count.fetch_add(length as u64, Ordering::SeqCst);
            if to.write_all(&bytes[..length]).is_err() {
                break;
            }
        }
        let _ = client.shutdown(Shutdown::Both);
    });
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_commit_whose_answer_is_lost_is_told_as_perhaps_made() {
    let (proxy, folder) = (Proxy::new(), TempDir::new().expect("a temporary folder"));
    let journal = proxy.journal(folder.path(), Duration::from_secs(1)).await;
    for (loses, is_made) in [
        (LOSES_ANSWER, true),
        (LOSES_QUESTION, false),
        (LOSES_ALL, true),
    ] {
        let key = format!("made {loses}");
        proxy.then(loses);
        // Not a setting, which is stored again until it is known.
        let sql = "INSERT INTO setting (key, value) VALUES (?1, '1')";
        let lost = journal
            .database
            .execute(Durability::OnDisk, sql, [key.clone()]);
        let lost = lost.await;
        assert!(
            matches!(lost, Err(JournalError::Indeterminate(_))),
            "{lost:?}"
        );
        proxy.then(PASSES);
        tokio::time::sleep(Duration::from_secs(1)).await;
        let later = journal.keep_setting("later", &key).await;
        later.expect("it is back");
        let made = journal.setting(&key).await.expect("healthy");
        assert_eq!(made.is_some(), is_made, "{key}");
    }
    for loses in [LOSES_ANSWER, LOSES_QUESTION] {
        proxy.then(loses);
        let value = loses.to_string();
        let again = journal.keep_setting("again", &value).await;
        again.expect("it is stored by the next connection");
        let kept = journal.setting("again").await.expect("healthy");
        assert_eq!(kept, Some(value));
    }
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_connection_of_which_the_server_does_not_know_that_it_is_lost_keeps_nobody_out() {
    let (proxy, folder) = (Proxy::new(), TempDir::new().expect("a temporary folder"));
    let journal = proxy.journal(folder.path(), Duration::from_secs(10)).await;
    proxy.then(VANISHES);
    let kept = journal.keep_setting("kept", "1").await;
    kept.expect("the lock is its own");
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_page_of_events_reads_no_more_than_it_has() {
    let (proxy, folder) = (Proxy::new(), TempDir::new().expect("a temporary folder"));
    let journal = proxy.journal(folder.path(), Duration::from_secs(10)).await;
    let meta = ConversationMeta {
        id: ID.to_owned(),
        ..ConversationMeta::default()
    };
    journal.describe(vec![meta]).await.expect("healthy");
    let text = "long ".repeat(20_000);
    let events: Vec<_> = (0..100).map(|id| says(id, &text)).collect();
    append(&journal, &events).await;
    let received = async |limit| {
        let before = proxy.received.load(Ordering::SeqCst);
        let page = journal.page_of_events(ID, 0, limit).await;
        let count = page.expect("healthy").len();
        (count, proxy.received.load(Ordering::SeqCst) - before)
    };
    let (count, bytes) = received(1).await;
    assert!(
        count == 1 && bytes < 200_000,
        "{count} events, {bytes} bytes"
    );
    let (count, bytes) = received(1_000).await;
    assert!(
        count == 11 && bytes < 4_000_000,
        "{count} events, {bytes} bytes"
    );
}
