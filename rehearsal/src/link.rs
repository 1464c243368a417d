//! The server's end of one WebSocket, subject to the faults on the wire.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use tokio::time::{Instant, sleep};

use crate::queue::{Receiver, Weigh};
use crate::world::World;

/// How long an event is held for the next one to overtake it.
const OVERTAKING: Duration = Duration::from_millis(200);

/// The WebSocket is unusable.
pub struct Ended;

impl From<axum::Error> for Ended {
    fn from(_: axum::Error) -> Self {
        Self
    }
}

pub struct Link {
    pub socket: WebSocket,
    world: Arc<World>,
    /// An event held for reordering, under [`super::Fault::Reorder`], and until when.
    held: Option<(Utf8Bytes, Instant)>,
}

impl Link {
    pub fn new(socket: WebSocket, world: Arc<World>) -> Self {
        Self {
            socket,
            world,
            held: None,
        }
    }

    /// The time at which a held event must be released.
    pub fn held_until(&self) -> Option<Instant> {
        self.held.as_ref().map(|(_, until)| *until)
    }

    /// Sends a text frame. Errors: [`Ended`] if the socket is unusable.
    pub async fn text(&mut self, text: impl Into<Utf8Bytes>) -> Result<(), Ended> {
        Ok(self.socket.send(Message::Text(text.into())).await?)
    }

    /// Sends a close frame. Errors: [`Ended`] if the socket is unusable.
    pub async fn close(&mut self, code: u16, reason: &'static str) -> Result<(), Ended> {
        let reason = Utf8Bytes::from_static(reason);
        let frame = CloseFrame { code, reason };
        Ok(self.socket.send(Message::Close(Some(frame))).await?)
    }

    /// Sends an event, subject to the active wire faults. Errors: [`Ended`] if the socket is unusable.
    pub async fn event(&mut self, text: Utf8Bytes) -> Result<(), Ended> {
        let wire = self.world.armed.wire();
        if !wire.delay.is_zero() {
            sleep(wire.delay).await;
        }
        if wire.reorder && self.held.is_none() {
            self.held = Some((text, Instant::now() + OVERTAKING));
            return Ok(());
        }
        if wire.duplicate {
            self.text(text.clone()).await?;
        }
        self.text(text).await?;
        self.release().await
    }

    /// Sends the held event. Errors: [`Ended`] if the socket is unusable.
    pub async fn release(&mut self) -> Result<(), Ended> {
        match self.held.take() {
            Some((text, _)) => self.text(text).await,
            None => Ok(()),
        }
    }
}

/// The next output for a socket; `None` if its client is too far behind. Pending forever if there will be none otherwise,
/// because the real sockets then go silent.
pub async fn next<T: Weigh>(outs: Option<&mut Receiver<T>>) -> Option<T> {
    if let Some(outs) = outs {
        match outs.recv().await {
            Some(out) => return Some(out),
            None if outs.is_cut() => return None,
            None => {}
        }
    }
    pending().await
}

/// Serves a socket until one side ends it. Returns whether the server is stopping.
pub async fn serve(world: &World, relay: impl Future<Output = Result<(), Ended>>) -> bool {
    let mut drops = world.drops.subscribe();
    tokio::select! {
        // Dropping the future drops the TCP connection without a close frame.
        _ = drops.changed() => false,
        () = world.ended.cancelled() => true,
        _ = relay => false,
    }
}
