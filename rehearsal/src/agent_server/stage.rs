//! The state shared by the interfaces of one 1.x server.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use uuid::Uuid;

use super::snapshot::{MODEL, Standing, default_tools};
use super::{conversation::Conversation, ending, translate};
use crate::faults::Memory;
use crate::sync::lock;
use crate::world::World;
use crate::{
    Dialect, Server, clock, conversations::Conversations, embedded, script::Script, stats::Stats,
    workspace::Workspace,
};

/// The parent of working directories, for conversations created without one.
pub const HOME: &str = "/workspace";

/// All state of a server, except what both dialects share in `World`: options, secrets, faults, counters, shutdown.
pub struct Stage {
    pub world: Arc<World>,
    /// `agent_settings` and `conversation_settings`.
    pub settings: Mutex<Value>,
    pub conversations: Conversations<Conversation>,
}

impl Stage {
    /// A server without conversations. By default, actions of high risk need approval.
    pub fn new(world: Arc<World>) -> Self {
        let mut settings: Value = embedded(include_str!("settings.json"));
        if world.options.settings_stored {
            settings["agent_settings"]["llm"]["api_key"] = "**********".into();
        }
        Self {
            world,
            settings: Mutex::new(settings),
            conversations: Conversations::default(),
        }
    }

    /// Whether it plays the 1.34 of an app server's sandboxes, which has no session socket.
    pub fn is_old(&self) -> bool {
        self.world.options.dialect == Dialect::AppServer
    }

    /// One conversation; ids may be written with or without dashes.
    pub fn find(&self, id: &str) -> Option<Arc<Conversation>> {
        let plain = id.replace('-', "");
        let mut all = self.conversations.all().into_iter();
        all.find(|one| one.id.replace('-', "") == plain)
    }

    pub fn create(&self, body: &Value) -> Arc<Conversation> {
        let id = match body["conversation_id"].as_str() {
            Some(id) => id.to_owned(),
            None => Uuid::new_v4().to_string(),
        };
        let folder = body["workspace"]["working_dir"].as_str();
        let folder = match folder {
            Some(path) => path.trim_end_matches('/').to_owned(),
            None => format!("{HOME}/{id}"),
        };
        let (policy, analyzer) = self.rules(body);
        let agent = match &body["agent_settings"] {
            Value::Null => lock(&self.settings)["agent_settings"].clone(),
            agent => agent.clone(),
        };
        let (tools, acp) = match agent["agent_kind"] == "acp" {
            true => (json!([]), agent),
            false if agent["tools"].is_null() => (default_tools(), Value::Null),
            false => (agent["tools"].clone(), Value::Null),
        };
        let now = clock::utc();
        let standing = Standing {
            id,
            folder,
            status: "idle".to_owned(),
            policy,
            analyzer,
            model: MODEL,
            tools,
            secrets: match &body["secrets"] {
                Value::Null => json!({}),
                secrets => secrets.clone(),
            },
            acp,
            tags: match &body["tags"] {
                Value::Null => json!({}),
                tags => tags.clone(),
            },
            created_at: now.clone(),
            updated_at: now,
            ..Standing::default()
        };
        let workspace = Workspace::new(self.world.options.storage_limit);
        let id = standing.id.clone();
        let create = || Conversation::new(standing, workspace);
        self.conversations.find_or_create(&id, create)
    }

    /// Approval policy and analyzer: from the request, or else from the settings.
    fn rules(&self, body: &Value) -> (Value, Value) {
        let settings = lock(&self.settings);
        let stored = &settings["conversation_settings"];
        let asks = stored["confirmation_mode"] == true;
        let judged = stored["security_analyzer"] == "llm";
        let policy = match &body["confirmation_policy"] {
            Value::Null if asks && judged => {
                json!({"kind": "ConfirmRisky", "threshold": "HIGH", "confirm_unknown": true})
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

    /// An independent copy of a conversation, of all or of its events to the one with the id `upto`; `None` if there is no
    /// such event.
    pub fn fork(
        &self,
        of: &Conversation,
        title: Option<&str>,
        upto: Option<&str>,
    ) -> Option<Arc<Conversation>> {
        let is_known = |id: &str| of.events().iter().any(|event| event["id"] == id);
        if !upto.is_none_or(is_known) {
            return None;
        }
        let body = json!({"workspace": {"working_dir": of.folder}});
        let copy = self.create(&body);
        copy.copy_of(of, upto);
        copy.rename(title, None);
        Some(copy)
    }

    /// Deletes a conversation. Its sockets are not closed: they go silent.
    pub async fn delete(&self, conversation: &Conversation) {
        ending::interrupt(conversation).await;
        self.conversations.remove(&conversation.id);
    }

    pub fn runs(&self) -> usize {
        let all = self.conversations.all();
        all.iter().filter(|one| one.run().is_some()).count()
    }
}

impl Server for Stage {
    fn stats(&self) -> Stats {
        self.conversations.stats(&self.world.tally)
    }

    /// Running calls fail with an error event.
    fn restart(&self, memory: Memory) {
        self.world.drop_sockets();
        for conversation in self.conversations.all() {
            if let Memory::First(count) = memory {
                conversation.rewrite(|events| events.truncate(count));
            }
            ending::recover(&conversation);
            lock(&conversation.plan).script = Script::default();
        }
    }

    fn send_garbage(&self, frame: Option<&str>) {
        let frame = frame.unwrap_or("{\"type\":\"durable\",\"seq\":");
        for conversation in self.conversations.open() {
            conversation.tell_raw(frame);
        }
    }

    fn append_huge_event(&self, bytes: usize) {
        let detail = "x".repeat(bytes);
        let huge = translate::error("Huge", &detail, "internal", false, "none");
        for conversation in self.conversations.open() {
            conversation.append(huge.clone());
        }
    }
}
