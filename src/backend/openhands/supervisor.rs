//! The life of a live line: connect, catch up, hold, lose, wait, resume.
//!
//! Joining a conversation of 0.x *starts its agent*, and joining one that does not exist *makes* it
//! (`protocol/v0.md` section 3). So before every attempt the backend is asked how the conversation is, and
//! one that does not run is left alone: the line ends as [`LineState::Idle`]. To start it is a person's
//! wish, `Backend::start`.
//!
//! The socket is quick and loses things; stored pages are complete. Pages are read before a connection (so
//! that its replay is short), after it (for what fell between replay and room), when ids have a hole, and
//! once in a while in silence. `Live` means: connected, and all that was stored is here.

use super::arrivals::Arrivals;
use super::ending::End;
use super::events::Events;
use super::orders::OrderEvent;
use super::pump::is_lasting;
use super::socket::Limits;
use super::{routes, stored};
use crate::backend::held::{backoff, decline, decline_rest};
use crate::backend::http::{self, Rest};
use crate::backend::line::is_asked_for;
use crate::backend::{Arrived, BackendError, Line, LineState, Order, Past, Runtime};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{Notify, mpsc, watch},
    time::sleep,
};

/// How patient a line is.
#[derive(Debug, Clone)]
pub(super) struct Timing {
    /// Steps of one connection.
    pub limits: Limits,
    /// Shortest and longest wait between attempts.
    pub backoff: (Duration, Duration),
    /// A connection that was up for so long was good, even if nothing arrived.
    pub settled: Duration,
    /// Shortest time between two looks at stored pages: holes are normal, most close by themselves.
    pub look: Duration,
    /// Longest time without any look.
    pub silence: Duration,
    /// See [`http::SILENCE`].
    pub pulse: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        let limits = Limits {
            open: seconds(15),
            connect: seconds(60),
            write: seconds(20),
            stall: seconds(10),
            ack: seconds(8),
        };
        Self {
            limits,
            backoff: (seconds(1), seconds(30)),
            settled: seconds(30),
            look: seconds(3),
            silence: seconds(60),
            pulse: http::SILENCE,
        }
    }
}

/// After how many refusals in a row nothing is tried any more, and after how many deaths in a row the
/// replay is taken to hold something that kills.
const STRIKES: u32 = 3;

/// Why an attempt is over.
enum Over {
    /// The conversation does not run.
    Asleep,
    /// The key is wrong or the conversation is gone: trying again helps only if somebody does something.
    Hopeless(String),
    /// The connection ended, or never came to be.
    Ended(End),
}

/// One line, while it is held.
pub(super) struct Supervisor {
    pub(super) rest: Arc<Rest>,
    pub(super) events: Events,
    pub(super) conversation: String,
    pub(super) past: Past,
    pub(super) timing: Timing,
    order_event: OrderEvent,
    pub(super) arrivals: Arrivals,
    /// Where events go.
    pub(super) sink: mpsc::Sender<Arrived>,
    pub(super) solid: watch::Sender<i64>,
    pub(super) state: watch::Sender<LineState>,
    /// The newest agent state: its id, and whether the agent still starts.
    pub(super) loading: (Option<i64>, bool),
    /// The runtime was starting before the current connection.
    pub(super) was_starting: bool,
    /// Whether the current connection brought something new or lasted.
    pub(super) progress: bool,
}

/// Holds `line` until it is cancelled, nobody listens, or the conversation stops running.
pub(super) async fn hold(
    rest: Arc<Rest>,
    conversation: String,
    timing: Timing,
    order_event: OrderEvent,
    line: Line,
) {
    let Line {
        past,
        events: sink,
        solid,
        state,
        mut orders,
        retry,
        cancel,
        // It tells nothing before it is written.
        pieces: _,
    } = line;
    let mut supervisor = Supervisor {
        events: Events::of(rest.clone(), &conversation, past.shift),
        arrivals: Arrivals::behind(&past),
        past,
        loading: (None, false),
        was_starting: false,
        progress: false,
        sink: sink.clone(),
        solid,
        state: state.clone(),
        rest,
        conversation,
        timing,
        order_event,
    };
    tokio::select! {
        () = cancel.cancelled() => {}
        () = sink.closed() => {}
        () = supervisor.live(&mut orders, &retry) => {}
    }
    decline_rest(&mut orders);
    state.send_replace(LineState::Idle);
}

