//! Routes about conversations as a whole, each as one question (`protocol/v1.md` section 4).

use super::orders::Orderly;
use super::{Server, dto};
use crate::backend::http::{
    Body, Call, LIST_FRESH, Missing, OPTIONS_FRESH, Patience, conversation_id,
};
use crate::backend::{BackendError, ConversationInfo, NewConversation, Profile};
use crate::conversation::{Policy, Tags};
use crate::wire::v1::ServerInfo;
use rand::Rng;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) type Answer<T> = Result<T, BackendError>;

const CONVERSATION: Missing = Missing::Thing("this conversation");

impl Server {
    /// What the server says of itself, without a key.
    pub(super) async fn info(&self) -> Answer<ServerInfo> {
        let info = self
            .rest
            .shared(Call::get(&["server_info"]), OPTIONS_FRESH)
            .await?;
        serde_json::from_value((*info).clone())
            .map_err(|_| BackendError::Unexpected("no word about itself".to_owned()))
    }

    /// Whether it is from before the socket with a cursor.
    pub(super) async fn is_old(&self) -> bool {
        let version = self
            .info()
            .await
            .map(|info| info.version)
            .unwrap_or_default();
        let mut numbers = version.split('.').map(str::parse::<u32>);
        matches!((numbers.next(), numbers.next()), (Some(Ok(major)), Some(Ok(minor))) if (major, minor) < self.timing.session_since)
    }

    /// One conversation as it is, asked anew; identical questions at the same time are one.
    pub(super) async fn conversation(&self, id: &str) -> Answer<Value> {
        let path = ["api", "conversations", conversation_id(id)?];
        self.rest
            .json(Call {
                missing: CONVERSATION,
                ..Call::get(&path)
            })
            .await
    }

