//! The ends of a live connection's channels to which both protocols write.

use super::attempts::{Attempts, Backoff};
use super::http::conversation_id;
use super::live_stream::room;
use super::losses::{self, StoredEvents};
use super::{Answer, BackendError, ConnectionState, LiveStream, Order, ReceivedEvent, ResumePoint};
use crate::conversation::{Piece, PositionOffset};
use futures_util::future::{BoxFuture, FutureExt, ready};
use tokio::sync::mpsc::{self, Permit, Receiver};
use tokio::sync::watch;

/// Size limit of streamed text, in bytes: a model writes a few words at a time.
const MOST_OF_PIECE: usize = 16 << 10;

/// What a connection tells of its conversation.
pub(super) struct Outlet {
    pub(super) conversation: String,
    /// Where the connection has begun, or has resumed after a loss.
    pub(super) resume: ResumePoint,
    events: mpsc::Sender<ReceivedEvent>,
    contiguous_through: watch::Sender<i64>,
    unread: watch::Sender<Option<String>>,
    pieces: mpsc::Sender<Piece>,
    state: watch::Sender<ConnectionState>,
}

type Parts = (Outlet, Attempts, Receiver<Order>, BoxFuture<'static, ()>);

impl LiveStream {
    /// Runs a connection to the conversation with this id; refuses it if the id is invalid.
    pub(super) fn run_checked<F: Future<Output = ()> + Send + 'static>(
        self,
        id: &str,
        run: impl FnOnce(String, Self) -> F,
    ) -> BoxFuture<'static, ()> {
        match conversation_id(id) {
            Ok(id) => run(id.to_owned(), self).boxed(),
            Err(error) => {
                let (why, code) = (error.to_string(), String::new());
                self.state
                    .send_replace(ConnectionState::Refused { why, code });
                ready(()).boxed()
            }
        }
    }

    /// Parts for the tasks of a connection, and a future that ends when it is cancelled or its receiver is gone.
    pub(super) fn split(self, conversation: String, backoff: Backoff) -> Parts {
        let attempts = Attempts {
            conversation: conversation.clone(),
            backoff,
            state: self.state.clone(),
            retry: self.retry,
            failed: 0,
        };
        self.state.send_replace(ConnectionState::Connecting);
        let (cancel, receiver) = (self.cancel, self.events.clone());
        let over = async move {
            tokio::select! {
                () = cancel.cancelled() => {}
                () = receiver.closed() => {}
            }
        };
        let outlet = Outlet {
            conversation,
            resume: self.resume,
            events: self.events,
            contiguous_through: self.contiguous_through,
            unread: self.unread,
            pieces: self.pieces,
            state: self.state,
        };
        (outlet, attempts, self.orders, over.boxed())
    }
}

impl Outlet {
    /// Reserves room for an event: a full channel slows the server down. `None` ends the connection: no receiver.
    pub(super) async fn room(&self, event: &ReceivedEvent) -> Option<Permit<'_, ReceivedEvent>> {
        room(&self.events, event.raw.len()).await
    }

    pub(super) async fn send(&self, event: ReceivedEvent) {
        if let Some(room) = self.room(&event).await {
            room.send(event);
        }
    }

    /// Sends streamed text. Best effort: without room in the channel, or if far too long for a piece, it is dropped.
    pub(super) fn send_piece(&self, piece: Piece) {
        if piece.bytes() <= MOST_OF_PIECE {
            let _ = self.pieces.try_send(piece);
        }
    }

    /// Tells that all events up to this position have been sent.
    pub(super) fn sent_through(&self, pos: i64) {
        self.contiguous_through.send_replace(pos);
    }

    /// Tells that the connection is up and all stored events have been sent.
    pub(super) fn is_live(&self) {
        self.state.send_replace(ConnectionState::Live);
    }

    /// Tells that stored events can be read.
    pub(super) fn can_read(&self) {
        self.unread.send_replace(None);
    }

    /// The page read before connecting; `None` if it is unreadable for good. Errors: others than that.
    pub(super) fn readable<T>(&self, page: Answer<T>) -> Answer<Option<T>> {
        match page {
            Ok(page) => Ok(Some(page)),
            Err(error) if error.is_lasting() => {
                self.cannot_read(&error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Tells that stored events cannot be read, if a retry will not help.
    pub(super) fn cannot_read(&self, error: &BackendError) {
        tracing::warn!(conversation = self.conversation, %error, "cannot read stored events");
        if error.is_lasting() {
            self.unread.send_replace(Some(error.to_string()));
        }
    }

    /// Checks for data loss. If there is one, sends its notice and returns the new offset to resume with.
    pub(super) async fn check_for_losses(
        &mut self,
        stored: &impl StoredEvents,
        newest: Option<i64>,
    ) -> Answer<Option<PositionOffset>> {
        let newest = newest.max(self.resume.newest);
        let Some(offset) = losses::find(stored, &self.resume, newest).await? else {
            return Ok(None);
        };
        let conversation = &self.conversation;
        tracing::warn!(conversation, ?offset, "the backend has lost events");
        self.send(losses::notice(offset)).await;
        self.resume.offset = offset;
        self.resume.after = offset.since;
        self.resume.newest = offset.since;
        Ok(Some(offset))
    }
}
