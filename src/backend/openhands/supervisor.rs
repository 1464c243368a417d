//! The supervisor of a live connection: check, catch up, connect, and reconnect with backoff.
//!
//! Joining a conversation of 0.x *starts its agent*, and joining an unknown one *creates* it (`docs/protocol/v0.md`
//! section 3). Every attempt therefore requests its state first, and does not join one that is not running: the
//! connection ends as [`crate::backend::ConnectionState::Idle`]. Only a user starts a conversation, with `Backend::start`.
//!
//! The socket is fast and lossy; stored pages are complete. Pages are read before connecting (for a short replay), after
//! it (for events between the replay and joining the room), when ids have gaps, and at intervals when it is silent.
//! What pages cannot carry (`NaN`, lone surrogates) only a replay brings, so their markers wait for it.
//!
//! `Live` means: connected, and all stored events have arrived.

use super::arrivals::Arrivals;
use super::events::Events;
use super::orders::event_name;
use super::stored::conversation;
use crate::backend::attempts::Attempts;
use crate::backend::ending::End;
use crate::backend::http::Rest;
use crate::backend::outlet::Outlet;
use crate::backend::replies::{decline, decline_rest};
use crate::backend::timing::Timing;
use crate::backend::{Answer, LiveStream, Order, ReceivedEvent, Runtime};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Consecutive rejections after which no attempt is made, or failures after which the replay counts as harmful.
const STRIKES: u32 = 3;

pub(super) struct Supervisor {
    pub(super) rest: Arc<Rest>,
    pub(super) events: Events,
    pub(super) timing: Timing,
    pub(super) arrivals: Arrivals,
    pub(super) outlet: Outlet,
    /// Id of the newest agent state, and whether the agent is still starting.
    pub(super) loading: (Option<i64>, bool),
    /// Whether the sandbox was starting before the current connection.
    pub(super) was_starting: bool,
    /// Whether the current connection received something new or lasted.
    pub(super) progress: bool,
    /// Markers of the stored events that could not be read, until the next replay: it may bring the events.
    pub(super) unread: BTreeMap<i64, ReceivedEvent>,
    /// Whether a replay is still to come.
    pub(super) expects_replay: bool,
}

/// Runs a live connection until it is cancelled, its receiver is gone, or the conversation stops.
pub(super) async fn hold(
    rest: Arc<Rest>,
    conversation: String,
    timing: Timing,
    stream: LiveStream,
) {
    let (outlet, mut attempts, mut orders, over) = stream.split(conversation, timing.backoff);
    let mut supervisor = Supervisor {
        events: Events::of(rest.clone(), &outlet.conversation, outlet.resume.offset),
        arrivals: Arrivals::behind(&outlet.resume),
        outlet,
        loading: (None, false),
        was_starting: false,
        progress: false,
        unread: BTreeMap::new(),
        expects_replay: false,
        rest,
        timing,
    };
    tokio::select! {
        () = over => {}
        () = supervisor.live(&mut attempts, &mut orders) => {}
    }
    decline_rest(&mut orders);
    attempts.end();
}

impl Supervisor {
    /// Runs attempt after attempt, until the conversation stops.
    async fn live(&mut self, attempts: &mut Attempts, orders: &mut mpsc::Receiver<Order>) {
        let (mut refused, mut deaths) = (0, 0);
        loop {
            self.progress = false;
            let end = attempts.run(self.attempt(orders)).await;
            if self.progress {
                attempts.succeeded();
                (refused, deaths) = (0, 0);
            }
            match &end {
                End::Asleep => return self.give_up_unread().await,
                End::Refused { .. } => refused += 1,
                _ => refused = 0,
            }
            // An event in the replay may break each connection. Pages had all events, so the replay can skip them.
            if matches!(end, End::Broken(_) | End::Disconnected | End::NoAnswer) {
                deaths += 1;
                if deaths >= STRIKES {
                    self.give_up_unread().await;
                    self.arrivals.skip_known();
                }
            }
            let for_good = end.is_lasting() || refused >= STRIKES;
            if for_good {
                refused = 0;
                self.give_up_unread().await;
            }
            tokio::select! {
                () = attempts.pause(end, for_good) => {}
                never = decline(orders) => match never {},
            }
        }
    }

    async fn attempt(&mut self, orders: &mut mpsc::Receiver<Order>) -> End {
        let prepared = tokio::select! {
            prepared = self.prepare() => prepared,
            never = decline(orders) => match never {},
        };
        match prepared {
            Ok(event) => self.connect(orders, event).await,
            Err(end) => end,
        }
    }

    /// Checks that the conversation runs, and reads stored events. Returns the name of the event for commands.
    async fn prepare(&mut self) -> Result<&'static str, End> {
        let info = conversation(&self.rest, &self.outlet.conversation).await?;
        let info = info.ok_or(End::Unknown)?;
        self.check_for_losses().await?;
        self.expects_replay = true;
        self.catch_up().await?;
        if !matches!(info.runtime, Runtime::Starting | Runtime::Running) {
            return Err(End::Asleep);
        }
        self.was_starting = info.runtime == Runtime::Starting;
        let version = self.rest.version().await;
        Ok(event_name(version.as_deref()))
    }

    /// Checks for data loss; if there is one, resumes with the events that the server still has.
    async fn check_for_losses(&mut self) -> Answer<()> {
        let newest = Some(self.arrivals.newest());
        let lost = self.outlet.check_for_losses(&self.events, newest).await?;
        if let Some(offset) = lost {
            self.events.offset = offset;
            self.unread.clear();
            self.arrivals = Arrivals::behind(&self.outlet.resume);
        }
        Ok(())
    }

    async fn catch_up(&mut self) -> Answer<()> {
        loop {
            let known = self.arrivals.newest();
            let page = self.events.after(self.arrivals.contiguous_through()).await;
            let Some(page) = self.outlet.readable(page)? else {
                return Ok(());
            };
            if !self.take_page(page, known).await {
                return Ok(());
            }
        }
    }
}
