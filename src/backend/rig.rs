//! For tests of bridges: a held line with its other ends in our hands.

use super::*;
use crate::conversation::{Piece, Shift};
use futures_util::FutureExt;
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{Notify, mpsc, oneshot, watch},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

/// Far more than anything here takes: a test that gets here has failed.
pub(in crate::backend) const LONG: Duration = Duration::from_secs(20);

/// One held line, with its other ends in our hands.
pub(in crate::backend) struct Held {
    pub(in crate::backend) events: mpsc::Receiver<Arrived>,
    pub(in crate::backend) pieces: mpsc::Receiver<Piece>,
    pub(in crate::backend) state: watch::Receiver<LineState>,
    pub(in crate::backend) orders: mpsc::Sender<Order>,
    pub(in crate::backend) retry: Arc<Notify>,
    pub(in crate::backend) cancel: CancellationToken,
    pub(in crate::backend) task: tokio::task::JoinHandle<()>,
}

pub(in crate::backend) fn hold_past(backend: &dyn Backend, id: &str, past: Past) -> Held {
    let (sink, events) = mpsc::channel(10_000);
    let (solid, _) = watch::channel(-1);
    let (piece, pieces) = mpsc::channel(10_000);
    let (said, state) = watch::channel(LineState::Idle);
    let (orders, ordered) = mpsc::channel(8);
    let (retry, cancel) = (Arc::new(Notify::new()), CancellationToken::new());
    let line = Line {
        past,
        events: sink,
        solid,
        pieces: piece,
        state: said,
        orders: ordered,
        retry: retry.clone(),
        cancel: cancel.clone(),
    };
    let task = tokio::spawn(backend.hold(id, line));
    Held {
        events,
        pieces,
        state,
        orders,
        retry,
        cancel,
        task,
    }
}

/// Everything up to `after`, and nothing to compare it with.
pub(in crate::backend) fn holding(after: Option<i64>) -> Past {
    Past {
        after,
        newest: after,
        shift: Shift::default(),
        recorded: Arc::new(|_| std::future::ready(None).boxed()),
    }
}

impl Held {
    pub(in crate::backend) async fn until(
        &mut self,
        wanted: impl Fn(&LineState) -> bool,
    ) -> LineState {
        let last = self.state.clone();
        let state = timeout(LONG, self.state.wait_for(|state| wanted(state))).await;
        state
            .unwrap_or_else(|_| panic!("the line never got there: {:?}", *last.borrow()))
            .unwrap()
            .clone()
    }

    pub(in crate::backend) async fn live(&mut self) {
        self.until(|state| *state == LineState::Live).await;
    }

    pub(in crate::backend) async fn next_id(&mut self) -> i64 {
        timeout(LONG, self.events.recv())
            .await
            .expect("an event")
            .expect("a line")
            .item
            .pos
            .expect("an id")
    }

    /// Waits for this id, and answers everything up to it.
    pub(in crate::backend) async fn ids_until(&mut self, last: i64) -> Vec<i64> {
        let mut ids = Vec::new();
        while ids.last() != Some(&last) {
            ids.push(self.next_id().await);
        }
        ids
    }

    pub(in crate::backend) async fn order(&self, command: Command) -> Delivery {
        let (done, outcome) = oneshot::channel();
        self.orders
            .send(Order { command, done })
            .await
            .unwrap_or_else(|_| panic!("the line is gone"));
        timeout(LONG, outcome)
            .await
            .expect("an outcome")
            .expect("an answer")
    }

    pub(in crate::backend) async fn ended(self) {
        timeout(LONG, self.task)
            .await
            .expect("the end")
            .expect("no panic");
    }
}

pub(in crate::backend) fn say(text: &str) -> Command {
    Command::Say {
        text: text.to_owned(),
        images: vec![],
        files: vec![],
    }
}
