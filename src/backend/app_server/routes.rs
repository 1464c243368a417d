//! Requests for whole conversations (`docs/protocol/app-server.md` section 4).

use super::dto::{self, Listed, Start};
use super::{AppServer, Directory, copy, live_stream, starts};
use crate::backend::http::{Call, LIST_FRESH, TimeoutClass, conversation_id};
use crate::backend::json::{take_list, text};
use crate::backend::{
    Answer, BackendError, ConversationApi, ConversationInfo, ConversationPage, HistoryPage,
    LiveStream, NewConversation, ResumePoint, Runtime,
};
use crate::conversation::{ModelCall, Policy};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;

/// How long a sandbox that is to be paused waits for its agent's interruption, which the agent-server confirms late
/// while the app server does not take its reports.
const BEFORE_PAUSE: Duration = Duration::from_secs(5);

/// What the app server knows of a conversation.
enum Found {
    Listed(Box<Listed>),
    /// A start that is under way or has failed, and its task.
    Start(Start, Value),
    Nothing,
}

impl Directory {
    /// A conversation as the app server lists it, at most a second old.
    pub(super) async fn listed(&self, id: &str) -> Answer<Option<Listed>> {
        let call = Call::get(&["api", "v1", "app-conversations"]);
        let call = call.query("ids", conversation_id(id)?);
        let found = self.rest.shared(call, LIST_FRESH).await?;
        let listed = found.get(0).and_then(dto::listed);
        let mut listed = listed.filter(|listed| listed.info.id == id);
        match &mut listed {
            Some(listed) => self.sandboxes.take(listed),
            None => self.sandboxes.forget(id),
        }
        Ok(listed)
    }

    /// Finds a conversation, or its start if it is not listed.
    async fn find(&self, id: &str) -> Answer<Found> {
        if let Some(listed) = self.listed(id).await? {
            return Ok(Found::Listed(Box::new(listed)));
        }
        match self.start_of(id).await? {
            // Its start may have ended between the two requests. The task of a deleted conversation stays.
            Some((Start::Ready, _)) => {
                self.rest.forget();
                let listed = self.listed(id).await?;
                Ok(listed.map_or(Found::Nothing, |listed| Found::Listed(Box::new(listed))))
            }
            Some((start, task)) => Ok(Found::Start(start, task)),
            None => Ok(Found::Nothing),
        }
    }

    /// A conversation, or its start if that is not over.
    async fn conversation(&self, id: &str) -> Answer<Option<ConversationInfo>> {
        let (start, task) = match self.find(id).await? {
            Found::Listed(listed) => return Ok(Some(listed.info)),
            Found::Start(start, task) => (start, task),
            Found::Nothing => return Ok(None),
        };
        Ok(Some(ConversationInfo {
            id: id.to_owned(),
            runtime: match start {
                Start::UnderWay(runtime) => runtime,
                Start::Failed(_) | Start::Ready => Runtime::Error,
            },
            runtime_word: text(&task["status"]),
            ..ConversationInfo::default()
        }))
    }

    fn call(method: Method, id: &str, end: &[&str]) -> Answer<Call> {
        let path = [
            &["api", "v1", "app-conversations", conversation_id(id)?],
            end,
        ]
        .concat();
        Ok(Call::new(method, &path).missing("this conversation"))
    }

    /// Changes a conversation.
    async fn change(&self, method: Method, id: &str, end: &[&str], body: Value) -> Answer<()> {
        let call = Self::call(method, id, end)?.within(TimeoutClass::Slow);
        let call = match body {
            Value::Null => call,
            body => call.json(body),
        };
        self.rest.json(call).await?;
        self.rest.forget();
        Ok(())
    }

    /// Pauses or resumes the sandbox of a conversation, with all conversations in it.
    async fn steer(&self, id: &str, order: &str) -> Answer<()> {
        self.rest.forget();
        let listed = self.listed(id).await?;
        let listed =
            listed.ok_or_else(|| BackendError::NotFound("this conversation".to_owned()))?;
        if listed.info.runtime == Runtime::Gone {
            let gone = "its sandbox no longer exists, so the agent cannot continue. The history stays readable";
            return Err(BackendError::Refused(gone.to_owned()));
        }
        let sandbox = conversation_id(&listed.place.sandbox)?;
        let path = ["api", "v1", "sandboxes", sandbox, order];
        let call = Call::new(Method::POST, &path).missing("the sandbox of this conversation");
        self.rest.json(call.within(TimeoutClass::Slow)).await?;
        self.rest.forget();
        // Connections to a paused sandbox end with this.
        self.listed(id).await.map(drop)
    }
}

