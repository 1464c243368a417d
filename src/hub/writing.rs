//! What the model is writing: told to whoever watches a few times a second, and never stored.
//!
//! Each frame holds all that is open, so one that is lost or comes late does no harm.

use super::follower::encode;
use super::keeper::Keeper;
use super::view;
use crate::conversation::{Drafts, LogItem, Piece};
use crate::live::FromServer;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// Pieces on their way from the line.
const PIECES: usize = 1024;
/// Pieces are told together: so often a text that grows looks alive, and a phone has time to draw it.
const TOGETHER: Duration = Duration::from_millis(150);

/// What the model is writing in one conversation.
pub(super) struct Writing {
    sink: mpsc::Sender<Piece>,
    pieces: mpsc::Receiver<Piece>,
    drafts: Drafts,
    /// When a change is told.
    due: Option<Instant>,
}

impl Default for Writing {
    fn default() -> Self {
        let (sink, pieces) = mpsc::channel(PIECES);
        Self {
            sink,
            pieces,
            drafts: Drafts::default(),
            due: None,
        }
    }
}

impl Writing {
    /// Where a line puts pieces.
    pub(super) fn sink(&self) -> mpsc::Sender<Piece> {
        self.sink.clone()
    }

    /// Takes pieces in until there is something to tell.
    pub(super) async fn due(&mut self) {
        loop {
            let due = async {
                match self.due {
                    Some(due) => sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = due => return,
                Some(piece) = self.pieces.recv() => self.take(piece),
            }
        }
    }

    /// Events arrived. Their pieces were sent before them.
    pub(super) fn settle<'a>(&mut self, items: impl Iterator<Item = &'a LogItem>) {
        while let Ok(piece) = self.pieces.try_recv() {
            self.take(piece);
        }
        for item in items {
            if self.drafts.settle(item) {
                self.due = Some(Instant::now());
            }
        }
    }

    /// The line is lost: what comes of it will be said by an event.
    pub(super) fn forget(&mut self) {
        while self.pieces.try_recv().is_ok() {}
        if self.drafts.clear() {
            self.due = Some(Instant::now());
        }
    }

    fn take(&mut self, piece: Piece) {
        if self.drafts.take(piece) {
            self.due.get_or_insert_with(|| Instant::now() + TOGETHER);
        }
    }
}

impl Keeper {
    pub(super) fn drafts_frame(&self) -> FromServer {
        FromServer::Drafts {
            conversation: self.described.id.clone(),
            drafts: self.writing.drafts.iter().map(view::draft).collect(),
        }
    }

    /// Tells whoever watches what is being written now.
    pub(super) fn tell_drafts(&mut self) {
        self.writing.due = None;
        if self.followers.is_empty() {
            return;
        }
        let frame = encode(&self.drafts_frame());
        self.followers.retain(|follower| follower.push(&frame));
    }

    /// Whether anything is being written.
    pub(super) fn is_writing(&self) -> bool {
        self.writing.drafts.iter().next().is_some()
    }
}
