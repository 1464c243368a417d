//! The supervisor of a live connection: read stored events, connect, poll in parallel, and reconnect with backoff.
//!
//! While a tool runs, the WebSocket is silent and does not even send its first frame, but stored pages can be read. A
//! connection is therefore live as soon as all stored events have been read, and pages are polled until the WebSocket
//! sends something. With the older WebSocket, pages are read on every message; without any WebSocket, every two seconds.
//!
//! Connecting starts nothing here: an agent of 1.x works only when it is told to.

use super::Server;
use super::events::{Cursor, Events, Page};
use super::first_event::first_event;
use super::orders::serve;
use super::socket::Kind;
use crate::backend::attempts::Attempts;
use crate::backend::ending::End;
use crate::backend::outlet::Outlet;
use crate::backend::places::EventPlaces;
use crate::backend::replies::decline_rest;
use crate::backend::{Answer, LiveStream};
use std::{convert::Infallible, sync::Arc};

/// Number of consecutive failures after which this connection gives up a kind of WebSocket.
const STRIKES: u32 = 3;

pub(super) struct Supervisor {
    pub(super) server: Arc<Server>,
    pub(super) events: Events,
    pub(super) cursor: Cursor,
    /// The WebSocket to open; `None` to only poll pages.
    pub(super) kind: Option<Kind>,
    pub(super) outlet: Outlet,
    /// See [`Server::places`].
    pub(super) places: Option<EventPlaces>,
    /// Whether the current attempt received something new or lasted.
    pub(super) progress: bool,
}

/// Runs a live connection until it is cancelled or its receiver is gone.
pub(super) async fn hold(server: Arc<Server>, conversation: String, stream: LiveStream) {
    let (outlet, mut attempts, mut orders, over) =
        stream.split(conversation.clone(), server.timing.backoff);
    let cursor = Cursor::behind(&outlet.resume).await;
    let mut supervisor = Supervisor {
        events: Events::of(server.rest.clone(), &conversation, outlet.resume.offset),
        places: server.places(&outlet.resume, cursor.pos).await,
        cursor,
        kind: Some(match server.is_old().await {
            true => Kind::Events,
            false => Kind::Session,
        }),
        server: server.clone(),
        outlet,
        progress: false,
    };
    tokio::select! {
        () = over => {}
        never = supervisor.live(&mut attempts) => match never {},
        never = serve(server, conversation, &mut orders) => match never {},
    }
    decline_rest(&mut orders);
    attempts.end();
}

impl Supervisor {
    async fn live(&mut self, attempts: &mut Attempts) -> Infallible {
        let mut struck = 0;
        loop {
            self.progress = false;
            let end = attempts.run(self.attempt()).await;
            if self.progress {
                attempts.succeeded();
                struck = 0;
            }
            if let End::NoSocket(_) | End::TooLarge = end {
                struck += 1;
            }
            if struck >= STRIKES || end == End::TooLarge {
                struck = 0;
                self.kind = match self.kind {
                    Some(Kind::Session) => Some(Kind::Events),
                    _ => None,
                };
            }
            let for_good = end.is_lasting();
            attempts.pause(end, for_good).await;
        }
    }

    async fn attempt(&mut self) -> End {
        match self.prepare().await {
            Ok(()) => self.connect().await,
            Err(end) => end,
        }
    }

    /// Reads all stored events before the WebSocket opens. If they are unreadable, the WebSocket has to suffice.
    async fn prepare(&mut self) -> Result<(), End> {
        let info = self.server.conversation(&self.outlet.conversation).await?;
        self.events.learn_zone(&self.server, &info).await?;
        if let Err(error) = self.check_for_losses().await
            && !error.is_lasting()
        {
            return Err(error.into());
        }
        if self.cursor.pos < 0 {
            self.outlet.send(first_event(&info)).await;
        }
        while let Some(page) = self
            .outlet
            .readable(self.events.after(&self.cursor).await)?
        {
            if !self.take_page(page).await? {
                break;
            }
        }
        Ok(())
    }

    /// Checks for data loss; if there is one, resumes with the events that the server still has.
    async fn check_for_losses(&mut self) -> Answer<()> {
        let newest = Some(self.cursor.pos).filter(|pos| *pos >= 0);
        let lost = self.outlet.check_for_losses(&self.events, newest).await?;
        if let Some(offset) = lost {
            self.events.offset = offset;
            self.places = None;
            let (pos, key) = (offset.since.unwrap_or(-1), None);
            self.cursor = Cursor { pos, key };
        }
        Ok(())
    }

    /// Sends a page's events; `true` if there are more pages.
    pub(super) async fn take_page(&mut self, page: Page) -> Result<bool, End> {
        let Page::Events(events, cursor, more) = page else {
            return Err(End::Lost);
        };
        self.outlet.can_read();
        self.progress |= !events.is_empty();
        for mut event in events {
            if let Some(places) = &mut self.places {
                places.assign(&mut event);
            }
            self.outlet.send(event).await;
        }
        self.go_on_from(cursor);
        Ok(more)
    }

    /// Records that all events up to this cursor have been sent.
    pub(super) fn go_on_from(&mut self, cursor: Cursor) {
        self.outlet.sent_through(cursor.pos);
        self.cursor = cursor;
    }
}
