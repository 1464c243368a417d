//! One supervised task per live conversation: backend → journal → followers.
//!
//! A conversation's task is its lock. It alone appends to the log, sends out what was appended, and starts new
//! followers, in sequence. It has at most one connection to the backend, while a user watches or the agent works, and
//! only if the sandbox is up: joining a stopped conversation would start it (`docs/protocol/v0.md` section 3).
//!
//! Invariant: a follower sees each change exactly once and in order, or is told that there is a gap.
//! Invariant: no answer leaves without a stored approval of exactly what was shown.
//! How the publish-subscribe vocabulary of OpenHands maps to this is in `docs/EVENT-SYSTEM.md`.
//!
//! # Errors
//! Methods fail with [`HubError::NotFound`] if there is no such conversation, backend, row or event, with
//! [`HubError::Imported`] or [`HubError::Elsewhere`] if a conversation has no backend in use, with [`HubError::Backend`] and
//! [`HubError::Journal`] if one of these fails, and with [`HubError::Closed`] if the conversation is closed meanwhile; changes
//! also with [`HubError::TooMuch`]. Those with further errors say so.
//!
//! Long because it puts the hub together: its parts, the handles, and what an actor sees of it.

mod actor;
mod audit_action;
mod backends;
mod changes;
mod comments;
mod create;
mod deletions;
mod error;
mod export;
mod finding;
mod follower;
mod handle;
mod import;
mod inbox;
mod insight;
mod lines;
mod list;
mod managing;
mod message;
mod model;
mod orders;
mod outgoing;
mod parts;
mod polling;
mod presence;
mod reading;
mod recent;
mod renderer;
mod replaying;
mod review;
mod review_message;
mod searching;
mod seen;
mod settings;
mod sharing;
mod since;
mod subscription;
mod support;
mod sweep;
mod targets;
mod unread;
mod view;
mod workspace;

#[cfg(test)]
mod tests;

pub use backends::{Backends, Target};
pub use changes::{Change, OpenApproval};
pub use error::{DISK_FULL, HubError, HubResult};
pub use export::Masker;
pub use follower::{Follower, MOST_BYTES, MOST_FRAMES};
pub use model::Asked;
pub use seen::MIN_VIEW_TIME;
pub use subscription::Filter;
pub use support::NEW_DRAFT;

use crate::backend::{Answer, Backend, BackendError};
use crate::clock::now;
use crate::journal::{Journal, Known};
use crate::sync::{KeyedSemaphore, lock};
use backends::Connected;
use changes::{Changes, Since};
use create::Creations;
use deletions::Deletions;
use finding::Finding;
use handle::ConversationHandle;
use insight::Insights;
use list::List;
use message::{ActorMessage, CloseReason};
use presence::Presence;
use renderer::Renderer;
use seen::Seen;
use sharing::Sharings;
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::{check_id, compute, invalid, permit};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use unread::Unread;

/// The hub. Cheap to clone: all clones share one state.
#[derive(Clone)]
pub struct Hub(Arc<Inner>);

struct Inner {
    journal: Journal,
    /// How backends are created.
    backends: Box<dyn Backends>,
    renderer: Renderer,
    connected: Mutex<Vec<Connected>>,
    /// Held while the set of backends is changed and stored.
    changing_targets: tokio::sync::Mutex<()>,
    handles: Mutex<HashMap<String, Arc<ConversationHandle>>>,
    list: List,
    changes: Changes,
    deletions: Deletions,
    finding: Finding,
    sharings: Sharings,
    presence: Presence,
    limits: audit_action::Limits,
    /// Limits concurrent searches per user.
    searching: KeyedSemaphore<i64, { searching::SEARCHES }>,
    /// Limits how many windows of rows are read, folded and rendered at a time; each takes a few MiB.
    drawing: Semaphore,
    /// Limits how many pages of exports are made at a time.
    exporting: Semaphore,
    insights: Insights,
    creations: Creations,
    seen: Seen,
    unread: Unread,
    stopping: CancellationToken,
    tasks: TaskTracker,
}

