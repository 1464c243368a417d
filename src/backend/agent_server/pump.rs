//! One connection attempt, from opening the WebSocket to its end, with polling of stored pages in parallel.

use super::events::{Cursor, Page, id};
use super::socket::{self, Incoming};
use super::supervisor::Supervisor;
use crate::backend::ending::End;
use crate::backend::polls::Polls;
use crate::backend::{Answer, BackendError, http};
use crate::wire::v1::Frame;
use futures_util::future::{BoxFuture, FutureExt};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

impl Supervisor {
    /// Runs one WebSocket, or only polls.
    pub(super) async fn connect(&mut self) -> End {
        // All stored events have been read; pages are polled until the WebSocket sends something.
        self.outlet.is_live();
        let (out, incoming) = mpsc::channel(256);
        let (activity, activity_seen) = watch::channel(());
        let server = self.server.clone();
        let conversation = self.events.conversation.clone();
        let after = self.events.offset.id(self.cursor.pos);
        let kind = self.kind;
        let socket = async {
            match kind {
                Some(kind) => socket::run(&server, &conversation, kind, after, out).await,
                None => std::future::pending().await,
            }
        };
        let silence = http::stops(&server.rest, server.timing.pulse, activity_seen);
        tokio::select! {
            end = self.pump(incoming, activity) => end,
            end = socket => end,
            () = silence => End::Silent,
        }
    }

    /// Forwards frames of the WebSocket, and polls stored pages in parallel.
    async fn pump(
        &mut self,
        mut inbox: mpsc::Receiver<Incoming>,
        activity: watch::Sender<()>,
    ) -> End {
        let timing = self.server.timing.clone();
        let (up_at, mut speaks) = (Instant::now(), false);
        let mut polls = Polls::new(timing.poll);
        loop {
            tokio::select! {
                Some(arrival) = inbox.recv() => {
                    activity.send_replace(());
                    self.progress |= up_at.elapsed() >= timing.stable_after;
                    speaks = true;
                    match arrival {
                        Incoming::Stirred => polls.within(timing.gather),
                        Incoming::Piece(piece) => self.outlet.send_piece(piece),
                        Incoming::Frame(Frame::Sync { through_seq, .. }) => {
                            if through_seq.unwrap_or(-1) < self.events.offset.id(self.cursor.pos) {
                                return End::Lost;
                            }
                        }
                        Incoming::Frame(Frame::Durable { seq, event }) => {
                            let pos = self.events.offset.pos(seq);
                            if pos == self.cursor.pos + 1 {
                                // A page in flight may hang or repeat this event: drop it and poll again later.
                                if polls.cancel() {
                                    polls.within(timing.poll);
                                }
                                let cursor = Cursor { pos, key: id(&event).cloned() };
                                self.progress = true;
                                let event = self.events.parse_event(event, Some(pos));
                                self.outlet.send(event).await;
                                self.go_on_from(cursor);
                            } else if pos > self.cursor.pos {
                                // A gap is filled from stored pages, in order.
                                polls.within(Duration::ZERO);
                            }
                        }
                        Incoming::Frame(_) => {}
                    }
                }
                page = polls.next(timing.silence, || self.poll()) => {
                    let next = match page {
                        Ok(page) => match self.take_page(page).await {
                            Ok(true) => Duration::ZERO,
                            Ok(false) if speaks => timing.silence,
                            Ok(false) => timing.poll,
                            Err(end) => return end,
                        },
                        Err(error @ (BackendError::Unauthorized | BackendError::NotFound(_))) => return error.into(),
                        Err(error) => {
                            self.outlet.cannot_read(&error);
                            timing.poll
                        }
                    };
                    polls.within(next);
                }
            }
        }
    }

    fn poll(&self) -> BoxFuture<'static, Answer<Page>> {
        let (events, cursor) = (self.events.clone(), self.cursor.clone());
        async move { events.after(&cursor).await }.boxed()
    }
}