impl Supervisor {
    /// One attempt after the other, until the conversation stops running.
    async fn live(&mut self, orders: &mut mpsc::Receiver<Order>, retry: &Notify) {
        let (mut attempt, mut refused, mut deaths) = (0_u32, 0_u32, 0_u32);
        self.state.send_replace(LineState::Connecting);
        loop {
            self.progress = false;
            let over = self.attempt(orders, retry).await;
            if self.progress {
                (attempt, refused, deaths) = (0, 0, 0);
            }
            attempt += 1;
            let end = match over {
                Over::Asleep => return,
                Over::Hopeless(why) => {
                    self.refuse(why, String::new(), orders, retry).await;
                    attempt = 0;
                    continue;
                }
                Over::Ended(End::Refused { why, code }) => {
                    refused += 1;
                    if refused >= STRIKES {
                        self.refuse(why, code, orders, retry).await;
                        (attempt, refused) = (0, 0);
                        continue;
                    }
                    End::Refused { why, code }
                }
                Over::Ended(end) => {
                    refused = 0;
                    end
                }
            };
            // Something in the replay may kill the connection each time. All that is stored was read from
            // pages by now, so it can be left out.
            if matches!(end, End::Broken(_) | End::Disconnected | End::NoAnswer) {
                deaths += 1;
                if deaths >= STRIKES {
                    self.arrivals.skip_known();
                }
            }
            tracing::info!(conversation = self.conversation, attempt, %end, "line lost");
            let wait = backoff(self.timing.backoff, attempt);
            self.state.send_replace(LineState::Reconnecting {
                attempt,
                why: end.to_string(),
                retry_in: wait.as_secs_f64().ceil() as u32,
            });
            tokio::select! {
                () = sleep(wait) => {}
                () = retry.notified() => {}
                never = decline(orders) => match never {},
            }
        }
    }

    /// Says that nothing is tried any more, and waits until somebody asks for it.
    async fn refuse(
        &self,
        why: String,
        code: String,
        orders: &mut mpsc::Receiver<Order>,
        retry: &Notify,
    ) {
        self.state.send_replace(LineState::Refused { why, code });
        tokio::select! {
            () = retry.notified() => {}
            never = decline(orders) => match never {},
        }
        self.state.send_replace(LineState::Connecting);
    }

    async fn attempt(&mut self, orders: &mut mpsc::Receiver<Order>, retry: &Notify) -> Over {
        let up = self.state.subscribe();
        tokio::select! {
            over = self.prepare_and_connect(orders) => over,
            () = is_asked_for(retry, up) => Over::Ended(End::GivenUp),
        }
    }

    async fn prepare_and_connect(&mut self, orders: &mut mpsc::Receiver<Order>) -> Over {
        let prepared = tokio::select! {
            prepared = self.prepare() => prepared,
            never = decline(orders) => match never {},
        };
        match prepared {
            Ok(event) => Over::Ended(self.connect(orders, event).await),
            Err(over) => over,
        }
    }

    /// Before a connection: nothing is woken, and what is stored is read.
    async fn prepare(&mut self) -> Result<&'static str, Over> {
        let info = routes::conversation(&self.rest, &self.conversation)
            .await
            .map_err(over)?;
        let Some(info) = info else {
            return Err(Over::Hopeless(
                "The backend does not know this conversation any more.".to_owned(),
            ));
        };
        self.look_for_losses().await.map_err(over)?;
        self.catch_up().await.map_err(over)?;
        if !matches!(info.runtime, Runtime::Starting | Runtime::Running) {
            return Err(Over::Asleep);
        }
        self.was_starting = info.runtime == Runtime::Starting;
        let version = match self.order_event {
            OrderEvent::Auto => stored::version(&self.rest).await,
            _ => None,
        };
        Ok(self.order_event.name(version.as_deref()))
    }

    /// Reads stored pages to their end.
    async fn catch_up(&mut self) -> Result<(), BackendError> {
        loop {
            let known = self.arrivals.newest();
            let page = match self.events.after(self.arrivals.solid()).await {
                Ok(page) => page,
                Err(error) if is_lasting(&error) => {
                    tracing::warn!(conversation = self.conversation, %error, "stored events cannot be read");
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            if !self.take_page(page, known).await {
                return Ok(());
            }
        }
    }
}

/// What a failed question means for the line.
fn over(error: BackendError) -> Over {
    match error {
        BackendError::Unauthorized => {
            Over::Hopeless("The backend does not accept our key.".to_owned())
        }
        BackendError::NotFound(_) => {
            Over::Hopeless("The backend does not know this conversation any more.".to_owned())
        }
        BackendError::Unreachable(why) => Over::Ended(End::Unreachable(why)),
        error => Over::Ended(End::Unasked(error.to_string())),
    }
}
