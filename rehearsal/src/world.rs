//! The state shared by the REST routes and the sockets of one rehearsal server.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use crate::agent::{Agent, AgentMessage};
use crate::conversation::{Conversation, Out, Status};
use crate::faults::{Armed, Memory};
use crate::stats::{Stats, Tally};
use crate::sync::lock;
use crate::{
    Options, Server, conversations::Conversations, event, settings::Settings, workspace::Workspace,
};

pub struct World {
    pub options: Options,
    pub settings: Mutex<Settings>,
    /// Names and descriptions of the user's secrets. Their values are discarded: nothing here could use them.
    pub secrets: Mutex<BTreeMap<String, String>>,
    pub armed: Armed,
    pub tally: Arc<Tally>,
    pub started: Instant,
    /// Cancelled to stop the server.
    pub ended: CancellationToken,
    /// A change of its value drops all sockets.
    pub drops: watch::Sender<u64>,
    pub tasks: TaskTracker,
    /// The times of recent requests, for the rate limit.
    pub requests: Mutex<VecDeque<Instant>>,
    /// The conversations of a 0.x server.
    pub conversations: Conversations<Conversation>,
    /// In the order of their start: the first is closed when there are too many.
    running: Mutex<Vec<String>>,
}

/// 32 hexadecimal digits, unique across runs: a client that stores conversations must never confuse two of them.
pub fn new_id() -> String {
    Uuid::new_v4().simple().to_string()
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
            conversations: Conversations::default(),
            running: Mutex::default(),
        }
    }

    pub fn find(&self, id: &str) -> Option<Arc<Conversation>> {
        self.conversations.find(id)
    }

    pub fn find_or_create(&self, id: &str) -> Arc<Conversation> {
        self.conversations.find_or_create(id, || {
            let workspace = Workspace::new(self.options.storage_limit);
            Conversation::new(id.to_owned(), workspace)
        })
    }

    /// The names and descriptions of the secrets.
    pub fn secrets_without_values(&self) -> Value {
        let secrets = lock(&self.secrets);
        let shown = |(name, description)| json!({"name": name, "description": description});
        secrets.iter().map(shown).collect()
    }

    /// Starts the agent of a stopped conversation; if too many are running, the oldest is stopped.
    pub async fn start(&self, conversation: &Arc<Conversation>, initial: Option<(String, Value)>) {
        let oldest = {
            let mut running = lock(&self.running);
            if conversation.status() != Status::Stopped {
                return;
            }
            let full = running.len() >= self.options.max_concurrent_conversations.max(1);
            let oldest = full.then(|| running.remove(0));
            running.push(conversation.id.clone());
            conversation.set_status(Status::Starting);
            oldest
        };
        if let Some(oldest) = oldest.and_then(|id| self.find(&id)) {
            let id = "AGENT_ERROR$TOO_MANY_CONVERSATIONS";
            let message = "Too many conversations at once. If you are still using this one, try reactivating it by prompting the agent to continue";
            oldest.send(&event::status("error", id, message));
            self.stop(&oldest).await;
        }
        if self.armed.no_runtime() {
            let conversation = conversation.clone();
            self.tasks.spawn(async move {
                // Long enough for waiting clients to have joined: the failure is sent only once.
                tokio::time::sleep(Duration::from_secs(1)).await;
                conversation.send(&json!({"error": true, "message": "Failed to create agent session: RetryError"}));
            });
            return;
        }
        let (sender, inbox) = mpsc::unbounded_channel();
        let agent = Agent::new(self, conversation.clone(), initial);
        agent.announce();
        conversation.set_agent(Some(sender));
        let ended = self.ended.clone();
        let running = async move { ended.run_until_cancelled(agent.run(inbox)).await };
        self.tasks.spawn(running);
    }

    /// Stops a conversation: its sockets first, so that they never see the final state.
    pub async fn stop(&self, conversation: &Conversation) {
        conversation.close_room();
        lock(&self.running).retain(|id| *id != conversation.id);
        let agent = conversation.agent();
        conversation.set_agent(None);
        let (done, stopped) = oneshot::channel();
        if agent.is_some_and(|agent| agent.send(AgentMessage::Stop(done)).is_ok()) {
            // An error means that the agent is gone already.
            let _ = stopped.await;
        }
        conversation.set_status(Status::Stopped);
    }

    /// Drops all sockets without a close frame.
    pub fn drop_sockets(&self) {
        self.drops.send_modify(|count| *count += 1);
    }

    /// Stops all tasks and waits for them, up to a time limit.
    pub async fn end(&self) {
        self.ended.cancel();
        self.tasks.close();
        let all = self.tasks.wait();
        let ended = tokio::time::timeout(Duration::from_secs(5), all).await;
        if ended.is_err() {
            tracing::warn!("a task of the rehearsal server did not end");
        }
    }
}

impl Server for World {
    fn stats(&self) -> Stats {
        self.conversations.stats(&self.tally)
    }

    /// No sockets and no agents are left, only stored events.
    fn restart(&self, memory: Memory) {
        self.drop_sockets();
        lock(&self.running).clear();
        for conversation in self.conversations.all() {
            conversation.set_agent(None);
            conversation.set_status(Status::Stopped);
            conversation.rewrite(|events| match memory {
                Memory::All => {}
                Memory::First(count) => events.truncate(count),
                Memory::Renumbered(by) => {
                    for number in events.iter_mut().map(Arc::make_mut).flat_map(numbers) {
                        *number = (number.as_i64().unwrap_or(0) + by).into();
                    }
                }
            });
        }
    }

    fn send_garbage(&self, frame: Option<&str>) {
        let frame = frame.unwrap_or("42[\"oh_event\",{\"id\":");
        for conversation in self.conversations.open() {
            conversation.tell_sockets(&Out::Raw(frame.into()));
        }
    }

    fn append_huge_event(&self, bytes: usize) {
        let (content, extras) = ("x".repeat(bytes), json!({"error_id": ""}));
        let huge = event::observation("error", "A huge event.", content, extras);
        for conversation in self.conversations.open() {
            conversation.append(huge.clone());
        }
    }
}

/// The ids in an event: its own and its cause's.
fn numbers(event: &mut Value) -> impl Iterator<Item = &mut Value> {
    let fields = event.as_object_mut().into_iter().flatten();
    let ids = fields.filter(|(name, _)| *name == "id" || *name == "cause");
    ids.map(|(_, value)| value)
}
