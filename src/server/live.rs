//! The live line to a browser: one WebSocket a tab, several conversations on it.
//!
//! Everything that goes out is a frame which the hub has encoded once for all. A reader that cannot
//! keep up is told `gap` by the hub and takes a fresh picture; it never holds the others up.

use super::Site;
use crate::live::{FromBrowser, FromServer};
use crate::people::{Caller, Right, Role, Visit};
use axum::Extension;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::{self, AbortHandle, Abortable, BoxStream, SelectAll, StreamExt};
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior};

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
/// Logins that end by age are found so often; those that are ended are found at once.
const EXPIRY: Duration = Duration::from_secs(60);
/// Close code of a line whose login has ended: the page goes to the login.
const SIGNED_OUT: u16 = 4401;
/// The list's place among what is followed; no conversation has this id.
const LIST: &str = "";

/// Opens the live line.
pub async fn open(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Some(place) = site.lines.enter(by.person) else {
        let text = "You have too many pages open. Close some.";
        return (StatusCode::TOO_MANY_REQUESTS, text).into_response();
    };
    let open = site.open_lines.token();
    upgrade
        .read_buffer_size(READ_AT_ONCE)
        .max_message_size(LONGEST_ORDER)
        .max_frame_size(LONGEST_ORDER)
        .on_upgrade(async move |socket| {
            Tab::new(socket, site, by).serve().await;
            drop((place, open));
        })
}

/// What each thing that a browser says needs.
fn needed(said: &FromBrowser) -> Right {
    match said {
        FromBrowser::Follow { .. } | FromBrowser::Unfollow { .. } | FromBrowser::Ping => Right::See,
        FromBrowser::FollowList => Right::Read,
    }
}

