//! The task of one conversation: what it knows, and the loop that hears everything that happens to it.
//!
//! Each of its trades has a file: `storing.rs`, `showing.rs`, `writing.rs`, `looking.rs`, `line.rs`, `question.rs`,
//! `approval.rs`, `outbox.rs`, `steering.rs`. Whatever changes, in whatever way, ends in `Keeper::tell`: the
//! state beside the timeline is built anew, and if it differs from what followers have seen, they get it.

use super::follower::{Queue, encode};
use super::line::Held;
use super::question::Waiting;
use super::room::{Ending, Input};
use super::writing::Writing;
use super::{Hub, looking::Looking, view};
use crate::backend::{Arrived, Capabilities, LineState, Runtime};
use crate::conversation::{Notice, Session, Status, Tone};
use crate::journal::{Described, Known, Outgoing};
use crate::live::{FromServer, SessionView};
use std::ops::ControlFlow;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval};

/// Events on their way from the line: a full channel slows the line down, it loses nothing.
const ARRIVALS: usize = 1024;
/// Events that are stored and handed out as one: large enough for a replay, small enough that a click
/// in between does not wait.
const BATCH: usize = 256;
/// How often what depends on time is looked at.
const TICK: Duration = Duration::from_secs(1);
/// A task that nothing needs ends after this long.
const LINGER: Duration = Duration::from_secs(60);
/// A resumed agent that does nothing for this long will not (`protocol/v0.md` section 6).
const RESUMED_AGENT_STIRS: Duration = Duration::from_secs(5);

/// What the task of a conversation knows.
pub(super) struct Keeper {
    pub(super) hub: Hub,
    pub(super) me: mpsc::Sender<Input>,
    pub(super) described: Described,
    pub(super) session: Session,
    pub(super) seq: i64,
    pub(super) excerpt: String,
    pub(super) complete_to: Option<i64>,
    pub(super) runtime: Runtime,
    /// The line, while there is one, and how it is.
    pub(super) line: Option<Held>,
    pub(super) line_state: LineState,
    pub(super) looking: Looking,
    pub(super) arrivals: mpsc::Receiver<Arrived>,
    pub(super) arrive: mpsc::Sender<Arrived>,
    pub(super) writing: Writing,
    pub(super) followers: Vec<Queue>,
    pub(super) watching: Weak<()>,
    /// When somebody watched, or something happened, for the last time.
    pub(super) needed_at: Instant,
    pub(super) approval: Option<Waiting>,
    pub(super) outbox: Vec<Outgoing>,
    /// Orders whose outcome is not known yet.
    pub(super) orders: usize,
    /// The agent was told to go on, and has not stirred since.
    pub(super) resumed_at: Option<Instant>,
    /// A word of ours that stands above the backend's.
    pub(super) hint: Option<Notice>,
    pub(super) shown: watch::Sender<Arc<SessionView>>,
    pub(super) newest: watch::Sender<i64>,
    pub(super) looked: watch::Sender<bool>,
}

/// A keeper with what can be seen of it.
type Started = (
    Keeper,
    watch::Receiver<Arc<SessionView>>,
    watch::Receiver<i64>,
    watch::Receiver<bool>,
);

impl Keeper {
    pub(super) fn new(
        hub: Hub,
        known: Known,
        outbox: Vec<Outgoing>,
        me: mpsc::Sender<Input>,
        watching: Weak<()>,
    ) -> Started {
        let (arrive, arrivals) = mpsc::channel(ARRIVALS);
        let runtime = view::runtime_of(&known.described.runtime);
        let empty = SessionView {
            title: String::new(),
            status: Status::default(),
            reason: String::new(),
            runtime,
            line: LineState::Idle,
            metrics: Default::default(),
            tasks: Vec::new(),
            approval: None,
            notice: None,
            outbox: Vec::new(),
            about: Vec::new(),
            model: String::new(),
            policy: None,
            analyzer: String::new(),
            goal: None,
            tags: Default::default(),
        };
        let (shown, shown_to) = watch::channel(Arc::new(empty));
        let (newest, newest_to) = watch::channel(known.seq);
        let (looked, looked_to) = watch::channel(false);
        let keeper = Self {
            hub,
            me,
            described: known.described,
            session: known.session,
            seq: known.seq,
            excerpt: known.excerpt,
            complete_to: known.complete_to,
            runtime,
            line: None,
            line_state: LineState::Idle,
            looking: Default::default(),
            arrivals,
            arrive,
            writing: Writing::default(),
            followers: Vec::new(),
            watching,
            needed_at: Instant::now(),
            approval: None,
            outbox,
            orders: 0,
            resumed_at: None,
            hint: None,
            shown,
            newest,
            looked,
        };
        // Before the first `tell` nobody has seen anything, but a page may be quicker than the task.
        keeper.shown.send_replace(Arc::new(keeper.session_view()));
        (keeper, shown_to, newest_to, looked_to)
    }

