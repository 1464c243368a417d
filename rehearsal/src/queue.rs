//! What waits for the client of one socket, and what a conversation stores: both within limits of bytes.
//!
//! A real server has a disk, and its clients lose their connection when they do not keep up. Stored events are shared with the
//! queues, so an event is in memory once, however many sockets wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Bytes that wait for one client. One that falls behind further loses its connection.
const MOST_WAITING: usize = 64 << 20;
/// Bytes of the stored events of all conversations; further events are left out.
const MOST_STORED: usize = 1 << 30;
/// Bytes of an entry that shares what it says.
const SHARED: usize = 64;

/// Bytes that an entry keeps in memory.
pub trait Weigh {
    fn bytes(&self) -> usize;
}

/// The end that fills a queue.
pub struct Sender<T> {
    entries: UnboundedSender<T>,
    waiting: Arc<AtomicUsize>,
}

/// The end that is emptied at the speed of the client.
pub struct Receiver<T> {
    entries: UnboundedReceiver<T>,
    waiting: Arc<AtomicUsize>,
}

/// An empty queue.
pub fn queue<T>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = unbounded_channel();
    let waiting = Arc::new(AtomicUsize::new(0));
    let entries = Sender {
        entries: sender,
        waiting: waiting.clone(),
    };
    let receiver = Receiver {
        entries: receiver,
        waiting,
    };
    (entries, receiver)
}

impl<T: Weigh> Sender<T> {
    /// Adds an entry. `false` if there is no client any more, or it is too far behind: the sender must then be dropped.
    pub fn send(&self, entry: T) -> bool {
        let bytes = entry.bytes();
        let waiting = self.waiting.fetch_add(bytes, Ordering::Relaxed);
        // A single entry may be as large as it likes.
        (waiting == 0 || waiting + bytes <= MOST_WAITING) && self.entries.send(entry).is_ok()
    }

    pub fn is_closed(&self) -> bool {
        self.entries.is_closed()
    }
}

impl<T: Weigh> Receiver<T> {
    /// The next entry; `None` if there will be none.
    pub async fn recv(&mut self) -> Option<T> {
        let entry = self.entries.recv().await?;
        self.waiting.fetch_sub(entry.bytes(), Ordering::Relaxed);
        Some(entry)
    }

    /// Whether entries are missing because the client was too far behind.
    pub fn is_cut(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0 && self.entries.is_empty()
    }
}

impl Weigh for Arc<Value> {
    fn bytes(&self) -> usize {
        SHARED
    }
}

/// Bytes of the stored events of all conversations of this process, and their limit.
static STORED: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(MOST_STORED);

/// Changes the limit of what all rehearsals of this process store, in bytes: for measurements that take hours.
pub fn store_at_most(bytes: usize) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// The stored events of one conversation.
#[derive(Default)]
pub struct Stored {
    pub events: Vec<Arc<Value>>,
    bytes: usize,
}

impl Stored {
    /// Stores an event; `None` if there is no room for it.
    pub fn push(&mut self, event: Value) -> Option<Arc<Value>> {
        let bytes = weight(&event);
        if STORED.fetch_add(bytes, Ordering::Relaxed) + bytes > LIMIT.load(Ordering::Relaxed) {
            STORED.fetch_sub(bytes, Ordering::Relaxed);
            tracing::warn!(bytes, "the rehearsal has no room for more events");
            return None;
        }
        self.bytes += bytes;
        let event = Arc::new(event);
        self.events.push(event.clone());
        Some(event)
    }
}

impl Drop for Stored {
    fn drop(&mut self) {
        STORED.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Bytes that a value takes in memory, about.
fn weight(value: &Value) -> usize {
    32 + match value {
        Value::String(text) => text.len(),
        Value::Array(parts) => parts.iter().map(weight).sum(),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, part)| 32 + name.len() + weight(part));
            600 + fields.sum::<usize>()
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    impl Weigh for Vec<u8> {
        fn bytes(&self) -> usize {
            self.len()
        }
    }

    #[tokio::test]
    async fn a_client_that_falls_behind_loses_its_queue_and_one_that_reads_does_not() {
        let (sender, mut receiver) = queue::<Vec<u8>>();
        let sent = (0..1000)
            .take_while(|_| sender.send(vec![0; 1 << 20]))
            .count();
        assert_eq!(sent, MOST_WAITING >> 20);
        for _ in 0..sent {
            assert!(receiver.recv().await.is_some());
        }
        drop(sender);
        assert!(receiver.recv().await.is_none() && receiver.is_cut());
        let (sender, mut receiver) = queue::<Vec<u8>>();
        for _ in 0..1000 {
            assert!(sender.send(vec![0; 1 << 20]) && receiver.recv().await.is_some());
        }
        assert!(
            sender.send(vec![0; MOST_WAITING + 1]),
            "one entry of any size"
        );
    }

    #[test]
    fn events_are_stored_within_a_limit_and_free_it_with_their_conversation() {
        let before = STORED.load(Ordering::Relaxed);
        let mut stored = Stored::default();
        assert!(stored.push(json!({"text": "x".repeat(1000)})).is_some());
        stored.bytes += MOST_STORED;
        STORED.fetch_add(MOST_STORED, Ordering::Relaxed);
        assert!(stored.push(json!({})).is_none());
        drop(stored);
        assert!(STORED.load(Ordering::Relaxed) < before + MOST_STORED);
    }
}
