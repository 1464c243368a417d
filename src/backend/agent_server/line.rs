//! The life of a live line: read what is stored, hold a socket, read beside it, lose, wait, resume.
//!
//! While a tool runs the socket says nothing, not even hello, and stored pages can be read as ever. So a line is live
//! as soon as all that is stored was read, and pages are read again and again until the socket has spoken. A server
//! that has only the older socket is read from pages whenever that stirs, and one that has none, every two seconds.
//!
//! Joining wakes nothing here: a conversation works only when it is told to.

use super::Server;
use super::ending::End;
use super::events::{Cursor, Events, Page, beginning, find_loss, notice};
use super::orders::serve;
use super::socket::Kind;
use super::zone;
use crate::backend::held::{backoff, decline_rest};
use crate::backend::line::is_asked_for;
use crate::backend::{Arrived, BackendError, Line, LineState, Past, http};
use crate::conversation::Piece;
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{Notify, mpsc, watch},
    time::sleep,
};

/// How patient a line is.
#[derive(Debug, Clone)]
pub(super) struct Timing {
    /// Shortest and longest wait between attempts.
    pub backoff: (Duration, Duration),
    /// A socket that was open for so long was good.
    pub settled: Duration,
    /// Time between two looks at stored pages while the socket says nothing.
    pub look: Duration,
    /// Events of the older socket are read together when they come within this time.
    pub gather: Duration,
    /// Longest time without any look.
    pub silence: Duration,
    /// See [`http::SILENCE`].
    pub pulse: Duration,
    /// The first release with the socket that has a cursor.
    pub session_since: (u32, u32),
}

impl Default for Timing {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            backoff: (seconds(1), seconds(30)),
            settled: seconds(30),
            look: seconds(2),
            gather: Duration::from_millis(100),
            silence: seconds(60),
            pulse: http::SILENCE,
            session_since: (1, 45),
        }
    }
}

/// After how many failures in a row a kind of socket is given up for this line.
const STRIKES: u32 = 3;

/// One line, while it is held.
pub(super) struct Supervisor {
    pub(super) server: Arc<Server>,
    pub(super) events: Events,
    pub(super) past: Past,
    pub(super) cursor: Cursor,
    /// The socket to open; `None` to read pages only.
    pub(super) kind: Option<Kind>,
    pub(super) sink: mpsc::Sender<Arrived>,
    pub(super) solid: watch::Sender<i64>,
    pub(super) pieces: mpsc::Sender<Piece>,
    pub(super) state: watch::Sender<LineState>,
    /// Whether the current attempt brought something new or lasted.
    pub(super) progress: bool,
}

/// Holds `line` until it is cancelled or nobody listens.
pub(super) async fn hold(server: Arc<Server>, conversation: String, line: Line) {
    let Line {
        past,
        events: sink,
        solid,
        pieces,
        state,
        mut orders,
        retry,
        cancel,
    } = line;
    let mut supervisor = Supervisor {
        events: Events {
            rest: server.rest.clone(),
            conversation: conversation.clone(),
            shift: past.shift,
            zone: None,
        },
        cursor: Cursor::behind(&past).await,
        past,
        kind: Some(if server.is_old().await {
            Kind::Events
        } else {
            Kind::Session
        }),
        server: server.clone(),
        sink: sink.clone(),
        solid,
        pieces,
        state: state.clone(),
        progress: false,
    };
    tokio::select! {
        () = cancel.cancelled() => {}
        () = sink.closed() => {}
        () = supervisor.live(&retry) => {}
        never = serve(server, conversation, &mut orders) => match never {},
    }
    decline_rest(&mut orders);
    state.send_replace(LineState::Idle);
}