    pub(super) fn id(&self) -> &str {
        &self.described.id
    }

    /// What its backend can do.
    pub(super) fn capabilities(&self) -> Capabilities {
        self.hub.backend_view(&self.described.backend).capabilities
    }

    /// Hears what happens until the conversation is closed or nothing needs the task any more.
    pub(super) async fn run(mut self, mut inputs: mpsc::Receiver<Input>) {
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut batch = Vec::with_capacity(BATCH);
        self.look_for_questions(&[]).await;
        loop {
            let line = self.line.as_mut();
            tokio::select! {
                count = self.arrivals.recv_many(&mut batch, BATCH) => {
                    debug_assert!(count > 0, "we hold a sender");
                    self.take_in(std::mem::take(&mut batch)).await;
                }
                Some(input) = inputs.recv() => {
                    if self.hear(input).await.is_break() {
                        return;
                    }
                }
                () = Held::changed(line) => self.line_changed(),
                () = self.writing.due() => self.tell_drafts(),
                _ = tick.tick() => {
                    if self.look_at_the_clock().await.is_break() {
                        return;
                    }
                }
            }
            self.send_what_waits().await;
            self.tend_line();
            self.tell();
        }
    }

    async fn hear(&mut self, input: Input) -> ControlFlow<()> {
        match input {
            Input::Follow { after, reply } => {
                // Who asked may be gone by now.
                let _ = reply.send(self.follow(after).await);
            }
            Input::Say { message, reply } => self.say(*message, reply).await,
            Input::Settle {
                client_id,
                again,
                reply,
            } => {
                let _ = reply.send(self.settle(&client_id, again).await);
            }
            Input::Answer { answer, reply } => self.answer(answer, reply).await,
            Input::Steer { order, reply } => self.steer(order, reply),
            Input::Delivered { sent, delivery } => self.delivered(sent, delivery).await,
            Input::Slow(order) => self.slow(order),
            Input::Failed(why) => self.failed(&why),
            Input::Retry => self.retry(),
            Input::Renamed(title) => self.described.title = title,
            Input::Tagged(tags) => self.described.tags = tags,
            Input::Started => self.started().await,
            Input::RuntimeIs(runtime) => self.runtime_is(runtime).await,
            Input::Listed(info) => self.listed(*info).await,
            Input::Checked(found) => self.checked(found).await,
            Input::Filled(outcome) => self.filled(outcome).await,
            Input::LineEnded(generation) => self.line_ended(generation),
            Input::End(why) => {
                self.end(why);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// What depends on time. Ends the task when nothing needs it.
    async fn look_at_the_clock(&mut self) -> ControlFlow<()> {
        if self
            .resumed_at
            .is_some_and(|at| at.elapsed() >= RESUMED_AGENT_STIRS)
        {
            self.resumed_at = None;
            self.hint = Some(notice(
                Tone::Warning,
                "The agent has not gone on by itself. Send it a message such as \"continue\".",
            ));
        }
        self.doubt_answer().await;
        self.give_up_waiting().await;
        self.followers.retain(|follower| !follower.is_left());
        let needed = self.is_watched()
            || self.line.is_some()
            || self.orders > 0
            || self.looking.is_under_way();
        if needed || self.wants_line() {
            self.needed_at = Instant::now();
        }
        if self.needed_at.elapsed() > LINGER && self.hub.retire(&self.described.id) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    /// Something that was under way has failed: what we took for done may not be so.
    fn failed(&mut self, why: &str) {
        self.hint = Some(notice(Tone::Bad, why));
        self.look();
    }

    /// Somebody follows or subscribes.
    pub(super) fn is_watched(&self) -> bool {
        // One is the room's own.
        self.watching.strong_count() > 1
    }

    fn end(&mut self, why: Ending) {
        self.drop_line();
        let gone = encode(&FromServer::Gone {
            conversation: self.described.id.clone(),
        });
        for follower in self.followers.drain(..) {
            match why {
                Ending::Deleted => {
                    follower.push(&gone);
                    follower.finish();
                }
                Ending::Closed => follower.break_off(),
            }
        }
    }
}

/// A word of ours.
pub(super) fn notice(tone: Tone, text: &str) -> Notice {
    Notice {
        tone,
        code: String::new(),
        text: text.to_owned(),
        remedy: None,
    }
}