/// The hub's health, for `/readyz`.
#[derive(Debug)]
pub struct Ready {
    /// Whether the journal can be read; else its error.
    pub journal: Result<(), String>,
    /// Whether it can be written.
    pub writable: bool,
    /// The backends, each with "ok" or the error of its last request.
    pub backends: Vec<(String, String)>,
}

impl Hub {
    /// Creates a hub. Backends come from the command line, else the settings, else the rehearsal; they may be
    /// unreachable, and detection of an unknown protocol is repeated. `base` is the pages' base path, ending in `/`.
    /// `min_view_time` is the minimum time between showing and answering an approval: [`MIN_VIEW_TIME`], except in tests.
    pub async fn new(
        journal: Journal,
        backends: impl Backends,
        base: &str,
        min_view_time: Duration,
    ) -> HubResult<Self> {
        let targets = targets::first_targets(&journal, &backends).await?;
        let mut connected: Vec<Connected> = targets.into_iter().map(Connected::to).collect();
        for one in &mut connected {
            if one.target.rehearsal || one.target.protocol.is_some() {
                // A refused backend is listed with the reason, and does not prevent the start.
                match backends.connect(&one.target).await {
                    Ok(backend) => one.backend = Some(backend),
                    Err(error) => one.failed(Some(error.into())),
                }
            }
        }
        let hub = Self(Arc::new(Inner {
            renderer: Renderer::new(journal.clone(), base),
            journal,
            backends: Box::new(backends),
            connected: Mutex::new(connected),
            changing_targets: tokio::sync::Mutex::default(),
            handles: Mutex::default(),
            list: List::default(),
            changes: Changes::default(),
            deletions: Deletions::default(),
            finding: Finding::default(),
            sharings: Sharings::default(),
            presence: Presence::default(),
            limits: audit_action::Limits::default(),
            searching: KeyedSemaphore::default(),
            drawing: Semaphore::new(reading::DRAWN_AT_ONCE),
            exporting: Semaphore::new(export::PAGES_AT_ONCE),
            insights: Insights::default(),
            creations: Creations::default(),
            seen: Seen::new(min_view_time),
            unread: Unread::default(),
            stopping: CancellationToken::new(),
            tasks: TaskTracker::new(),
        }));
        hub.forget_unfinished_imports().await?;
        hub.make_lines().await;
        hub.remember_list().await?;
        let writing = hub.clone();
        hub.spawn(async move { writing.keep_lines_written().await });
        let polling = hub.clone();
        hub.spawn(async move { polling.keep_list_current().await });
        let reading = hub.clone();
        hub.spawn(async move { reading.keep_seen_written().await });
        let indexing = hub.clone();
        hub.spawn(async move { indexing.keep_index_filled().await });
        Ok(hub)
    }

    /// The health of the journal and the backends.
    pub async fn ready(&self) -> Ready {
        let journal = self.0.journal.setting("connection").await;
        let state = |one: Connected| {
            let trouble = one.trouble.unwrap_or_else(|| "ok".to_owned());
            (one.target.label(), trouble)
        };
        Ready {
            journal: journal.map(drop).map_err(|error| error.to_string()),
            writable: self.journal().is_writable().await,
            backends: self.connected().into_iter().map(state).collect(),
        }
    }

    /// Closes all connections, within `grace` and at most 5 seconds. The journal keeps its content.
    pub async fn shutdown(&self) {
        self.0.stopping.cancel();
        self.close(|_| true).await;
        self.0.tasks.close();
        let ended = timeout(Duration::from_secs(5), self.0.tasks.wait()).await;
        if ended.is_err() {
            tracing::warn!("some conversations did not end in time");
        }
        self.write_lines().await;
        self.write_seen().await;
    }

    fn journal(&self) -> &Journal {
        &self.0.journal
    }

    fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.0.tasks.spawn(task);
    }

    /// What the journal knows of a conversation.
    async fn known(&self, id: &str) -> HubResult<Known> {
        check_id(id)?;
        let known = self.journal().conversation(id).await?;
        known.ok_or(HubError::NotFound("conversation"))
    }

    /// The handle of a conversation; opens it if need be.
    async fn handle(&self, id: &str) -> HubResult<Arc<ConversationHandle>> {
        check_id(id)?;
        if let Some(handle) = self.open_handle(id) {
            return Ok(handle);
        }
        let journal = self.journal();
        let reading = self.0.deletions.begin_reading();
        let known = match journal.conversation(id).await? {
            Some(known) => known,
            None => {
                self.query_all_backends(id, &reading).await?;
                self.known(id).await?
            }
        };
        let outbox = journal.outbox(id).await?;
        let mut handles = lock(&self.0.handles);
        if self.0.stopping.is_cancelled() {
            return Err(HubError::Closed);
        }
        let is_open = handles.get(id).filter(|handle| !handle.inputs.is_closed());
        if let Some(handle) = is_open {
            return Ok(Arc::clone(handle));
        }
        // Conversations are deleted under the same lock.
        if reading.is_outdated(id) {
            return Err(HubError::NotFound("conversation"));
        }
        let handle = ConversationHandle::start(self.clone(), known, outbox);
        handles.insert(id.to_owned(), Arc::clone(&handle));
        Ok(handle)
    }

    fn open_handle(&self, id: &str) -> Option<Arc<ConversationHandle>> {
        let handle = lock(&self.0.handles).get(id).cloned();
        handle.filter(|handle| !handle.inputs.is_closed())
    }

    /// The conversations that have an actor.
    fn open_ids(&self) -> Vec<String> {
        let handles = lock(&self.0.handles);
        let open = handles
            .iter()
            .filter(|(_, handle)| !handle.inputs.is_closed());
        open.map(|(id, _)| id.clone()).collect()
    }

    /// Tells the actors of these conversations to end, and returns their handles. They stay known until they have ended:
    /// a deletion waits for the actor, and a second actor is not started beside it.
    async fn close(
        &self,
        is_meant: impl Fn(&ConversationHandle) -> bool,
    ) -> Vec<Arc<ConversationHandle>> {
        let mut handles: Vec<_> = lock(&self.0.handles).values().cloned().collect();
        handles.retain(|handle| is_meant(handle));
        for handle in &handles {
            // One that has ended by itself is what we want.
            let _ = handle.tell(ActorMessage::End(CloseReason::Closed)).await;
        }
        handles
    }

    fn renderer(&self) -> &Renderer {
        &self.0.renderer
    }

    /// Cancelled when the server ends.
    fn stopping(&self) -> &CancellationToken {
        &self.0.stopping
    }

    /// The backend with this label, if its protocol is known.
    fn backend_at_hand(&self, label: &str) -> Option<Arc<dyn Backend>> {
        self.connected_as(label).ok()?.backend
    }

    /// The backend with this label; as an answer of it, if there is none.
    async fn backend_or_answer(&self, label: &str) -> Answer<Arc<dyn Backend>> {
        self.backend(label).await.map_err(|error| match error {
            HubError::Backend(error) => error,
            HubError::NotFound(what) => {
                BackendError::Unreachable(format!("the {what} was not found"))
            }
            error => BackendError::Unreachable(error.to_string()),
        })
    }

    /// Notes that the agent of a conversation has worked.
    fn worked(&self, conversation: &str) {
        self.0.changes.note(conversation, Since::WORKED);
    }

    /// Removes a conversation whose actor wants to end; `false` if a new user has arrived meanwhile.
    fn retire(&self, conversation: &str) -> bool {
        let mut handles = lock(&self.0.handles);
        // Handles are given out under the same lock, so none can be in use.
        let lonely = handles.get(conversation).is_some_and(|handle| {
            Arc::strong_count(handle) == 1
                && handle.inputs.capacity() == handle.inputs.max_capacity()
        });
        if lonely {
            handles.remove(conversation);
        }
        lonely
    }
}