impl Supervisor {
    /// One attempt after the other.
    async fn live(&mut self, retry: &Notify) {
        let (mut attempt, mut struck) = (0_u32, 0_u32);
        self.state.send_replace(LineState::Connecting);
        loop {
            self.progress = false;
            let up = self.state.subscribe();
            let end = tokio::select! {
                end = self.prepare_and_connect() => end,
                () = is_asked_for(retry, up) => End::GivenUp,
            };
            if self.progress {
                (attempt, struck) = (0, 0);
            }
            attempt += 1;
            match &end {
                End::Unauthorized | End::Unknown => {
                    self.state.send_replace(LineState::Refused {
                        why: end.to_string(),
                        code: String::new(),
                    });
                    retry.notified().await;
                    self.state.send_replace(LineState::Connecting);
                    attempt = 0;
                    continue;
                }
                End::NoSocket(_) | End::TooLarge => struck += 1,
                _ => {}
            }
            if struck >= STRIKES || end == End::TooLarge {
                struck = 0;
                self.kind = match self.kind {
                    Some(Kind::Session) => Some(Kind::Events),
                    _ => None,
                };
            }
            tracing::info!(conversation = self.events.conversation, attempt, %end, "line lost");
            let wait = backoff(self.server.timing.backoff, attempt);
            self.state.send_replace(LineState::Reconnecting {
                attempt,
                why: end.to_string(),
                retry_in: wait.as_secs_f64().ceil() as u32,
            });
            tokio::select! {
                () = sleep(wait) => {}
                () = retry.notified() => {}
            }
        }
    }

    async fn prepare_and_connect(&mut self) -> End {
        match self.prepare().await {
            Ok(()) => self.connect().await,
            Err(end) => end,
        }
    }

    /// Before a socket: what is stored is read, all of it.
    async fn prepare(&mut self) -> Result<(), End> {
        let info = self
            .server
            .conversation(&self.events.conversation)
            .await
            .map_err(end)?;
        self.events.zone = zone::of(&self.server.zone, &self.events, &info)
            .await
            .map_err(end)?;
        self.look_for_losses().await.map_err(end)?;
        if self.cursor.pos < 0 {
            self.hand_on(beginning(&info)).await;
        }
        loop {
            let page = self.events.after(&self.cursor).await.map_err(end)?;
            if !self.take_page(page).await? {
                return Ok(());
            }
        }
    }

    /// If the server has lost what it told, says so and goes on with what it still has.
    async fn look_for_losses(&mut self) -> Result<(), BackendError> {
        let newest = Some(self.cursor.pos)
            .filter(|pos| *pos >= 0)
            .max(self.past.newest);
        if let Some(shift) = find_loss(&self.events, &self.past, newest).await? {
            tracing::warn!(
                conversation = self.events.conversation,
                ?shift,
                "the backend has lost events"
            );
            self.hand_on(notice(shift)).await;
            self.past.shift = shift;
            self.past.after = shift.since;
            self.past.newest = shift.since;
            self.events.shift = shift;
            self.cursor = Cursor {
                pos: shift.since.unwrap_or(-1),
                key: None,
            };
        }
        Ok(())
    }

    /// Hands a page on; `true` if there are more.
    pub(super) async fn take_page(&mut self, page: Page) -> Result<bool, End> {
        match page {
            Page::Lost => Err(End::Lost),
            Page::Events(events, cursor, more) => {
                self.progress |= !events.is_empty();
                for event in events {
                    self.hand_on(event).await;
                }
                self.go_on_from(cursor);
                Ok(more)
            }
        }
    }

    /// Everything up to here was handed on.
    pub(super) fn go_on_from(&mut self, cursor: Cursor) {
        self.solid.send_replace(cursor.pos);
        self.cursor = cursor;
    }

    /// A full channel waits: that slows the server down. When nobody listens any more, `hold` ends by itself.
    pub(super) async fn hand_on(&self, event: Arrived) {
        let _ = self.sink.send(event).await;
    }
}

/// What a failed question means for the line.
pub(super) fn end(error: BackendError) -> End {
    match error {
        BackendError::Unauthorized => End::Unauthorized,
        BackendError::NotFound(_) => End::Unknown,
        BackendError::Unreachable(why) => End::Unreachable(why),
        error => End::Unasked(error.to_string()),
    }
}
