//! What the REST routes and the sockets of one rehearsal server share.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::Options;
use super::agent::{Agent, Input};
use super::conversation::{Conversation, Out, Status};
use super::event;
use super::faults::{Armed, Fault, Memory};
use super::settings::Settings;
use super::stats::{Stats, Tally};
use super::workspace::Workspace;

/// All state of a server.
pub struct World {
    pub options: Options,
    pub settings: Mutex<Settings>,
    /// Names and descriptions of the user's secrets. Their values are not kept: nothing here could use them.
    pub secrets: Mutex<BTreeMap<String, String>>,
    pub armed: Armed,
    pub tally: Arc<Tally>,
    pub started: Instant,
    /// Ends the server.
    pub ended: CancellationToken,
    /// Its value changes when all sockets are to be dropped.
    pub drops: watch::Sender<u64>,
    pub tasks: TaskTracker,
    /// The latest requests, for the rate limit.
    pub requests: Mutex<std::collections::VecDeque<Instant>>,
    /// In the order of their creation.
    conversations: Mutex<Vec<Arc<Conversation>>>,
    /// In the order of their start: the first is closed when there are too many.
    running: Mutex<Vec<String>>,
    ids: (RandomState, std::sync::atomic::AtomicU64),
}

/// Locks, whatever happened to the one before: all state stays consistent between two statements.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl World {
    /// A server without conversations.
    pub fn new(options: Options) -> Self {
        Self {
            settings: Mutex::new(Settings::new(options.settings_stored)),
            options,
            secrets: Mutex::default(),
            armed: Armed::default(),
            tally: Arc::default(),
            started: Instant::now(),
            ended: CancellationToken::new(),
            drops: watch::Sender::new(0),
            tasks: TaskTracker::new(),
            requests: Mutex::default(),
            conversations: Mutex::default(),
            running: Mutex::default(),
            ids: (RandomState::new(), 0.into()),
        }
    }

    /// The counters.
    pub fn stats(&self) -> Stats {
        let mut stats = self.tally.snapshot();
        stats.sockets = lock(&self.conversations)
            .iter()
            .map(|one| (one.id.clone(), one.sockets()))
            .collect();
        stats
    }

    /// All conversations, the newest first.
    pub fn conversations(&self) -> Vec<Arc<Conversation>> {
        lock(&self.conversations).iter().rev().cloned().collect()
    }

    /// One conversation.
    pub fn find(&self, id: &str) -> Option<Arc<Conversation>> {
        lock(&self.conversations)
            .iter()
            .find(|one| one.id == id)
            .cloned()
    }

    /// One conversation; a new one under this id if there is none.
    pub fn find_or_create(&self, id: &str) -> Arc<Conversation> {
        let mut all = lock(&self.conversations);
        if let Some(found) = all.iter().find(|one| one.id == id) {
            return found.clone();
        }
        let workspace = Workspace::new(self.options.storage_limit);
        let conversation = Arc::new(Conversation::new(id.to_owned(), workspace));
        all.push(conversation.clone());
        conversation
    }

    /// 32 hexadecimal digits no other run had: whoever keeps conversations must never mix up two of them.
    pub fn new_id(&self) -> String {
        let (hasher, counter) = &self.ids;
        let number = counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        format!(
            "{:016x}{:016x}",
            hasher.hash_one((number, 0u8)),
            hasher.hash_one((number, 1u8))
        )
    }

    /// Starts the agent of a conversation that has none; too many running ones cost the oldest its runtime.
    pub async fn start(&self, conversation: &Arc<Conversation>, initial: Option<(String, Value)>) {
        let (settings, oldest) = {
            let mut running = lock(&self.running);
            if conversation.status() != Status::Stopped {
                return;
            }
            let full = running.len() >= self.options.max_concurrent_conversations.max(1);
            let oldest = full.then(|| running.remove(0));
            running.push(conversation.id.clone());
            conversation.set_status(Status::Starting);
            (lock(&self.settings).stored(), oldest)
        };
        if let Some(oldest) = oldest.and_then(|id| self.find(&id)) {
            oldest.send(&json!({
                "status_update": true, "type": "error", "id": "AGENT_ERROR$TOO_MANY_CONVERSATIONS",
                "message": "Too many conversations at once. If you are still using this one, try reactivating it by prompting the agent to continue",
            }));
            self.stop(&oldest).await;
        }
        if self.armed.no_runtime() {
            let conversation = conversation.clone();
            self.tasks.spawn(async move {
                // Long enough for those who wait to have joined: it is told only once.
                tokio::time::sleep(Duration::from_secs(1)).await;
                conversation.send(&json!({"error": true, "message": "Failed to create agent session: RetryError"}));
            });
            return;
        }
        let (sender, inbox) = mpsc::unbounded_channel();
        let agent = Agent::new(
            conversation.clone(),
            self.tally.clone(),
            self.options.pace,
            &settings.unwrap_or_default(),
            initial,
        );
        agent.announce();
        conversation.set_agent(Some(sender));
        let ended = self.ended.clone();
        self.tasks
            .spawn(async move { ended.run_until_cancelled(agent.run(inbox)).await });
    }

    /// Stops a conversation: its sockets first, so that they never see the last state.
    pub async fn stop(&self, conversation: &Conversation) {
        conversation.close_room();
        lock(&self.running).retain(|id| *id != conversation.id);
        let agent = conversation.agent();
        conversation.set_agent(None);
        let (done, stopped) = oneshot::channel();
        if agent.is_some_and(|agent| agent.send(Input::Stop(done)).is_ok()) {
            // An error means that the agent is gone, which is as good.
            let _ = stopped.await;
        }
        conversation.set_status(Status::Stopped);
    }

    /// Forgets a conversation.
    pub fn delete(&self, id: &str) {
        lock(&self.conversations).retain(|one| one.id != id);
    }

    /// Makes something go wrong.
    pub fn inject(&self, fault: &Fault) {
        if self.armed.arm(fault) {
            return;
        }
        match fault {
            Fault::DropSockets => self.drops.send_modify(|count| *count += 1),
            Fault::Restart { memory } => self.restart(*memory),
            Fault::GarbageFrame { frame } => {
                let frame = frame.as_deref().unwrap_or("42[\"oh_event\",{\"id\":");
                self.each_open(|one| one.tell_sockets(&Out::Raw(frame.into())));
            }
            Fault::HugeEvent { bytes } => {
                let content = "x".repeat(*bytes);
                let huge =
                    event::observation("error", "A huge event.", content, json!({"error_id": ""}));
                self.each_open(|one| {
                    one.append(huge.clone());
                });
            }
            _ => {}
        }
    }

    fn each_open(&self, act: impl Fn(&Conversation)) {
        self.conversations()
            .iter()
            .filter(|one| one.sockets() > 0)
            .for_each(|one| act(one));
    }

    /// As if the process had died and come back: no sockets, no agents, only what was stored.
    pub fn restart(&self, memory: Memory) {
        self.drops.send_modify(|count| *count += 1);
        lock(&self.running).clear();
        for conversation in self.conversations() {
            conversation.set_agent(None);
            conversation.set_status(Status::Stopped);
            conversation.rewrite(|events| match memory {
                Memory::All => {}
                Memory::First(count) => events.truncate(count),
                Memory::Renumbered(by) => {
                    for number in events.iter_mut().flat_map(numbers) {
                        *number = (number.as_i64().unwrap_or(0) + by).into();
                    }
                }
            });
        }
    }

    /// Ends everything and waits for it, but not for ever.
    pub async fn end(&self) {
        self.ended.cancel();
        self.tasks.close();
        if tokio::time::timeout(Duration::from_secs(5), self.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!("a task of the rehearsal server did not end");
        }
    }
}

/// The ids an event is made of: its own and its cause's.
fn numbers(event: &mut Value) -> impl Iterator<Item = &mut Value> {
    let fields = event.as_object_mut().into_iter().flatten();
    fields
        .filter(|(name, _)| *name == "id" || *name == "cause")
        .map(|(_, value)| value)
}
