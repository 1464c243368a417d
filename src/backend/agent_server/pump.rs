//! One attempt of a line, from the opening of its socket to its end, and the stored pages beside it.

use super::ending::End;
use super::events::{Cursor, Page, id};
use super::line::{Supervisor, end};
use super::socket::{self, Incoming};
use crate::backend::{BackendError, LineState, http};
use crate::wire::v1::Frame;
use futures_util::future::{BoxFuture, FutureExt};
use std::time::Duration;
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep_until},
};

impl Supervisor {
    /// Holds one socket, or none.
    pub(super) async fn connect(&mut self) -> End {
        // All that is stored is here, and pages are read until the socket speaks.
        self.state.send_replace(LineState::Live);
        let (out, incoming) = mpsc::channel(256);
        let (heard, hears) = watch::channel(());
        let server = self.server.clone();
        let conversation = self.events.conversation.clone();
        let after = self.events.shift.id(self.cursor.pos);
        let kind = self.kind;
        let socket = async {
            match kind {
                Some(kind) => socket::run(&server, &conversation, kind, after, out).await,
                None => std::future::pending().await,
            }
        };
        let silence = http::stops(&server.rest, server.timing.pulse, hears);
        tokio::select! {
            end = self.pump(incoming, heard) => end,
            end = socket => end,
            () = silence => End::Silent,
        }
    }

    /// Hands on what the socket brings, and looks into stored pages beside it.
    async fn pump(
        &mut self,
        mut incoming: mpsc::Receiver<Incoming>,
        heard: watch::Sender<()>,
    ) -> End {
        let up_at = Instant::now();
        let mut speaks = false;
        let mut look_at = up_at + self.server.timing.look;
        let mut looking: Option<BoxFuture<'static, Result<Page, BackendError>>> = None;
        loop {
            let idle = looking.is_none();
            let looked = async {
                match &mut looking {
                    Some(looking) => looking.await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                Some(arrival) = incoming.recv() => {
                    heard.send_replace(());
                    self.progress |= up_at.elapsed() >= self.server.timing.settled;
                    speaks = true;
                    let wanted = match arrival {
                        Incoming::Stirred => Some(self.server.timing.gather),
                        Incoming::Frame(Frame::Sync { through_seq, .. }) => {
                            if through_seq.unwrap_or(-1) < self.events.shift.id(self.cursor.pos) {
                                return End::Lost;
                            }
                            None
                        }
                        Incoming::Frame(Frame::Durable { seq, event }) => {
                            let pos = self.events.shift.pos(seq);
                            if pos == self.cursor.pos + 1 && idle {
                                let cursor = Cursor { pos, key: id(&event).cloned() };
                                self.progress = true;
                                let event = self.events.arrived(event, Some(pos));
                                self.hand_on(event).await;
                                self.go_on_from(cursor);
                                None
                            } else {
                                // What is behind the cursor is here; what is beyond its next is read in order.
                                (pos > self.cursor.pos).then_some(Duration::ZERO)
                            }
                        }
                        Incoming::Piece(piece) => {
                            // Nothing is built on it: where there is no room it is left out.
                            let _ = self.pieces.try_send(piece);
                            None
                        }
                        Incoming::Frame(_) => None,
                    };
                    if let Some(wanted) = wanted {
                        look_at = look_at.min(Instant::now() + wanted);
                    }
                }
                page = looked => {
                    looking = None;
                    let next = match page {
                        Ok(page) => match self.take_page(page).await {
                            Ok(true) => Duration::ZERO,
                            Ok(false) if speaks => self.server.timing.silence,
                            Ok(false) => self.server.timing.look,
                            Err(end) => return end,
                        },
                        Err(error @ (BackendError::Unauthorized | BackendError::NotFound(_))) => return end(error),
                        Err(error) => {
                            tracing::warn!(conversation = self.events.conversation, %error, "stored events cannot be read");
                            self.server.timing.look
                        }
                    };
                    look_at = look_at.min(Instant::now() + next);
                }
                () = sleep_until(look_at), if idle => {
                    look_at = Instant::now() + self.server.timing.silence;
                    let (events, cursor) = (self.events.clone(), self.cursor.clone());
                    looking = Some(async move { events.after(&cursor).await }.boxed());
                }
            }
        }
    }
}
