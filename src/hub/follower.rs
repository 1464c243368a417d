//! A reader's queue: frames that were encoded once for all, and an end when the reader is too slow.
//!
//! Invariant: a follower sees every frame in order, or [`Verdict::Gap`] and nothing more. A slow one holds up nobody.

use crate::live::{FromServer, Verdict};
use crate::metrics;
use bytes::Bytes;
use futures_util::Stream;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use tokio::sync::mpsc;

/// Frames that may wait for one reader.
pub const MOST_FRAMES: usize = 1024;
/// Bytes that may wait for one reader.
pub const MOST_BYTES: usize = 4 << 20;

/// What one reader gets: a stream of encoded [`FromServer`] frames, the verdict first.
#[derive(Debug)]
pub struct Follower {
    verdict: Verdict,
    frames: mpsc::Receiver<Bytes>,
    backlog: Arc<Backlog>,
    /// Said once when frames were lost; nothing comes after it.
    gap: Option<Bytes>,
    /// Counts as a watcher while it lives.
    _watching: Option<Arc<()>>,
}

#[derive(Debug, Default)]
struct Backlog {
    bytes: AtomicUsize,
    lost: AtomicBool,
    /// The stream ends on purpose, not because of a gap.
    over: AtomicBool,
}

impl Backlog {
    /// Adds to the bytes that wait; returns how many there were.
    fn add(&self, bytes: usize) -> usize {
        metrics::QUEUED.add(bytes as i64);
        self.bytes.fetch_add(bytes, Ordering::Relaxed)
    }

    fn take(&self, bytes: usize) {
        metrics::QUEUED.add(-(bytes as i64));
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Drop for Backlog {
    fn drop(&mut self) {
        let left = *self.bytes.get_mut();
        self.take(left);
    }
}

/// The writing end of a [`Follower`].
#[derive(Debug)]
pub(super) struct Queue {
    /// Number of the reading user.
    pub(super) person: i64,
    frames: mpsc::Sender<Bytes>,
    backlog: Arc<Backlog>,
}

/// A queue and its reader, a `person` by number, that keeps `watching`. A gap is said about `conversation`.
pub(super) fn queue(
    conversation: &str,
    verdict: Verdict,
    person: i64,
    watching: Option<Arc<()>>,
) -> (Queue, Follower) {
    let (sender, receiver) = mpsc::channel(MOST_FRAMES);
    let backlog = Arc::new(Backlog::default());
    metrics::FOLLOWERS.add(1);
    let queue = Queue {
        person,
        frames: sender,
        backlog: Arc::clone(&backlog),
    };
    let follower = Follower {
        verdict,
        frames: receiver,
        backlog,
        gap: Some(verdict_frame(conversation, Verdict::Gap)),
        _watching: watching,
    };
    (queue, follower)
}

/// Encodes a frame, once for all readers.
pub(super) fn encode(frame: &FromServer) -> Bytes {
    Bytes::from(serde_json::to_vec(frame).expect("frames are plain data"))
}

pub(super) fn verdict_frame(conversation: &str, verdict: Verdict) -> Bytes {
    encode(&FromServer::Verdict {
        conversation: conversation.to_owned(),
        verdict,
    })
}

impl Queue {
    /// Hands a frame over. `false` when this reader is to be dropped: it left, or it is too slow.
    pub(super) fn push(&self, frame: &Bytes) -> bool {
        let waiting = self.backlog.add(frame.len());
        // One frame may be larger than all that may wait.
        let fits = waiting == 0 || waiting + frame.len() <= MOST_BYTES;
        if fits && self.frames.try_send(frame.clone()).is_ok() {
            return true;
        }
        if !self.frames.is_closed() {
            let what = "a reader is too slow and is told to start anew";
            tracing::info!(bytes = waiting, "{what}");
        }
        self.break_off();
        false
    }

    /// Tells the reader that its state is outdated.
    pub(super) fn break_off(&self) {
        self.backlog.lost.store(true, Ordering::Release);
    }

    /// Ends the stream after all queued frames.
    pub(super) fn finish(self) {
        self.backlog.over.store(true, Ordering::Release);
    }

    pub(super) fn is_left(&self) -> bool {
        self.frames.is_closed()
    }
}

impl Follower {
    /// Whether the cursor was valid; also the first frame.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Ends the stream with the gap.
    fn end(&mut self) -> Option<Bytes> {
        metrics::GAPS.add(1);
        self.gap.take()
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        metrics::FOLLOWERS.add(-1);
    }
}

impl Stream for Follower {
    type Item = Bytes;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let this = self.get_mut();
        if this.gap.is_none() {
            return Poll::Ready(None);
        }
        if this.backlog.lost.load(Ordering::Acquire) {
            return Poll::Ready(this.end());
        }
        match ready!(this.frames.poll_recv(context)) {
            Some(frame) => {
                this.backlog.take(frame.len());
                Poll::Ready(Some(frame))
            }
            None if this.backlog.over.load(Ordering::Acquire) => Poll::Ready(None),
            // The writer has stopped, or panicked.
            None => Poll::Ready(this.end()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{FutureExt as _, StreamExt as _};

    fn is_gap(frame: &Bytes) -> bool {
        *frame == verdict_frame("c", Verdict::Gap)
    }

    #[test]
    fn a_reader_who_keeps_up_reads_more_than_may_wait() {
        let (queue, mut follower) = queue("c", Verdict::Ok, 1, None);
        let frame = Bytes::from(vec![b'x'; MOST_BYTES / 3]);
        for round in 0..10 {
            assert!(queue.push(&frame) && queue.push(&frame), "{round}");
            for _ in 0..2 {
                let read = follower.next().now_or_never();
                assert_eq!(read.flatten().as_ref(), Some(&frame), "{round}");
            }
        }
    }

    #[test]
    fn a_reader_who_does_not_keep_up_gets_a_gap_and_nothing_more() {
        let (queue, mut follower) = queue("c", Verdict::Ok, 1, None);
        let large = Bytes::from(vec![b'x'; 2 * MOST_BYTES]);
        assert!(
            queue.push(&large),
            "one frame may be larger than all that may wait"
        );
        assert!(!queue.push(&Bytes::from_static(b"y")));
        let read = follower.next().now_or_never().flatten();
        assert!(read.is_some_and(|frame| is_gap(&frame)));
        assert_eq!(follower.next().now_or_never(), Some(None));
    }
}