/// The hub's frames as WebSocket texts, without copying them.
fn texts(frames: impl Stream<Item = Bytes> + Send + 'static) -> BoxStream<'static, Utf8Bytes> {
    frames
        .map(|frame| Utf8Bytes::try_from(frame).expect("JSON is UTF-8"))
        .boxed()
}

/// A frame as a visitor may see it.
fn for_visitors(frame: Bytes) -> Option<Bytes> {
    let frame: FromServer = serde_json::from_slice(&frame).ok()?;
    let shown = frame.for_visitors()?;
    serde_json::to_vec(&shown).ok().map(Bytes::from)
}

/// One open line.
struct Tab {
    socket: WebSocket,
    site: Site,
    /// Who looks.
    by: Caller,
    /// Everything that is followed, as one stream.
    frames: SelectAll<Abortable<BoxStream<'static, Utf8Bytes>>>,
    /// How to end each part of it, and the role of who looks there.
    followed: HashMap<String, (AbortHandle, Option<Role>)>,
}

/// Why a line ends.
enum End {
    /// The browser left, or its line is dead.
    Left,
    /// We stop.
    Stopping,
    /// Who looks has lost the right to.
    SignedOut,
    /// It said something that no page of ours says.
    Nonsense(&'static str),
}

impl Tab {
    fn new(socket: WebSocket, site: Site, by: Caller) -> Self {
        Self {
            socket,
            site,
            by,
            frames: SelectAll::new(),
            followed: HashMap::new(),
        }
    }

    async fn serve(mut self) {
        let close = match self.run().await {
            End::Left => return,
            End::Stopping => {
                let _ = self.say(&FromServer::GoingAway).await;
                CloseFrame {
                    code: close_code::RESTART,
                    reason: "Handrail restarts".into(),
                }
            }
            End::SignedOut => CloseFrame {
                code: SIGNED_OUT,
                reason: "log in again".into(),
            },
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

    async fn run(&mut self) -> End {
        let stopping = self.site.stopping.clone();
        let mut changed = self.site.people.changed();
        let mut sharing = self.site.hub.sharing_changed();
        // The first tick comes at once: a right may have been lost between the request and this line.
        let mut expiry = tokio::time::interval(EXPIRY);
        expiry.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        let visit = self.by.visit().map(Visit::left);
        let ended = tokio::time::sleep(visit.unwrap_or_default());
        tokio::pin!(ended);
        loop {
            let outcome = tokio::select! {
                () = stopping.cancelled() => return End::Stopping,
                () = &mut ended, if visit.is_some() => return End::SignedOut,
                () = tokio::time::sleep_until(heard + SILENCE) => return End::Left,
                said = self.socket.recv() => {
                    heard = Instant::now();
                    match said {
                        Some(Ok(Message::Text(text))) => self.hear(&text).await,
                        Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
                        Some(Ok(Message::Binary(_))) => Err(End::Nonsense("only text is spoken here")),
                        Some(Ok(Message::Close(_)) | Err(_)) | None => Err(End::Left),
                    }
                }
                Ok(()) = changed.changed() => self.look_at_rights().await,
                Ok(()) = sharing.changed() => self.look_at_conversations().await,
                _ = expiry.tick() => self.look_at_rights().await,
                Some(frame) = self.frames.next(), if !self.frames.is_empty() => self.send(frame).await,
            };
            if let Err(end) = outcome {
                return end;
            }
        }
    }

    /// Whether who looks may still do so, as they could when they came.
    async fn look_at_rights(&mut self) -> Result<(), End> {
        match self.site.people.still(&self.by).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(End::SignedOut),
            Err(error) => {
                tracing::error!(%error, "a line is closed because nobody can say whose it is");
                Err(End::SignedOut)
            }
        }
    }

    /// Lets go of conversations that who looks does not see any more, and says where they may do more or less.
    async fn look_at_conversations(&mut self) -> Result<(), End> {
        let (hub, by) = (self.site.hub.clone(), self.by.clone());
        let followed = self.followed.iter().filter(|(id, _)| *id != LIST);
        let changed = followed
            .map(|(id, (_, before))| (id.clone(), *before, hub.role_in(&by, id)))
            .filter(|(_, before, now)| before != now);
        for (conversation, _, role) in changed.collect::<Vec<_>>() {
            if role.is_none() {
                self.unfollow(&conversation);
                self.say(&FromServer::Gone { conversation }).await?;
                continue;
            }
            if let Some((_, known)) = self.followed.get_mut(&conversation) {
                *known = role;
            }
            self.say(&FromServer::Role { conversation, role }).await?;
        }
        Ok(())
    }

    async fn hear(&mut self, text: &str) -> Result<(), End> {
        let said = serde_json::from_str(text);
        if said.as_ref().is_ok_and(|said| !self.by.may(needed(said))) {
            return Err(End::Nonsense("your role does not allow this"));
        }
        match said {
            Ok(FromBrowser::Ping) => self.say(&FromServer::Pong).await,
            Ok(FromBrowser::FollowList) => {
                let list = self.site.hub.follow_list(&self.by);
                self.follow(LIST.to_owned(), texts(list), Some(self.by.role))
            }
            Ok(FromBrowser::Follow { conversation, .. })
                if !self.site.hub.sees(&self.by, &conversation) =>
            {
                self.say(&FromServer::Gone { conversation }).await
            }
            Ok(FromBrowser::Follow {
                conversation,
                after,
            }) => self.follow_conversation(conversation, after).await,
            Ok(FromBrowser::Unfollow { conversation }) => {
                self.unfollow(&conversation);
                Ok(())
            }
            Err(_) => Err(End::Nonsense("that was not understood; reload the page")),
        }
    }

    async fn follow_conversation(&mut self, conversation: String, after: i64) -> Result<(), End> {
        let (hub, by) = (&self.site.hub, &self.by);
        let follower = match hub.follow(&conversation, after).await {
            Ok(follower) => follower,
            Err(error) => {
                tracing::info!(%error, "a conversation cannot be followed");
                return self.say(&FromServer::Gone { conversation }).await;
            }
        };
        // Again: it may have been changed while the conversation was opened.
        let Some(role) = hub.role_in(by, &conversation) else {
            return self.say(&FromServer::Gone { conversation }).await;
        };
        // The page may have been drawn before it was changed.
        let told = FromServer::Role {
            conversation: conversation.clone(),
            role: Some(role).filter(|role| *role != Role::Visitor),
        };
        let frames = stream::select(follower, hub.watch(by, &conversation));
        let frames = if role == Role::Visitor {
            texts(frames.filter_map(async |frame| for_visitors(frame)))
        } else {
            texts(frames)
        };
        self.follow(conversation, frames, Some(role))?;
        self.say(&told).await
    }

    fn follow(
        &mut self,
        what: String,
        frames: BoxStream<'static, Utf8Bytes>,
        role: Option<Role>,
    ) -> Result<(), End> {
        self.unfollow(&what);
        if self.followed.len() >= MOST_FOLLOWED {
            return Err(End::Nonsense("too many conversations at once"));
        }
        let (handle, registration) = AbortHandle::new_pair();
        self.frames.push(Abortable::new(frames, registration));
        self.followed.insert(what, (handle, role));
        Ok(())
    }

    fn unfollow(&mut self, what: &str) {
        if let Some((handle, _)) = self.followed.remove(what) {
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
