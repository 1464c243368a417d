//! The live line to a browser: one WebSocket a tab, several conversations on it.
//!
//! Everything that goes out is a frame which the hub has encoded once for all. A reader that cannot
//! keep up is told `gap` by the hub and takes a fresh picture; it never holds the others up.

use super::Site;
use crate::hub::{Follower, Hub};
use crate::live::{FromBrowser, FromServer};
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::response::Response;
use futures_util::stream::{AbortHandle, Abortable, BoxStream, SelectAll, StreamExt};
use std::collections::HashMap;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// A browser pings every few seconds; one that says nothing for this long is gone.
const SILENCE: Duration = Duration::from_secs(45);
/// A frame that a browser does not take within this time: its line is dead or hopelessly slow.
const PATIENCE: Duration = Duration::from_secs(20);
/// Browsers only send small orders.
const LONGEST_ORDER: usize = 16 * 1024;
/// Each line keeps a buffer of this size; the usual 128 KiB would be most of what an idle tab costs.
const READ_AT_ONCE: usize = 2 * 1024;
/// Conversations that one tab may follow: it shows one, and the list.
const MOST_FOLLOWED: usize = 16;
/// The list's place among what is followed; no conversation has this id.
const LIST: &str = "";

/// Opens the live line.
pub async fn open(State(site): State<Site>, upgrade: WebSocketUpgrade) -> Response {
    upgrade
        .read_buffer_size(READ_AT_ONCE)
        .max_message_size(LONGEST_ORDER)
        .max_frame_size(LONGEST_ORDER)
        .on_upgrade(move |socket| Tab::new(socket, site.hub).serve(site.stopping))
}

/// The hub's frames as WebSocket texts, without copying them.
fn texts(frames: Follower) -> BoxStream<'static, Utf8Bytes> {
    frames
        .map(|frame| Utf8Bytes::try_from(frame).expect("JSON is UTF-8"))
        .boxed()
}

/// One open line.
struct Tab {
    socket: WebSocket,
    hub: Hub,
    /// Everything that is followed, as one stream.
    frames: SelectAll<Abortable<BoxStream<'static, Utf8Bytes>>>,
    /// How to end each part of it.
    followed: HashMap<String, AbortHandle>,
}

/// Why a line ends.
enum End {
    /// The browser left, or its line is dead.
    Left,
    /// We stop.
    Stopping,
    /// It said something that no page of ours says.
    Nonsense(&'static str),
}

impl Tab {
    fn new(socket: WebSocket, hub: Hub) -> Self {
        Self {
            socket,
            hub,
            frames: SelectAll::new(),
            followed: HashMap::new(),
        }
    }

    async fn serve(mut self, stopping: CancellationToken) {
        let close = match self.run(&stopping).await {
            End::Left => return,
            End::Stopping => {
                let _ = self.say(&FromServer::GoingAway).await;
                CloseFrame {
                    code: close_code::RESTART,
                    reason: "Handrail restarts".into(),
                }
            }
            End::Nonsense(why) => CloseFrame {
                code: close_code::POLICY,
                reason: why.into(),
            },
        };
        let _ = tokio::time::timeout(
            Duration::from_secs(1),
            self.socket.send(Message::Close(Some(close))),
        )
        .await;
    }

    async fn run(&mut self, stopping: &CancellationToken) -> End {
        let mut heard = tokio::time::Instant::now();
        loop {
            let outcome = tokio::select! {
                () = stopping.cancelled() => return End::Stopping,
                () = tokio::time::sleep_until(heard + SILENCE) => return End::Left,
                said = self.socket.recv() => {
                    heard = tokio::time::Instant::now();
                    match said {
                        Some(Ok(Message::Text(text))) => self.hear(&text).await,
                        Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
                        Some(Ok(Message::Binary(_))) => Err(End::Nonsense("only text is spoken here")),
                        Some(Ok(Message::Close(_)) | Err(_)) | None => Err(End::Left),
                    }
                }
                Some(frame) = self.frames.next(), if !self.frames.is_empty() => self.send(frame).await,
            };
            if let Err(end) = outcome {
                return end;
            }
        }
    }

    async fn hear(&mut self, text: &str) -> Result<(), End> {
        match serde_json::from_str(text) {
            Ok(FromBrowser::Ping) => self.say(&FromServer::Pong).await,
            Ok(FromBrowser::FollowList) => {
                let list = self.hub.follow_list();
                self.follow(LIST.to_owned(), texts(list))
            }
            Ok(FromBrowser::Follow {
                conversation,
                after,
            }) => match self.hub.follow(&conversation, after).await {
                Ok(follower) => self.follow(conversation, texts(follower)),
                Err(error) => {
                    tracing::info!(%error, "a conversation cannot be followed");
                    self.say(&FromServer::Gone { conversation }).await
                }
            },
            Ok(FromBrowser::Unfollow { conversation }) => {
                self.unfollow(&conversation);
                Ok(())
            }
            Err(_) => Err(End::Nonsense("that was not understood; reload the page")),
        }
    }

    fn follow(&mut self, what: String, frames: BoxStream<'static, Utf8Bytes>) -> Result<(), End> {
        self.unfollow(&what);
        if self.followed.len() >= MOST_FOLLOWED {
            return Err(End::Nonsense("too many conversations at once"));
        }
        let (handle, registration) = AbortHandle::new_pair();
        self.frames.push(Abortable::new(frames, registration));
        self.followed.insert(what, handle);
        Ok(())
    }

    fn unfollow(&mut self, what: &str) {
        if let Some(handle) = self.followed.remove(what) {
            handle.abort();
        }
    }

    async fn say(&mut self, frame: &FromServer) -> Result<(), End> {
        let text = serde_json::to_string(frame).expect("frames are plain data");
        self.send(text.into()).await
    }

    async fn send(&mut self, text: Utf8Bytes) -> Result<(), End> {
        match tokio::time::timeout(PATIENCE, self.socket.send(Message::Text(text))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(End::Left),
        }
    }
}
