//! The live connection of a browser: one WebSocket per tab, for several conversations.
//!
//! The hub encodes each frame once and shares it between the followers. A follower that falls behind gets a `gap`
//! frame from the hub and reloads the state; it never delays the others.
//!
//! Long because one loop serves all conversations of a tab.

use super::Site;
use crate::live::{FromBrowser, FromServer};
use crate::notify;
use crate::people::{Caller, Right, Role, Visit};
use axum::Extension;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::{self, AbortHandle, Abortable, BoxStream, SelectAll, StreamExt};
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior};

/// A browser pings every few seconds; after this time without a message its connection is closed.
const SILENCE: Duration = Duration::from_secs(45);
/// A connection that does not accept a frame within this time is closed.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);
/// Largest message of a browser, in bytes.
const LONGEST_ORDER: usize = 16 * 1024;
/// Read buffer of a connection; the default of 128 KiB would be most of an idle tab's memory.
const READ_AT_ONCE: usize = 2 * 1024;
/// Conversations that one tab may follow; a page follows one, and the list.
const MOST_FOLLOWED: usize = 16;
/// Whoever had input within this time looks at what arrives, as long as the page has the focus.
const ATTENTION: Duration = Duration::from_secs(5 * 60);
/// Least pause between two marks that what arrived was read.
const MARKED_EVERY: Duration = Duration::from_secs(3);
/// Interval of the check for expired logins. A revoked login takes effect at once.
const EXPIRY: Duration = Duration::from_secs(60);
/// Close code when the login has ended; the page then opens the login.
const SIGNED_OUT: u16 = 4401;
/// Key of the list among the followed conversations; no conversation has this id.
const LIST: &str = "";

/// Upgrades to the live connection.
pub async fn open(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let permits = match site.load.live(&by) {
        Ok(permits) => permits,
        Err(refused) => return refused.into_response(),
    };
    let open = site.open_connections.token();
    upgrade
        .read_buffer_size(READ_AT_ONCE)
        .max_message_size(LONGEST_ORDER)
        .max_frame_size(LONGEST_ORDER)
        .on_upgrade(async move |socket| {
            Tab::new(socket, site, by).serve().await;
            drop((permits, open));
        })
}

/// The right that a browser's message requires.
fn needed(said: &FromBrowser) -> Right {
    match said {
        FromBrowser::Follow { .. }
        | FromBrowser::Unfollow { .. }
        | FromBrowser::Attends { .. }
        | FromBrowser::Ping => Right::See,
        FromBrowser::FollowList => Right::Read,
    }
}

/// The hub's frames as WebSocket text, without copying.
fn texts(frames: impl Stream<Item = Bytes> + Send + 'static) -> BoxStream<'static, Utf8Bytes> {
    frames
        .map(|frame| Utf8Bytes::try_from(frame).expect("JSON is UTF-8"))
        .boxed()
}

/// The part of a frame that a visitor may see; `None` if there is none.
fn for_visitors(frame: Bytes) -> Option<Bytes> {
    let frame: FromServer = serde_json::from_slice(&frame).ok()?;
    let shown = frame.for_visitors()?;
    serde_json::to_vec(&shown).ok().map(Bytes::from)
}

/// One live connection.
struct Tab {
    socket: WebSocket,
    site: Site,
    /// The caller who opened it.
    by: Caller,
    /// Whether the person looks at the page.
    attention: notify::Tab,
    /// Until when the person counts as looking at what arrives, and when that was last marked as read.
    attending: Attending,
    /// The frames of all subscriptions, merged.
    frames: SelectAll<Abortable<BoxStream<'static, Utf8Bytes>>>,
    /// Each subscription's abort handle, and the caller's role in its conversation.
    followed: HashMap<String, (AbortHandle, Option<Role>)>,
}

/// Whether a person looks at a page, and what was marked as read.
#[derive(Default)]
struct Attending {
    until: Option<Instant>,
    marked_at: Option<Instant>,
}

impl Attending {
    fn now(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() < until)
    }
}

/// Why a connection ends.
enum End {
    /// The browser disconnected or timed out.
    Left,
    /// The server stops.
    Stopping,
    /// The caller's login has ended.
    SignedOut,
    /// A message that no page of ours sends.
    Nonsense(&'static str),
}

impl Tab {
    fn new(socket: WebSocket, site: Site, by: Caller) -> Self {
        Self {
            socket,
            attention: site.notifier.tab(by.person),
            attending: Attending::default(),
            site,
            by,
            frames: SelectAll::new(),
            followed: HashMap::new(),
        }
    }

