//! Test support for backends: a live connection whose channels are driven by the test.

use crate::backend::*;
use crate::conversation::{Piece, PositionOffset};
use futures_util::FutureExt;
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{Notify, mpsc, oneshot, watch},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

/// Timeout: far more than any step needs, so reaching it means failure.
pub(in crate::backend) const LONG: Duration = Duration::from_secs(20);

/// A route that always answers with this JSON.
pub(in crate::backend) fn answers(path: &str, json: serde_json::Value) -> axum::Router {
    axum::Router::new().route(path, axum::routing::get(|| async { axum::Json(json) }))
}

/// A connection to a server with these routes.
pub(in crate::backend) async fn serve(routes: axum::Router) -> Connection {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
        .await
        .unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
    Connection::at(&address, None).unwrap()
}

/// The test's ends of a live connection's channels.
pub(in crate::backend) struct TestConnection {
    pub(in crate::backend) events: mpsc::UnboundedReceiver<ReceivedEvent>,
    pub(in crate::backend) pieces: mpsc::Receiver<Piece>,
    pub(in crate::backend) unread: watch::Receiver<Option<String>>,
    pub(in crate::backend) state: watch::Receiver<ConnectionState>,
    pub(in crate::backend) orders: mpsc::Sender<Order>,
    pub(in crate::backend) retry: Arc<Notify>,
    pub(in crate::backend) cancel: CancellationToken,
    pub(in crate::backend) task: tokio::task::JoinHandle<()>,
}

pub(in crate::backend) fn hold_from(
    backend: &dyn Backend,
    id: &str,
    resume: ResumePoint,
) -> TestConnection {
    let (sink, mut arrived) = mpsc::channel(10_000);
    // Like a conversation's actor, this task always receives events, whatever the test is waiting for.
    let (taken, events) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(event) = arrived.recv().await
            && taken.send(event).is_ok()
        {}
    });
    let (contiguous_through, _) = watch::channel(-1);
    let (say_unread, unread) = watch::channel(None);
    let (piece, pieces) = mpsc::channel(10_000);
    let (said, state) = watch::channel(ConnectionState::Idle);
    let (orders, ordered) = mpsc::channel(8);
    let (retry, cancel) = (Arc::new(Notify::new()), CancellationToken::new());
    let stream = LiveStream {
        resume,
        events: sink,
        contiguous_through,
        unread: say_unread,
        pieces: piece,
        state: said,
        orders: ordered,
        retry: retry.clone(),
        cancel: cancel.clone(),
    };
    let task = tokio::spawn(backend.hold(id, stream));
    TestConnection {
        events,
        pieces,
        unread,
        state,
        orders,
        retry,
        cancel,
        task,
    }
}

/// A resume point after `after`, without stored events to compare.
pub(in crate::backend) fn holding(after: Option<i64>) -> ResumePoint {
    ResumePoint {
        after,
        newest: after,
        offset: PositionOffset::default(),
        recorded: Arc::new(|_| std::future::ready(None).boxed()),
    }
}

impl TestConnection {
    pub(in crate::backend) async fn until(
        &mut self,
        wanted: impl Fn(&ConnectionState) -> bool,
    ) -> ConnectionState {
        let last = self.state.clone();
        let state = timeout(LONG, self.state.wait_for(|state| wanted(state))).await;
        state
            .unwrap_or_else(|_| panic!("the connection never got there: {:?}", *last.borrow()))
            .unwrap()
            .clone()
    }

    pub(in crate::backend) async fn live(&mut self) {
        self.until(|state| *state == ConnectionState::Live).await;
    }

    pub(in crate::backend) async fn next_id(&mut self) -> i64 {
        timeout(LONG, self.events.recv())
            .await
            .expect("an event")
            .expect("a connection")
            .item
            .pos
            .expect("an id")
    }

    /// Waits for the event with this id, and returns all ids up to it.
    pub(in crate::backend) async fn ids_until(&mut self, last: i64) -> Vec<i64> {
        let mut ids = Vec::new();
        while ids.last() != Some(&last) {
            ids.push(self.next_id().await);
        }
        ids
    }

    /// Waits for the event with this id, and returns all events up to it.
    pub(in crate::backend) async fn events_until(&mut self, last: i64) -> Vec<ReceivedEvent> {
        let mut events = Vec::<ReceivedEvent>::new();
        while events.last().and_then(|event| event.item.pos) != Some(last) {
            let event = timeout(LONG, self.events.recv()).await;
            events.push(event.expect("an event").expect("a connection"));
        }
        events
    }

    pub(in crate::backend) async fn order(&self, command: Command) -> Delivery {
        let (done, outcome) = oneshot::channel();
        self.orders
            .send(Order::new(command, done))
            .await
            .unwrap_or_else(|_| panic!("the connection is gone"));
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
