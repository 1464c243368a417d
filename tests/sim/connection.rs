//! The connection to one conversation: what the bridges of both dialects guarantee to the hub, over a bad network. The
//! file is long because all of it is the life of one connection.
//!
//! 0.x resumes a little before the newest event, replays without recalls and old states, reorders events, loses events
//! between the replay and joining the room, and fills gaps from stored pages. 1.x continues after its cursor and omits
//! nothing. Both report up to which position their output is complete, and never too early.

use crate::clock;
use crate::dice::Dice;
use crate::world::{Dialect, Kind, Shared, lock};
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use handrail::backend::{ConnectionState, Delivery, LiveStream, Order, ReceivedEvent};
use handrail::conversation::{LogItem, from_v0, from_v1};
use handrail::wire::{v0, v1};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// How far behind the newest event a replay of 0.x starts.
const OVERLAP: usize = 20;
/// Timeout for a command without a response, in milliseconds.
const NO_ANSWER: u64 = 5_000;
/// Interval of reading stored pages when nothing seems to be missing, in milliseconds.
const SILENCE: u64 = 15_000;
/// Delay before reading stored pages when events are missing, in milliseconds.
const GAP_DELAY: u64 = 1_000;

/// Parses an event like the bridges.
pub fn read(dialect: Dialect, raw: &str, place: usize) -> ReceivedEvent {
    let value = serde_json::from_str(raw).expect("models write JSON");
    let item: LogItem = match dialect {
        Dialect::Zero => from_v0(&v0::Incoming::read(value)),
        Dialect::One => {
            let place = i64::try_from(place).expect("logs are short");
            from_v1::item(&v1::Event::read(value), Some(place), None)
        }
    };
    ReceivedEvent {
        item,
        raw: raw.to_owned(),
    }
}

/// Why a connection ended.
enum End {
    /// The connection is no longer needed, or can never be restored.
    Over,
    /// The connection is retried.
    Lost(&'static str),
}

pub struct SimConnection {
    pub world: Shared,
    pub at: usize,
    pub dialect: Dialect,
    pub stream: LiveStream,
    dice: Dice,
    changed: watch::Receiver<()>,
    /// Every event below this position was passed on, or never will be.
    contiguous_through: usize,
    /// Positions beyond it that were passed on.
    above: BTreeSet<usize>,
}

impl SimConnection {
    pub fn new(world: Shared, at: usize, stream: LiveStream) -> Self {
        let mut world_now = lock(&world);
        let dice = Dice::of(world_now.dice.next());
        let (dialect, changed) = (
            world_now.conversations[at].dialect,
            world_now.conversations[at].changed.subscribe(),
        );
        drop(world_now);
        let contiguous_through = stream
            .resume
            .after
            .map_or(0, |after| usize::try_from(after + 1).unwrap_or(0));
        Self {
            world,
            at,
            dialect,
            stream,
            dice,
            changed,
            contiguous_through,
            above: BTreeSet::new(),
        }
    }

    /// Maintains the connection, with reconnects.
    pub async fn run(mut self) {
        let mut attempt = 0;
        loop {
            let (gone, reachable) = {
                let mut world = lock(&self.world);
                (
                    world.conversations[self.at].gone,
                    world.reachable(self.dialect),
                )
            };
            if gone {
                let (why, code) = ("there is no such conversation".to_owned(), String::new());
                self.stream
                    .state
                    .send_replace(ConnectionState::Refused { why, code });
                return;
            }
            let end = if reachable {
                self.connection().await
            } else {
                End::Lost("refused")
            };
            let End::Lost(why) = end else { return };
            attempt += 1;
            let pause = 1 << attempt.min(4);
            let (why, retry_in) = (why.to_owned(), pause);
            self.stream
                .state
                .send_replace(ConnectionState::Reconnecting {
                    attempt,
                    why,
                    retry_in,
                });
            if self.rest(u64::from(pause) * 1_000).await {
                return;
            }
        }
    }

    /// Backoff between two connections; returns `true` if the connection is no longer needed.
    async fn rest(&mut self, milliseconds: u64) -> bool {
        let until = tokio::time::sleep(Duration::from_millis(milliseconds));
        tokio::pin!(until);
        loop {
            tokio::select! {
                biased;
                () = self.stream.cancel.cancelled() => return true,
                Some(order) = self.stream.orders.recv() => {
                    let _ = order.done.send(Delivery::NotYet("not connected".to_owned()));
                }
                () = self.stream.retry.notified() => return false,
                () = &mut until => return false,
            }
        }
    }

