//! A connection to the backend, as the actor holds it.

use crate::backend::{
    Command, ConnectionState, Delivery, LiveStream, Order, ReceivedEvent, ResumePoint,
};
use crate::conversation::Piece;
use crate::sync::lock;
use std::sync::{Arc, Mutex};
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

const ORDERS: usize = 16;

/// The states of the open connections of this process, for metrics.
static OPEN: Mutex<Vec<watch::Receiver<ConnectionState>>> = Mutex::new(Vec::new());

/// How many connections are in each state.
pub fn connection_states() -> [(&'static str, usize); 4] {
    let mut open = lock(&OPEN);
    open.retain(|state| state.has_changed().is_ok());
    let mut states = ["connecting", "live", "reconnecting", "refused"].map(|name| (name, 0));
    for state in open.iter() {
        match *state.borrow() {
            ConnectionState::Idle => {}
            ConnectionState::Connecting => states[0].1 += 1,
            ConnectionState::Live => states[1].1 += 1,
            ConnectionState::Reconnecting { .. } => states[2].1 += 1,
            ConnectionState::Refused { .. } => states[3].1 += 1,
        }
    }
    states
}

/// The actor's end of a connection, which closes when this is dropped.
pub(super) struct Connection {
    orders: mpsc::Sender<Order>,
    pub(super) state: watch::Receiver<ConnectionState>,
    /// The position up to which the connection has delivered every event.
    pub(super) contiguous_through: watch::Receiver<i64>,
    /// Why it cannot read stored events, if it cannot.
    pub(super) unread: watch::Receiver<Option<String>>,
    /// Triggers a reconnect at once.
    pub(super) retry: Arc<Notify>,
    cancel: CancellationToken,
}

impl Connection {
    /// Both ends of a connection that resumes at `resume` and closes with `cancel`.
    pub(super) fn new(
        resume: ResumePoint,
        events: mpsc::Sender<ReceivedEvent>,
        pieces: mpsc::Sender<Piece>,
        cancel: CancellationToken,
    ) -> (Self, LiveStream) {
        let (orders, ordered) = mpsc::channel(ORDERS);
        let (say_state, state) = watch::channel(ConnectionState::Connecting);
        let mut open = lock(&OPEN);
        open.retain(|state| state.has_changed().is_ok());
        open.push(state.clone());
        drop(open);
        let (say_through, contiguous_through) = watch::channel(-1);
        let (say_unread, unread) = watch::channel(None);
        let retry = Arc::new(Notify::new());
        let stream = LiveStream {
            resume,
            events,
            contiguous_through: say_through,
            unread: say_unread,
            pieces,
            state: say_state,
            orders: ordered,
            retry: Arc::clone(&retry),
            cancel: cancel.clone(),
        };
        let connection = Self {
            orders,
            state,
            contiguous_through,
            unread,
            retry,
            cancel,
        };
        (connection, stream)
    }

    /// Waits for a change of the state; forever without a connection.
    pub(super) async fn changed(connection: Option<&mut Self>) -> ConnectionState {
        if let Some(connection) = connection {
            let Self { state, unread, .. } = connection;
            let changed = tokio::select! {
                changed = state.changed() => changed,
                changed = unread.changed() => changed,
            };
            if changed.is_ok() {
                return state.borrow_and_update().clone();
            }
        }
        // The end of a connection is reported by `ActorMessage::ConnectionEnded`.
        std::future::pending().await
    }

    /// Whether it is connected and has delivered all earlier events.
    pub(super) fn is_live(&self) -> bool {
        *self.state.borrow() == ConnectionState::Live
    }

    /// Sends a command. `None` if the connection is not live, or too many commands are queued.
    pub(super) fn order(&self, command: Command) -> Option<oneshot::Receiver<Delivery>> {
        let (done, outcome) = oneshot::channel();
        let order = Order::new(command, done);
        (self.is_live() && self.orders.try_send(order).is_ok()).then_some(outcome)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
