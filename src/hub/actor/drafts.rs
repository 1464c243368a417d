//! Text that the model is writing: sent to followers a few times a second, and never stored.
//!
//! Each frame holds all drafts, so one that is lost or late does no harm.

use crate::conversation::{Drafts, LogItem, Piece};
use crate::hub::view;
use crate::live::DraftView;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// Pieces on their way from the connection.
const PIECES: usize = 1024;
/// Interval of updates: short enough for a text to grow smoothly, long enough for a phone to draw it.
const TOGETHER: Duration = Duration::from_millis(150);

pub(super) struct Writing {
    sink: mpsc::Sender<Piece>,
    pieces: mpsc::Receiver<Piece>,
    drafts: Drafts,
    /// When the next update is due.
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
    /// Where a connection puts pieces.
    pub(super) fn sink(&self) -> mpsc::Sender<Piece> {
        self.sink.clone()
    }

    /// Takes pieces in until there is something to tell. Cancel safe.
    pub(super) async fn due(&mut self) {
        loop {
            let due = async {
                match self.due {
                    Some(due) => sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = due => {
                    self.due = None;
                    return;
                }
                Some(piece) = self.pieces.recv() => self.take(piece),
            }
        }
    }

    /// Events arrived. Their pieces were sent before them.
    pub(super) fn apply_events<'a>(&mut self, items: impl Iterator<Item = &'a LogItem>) {
        while let Ok(piece) = self.pieces.try_recv() {
            self.take(piece);
        }
        for item in items {
            if self.drafts.apply(item) {
                self.due = Some(Instant::now());
            }
        }
    }

    /// Drops the drafts of a lost connection: an event will contain the finished text.
    pub(super) fn forget(&mut self) {
        while self.pieces.try_recv().is_ok() {}
        if self.drafts.clear() {
            self.due = Some(Instant::now());
        }
    }

    pub(super) fn views(&self) -> Vec<DraftView> {
        self.drafts.iter().map(view::draft).collect()
    }

    fn take(&mut self, piece: Piece) {
        if self.drafts.take(piece) {
            self.due.get_or_insert_with(|| Instant::now() + TOGETHER);
        }
    }
}
