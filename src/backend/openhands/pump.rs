//! One connection, from its first event to its end, with polling of stored pages in parallel.

use super::events::{is_marker, parse_event};
use super::orders::{Link, serve};
use super::socket::{self, Incoming};
use super::supervisor::Supervisor;
use crate::backend::ending::End;
use crate::backend::http;
use crate::backend::polls::Polls;
use crate::backend::{Answer, HistoryPage, Order, ReceivedEvent};
use crate::conversation::{Body, Status};
use futures_util::future::{BoxFuture, FutureExt};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

/// A page of stored events, and the newest known id when it was requested.
type Polled = (i64, Answer<HistoryPage>);

impl Supervisor {
    /// Sends a page's events; `true` if there are more. Ids below `known`, the newest at the request, do not exist.
    pub(super) async fn take_page(&mut self, page: HistoryPage, known: i64) -> bool {
        self.outlet.can_read();
        let (before, mut last) = (self.arrivals.contiguous_through(), None);
        for event in page.events {
            last = last.max(event.item.pos);
            match event.item.pos {
                Some(id) if self.expects_replay && is_marker(&event) => {
                    self.unread.insert(id, event);
                }
                _ => self.take(event).await,
            }
        }
        // Stop if the server returns the same page again.
        let more = page.more && last > before;
        let last = last.unwrap_or(-1);
        self.arrivals
            .backfilled(if more { last } else { last.max(known) });
        self.report_contiguous();
        more
    }

    fn report_contiguous(&self) {
        let through = self.arrivals.contiguous_through().unwrap_or(-1);
        self.outlet.sent_through(through.min(self.before_unread()));
    }

    /// The last id before the stored events that could not be read.
    fn before_unread(&self) -> i64 {
        let first = self.unread.first_key_value();
        first.map_or(i64::MAX, |(id, _)| id - 1)
    }

    /// Sends the markers of the events that no replay has brought.
    pub(super) async fn give_up_unread(&mut self) {
        self.expects_replay = false;
        while let Some((_, marker)) = self.unread.first_key_value() {
            let marker = marker.clone();
            self.take(marker).await;
        }
    }

    /// Sends an event unless it has arrived before.
    async fn take(&mut self, event: ReceivedEvent) {
        let id = event.item.pos;
        // Also for a known event: the journal's newest state tells whether the agent is starting, too.
        if let Body::Status { status, .. } = &event.item.body
            && id >= self.loading.0
        {
            self.loading = (id, *status == Status::Loading);
        }
        // Reserve room first: if the connection ends during this wait, the event does not count as arrived.
        let Some(room) = self.outlet.room(&event).await else {
            self.unread.clear();
            return;
        };
        let is_new = match id {
            Some(id) if self.unread.remove(&id).is_some() => true,
            Some(id) if id >= 0 => self.arrivals.take(id),
            _ => true,
        };
        if is_new {
            room.send(event);
            self.report_contiguous();
        }
    }

    pub(super) async fn connect(
        &mut self,
        orders: &mut mpsc::Receiver<Order>,
        event: &'static str,
    ) -> End {
        if let Err(why) = self.rest.connection().check_lookup().await {
            return End::Unreachable(why);
        }
        let conversation = self.outlet.conversation.clone();
        let from = self.arrivals.resume_from().min(self.before_unread());
        let from = self.events.offset.id(from);
        let from = from.max(-1).to_string();
        let key = &self.rest.connection().session_api_key;
        let mut query = vec![("conversation_id", conversation.as_str())];
        query.push(("latest_event_id", from.as_str()));
        query.extend(key.as_deref().map(|key| ("session_api_key", key)));
        let url = self.rest.connection().url(&["socket.io", ""], &query);
        let (out, incoming) = mpsc::channel(256);
        let (emits, emitted) = mpsc::channel(1);
        let (link, linked) = watch::channel(Link::Down);
        let (activity, activity_seen) = watch::channel(());
        let (limits, rest) = (self.timing.limits.clone(), self.rest.clone());
        let starting = self.was_starting.then(|| (rest.clone(), conversation));
        // These run concurrently: a slow journal must not block the watchdog, nor a command in flight the events.
        let connection = socket::run(&url, &limits, out, emitted, &rest.connection().permit);
        let silence = http::stops(&rest, self.timing.pulse, activity_seen);
        let pump = self.pump(incoming, link, activity);
        let orders = serve(orders, event, emits, linked, starting);
        tokio::select! {
            (end, ()) = async { tokio::join!(connection, pump) } => end,
            never = orders => match never {},
            () = silence => End::Silent,
        }
    }

    /// Forwards events of a connection until it ends, and polls stored pages in parallel.
    async fn pump(
        &mut self,
        mut incoming: mpsc::Receiver<Incoming>,
        link: watch::Sender<Link>,
        activity: watch::Sender<()>,
    ) {
        let silence = self.timing.silence;
        let mut polls = Polls::new(silence);
        let (mut up_at, mut live) = (None::<Instant>, false);
        loop {
            tokio::select! {
                arrival = incoming.recv() => match arrival {
                    None => break,
                    Some(Incoming::Connected) => {
                        up_at = Some(Instant::now());
                        // The whole replay has arrived.
                        self.give_up_unread().await;
                        // An earlier poll misses events that were created between the replay and joining the room.
                        polls.cancel();
                        polls.within(Duration::ZERO);
                    }
                    Some(Incoming::Event(name, payload)) if name == "oh_event" => {
                        activity.send_replace(());
                        let newest = self.arrivals.newest();
                        self.take(parse_event(payload, self.events.offset)).await;
                        self.progress |= self.arrivals.newest() > newest;
                        if live && self.arrivals.has_hole() {
                            polls.within(self.timing.poll);
                        }
                    }
                    Some(Incoming::Event(..)) => {}
                },
                (known, page) = polls.next(silence, || self.poll()) => {
                    let (done, next) = self.on_page(known, page).await;
                    polls.within(next);
                    if done && up_at.is_some() && !live {
                        live = true;
                        self.outlet.is_live();
                    }
                }
            }
            if up_at.is_some() {
                let is_loading = self.loading.1;
                link.send_replace(if is_loading { Link::Loading } else { Link::Up });
            }
        }
        self.progress |= up_at.is_some_and(|at| at.elapsed() >= self.timing.stable_after);
    }

    /// Handles a polled page: returns whether all available events have arrived, and when to poll again.
    async fn on_page(&mut self, known: i64, page: Answer<HistoryPage>) -> (bool, Duration) {
        match page {
            Ok(page) => {
                let more = self.take_page(page, known).await;
                let next = match (more, self.arrivals.has_hole()) {
                    (true, _) => Duration::ZERO,
                    (false, true) => self.timing.poll,
                    (false, false) => self.timing.silence,
                };
                (!more, next)
            }
            Err(error) => {
                self.outlet.cannot_read(&error);
                match error.is_lasting() {
                    true => (true, self.timing.silence),
                    false => (false, self.timing.poll),
                }
            }
        }
    }

    fn poll(&self) -> BoxFuture<'static, Polled> {
        let (known, after) = (self.arrivals.newest(), self.arrivals.contiguous_through());
        let events = self.events.clone();
        async move { (known, events.after(after).await) }.boxed()
    }
}
