//! What the doors of one 1.x server share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::super::faults::{Fault, Memory};
use super::super::script::Script;
use super::super::stats::Stats;
use super::super::workspace::Workspace;
use super::super::world::{World, lock};
use super::agent;
use super::conversation::{Beginning, Conversation};

/// Where conversations work that were given no folder.
pub const HOME: &str = "/workspace";

/// All state of a server. Options, faults, counters and the end of it are those of every rehearsal.
pub struct Stage {
    pub world: Arc<World>,
    /// `agent_settings` and `conversation_settings`.
    pub settings: Mutex<Value>,
    /// Secrets by name, with their descriptions. Their values are not kept: nothing here could use them.
    pub secrets: Mutex<BTreeMap<String, String>>,
    /// In the order of their creation.
    conversations: Mutex<Vec<Arc<Conversation>>>,
}

impl Stage {
    /// A server without conversations. Its own rule is that what is dangerous waits.
    pub fn new(world: Arc<World>) -> Self {
        let key = world.options.settings_stored.then_some("**********");
        let settings = json!({
            "agent_settings": {
                "schema_version": 1, "agent": "CodeActAgent",
                "llm": {"model": super::snapshot::MODEL, "api_key": key, "base_url": null, "usage_id": "default"},
                "tools": [{"name": "terminal"}, {"name": "file_editor"}, {"name": "task_tracker"}],
                "mcp_config": {}, "condenser": {"enabled": true, "max_size": 240},
            },
            "conversation_settings": {
                "schema_version": 1, "confirmation_mode": true, "security_analyzer": "llm", "max_iterations": 500,
            },
        });
        Self {
            world,
            settings: Mutex::new(settings),
            secrets: Mutex::default(),
            conversations: Mutex::default(),
        }
    }

    /// A new id in the shape of a UUID.
    pub fn uuid(world: &World) -> String {
        let hex = world.new_id();
        format!(
            "{}-{}-4{}-a{}-{}",
            &hex[..8],
            &hex[8..12],
            &hex[13..16],
            &hex[17..20],
            &hex[20..]
        )
    }

    /// All conversations, the oldest first.
    pub fn conversations(&self) -> Vec<Arc<Conversation>> {
        lock(&self.conversations).clone()
    }

    /// One conversation; ids are known with and without dashes.
    pub fn find(&self, id: &str) -> Option<Arc<Conversation>> {
        let plain = id.replace('-', "");
        let all = lock(&self.conversations);
        all.iter()
            .find(|one| one.id.replace('-', "") == plain)
            .cloned()
    }

    /// Makes a conversation as `body` says.
    pub fn create(&self, body: &Value) -> Arc<Conversation> {
        let id = match body["conversation_id"].as_str() {
            Some(id) => id.to_owned(),
            None => Self::uuid(&self.world),
        };
        let folder = body["workspace"]["working_dir"].as_str();
        let folder = folder.map_or_else(
            || format!("{HOME}/{id}"),
            |path| path.trim_end_matches('/').to_owned(),
        );
        let (policy, analyzer) = self.rules(body);
        let world = self.world.clone();
        let beginning = Beginning {
            id,
            folder,
            policy,
            analyzer,
            tags: match &body["tags"] {
                Value::Null => json!({}),
                tags => tags.clone(),
            },
            workspace: Workspace::new(world.options.storage_limit),
        };
        let conversation = Arc::new(Conversation::new(beginning, move || Self::uuid(&world)));
        lock(&self.conversations).push(conversation.clone());
        conversation
    }

    /// What is held back: as the request says, else as the settings say.
    fn rules(&self, body: &Value) -> (Value, Value) {
        let settings = lock(&self.settings);
        let stored = &settings["conversation_settings"];
        let asks = stored["confirmation_mode"] == true;
        let judged = stored["security_analyzer"] == "llm";
        let policy = match &body["confirmation_policy"] {
            Value::Null if asks && judged => {
                json!({"kind": "ConfirmRisky", "threshold": "HIGH", "confirm_unknown": false})
            }
            Value::Null if asks => json!({"kind": "AlwaysConfirm"}),
            Value::Null => json!({"kind": "NeverConfirm"}),
            policy => policy.clone(),
        };
        let analyzer = match &body["security_analyzer"] {
            Value::Null if judged => json!({"kind": "LLMSecurityAnalyzer"}),
            analyzer => analyzer.clone(),
        };
        (policy, analyzer)
    }

    /// A copy of a conversation that goes its own way.
    pub fn fork(&self, of: &Conversation, title: Option<&str>) -> Arc<Conversation> {
        let body = json!({"workspace": {"working_dir": of.folder}});
        let copy = self.create(&body);
        copy.copy_of(of);
        copy.rename(title, None);
        copy
    }

    /// Forgets a conversation. Its sockets are not told: they go silent.
    pub async fn delete(&self, conversation: &Conversation) {
        agent::interrupt(conversation).await;
        lock(&self.conversations).retain(|one| one.id != conversation.id);
    }

    /// How many runs are under way.
    pub fn runs(&self) -> usize {
        let all = lock(&self.conversations);
        all.iter().filter(|one| one.run().is_some()).count()
    }

    /// The counters.
    pub fn stats(&self) -> Stats {
        let mut stats = self.world.tally.snapshot();
        let all = lock(&self.conversations);
        stats.sockets = all
            .iter()
            .map(|one| (one.id.clone(), one.sockets()))
            .collect();
        stats
    }

    /// Makes something go wrong.
    pub fn inject(&self, fault: &Fault) {
        if self.world.armed.arm(fault) {
            return;
        }
        match fault {
            Fault::Restart { memory } => self.restart(*memory),
            Fault::GarbageFrame { frame } => {
                let frame = frame.as_deref().unwrap_or("{\"type\":\"durable\",\"seq\":");
                self.each_open(|one| one.tell_raw(frame));
            }
            Fault::HugeEvent { bytes } => self.each_open(|one| {
                one.append(json!({"kind": "ConversationErrorEvent", "source": "environment", "code": "Huge",
                    "detail": "x".repeat(*bytes),
                    "classification": {"kind": "internal", "retryable": false, "user_action": "none"}}));
            }),
            _ => self.world.inject(fault),
        }
    }

    fn each_open(&self, act: impl Fn(&Conversation)) {
        let all = self.conversations();
        all.iter()
            .filter(|one| one.sockets() > 0)
            .for_each(|one| act(one));
    }

    /// As if the process had died and come back: what ran has failed, and says so.
    pub fn restart(&self, memory: Memory) {
        self.world.drops.send_modify(|count| *count += 1);
        for conversation in self.conversations() {
            if let Memory::First(count) = memory {
                conversation.rewrite(|events| events.truncate(count));
            }
            agent::recover(&conversation);
            lock(&conversation.plan).script = Script::new([]);
        }
    }
}
