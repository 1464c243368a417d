//! One connection of a line, from its first event to its end, and the stored pages beside it.

use super::ending::End;
use super::events::arrived;
use super::orders::{Link, serve};
use super::routes;
use super::socket::{self, Incoming};
use super::supervisor::Supervisor;
use crate::backend::http::{self, Rest};
use crate::backend::{Arrived, BackendError, HistoryPage, LineState, Order, Runtime};
use crate::conversation::{Body, Status};
use futures_util::future::{BoxFuture, FutureExt};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep_until},
};

/// A page of stored events, with the newest id from before it was asked for.
type Looked = (i64, Result<HistoryPage, BackendError>);

impl Supervisor {
    /// Hands a page on; `true` if there are more. `known` is the newest id from before it was asked for:
    /// whatever is missing below does not exist.
    pub(super) async fn take_page(&mut self, page: HistoryPage, known: i64) -> bool {
        let (before, mut last) = (self.arrivals.solid(), None);
        for event in page.events {
            last = last.max(event.item.pos);
            self.take(event).await;
        }
        // A server that gives the same page again and again is not asked for ever.
        let more = page.more && last > before;
        self.arrivals.filled(if more {
            last.unwrap_or(-1)
        } else {
            last.unwrap_or(-1).max(known)
        });
        self.say_solid();
        more
    }

    fn say_solid(&self) {
        let solid = self.arrivals.solid().unwrap_or(-1);
        self.solid
            .send_if_modified(|said| std::mem::replace(said, solid) != solid);
    }

    /// Hands one event on, unless it is here. A full channel waits: that slows upstream down.
    async fn take(&mut self, event: Arrived) {
        let id = event.item.pos;
        // Also of one that is here: what was held before this line said how the agent is, too.
        if let Body::Status { status, .. } = &event.item.body
            && id >= self.loading.0
        {
            self.loading = (id, *status == Status::Loading);
        }
        // Room first: a connection that ends while this waits has taken nothing in. When nobody listens any more,
        // `hold` ends by itself.
        let Ok(room) = self.sink.reserve().await else {
            return;
        };
        if id
            .filter(|id| *id >= 0)
            .is_none_or(|id| self.arrivals.take(id))
        {
            room.send(event);
            self.say_solid();
        }
    }

    /// Holds one connection.
    pub(super) async fn connect(
        &mut self,
        orders: &mut mpsc::Receiver<Order>,
        event: &'static str,
    ) -> End {
        let endpoint = self.rest.connection().socket_url();
        let key = self.rest.connection().session_api_key.clone();
        let (conversation, from) = (
            self.conversation.clone(),
            self.events
                .shift
                .id(self.arrivals.resume_from())
                .max(-1)
                .to_string(),
        );
        let mut query = vec![
            ("conversation_id", conversation.as_str()),
            ("latest_event_id", from.as_str()),
        ];
        query.extend(key.as_deref().map(|key| ("session_api_key", key)));
        let (out, incoming) = mpsc::channel(256);
        let (emits, emitted) = mpsc::channel(1);
        let (link, linked) = watch::channel(Link::Down);
        let limits = self.timing.limits.clone();
        // Side by side, never one inside the other: a slow journal must not stop the connection being
        // watched, nor an order that waits for its acknowledgement stop the events.
        let connection = socket::run(&endpoint, &query, &limits, out, emitted);
        let is_running = self.was_starting.then(|| {
            let (rest, conversation) = (self.rest.clone(), self.conversation.clone());
            move || is_running(rest.clone(), conversation.clone()).boxed()
        });
        let (heard, hears) = watch::channel(());
        let rest = self.rest.clone();
        let silence = http::stops(&rest, self.timing.pulse, hears);
        let pump = self.pump(incoming, link, heard);
        let orders = serve(orders, event, emits, linked, is_running);
        tokio::select! {
            (end, ()) = async { tokio::join!(connection, pump) } => end,
            never = orders => match never {},
            () = silence => End::Silent,
        }
    }

    /// Hands on what a connection brings until it has ended, and looks into the stored pages beside it.
    async fn pump(
        &mut self,
        mut incoming: mpsc::Receiver<Incoming>,
        link: watch::Sender<Link>,
        heard: watch::Sender<()>,
    ) {
        let mut look_at = Instant::now() + self.timing.silence;
        let mut looking: Option<BoxFuture<'static, Looked>> = None;
        let (mut up_at, mut live) = (None::<Instant>, false);
        loop {
            let idle = looking.is_none();
            let looked = async {
                match &mut looking {
                    Some(looking) => looking.await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                arrival = incoming.recv() => match arrival {
                    None => break,
                    Some(Incoming::Connected) => {
                        up_at = Some(Instant::now());
                        // A look from before does not show what fell between replay and room.
                        looking = None;
                        look_at = Instant::now();
                    }
                    Some(Incoming::Event(name, payload)) if name == "oh_event" => {
                        heard.send_replace(());
                        let newest = self.arrivals.newest();
                        self.take(arrived(payload, self.events.shift)).await;
                        self.progress |= self.arrivals.newest() > newest;
                        if live && self.arrivals.has_hole() {
                            look_at = look_at.min(Instant::now() + self.timing.look);
                        }
                    }
                    Some(Incoming::Event(..)) => {}
                },
                (known, page) = looked => {
                    looking = None;
                    let (done, next) = self.looked(known, page).await;
                    look_at = Instant::now() + next;
                    if done && up_at.is_some() && !live {
                        live = true;
                        self.state.send_replace(LineState::Live);
                    }
                }
                () = sleep_until(look_at), if idle => looking = Some(self.look()),
            }
            if up_at.is_some() {
                link.send_replace(if self.loading.1 {
                    Link::Loading
                } else {
                    Link::Up
                });
            }
        }
        self.progress |= up_at.is_some_and(|at| at.elapsed() >= self.timing.settled);
    }

    /// Takes in what a look brought: whether all that can be had is here, and when to look again.
    async fn looked(
        &mut self,
        known: i64,
        page: Result<HistoryPage, BackendError>,
    ) -> (bool, Duration) {
        match page {
            Ok(page) => {
                let more = self.take_page(page, known).await;
                let next = match (more, self.arrivals.has_hole()) {
                    (true, _) => Duration::ZERO,
                    (false, true) => self.timing.look,
                    (false, false) => self.timing.silence,
                };
                (!more, next)
            }
            Err(error) => {
                tracing::warn!(conversation = self.conversation, %error, "stored events cannot be read");
                match is_lasting(&error) {
                    true => (true, self.timing.silence),
                    false => (false, self.timing.look),
                }
            }
        }
    }

    /// Asks for the next stored page.
    fn look(&self) -> BoxFuture<'static, Looked> {
        let (known, after) = (self.arrivals.newest(), self.arrivals.solid());
        let events = self.events.clone();
        async move { (known, events.after(after).await) }.boxed()
    }
}

/// Whether the runtime of a conversation is up.
async fn is_running(rest: Arc<Rest>, conversation: String) -> bool {
    let info = routes::conversation(&rest, &conversation).await;
    matches!(info, Ok(Some(info)) if info.runtime == Runtime::Running)
}

/// Whether asking for stored events once more will not help: then the socket has to do alone.
pub(super) fn is_lasting(error: &BackendError) -> bool {
    matches!(
        error,
        BackendError::Unexpected(_) | BackendError::Refused(_)
    )
}
