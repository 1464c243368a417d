//! Questions to the backend that need no line: how is the conversation, and what is its history.
//!
//! Both wake nothing. The history is read on from the position up to which it is surely complete.

use super::keeper::{Keeper, notice};
use super::room::Input;
use super::{HubError, view};
use crate::backend::{
    Arrived, Backend, BackendError, ConversationInfo, LineState, LookUp, Past, Recorded, Runtime,
};
use crate::conversation::{Body, Shift, Status, Tone};
use crate::journal::Described;
use futures_util::FutureExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// The longest rest between two attempts.
const LONGEST_REST: Duration = Duration::from_secs(30);
/// Rest after a failure, doubled up to [`LONGEST_REST`].
pub(super) const FIRST_REST: Duration = Duration::from_secs(1);
/// How often a starting runtime is asked whether it is up. 0.62 needs 20 to 140 s.
pub(super) const STARTING: Duration = Duration::from_secs(2);
/// What the task knows about its questions to the backend.
#[derive(Default)]
pub(super) struct Looking {
    /// A question is under way.
    pub(super) asking: bool,
    /// Its answer will be from before a person started the runtime.
    pub(super) outdated: bool,
    /// A question was answered.
    pub(super) asked: bool,
    /// History is being read.
    pub(super) filling: bool,
    /// History was read since the backend said that something changed.
    pub(super) filled: bool,
    /// The backend does not want us: only a person's wish changes that.
    pub(super) refused: bool,
    /// The runtime was seen up a moment ago: a line may be taken.
    pub(super) fresh: Option<Instant>,
    /// Asked by nobody, but the list says that something happens there.
    pub(super) curious: bool,
    /// Nothing is asked before.
    pub(super) rest_until: Option<Instant>,
    pub(super) failures: u32,
    pub(super) generation: u64,
}

impl Looking {
    pub(super) fn is_under_way(&self) -> bool {
        self.asking || self.filling
    }

    /// Rests after a failure, each time longer. Answers for how long.
    pub(super) fn wait(&mut self) -> Duration {
        let rest = FIRST_REST
            .saturating_mul(1 << self.failures.min(5))
            .min(LONGEST_REST);
        self.failures += 1;
        self.fresh = None;
        self.rest_until = Some(Instant::now() + rest);
        rest
    }
}

impl Keeper {
    /// Asks the backend how the conversation is.
    pub(super) fn look(&mut self) {
        self.looking.asking = true;
        self.looking.rest_until = Some(Instant::now() + STARTING);
        if self.line.is_none() && self.wants_line() && self.line_state == LineState::Idle {
            self.line_state = LineState::Connecting;
        }
        let (hub, label) = (self.hub.clone(), self.described.backend.clone());
        let (id, me) = (self.described.id.clone(), self.me.clone());
        self.hub.spawn(async move {
            let found = match hub.backend(&label).await {
                Ok(backend) => backend.conversation(&id).await,
                Err(error) => Err(unavailable(error)),
            };
            // If the task has ended, nobody is interested.
            let _ = me.send(Input::Checked(found)).await;
        });
    }

    /// The answer to [`Keeper::look`].
    pub(super) async fn checked(&mut self, found: Result<Option<ConversationInfo>, BackendError>) {
        self.looking.asking = false;
        if std::mem::take(&mut self.looking.outdated) {
            return self.look();
        }
        match found {
            Ok(Some(info)) => {
                self.looking.asked = true;
                self.looking.failures = 0;
                if self.line.is_none() {
                    self.line_state = LineState::Idle;
                }
                self.looking.fresh = Some(Instant::now());
                if info.runtime != Runtime::Starting {
                    self.looking.rest_until = None;
                }
                self.listed(info).await;
            }
            Ok(None) => {
                self.hint = Some(notice(
                    Tone::Warning,
                    "The backend no longer knows this conversation. What you see is what Handrail remembers.",
                ));
                self.runtime_is(Runtime::Stopped).await;
                self.looking.asked = true;
                self.looking.filled = true;
                self.looked.send_replace(true);
            }
            Err(error) => {
                self.looked.send_replace(true);
                let rest = self.looking.wait();
                if self.line.is_none() {
                    self.line_state = LineState::Reconnecting {
                        attempt: self.looking.failures,
                        why: error.to_string(),
                        retry_in: u32::try_from(rest.as_secs()).unwrap_or(u32::MAX),
                    };
                }
            }
        }
    }

    /// What the backend says of the conversation.
    pub(super) async fn listed(&mut self, info: ConversationInfo) {
        if info.updated_at > self.described.updated_at {
            self.looking.filled = false;
            self.looking.curious |= is_busy(&info);
        }
        let updated_at = self.described.updated_at.max(info.updated_at);
        let backend = self.described.backend.clone();
        let runtime = info.runtime;
        let described = view::described(&info, &backend);
        self.described = Described {
            updated_at,
            ..described
        };
        self.runtime_is(runtime).await;
    }