    async fn connection(&mut self) -> End {
        let (cuts, latency, was_up) = {
            let mut world = lock(&self.world);
            let latency = world.latency(self.dialect);
            // Joining a stopped conversation of 0.x starts it.
            let was_up = world.conversations[self.at].up;
            world.conversations[self.at].runtime_is(true);
            (world.net(self.dialect).cuts, latency, was_up)
        };
        if !was_up {
            self.dice.next();
        }
        tokio::time::sleep(Duration::from_millis(latency)).await;
        self.changed.mark_unchanged();
        let mut cursor = self.replay().await;
        if self.stream.events.is_closed() || self.stream.cancel.is_cancelled() {
            return End::Over;
        }
        self.stream.state.send_replace(ConnectionState::Live);
        self.pump(cuts, &mut cursor).await
    }

    /// Passes on past events; returns the position at which live events start.
    async fn replay(&mut self) -> usize {
        let known = lock(&self.world).conversations[self.at].log.len();
        if self.dialect == Dialect::Zero {
            let newest = self
                .above
                .last()
                .map_or(self.contiguous_through, |last| last + 1);
            let from = newest.saturating_sub(OVERLAP);
            let places: Vec<usize> = {
                let world = lock(&self.world);
                let log = &world.conversations[self.at].log;
                let state = (from..known)
                    .rev()
                    .find(|place| log[*place].kind == Kind::State);
                let plain = (from..known).filter(|place| log[*place].kind == Kind::Plain);
                plain.chain(state).collect()
            };
            self.hand_on(&places, false).await;
        }
        self.backfill(known).await;
        let now = lock(&self.world).conversations[self.at].log.len();
        // Events between the replay and joining the room are lost for this connection.
        if self.dialect == Dialect::Zero && self.dice.percent(30) {
            now
        } else {
            known
        }
    }

    /// Reads stored events up to a position; events still missing below it do not exist.
    async fn backfill(&mut self, known: usize) {
        let places: Vec<usize> = {
            let world = lock(&self.world);
            let log = &world.conversations[self.at].log;
            (self.contiguous_through..known)
                .filter(|place| log[*place].kind != Kind::Null)
                .collect()
        };
        self.hand_on(&places, false).await;
        self.contiguous_through = self.contiguous_through.max(known);
        self.advance();
    }

    /// Extends the complete range over contiguous positions.
    fn advance(&mut self) {
        self.above.retain(|place| *place >= self.contiguous_through);
        while self.above.remove(&self.contiguous_through) {
            self.contiguous_through += 1;
        }
        let contiguous_through =
            i64::try_from(self.contiguous_through).expect("logs are short") - 1;
        self.stream.contiguous_through.send_if_modified(|said| {
            std::mem::replace(said, contiguous_through) != contiguous_through
        });
    }

    async fn hand_on(&mut self, places: &[usize], live: bool) {
        let double = self.dice.percent(10);
        for place in places {
            let is_here = *place < self.contiguous_through || self.above.contains(place);
            if is_here && !double {
                continue;
            }
            let raw = {
                let mut world = lock(&self.world);
                world.counts.delivered += 1;
                let logged = &world.conversations[self.at].log[*place];
                let as_live = logged.live.as_ref().filter(|_| live);
                as_live.unwrap_or(&logged.raw).clone()
            };
            if self
                .stream
                .events
                .send(read(self.dialect, &raw, *place))
                .await
                .is_err()
            {
                return;
            }
            self.above.insert(*place);
            if !live || self.dialect == Dialect::One {
                continue;
            }
            self.advance();
        }
        self.advance();
    }

    /// Passes on new events as the socket delivers them.
    async fn bring(&mut self, cursor: &mut usize) {
        let mut places: Vec<usize> = {
            let world = lock(&self.world);
            let log = &world.conversations[self.at].log;
            let sent = (*cursor..log.len()).filter(|place| log[*place].kind != Kind::Null);
            sent.collect()
        };
        *cursor = lock(&self.world).conversations[self.at].log.len();
        if self.dialect == Dialect::Zero {
            for at in 1..places.len() {
                if self.dice.percent(10) {
                    places.swap(at - 1, at);
                }
            }
            if lock(&self.world).oldest_is_late && !places.is_empty() {
                places.rotate_left(1);
            }
        }
        self.hand_on(&places, true).await;
    }