    async fn serve(mut self) {
        let end = self.run().await;
        self.mark_as_read().await;
        let close = match end {
            End::Left => return,
            End::Stopping => {
                let _ = self.say(&FromServer::GoingAway).await;
                CloseFrame {
                    code: close_code::RESTART,
                    reason: "Handrail is restarting".into(),
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
        let mut sharing = self.site.hub.sharings.changed();
        // The first tick comes at once, because the login may have ended since the upgrade request.
        let mut expiry = tokio::time::interval(EXPIRY);
        expiry.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last_frame_at = Instant::now();
        let visit = self.by.visit().map(Visit::left);
        let ended = tokio::time::sleep(visit.unwrap_or_default());
        tokio::pin!(ended);
        loop {
            let outcome = tokio::select! {
                () = stopping.cancelled() => return End::Stopping,
                () = &mut ended, if visit.is_some() => return End::SignedOut,
                () = tokio::time::sleep_until(last_frame_at + SILENCE) => return End::Left,
                said = self.socket.recv() => {
                    last_frame_at = Instant::now();
                    match said {
                        Some(Ok(Message::Text(text))) => self.handle(&text).await,
                        Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
                        Some(Ok(Message::Binary(_))) => Err(End::Nonsense("only text frames are accepted")),
                        Some(Ok(Message::Close(_)) | Err(_)) | None => Err(End::Left),
                    }
                }
                Ok(()) = changed.changed() => self.check_login().await,
                Ok(()) = sharing.changed() => self.check_access().await,
                _ = expiry.tick() => self.check_login().await,
                Some(frame) = self.frames.next(), if !self.frames.is_empty() => self.pass_on(frame).await,
            };
            if let Err(end) = outcome {
                return end;
            }
        }
    }

    /// Ends the connection unless the caller's login and rights are still those it was opened with.
    async fn check_login(&mut self) -> Result<(), End> {
        match self.site.people.still(&self.by).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(End::SignedOut),
            Err(error) => {
                tracing::error!(%error, "a live connection is closed: its login cannot be checked");
                Err(End::SignedOut)
            }
        }
    }

    /// Unsubscribes from conversations that the caller can no longer see, and sends the new role where it changed.
    async fn check_access(&mut self) -> Result<(), End> {
        let (hub, by) = (self.site.hub.clone(), self.by.clone());
        let followed = self.followed.iter().filter(|(id, _)| *id != LIST);
        let changed = followed
            .map(|(id, (_, before))| (id.clone(), *before, hub.sharings.role_in(&by, id)))
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

    async fn handle(&mut self, text: &str) -> Result<(), End> {
        let said = serde_json::from_str(text);
        if said.as_ref().is_ok_and(|said| !self.by.may(needed(said))) {
            return Err(End::Nonsense("your role does not allow this"));
        }
        match said {
            Ok(FromBrowser::Ping) => {
                self.mark_as_read().await;
                self.say(&FromServer::Pong).await
            }
            Ok(FromBrowser::Attends { here }) => {
                self.attention.attends(here);
                self.mark_as_read().await;
                self.attending.until = here.then(|| Instant::now() + ATTENTION);
                Ok(())
            }
            Ok(FromBrowser::FollowList) => {
                let list = self.site.hub.list.follow_list(&self.by);
                self.follow(LIST.to_owned(), texts(list), Some(self.by.role))
            }
            Ok(FromBrowser::Follow {
                conversation,
                after,
            }) => self.follow_conversation(conversation, after).await,
            Ok(FromBrowser::Unfollow { conversation }) => {
                self.mark_as_read().await;
                self.unfollow(&conversation);
                Ok(())
            }
            Err(_) => Err(End::Nonsense("invalid message; reload the page")),
        }
    }

    async fn follow_conversation(&mut self, conversation: String, after: i64) -> Result<(), End> {
        let (hub, by) = (&self.site.hub, &self.by);
        if !matches!(
            hub.catalogue.find_role(by, &conversation).await,
            Ok(Some(_))
        ) {
            return self.say(&FromServer::Gone { conversation }).await;
        }
        let follower = match hub.reader.follow(by, &conversation, after).await {
            Ok(follower) => follower,
            Err(error) => {
                tracing::info!(%error, "cannot follow a conversation");
                return self.say(&FromServer::Gone { conversation }).await;
            }
        };
        // Check again: sharing may have changed while the conversation was opened.
        let Some(role) = hub.sharings.role_in(by, &conversation) else {
            return self.say(&FromServer::Gone { conversation }).await;
        };
        // The role may have changed since the page was rendered.
        let told = FromServer::Role {
            conversation: conversation.clone(),
            role: Some(role).filter(|role| *role != Role::Visitor),
        };
        let frames = stream::select(follower, hub.reader.presence.watch(by, &conversation));
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

    async fn pass_on(&mut self, frame: Utf8Bytes) -> Result<(), End> {
        self.send(frame).await?;
        // A busy page sends no pings.
        let marked_at = self.attending.marked_at;
        if marked_at.is_none_or(|at| at.elapsed() >= MARKED_EVERY) {
            self.mark_as_read().await;
        }
        Ok(())
    }

    /// Marks the conversations of the page as read, if the person looks at it.
    async fn mark_as_read(&mut self) {
        if self.attending.now() {
            self.attending.marked_at = Some(Instant::now());
            for id in self.followed.keys().filter(|id| *id != LIST) {
                self.site.hub.reader.attends(&self.by, id).await;
            }
        }
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
        match tokio::time::timeout(SEND_TIMEOUT, self.socket.send(Message::Text(text))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(End::Left),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visitor_follows_a_conversation_and_not_the_list() {
        let may = |said: &FromBrowser| Role::Visitor.may(needed(said));
        assert!(may(&FromBrowser::Ping));
        assert!(may(&FromBrowser::Follow {
            conversation: "c".to_owned(),
            after: 0
        }));
        assert!(!may(&FromBrowser::FollowList));
        assert!(Role::Viewer.may(needed(&FromBrowser::FollowList)));
    }
}