    pub(super) async fn runtime_is(&mut self, runtime: Runtime) {
        if self.runtime != runtime {
            tracing::info!(conversation = self.id(), from = ?self.runtime, to = ?runtime, "runtime");
            self.looking.filled = false;
            self.looking.refused = false;
        }
        self.runtime = runtime;
        self.described.runtime = view::word_of(runtime).to_owned();
        if let Err(error) = self
            .hub
            .journal()
            .describe(vec![self.described.clone()])
            .await
        {
            tracing::warn!(conversation = self.id(), %error, "what the backend says could not be stored");
        }
        if matches!(runtime, Runtime::Stopped | Runtime::Error) {
            self.looking.curious = false;
            self.drop_line();
            self.line_state = LineState::Idle;
        }
    }

    /// What is held, for the backend to go on from.
    pub(super) fn past(&self) -> Past {
        let (journal, id) = (self.hub.journal().clone(), self.described.id.clone());
        let recorded: LookUp = Arc::new(move |pos| {
            let (journal, id) = (journal.clone(), id.clone());
            // What cannot be read is not compared.
            async move {
                let (key, at) = journal.event_at(&id, pos).await.ok().flatten()?;
                Some(Recorded { key, at })
            }
            .boxed()
        });
        Past {
            after: self.complete_to,
            newest: self.session.newest_pos,
            shift: self.session.shift,
            recorded,
        }
    }

    /// Reads what is missing of the history of a conversation that has no line, without waking it.
    pub(super) fn fill(&mut self) {
        if self.looking.filled || self.looking.filling {
            return;
        }
        self.looking.filling = true;
        let (hub, label) = (self.hub.clone(), self.described.backend.clone());
        let (id, me) = (self.described.id.clone(), self.me.clone());
        let (past, arrive) = (self.past(), self.arrive.clone());
        self.hub.spawn(async move {
            let outcome = match hub.backend(&label).await {
                Ok(backend) => read_history(&*backend, &id, past, &arrive).await,
                Err(error) => Err(unavailable(error)),
            };
            // If the task has ended, nobody is interested.
            let _ = me.send(Input::Filled(outcome)).await;
        });
    }

    /// The history was read.
    pub(super) async fn filled(&mut self, outcome: Result<Option<i64>, BackendError>) {
        // Everything that was read is in the channel by now; it is stored before it counts as complete.
        while let Ok(first) = self.arrivals.try_recv() {
            let mut batch = vec![first];
            while batch.len() < 256
                && let Ok(next) = self.arrivals.try_recv()
            {
                batch.push(next);
            }
            self.take_in(batch).await;
        }
        self.looking.filling = false;
        match outcome {
            Ok(reached) => {
                self.looking.filled = true;
                self.looking.failures = 0;
                self.complete_to = reached.max(self.complete_to);
                if let Some(pos) = self.complete_to
                    && let Err(error) = self
                        .hub
                        .journal()
                        .complete_to(&self.described.id, pos)
                        .await
                {
                    tracing::warn!(conversation = self.id(), %error, "it could not be stored how far the history is read");
                }
            }
            Err(error) => {
                tracing::info!(conversation = self.id(), %error, "the history could not be read");
                self.looking.wait();
            }
        }
        self.looked.send_replace(true);
    }
}

/// Whether something happens there, of which only its line tells.
pub(super) fn is_busy(info: &ConversationInfo) -> bool {
    let idle = |status: &Status| {
        !matches!(
            status,
            Status::Running | Status::AwaitingConfirmation | Status::Confirmed
        )
    };
    info.runtime == Runtime::Running && !info.status.as_ref().is_some_and(idle)
}

/// A backend that cannot even be asked.
fn unavailable(error: HubError) -> BackendError {
    match error {
        HubError::Backend(error) => error,
        error => BackendError::Unreachable(error.to_string()),
    }
}

/// Reads pages until there are no more; answers the position that was reached.
async fn read_history(
    backend: &dyn Backend,
    id: &str,
    mut past: Past,
    arrive: &mpsc::Sender<Arrived>,
) -> Result<Option<i64>, BackendError> {
    loop {
        let after = past.after;
        let page = backend.history(id, past.clone()).await?;
        let newest = page.events.iter().filter_map(|event| event.item.pos).max();
        for event in page.events {
            if let Body::Lost { by } = event.item.body {
                let since = event.item.pos;
                past.shift = Shift { by, since };
            }
            // The task holds the other end; without it nobody reads on.
            if arrive.send(event).await.is_err() {
                return Ok(after);
            }
        }
        let goes_on = newest > after;
        past.after = newest.max(after);
        // Once is enough.
        past.newest = None;
        // A page that leads nowhere would be asked for again and again.
        if !page.more || !goes_on {
            return Ok(past.after);
        }
    }
}
