//! Requests for whole conversations (`docs/protocol/v0.md` section 8).

use super::events::Events;
use super::stored::conversation;
use super::{OpenHands, dto, supervisor};
use crate::backend::http::{Call, LIST_FRESH, TimeoutClass, alive, created, error_text};
use crate::backend::json::or_null;
use crate::backend::losses;
use crate::backend::{
    Answer, BackendError, ConversationApi, ConversationInfo, ConversationPage, HistoryPage,
    LiveStream, NewConversation, ResumePoint, Runtime,
};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use reqwest::Method;
use serde_json::{Value, json};

const CONVERSATIONS: [&str; 2] = ["api", "conversations"];

#[async_trait]
impl ConversationApi for OpenHands {
    async fn conversations(&self, page: Option<String>) -> Answer<ConversationPage> {
        let call = Call::get(&CONVERSATIONS).query("limit", "20");
        let call = call.query("page_id", page.as_deref());
        let answer = self.rest.shared(call, LIST_FRESH).await?;
        Ok(dto::conversations(&answer))
    }

    async fn conversation(&self, id: &str) -> Answer<Option<ConversationInfo>> {
        conversation(&self.rest, id).await
    }

    /// Returns while the sandbox is still starting.
    async fn create(&self, new: NewConversation) -> Answer<String> {
        // Creation may take a minute; check first that the server is reachable.
        alive(&self.rest).await?;
        let images = Some(new.images).filter(|images| !images.is_empty());
        let fields = [
            ("initial_user_msg", or_null(&new.message)),
            ("image_urls", json!(images)),
            ("repository", json!(new.repository)),
            ("selected_branch", json!(new.branch)),
            ("conversation_instructions", json!(new.instructions)),
        ];
        // The server rejects unknown fields but allows missing ones, so only given values are sent.
        let given = fields.into_iter().filter(|(_, value)| !value.is_null());
        let call = Call::new(Method::POST, &CONVERSATIONS).json(given.collect());
        let answer = self.rest.json(call.within(TimeoutClass::Slow)).await?;
        self.rest.forget();
        created(&answer["conversation_id"], "a new conversation")
    }

    /// A sandbox that failed to start is "starting" forever in 0.62, and ignores further starts: it is stopped first.
    async fn start(&self, id: &str) -> Answer<()> {
        let info = conversation(&self.rest, id).await?;
        if info.is_some_and(|info| info.runtime == Runtime::Starting) {
            self.stop(id).await?;
        }
        let body = json!({ "providers_set": [] });
        self.command(id, "start", body).await
    }

    /// The server first disconnects all clients of the conversation.
    async fn stop(&self, id: &str) -> Answer<()> {
        self.command(id, "stop", json!({})).await
    }

    async fn rename(&self, id: &str, title: &str) -> Answer<()> {
        let title = title.trim();
        if title.is_empty() || title.chars().count() > 200 {
            let why = "A title must have 1 to 200 characters.";
            return Err(BackendError::invalid(why));
        }
        let call = Call::conversation(Method::PATCH, id, &[])?;
        self.rest.json(call.json(json!({ "title": title }))).await?;
        self.rest.forget();
        Ok(())
    }

    /// 0.62 may fail on a running conversation, so it is stopped first, and the deletion is retried once.
    async fn delete(&self, id: &str) -> Answer<()> {
        let info = conversation(&self.rest, id).await?;
        if info.is_some_and(|info| matches!(info.runtime, Runtime::Starting | Runtime::Running)) {
            self.stop(id).await?;
        }
        let call = || Call::conversation(Method::DELETE, id, &[]);
        let mut answer = self.rest.json(call()?.within(TimeoutClass::Slow)).await;
        if let Err(BackendError::Unexpected(_) | BackendError::Refused(_)) = answer {
            answer = self.rest.json(call()?.within(TimeoutClass::Slow)).await;
        }
        self.rest.forget();
        match answer? {
            Value::Bool(false) => Err(BackendError::NotFound("this conversation".to_owned())),
            _ => Ok(()),
        }
    }

    async fn history(&self, id: &str, resume: ResumePoint) -> Answer<HistoryPage> {
        let events = Events::of(self.rest.clone(), id, resume.offset);
        match losses::page(&events, &resume).await? {
            Some(notice) => Ok(notice),
            None => events.after(resume.after.max(resume.offset.since)).await,
        }
    }

    fn hold(&self, id: &str, stream: LiveStream) -> BoxFuture<'static, ()> {
        let (rest, timing) = (self.rest.clone(), self.timing.clone());
        stream.run_checked(id, |id, stream| supervisor::hold(rest, id, timing, stream))
    }
}

impl OpenHands {
    /// Starts or stops a sandbox. Errors: `{"status": "error"}`, which the server also sends with a success status.
    async fn command(&self, id: &str, route: &str, body: Value) -> Answer<()> {
        let call = Call::conversation(Method::POST, id, &[route])?.json(body);
        let answer = self.rest.json(call.within(TimeoutClass::Slow)).await?;
        self.rest.forget();
        if answer["status"] == "error" {
            let why = error_text(&answer).unwrap_or_else(|| "no reason given".to_owned());
            return Err(BackendError::Refused(why));
        }
        Ok(())
    }
}
