//! Requests for whole conversations (`docs/protocol/v1.md` section 4).

use super::orders::CommandSender;
use super::{AgentServer, Server, dto, events, supervisor};
use crate::backend::error::if_found;
use crate::backend::http::{
    Call, LIST_FRESH, OPTIONS_FRESH, TimeoutClass, alive, conversation_id, created,
};
use crate::backend::json::numbers;
use crate::backend::{
    Answer, BackendError, ConversationApi, ConversationInfo, ConversationPage, HistoryPage,
    LiveStream, NewConversation, ResumePoint,
};
use crate::conversation::{ModelCall, Policy, Tags};
use crate::wire::v1::ServerInfo;
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::{Arc, atomic::Ordering::Relaxed};
use uuid::Uuid;

impl Server {
    /// The server's information about itself; needs no key.
    pub(super) async fn info(&self) -> Answer<ServerInfo> {
        let call = Call::get(&["server_info"]);
        let info = self.rest.shared(call, OPTIONS_FRESH).await?;
        let info: ServerInfo = serde_json::from_value((*info).clone())
            .map_err(|_| BackendError::unexpected("no server information"))?;
        let version = numbers(&info.version);
        let forks_at = version.is_some_and(|version| version >= self.timing.fork_at_since);
        self.forks_at.store(forks_at, Relaxed);
        Ok(info)
    }

    /// Whether the server is older than the session WebSocket with a cursor.
    pub(super) async fn is_old(&self) -> bool {
        let version = self.info().await.map(|info| info.version);
        numbers(&version.unwrap_or_default())
            .is_some_and(|version| version < self.timing.session_since)
    }

    /// The current state of a conversation, uncached.
    pub(super) async fn conversation(&self, id: &str) -> Answer<Value> {
        let call = Call::conversation(Method::GET, id, &[])?;
        self.rest.json(call).await
    }

    /// A conversation's entry in the list; may be cached for a second.
    pub(super) async fn known(&self, id: &str) -> Answer<Option<ConversationInfo>> {
        let call = Call::conversation(Method::GET, id, &[])?;
        let answer = if_found(self.rest.shared(call, LIST_FRESH).await)?;
        Ok(answer.and_then(|answer| dto::conversation((*answer).clone())))
    }

    /// A directory for this conversation in the server's home.
    async fn new_folder(&self, id: &str) -> Answer<String> {
        let call = Call::get(&["api", "file", "home"]);
        let home = self.rest.shared(call, OPTIONS_FRESH).await?;
        let home = home["home"].as_str().unwrap_or("/tmp");
        Ok(format!("{}/conversations/{id}", home.trim_end_matches('/')))
    }

    /// Changes a conversation. May wait for the current step.
    async fn patch(&self, id: &str, change: Value) -> Answer<()> {
        let call = Call::conversation(Method::PATCH, id, &[])?.json(change);
        let _permit = self.locks.take(id).await;
        self.rest.json(call.within(TimeoutClass::Transfer)).await?;
        self.rest.forget();
        Ok(())
    }

    /// Sets what the server sets after the current step.
    pub(super) async fn set(self: &Arc<Self>, id: &str, route: &str, body: Value) -> Answer<()> {
        let sender = self.sender(id)?;
        sender.waiting_for_the_step(route, body).await.map(drop)
    }

    /// Sends commands to a conversation. Errors: an invalid id.
    pub(super) fn sender(self: &Arc<Self>, id: &str) -> Answer<CommandSender> {
        Ok(CommandSender {
            server: self.clone(),
            conversation: conversation_id(id)?.to_owned(),
        })
    }
}

#[async_trait]
impl ConversationApi for AgentServer {
    async fn conversations(&self, page: Option<String>) -> Answer<ConversationPage> {
        if page.is_none() {
            self.server.learn_agent().await;
        }
        self.server.conversations(page).await
    }

    async fn conversation(&self, id: &str) -> Answer<Option<ConversationInfo>> {
        self.server.known(id).await
    }

    async fn model_calls(&self, id: &str) -> Answer<Vec<ModelCall>> {
        Ok(dto::model_calls(self.server.conversation(id).await?))
    }

    async fn keep_promise(&self, id: &str) -> Answer<Option<String>> {
        let settings = self.server.settings().await?;
        self.server.keep_promise(id, &settings).await
    }