    async fn pump(&mut self, cuts: u64, cursor: &mut usize) -> End {
        let mut under_way: FuturesUnordered<BoxFuture<'static, ()>> = FuturesUnordered::new();
        let mut read_at = clock::now() + SILENCE * 1_000_000;
        loop {
            let now = clock::now();
            let (gone, cut, half_open, latency) = {
                let mut world = lock(&self.world);
                let gone = world.conversations[self.at].gone;
                let latency = world.latency(self.dialect);
                let reachable = world.reachable(self.dialect);
                let net = world.net(self.dialect);
                (
                    gone,
                    net.cuts != cuts || !reachable,
                    net.half_open_until > now,
                    latency,
                )
            };
            if gone || cut {
                return End::Lost("the connection was lost");
            }
            let behind = lock(&self.world).conversations[self.at].log.len() > *cursor;
            if behind && !half_open {
                if latency > 0 {
                    tokio::time::sleep(Duration::from_millis(latency)).await;
                }
                self.bring(cursor).await;
            }
            // A gap that only stored pages fill; the newest event may be lost without leaving a gap.
            let known = *cursor;
            if self.dialect == Dialect::Zero && !self.above.is_empty() {
                read_at = read_at.min(now + GAP_DELAY * 1_000_000);
            }
            if now >= read_at && !half_open {
                self.backfill(known).await;
                read_at = now + SILENCE * 1_000_000;
            }
            let serial = self.dialect == Dialect::One || under_way.is_empty();
            let wait = Duration::from_nanos(read_at.saturating_sub(clock::now()).max(1_000_000));
            tokio::select! {
                biased;
                () = self.stream.cancel.cancelled() => return End::Over,
                Some(()) = under_way.next() => {}
                Some(order) = self.stream.orders.recv(), if serial => {
                    if !order.done.is_closed() {
                        under_way.push(self.carry(order, half_open));
                    }
                }
                changed = self.changed.changed() => if changed.is_err() { return End::Over },
                () = self.stream.events.closed() => return End::Over,
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    /// Carries a command to the server and its outcome back, as far as the network allows.
    fn carry(&mut self, order: Order, half_open: bool) -> BoxFuture<'static, ()> {
        let (out, back, fate) = {
            let mut world = lock(&self.world);
            world.conversations[self.at].in_flight += 1;
            // Also one that is lost on its way.
            if let handrail::backend::Command::Approve { keys } = &order.command {
                let mut keys = keys.clone();
                keys.sort();
                let sent = &mut world.conversations[self.at].yeses;
                *sent.entry(keys.join(" ")).or_default() += 1;
                world.check_no_message_leaves(self.at);
            }
            let trouble = world.net(self.dialect).trouble;
            let fate = if self.dice.percent(trouble) {
                1 + self.dice.below(4)
            } else {
                0
            };
            (
                world.latency(self.dialect),
                world.latency(self.dialect),
                fate,
            )
        };
        let mut way = OnTheWay {
            world: self.world.clone(),
            at: self.at,
            command: Some(order.command),
            arrives: self.dice.percent(50),
            halves: self.dice.percent(50),
        };
        let done = order.done;
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(out)).await;
            let tell = |done: oneshot::Sender<Delivery>, delivery| drop(done.send(delivery));
            match fate {
                _ if half_open => {
                    way.is_lost();
                    tokio::time::sleep(Duration::from_millis(NO_ANSWER)).await;
                    tell(done, Delivery::Unknown("no answer".to_owned()));
                }
                1 | 2 => {
                    way.arrives = fate == 1;
                    way.is_cut_off();
                    tokio::time::sleep(Duration::from_millis(NO_ANSWER)).await;
                    tell(done, Delivery::Unknown("no answer".to_owned()));
                }
                3 => {
                    way.is_lost();
                    tell(done, Delivery::NotSent("not now".to_owned()));
                }
                4 => {
                    way.is_lost();
                    tell(done, Delivery::NotYet("in a moment".to_owned()));
                }
                _ => {
                    let delivery = way.arrive();
                    tokio::time::sleep(Duration::from_millis(back)).await;
                    tell(done, delivery);
                }
            }
        })
    }
}

/// A command in flight. If its connection is lost, it may or may not have arrived.
struct OnTheWay {
    world: Shared,
    at: usize,
    command: Option<handrail::backend::Command>,
    arrives: bool,
    /// Whether of two requests only the first is carried out.
    halves: bool,
}

impl OnTheWay {
    /// Prevents a later arrival.
    fn is_lost(&mut self) {
        self.arrives = false;
    }

    /// It may have arrived, in part or whole, and nobody learns it.
    fn is_cut_off(&mut self) {
        if !std::mem::take(&mut self.arrives) {
            return;
        }
        match self.command.take() {
            Some(command) if self.halves => lock(&self.world).obey_half(self.at, &command),
            command => {
                self.command = command;
                self.arrive();
            }
        }
    }

    fn arrive(&mut self) -> Delivery {
        match self.command.take() {
            Some(command) => lock(&self.world).obey(self.at, &command),
            None => Delivery::Confirmed,
        }
    }
}

impl Drop for OnTheWay {
    fn drop(&mut self) {
        self.is_cut_off();
        lock(&self.world).conversations[self.at].in_flight -= 1;
    }
}
