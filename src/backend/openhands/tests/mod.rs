//! The bridge against a server that behaves, and against one that does not.

mod lines;
mod losses;
mod orders;
mod rehearsed;

use super::stub::{Act, ID, Stub};
use super::supervisor::Timing;
use super::*;
use crate::backend::{Arrived, Command, Delivery, Order, Past};
use crate::conversation::Shift;
use serde_json::json;
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{Notify, mpsc, oneshot, watch},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

/// Far more than anything here takes: a test that gets here has failed.
const LONG: Duration = Duration::from_secs(20);

/// One held line, with its other ends in our hands.
struct Held {
    events: mpsc::Receiver<Arrived>,
    state: watch::Receiver<LineState>,
    orders: mpsc::Sender<Order>,
    retry: Arc<Notify>,
    cancel: CancellationToken,
    task: tokio::task::JoinHandle<()>,
}

fn quick() -> Timing {
    let millis = Duration::from_millis;
    let mut timing = Timing {
        backoff: (millis(2), millis(20)),
        look: millis(10),
        silence: millis(300),
        pulse: millis(100),
        ..Timing::default()
    };
    timing.limits.ack = millis(300);
    timing.limits.connect = millis(600);
    timing.limits.open = millis(600);
    timing
}

fn hold_with(stub: &Stub, after: Option<i64>, timing: Timing) -> Held {
    let backend = OpenHands::new(stub.connection())
        .unwrap()
        .with_order_event(OrderEvent::UserAction);
    hold_on(&backend.with_timing(timing), ID, after)
}

fn hold(stub: &Stub, after: Option<i64>) -> Held {
    hold_with(stub, after, quick())
}

fn hold_on(backend: &OpenHands, id: &str, after: Option<i64>) -> Held {
    hold_past(backend, id, holding(after))
}

fn hold_past(backend: &OpenHands, id: &str, past: Past) -> Held {
    let (sink, events) = mpsc::channel(10_000);
    let (said, state) = watch::channel(LineState::Idle);
    let (orders, ordered) = mpsc::channel(8);
    let (retry, cancel) = (Arc::new(Notify::new()), CancellationToken::new());
    let line = Line {
        past,
        events: sink,
        state: said,
        orders: ordered,
        retry: retry.clone(),
        cancel: cancel.clone(),
    };
    let task = tokio::spawn(backend.hold(id, line));
    Held {
        events,
        state,
        orders,
        retry,
        cancel,
        task,
    }
}

/// Everything up to `after`, and nothing to compare it with.
fn holding(after: Option<i64>) -> Past {
    Past {
        after,
        newest: after,
        shift: Shift::default(),
        recorded: Arc::new(|_| std::future::ready(None).boxed()),
    }
}

impl Held {
    async fn until(&mut self, wanted: impl Fn(&LineState) -> bool) -> LineState {
        let last = self.state.clone();
        let state = timeout(LONG, self.state.wait_for(|state| wanted(state))).await;
        state
            .unwrap_or_else(|_| panic!("the line never got there: {:?}", *last.borrow()))
            .unwrap()
            .clone()
    }

    async fn live(&mut self) {
        self.until(|state| *state == LineState::Live).await;
    }

    async fn next_id(&mut self) -> i64 {
        timeout(LONG, self.events.recv())
            .await
            .expect("an event")
            .expect("a line")
            .item
            .pos
            .expect("an id")
    }

    /// Waits for this id, and answers everything up to it.
    async fn ids_until(&mut self, last: i64) -> Vec<i64> {
        let mut ids = Vec::new();
        while ids.last() != Some(&last) {
            ids.push(self.next_id().await);
        }
        ids
    }

    async fn order(&self, command: Command) -> Delivery {
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

    async fn ended(self) {
        timeout(LONG, self.task)
            .await
            .expect("the end")
            .expect("no panic");
    }
}

fn say(text: &str) -> Command {
    Command::Say {
        text: text.to_owned(),
        images: vec![],
        files: vec![],
    }
}