    /// Creates a conversation with an id of ours. Whether its model needs a key is the server's business.
    async fn create(&self, new: NewConversation) -> Answer<String> {
        let rest = &self.server.rest;
        // Creation may take a minute; check first that the server is reachable.
        alive(rest).await?;
        let id = Uuid::new_v4().to_string();
        let stored = self.server.settings_for_a_conversation().await?;
        let folder = match &new.folder {
            Some(folder) => folder.clone(),
            None => self.server.new_folder(&id).await?,
        };
        let mut body = json!({ "conversation_id": id, "workspace": { "working_dir": folder } });
        for (key, value) in stored {
            body[key] = value;
        }
        if let Some(instructions) = &new.instructions {
            match &mut body["agent_settings"]["agent_context"] {
                context @ Value::Null => {
                    *context = json!({ "system_message_suffix": instructions })
                }
                Value::Object(context) => {
                    context.insert("system_message_suffix".to_owned(), json!(instructions));
                }
                _ => return Err(BackendError::unexpected("settings with an invalid context")),
            }
        }
        if let Some(message) = dto::initial_message(&new) {
            body["initial_message"] = message;
        }
        let call = Call::new(Method::POST, &["api", "conversations"]).json(body);
        let made = rest.json(call.within(TimeoutClass::Slow)).await?;
        rest.forget();
        created(&made["id"], "a new conversation")
    }

    /// May wait for the current step.
    async fn fork(&self, id: &str, upto: Option<&str>) -> Answer<String> {
        let sender = self.server.sender(id)?;
        let body = match upto {
            Some(event) => json!({ "from_event_id": event }),
            None => json!({}),
        };
        let fork = sender.waiting_for_the_step("fork", body).await?;
        self.server.rest.forget();
        let copy = created(&fork["id"], "a fork")?;
        // A server that knows no such forks copies everything.
        if upto.is_some_and(|event| fork["forked_from_event_id"] != event) {
            self.delete(&copy).await?;
            return Err(BackendError::Unsupported);
        }
        Ok(copy)
    }

    /// Answered even while a tool runs.
    async fn ask(&self, id: &str, question: &str) -> Answer<String> {
        let call = Call::conversation(Method::POST, id, &["ask_agent"])?
            .json(json!({ "question": question }))
            .within(TimeoutClass::Transfer);
        let answer = self.server.rest.json(call).await?;
        let text = answer["response"].as_str().map(str::to_owned);
        text.ok_or_else(|| BackendError::unexpected("no answer"))
    }

    async fn set_policy(&self, id: &str, policy: Policy) -> Answer<()> {
        let body = json!({ "policy": dto::policy(&policy) });
        self.server.set(id, "confirmation_policy", body).await
    }

    async fn set_analyzer(&self, id: &str, analyzer: Option<String>) -> Answer<()> {
        let analyzer = analyzer.map(|kind| json!({ "kind": kind }));
        let body = json!({ "security_analyzer": analyzer });
        self.server.set(id, "security_analyzer", body).await
    }

    async fn switch_profile(&self, id: &str, name: &str) -> Answer<()> {
        let body = json!({ "profile_name": name });
        self.server.set(id, "switch_profile", body).await
    }

    async fn set_tags(&self, id: &str, tags: Tags) -> Answer<()> {
        self.server.patch(id, json!({ "tags": tags })).await
    }

    /// May wait for the current step.
    async fn rename(&self, id: &str, title: &str) -> Answer<()> {
        let change = json!({ "title": title.trim() });
        self.server.patch(id, change).await
    }

    async fn delete(&self, id: &str) -> Answer<()> {
        let call = Call::conversation(Method::DELETE, id, &[])?.within(TimeoutClass::Slow);
        self.server.rest.json(call).await?;
        self.server.rest.forget();
        Ok(())
    }

    async fn history(&self, id: &str, resume: ResumePoint) -> Answer<HistoryPage> {
        events::history(&self.server, id, resume).await
    }

    fn hold(&self, id: &str, stream: LiveStream) -> BoxFuture<'static, ()> {
        stream.run_checked(id, |id, stream| {
            supervisor::hold(self.server.clone(), id, stream)
        })
    }
}