#[async_trait]
impl ConversationApi for AppServer {
    async fn conversations(&self, page: Option<String>) -> Answer<ConversationPage> {
        self.directory.learn_agent().await;
        let call = Call::get(&["api", "v1", "app-conversations", "search"])
            .query("limit", "100")
            .query("page_id", page.as_deref());
        let mut answer = self.directory.rest.json(call).await?;
        // An older answer about one of them must not overrule this one.
        self.directory.rest.forget();
        let items = take_list(&mut answer, "items")?;
        let all = items.len();
        let listed = items.iter().filter_map(dto::listed);
        let results: Vec<_> = listed
            .map(|mut listed| {
                self.directory.sandboxes.take(&mut listed);
                listed.info
            })
            .collect();
        Ok(ConversationPage {
            left_out: all - results.len(),
            results,
            next: answer["next_page_id"].as_str().map(str::to_owned),
            ..ConversationPage::default()
        })
    }

    async fn conversation(&self, id: &str) -> Answer<Option<ConversationInfo>> {
        self.directory.conversation(id).await
    }

    async fn model_calls(&self, id: &str) -> Answer<Vec<ModelCall>> {
        self.agent(id).await?.model_calls(id).await
    }

    async fn create(&self, new: NewConversation) -> Answer<String> {
        self.directory.create(new).await
    }

    async fn keep_promise(&self, id: &str) -> Answer<Option<String>> {
        self.directory.keep_promise(id).await
    }

    /// Resumes a paused sandbox. One that is gone cannot be started: a start under the old id would be an agent
    /// without memory.
    async fn start(&self, id: &str) -> Answer<()> {
        self.directory.steer(id, "resume").await
    }

    /// Interrupts the agent, which otherwise would be frozen in the middle of a request, and pauses its sandbox.
    async fn stop(&self, id: &str) -> Answer<()> {
        if let Some(agent) = self.directory.sandboxes.agent(id) {
            let interrupted = timeout(BEFORE_PAUSE, agent.interrupt(id)).await;
            if let Ok(Err(error)) = interrupted {
                tracing::info!(conversation = id, %error, "the agent was paused without an interruption");
            }
        }
        self.directory.steer(id, "pause").await
    }

    async fn ask(&self, id: &str, question: &str) -> Answer<String> {
        self.agent(id).await?.ask(id, question).await
    }

    async fn set_policy(&self, id: &str, policy: Policy) -> Answer<()> {
        self.agent(id).await?.set_policy(id, policy).await
    }

    async fn set_analyzer(&self, id: &str, analyzer: Option<String>) -> Answer<()> {
        self.agent(id).await?.set_analyzer(id, analyzer).await
    }

    async fn switch_profile(&self, id: &str, name: &str) -> Answer<()> {
        let body = json!({ "profile_name": name });
        let end = ["switch_profile"];
        self.directory.change(Method::POST, id, &end, body).await
    }

    async fn rename(&self, id: &str, title: &str) -> Answer<()> {
        let body = json!({ "title": title.trim() });
        self.directory.change(Method::PATCH, id, &[], body).await
    }

    /// The app server deletes the sandbox, too, if no other conversation is in it, and answers nobody meanwhile.
    async fn delete(&self, id: &str) -> Answer<()> {
        let deleted = self.directory.change(Method::DELETE, id, &[], Value::Null);
        deleted.await
    }

    /// From the agent-server while it runs, else from the app server's copy.
    async fn history(&self, id: &str, resume: ResumePoint) -> Answer<HistoryPage> {
        let listed = match self.directory.find(id).await? {
            Found::Listed(listed) => listed,
            Found::Start(Start::Failed(why), task) => {
                return Ok(HistoryPage {
                    events: vec![starts::failure(&task, &why)],
                    ..HistoryPage::default()
                });
            }
            _ => return Err(BackendError::NotFound("this conversation".to_owned())),
        };
        match self.directory.sandboxes.agent(id) {
            Some(agent) => agent.history(id, resume).await,
            None => {
                let key = self.directory.sandboxes.key(id);
                let rest = &self.directory.rest;
                copy::history(rest, &listed.info, key.as_deref(), resume).await
            }
        }
    }

    fn hold(&self, id: &str, stream: LiveStream) -> BoxFuture<'static, ()> {
        stream.run_checked(id, |id, stream| {
            live_stream::hold(self.directory.clone(), id, stream)
        })
    }
}