    /// One conversation for the list.
    pub(super) async fn known(&self, id: &str) -> Answer<Option<ConversationInfo>> {
        let path = ["api", "conversations", conversation_id(id)?];
        let call = Call {
            missing: CONVERSATION,
            ..Call::get(&path)
        };
        match self.rest.shared(call, LIST_FRESH).await {
            Ok(answer) => Ok(dto::conversation((*answer).clone())),
            Err(BackendError::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Makes a conversation with the stored settings; answers its id.
    ///
    /// Its id is ours: a second try after a lost answer makes no second one.
    pub(super) async fn create(&self, new: NewConversation) -> Answer<String> {
        let id = uuid();
        let stored = self.settings_for_a_conversation().await?;
        let folder = match new.folder {
            Some(folder) => folder,
            None => self.new_folder(&id).await?,
        };
        let mut body = json!({ "conversation_id": id, "workspace": { "working_dir": folder } });
        for (key, value) in stored {
            body[key] = value;
        }
        if let Some(instructions) = new.instructions {
            body["agent_settings"]["agent_context"]["system_message_suffix"] = json!(instructions);
        }
        let mut content = Vec::new();
        if !new.message.is_empty() {
            content.push(json!({ "type": "text", "text": new.message }));
        }
        if !new.images.is_empty() {
            content.push(json!({ "type": "image", "image_urls": new.images }));
        }
        if !content.is_empty() {
            // Nothing can wait in a conversation that has just begun.
            body["initial_message"] = json!({ "role": "user", "content": content, "run": true });
        }
        let path = ["api", "conversations"];
        let call = Call {
            patience: Patience::Slow,
            ..Call::send(Method::POST, &path, body)
        };
        let made = self.rest.json(call).await?;
        self.rest.forget();
        match made.get("id").and_then(Value::as_str).map(conversation_id) {
            Some(Ok(id)) => Ok(id.to_owned()),
            _ => Err(BackendError::Unexpected(
                "a new conversation without an id".to_owned(),
            )),
        }
    }

    /// A folder of its own below the server's home.
    async fn new_folder(&self, id: &str) -> Answer<String> {
        let home = self
            .rest
            .shared(Call::get(&["api", "file", "home"]), OPTIONS_FRESH)
            .await?;
        let home = home.get("home").and_then(Value::as_str).unwrap_or("/tmp");
        Ok(format!("{}/conversations/{id}", home.trim_end_matches('/')))
    }

    /// Gives another title. It may wait for the running step.
    pub(super) async fn rename(self: &Arc<Self>, id: &str, title: &str) -> Answer<()> {
        self.patch(id, json!({ "title": title.trim() })).await
    }

    /// Gives other labels. It may wait for the running step.
    pub(super) async fn set_tags(self: &Arc<Self>, id: &str, tags: &Tags) -> Answer<()> {
        self.patch(id, json!({ "tags": tags })).await
    }

    async fn patch(self: &Arc<Self>, id: &str, change: Value) -> Answer<()> {
        let id = conversation_id(id)?;
        let _place = self.locks.take(id).await;
        let path = ["api", "conversations", id];
        self.rest
            .json(Call {
                patience: Patience::Transfer,
                missing: CONVERSATION,
                ..Call::send(Method::PATCH, &path, change)
            })
            .await?;
        self.rest.forget();
        Ok(())
    }

    /// Removes a conversation.
    pub(super) async fn delete(&self, id: &str) -> Answer<()> {
        let path = ["api", "conversations", conversation_id(id)?];
        let call = Call {
            method: Method::DELETE,
            patience: Patience::Slow,
            missing: CONVERSATION,
            ..Call::get(&path)
        };
        self.rest.json(call).await?;
        self.rest.forget();
        Ok(())
    }

    /// Makes a copy that goes its own way. It may wait for the running step.
    pub(super) async fn fork(self: &Arc<Self>, id: &str) -> Answer<String> {
        let fork = self.post(id, "fork", json!({})).await?;
        self.rest.forget();
        match fork.get("id").and_then(Value::as_str).map(conversation_id) {
            Some(Ok(id)) => Ok(id.to_owned()),
            _ => Err(BackendError::Unexpected("a copy without an id".to_owned())),
        }
    }

    /// Asks something beside the work: answered also while a tool runs.
    pub(super) async fn ask(&self, id: &str, question: &str) -> Answer<String> {
        let path = ["api", "conversations", conversation_id(id)?, "ask_agent"];
        let call = Call {
            method: Method::POST,
            body: Body::Json(json!({ "question": question })),
            patience: Patience::Transfer,
            missing: CONVERSATION,
            ..Call::get(&path)
        };
        let answer = self.rest.json(call).await?;
        let text = answer.get("response").and_then(Value::as_str);
        text.map(str::to_owned)
            .ok_or_else(|| BackendError::Unexpected("no answer".to_owned()))
    }

    /// Says when the agent has to ask.
    pub(super) async fn set_policy(self: &Arc<Self>, id: &str, policy: &Policy) -> Answer<()> {
        let body = json!({ "policy": dto::policy(policy) });
        self.post(id, "confirmation_policy", body).await.map(drop)
    }

    /// Says who judges risk.
    pub(super) async fn set_analyzer(
        self: &Arc<Self>,
        id: &str,
        analyzer: Option<String>,
    ) -> Answer<()> {
        let analyzer = analyzer.map(|kind| json!({ "kind": kind }));
        let body = json!({ "security_analyzer": analyzer });
        self.post(id, "security_analyzer", body).await.map(drop)
    }

    /// Models that a conversation can be given.
    pub(super) async fn profiles(&self) -> Answer<Vec<Profile>> {
        let answer = self.rest.json(Call::get(&["api", "profiles"])).await?;
        let profiles = answer.get("profiles").cloned().unwrap_or_default();
        serde_json::from_value(profiles)
            .map_err(|_| BackendError::Unexpected("profiles without name or model".to_owned()))
    }

    /// Gives the model of a profile.
    pub(super) async fn switch_profile(self: &Arc<Self>, id: &str, name: &str) -> Answer<()> {
        let body = json!({ "profile_name": name });
        self.post(id, "switch_profile", body).await.map(drop)
    }

    /// An order that waits for the running step, in its turn.
    async fn post(self: &Arc<Self>, id: &str, route: &str, body: Value) -> Answer<Value> {
        let conversation = conversation_id(id)?.to_owned();
        let orderly = Orderly {
            server: self.clone(),
            conversation,
        };
        orderly.waiting_for_the_step(route, body).await
    }
}

/// A random id as conversations have them.
fn uuid() -> String {
    let hex = format!("{:032x}", rand::rng().random::<u128>());
    format!(
        "{}-{}-4{}-a{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[13..16],
        &hex[17..20],
        &hex[20..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_ids_are_ids() {
        assert!(conversation_id(&uuid()).is_ok());
    }
}
