//! Starting conversations, one at a time.
//!
//! A start is a task at the app server, which answers 200 even if it fails, and takes from seconds to minutes. A user
//! waits a while for it, so that a failure is told where the conversation was to be created; after that the task is
//! followed in the background.

use super::{Directory, dto};
use crate::backend::agent_server::{initial_message, received};
use crate::backend::http::{Call, TimeoutClass};
use crate::backend::json::{entries, text};
use crate::backend::{Answer, BackendError, NewConversation, ReceivedEvent};
use crate::request_id::carried;
use dto::Start;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use uuid::Uuid;

/// How long a user waits for the start.
const START_TIMEOUT: Duration = Duration::from_secs(25);
/// How long a start keeps the next one waiting: the app server itself gives a sandbox two minutes.
const LONGEST: Duration = Duration::from_secs(300);

/// Delay before a start is asked about for the first time, doubled with each time.
const FIRST_POLL: Duration = Duration::from_millis(100);

const TASKS: [&str; 4] = ["api", "v1", "app-conversations", "start-tasks"];

impl Directory {
    /// Starts a conversation with an id of ours, which names it before the app server lists it.
    pub(super) async fn create(self: &Arc<Self>, new: NewConversation) -> Answer<String> {
        let id = Uuid::new_v4().to_string();
        let mut body = json!({
            "conversation_id": id,
            "system_message_suffix": new.instructions,
            "selected_repository": new.repository,
            "selected_branch": new.branch,
        });
        if let Some(message) = initial_message(&new) {
            body["initial_message"] = message;
        }
        let turn = Arc::clone(&self.starting).lock_owned().await;
        let call = Call::new(Method::POST, &TASKS[..3]).json(body);
        let task = self.rest.json(call.within(TimeoutClass::Slow)).await?;
        let directory = Arc::clone(self);
        let started = tokio::spawn(carried(async move {
            let _turn = turn;
            directory.started(task).await
        }));
        let outcome = timeout(START_TIMEOUT, started).await;
        self.rest.forget();
        match outcome {
            Ok(Ok(Start::Failed(why))) => Err(BackendError::Refused(why)),
            // Under way: the conversation's own state tells the rest.
            _ => Ok(id),
        }
    }

    /// Waits for the agent-server of a new conversation, and compares when it asks for approval.
    pub(super) async fn keep_promise(&self, id: &str) -> Answer<Option<String>> {
        let settings = self.settings().await?;
        let until = Instant::now() + LONGEST;
        while Instant::now() < until {
            self.listed(id).await?;
            if let Some(agent) = self.sandboxes.agent(id) {
                return agent.keep_promise_of(id, &settings).await;
            }
            sleep(self.poll).await;
        }
        Ok(None)
    }

    /// Waits for the end of a start.
    async fn started(&self, mut task: Value) -> Start {
        let until = Instant::now() + LONGEST;
        let id = text(&task["id"]);
        let mut wait = FIRST_POLL;
        loop {
            let state = dto::start(&task);
            if !matches!(state, Start::UnderWay(_)) || Instant::now() > until {
                return self.without_keys(state);
            }
            sleep(wait).await;
            wait = (wait * 2).min(self.poll);
            let call = Call::get(&TASKS).query("ids", &*id);
            // What cannot be asked now is asked again.
            let answer = self.rest.json(call).await.ok();
            let found = answer.as_ref().and_then(|tasks| entries(tasks).next());
            task = found.cloned().unwrap_or_default();
        }
    }

    /// The newest start of a conversation that is not listed; `None` if there is none.
    ///
    /// A task gets the conversation's id when it is ready. Until then, and if it fails, only its request has the id, for
    /// which the server cannot search: the newest tasks are looked through.
    pub(super) async fn start_of(&self, id: &str) -> Answer<Option<(Start, Value)>> {
        let path = [&TASKS[..], &["search"]].concat();
        let newest = Call::get(&path)
            .query("sort_order", "CREATED_AT_DESC")
            .query("limit", "100");
        let found = self.rest.json(newest).await?;
        let mut task = entries(&found["items"])
            .find(|task| dto::is_start_of(task, id))
            .cloned();
        if task.is_none() {
            let of_id = Call::get(&path)
                .query("conversation_id__eq", id)
                .query("limit", "1");
            let found = self.rest.json(of_id).await?;
            task = entries(&found["items"]).next().cloned();
        }
        Ok(task.map(|task| (self.without_keys(dto::start(&task)), task)))
    }

    /// Errors of a start quote requests: what they may say of a key is taken out.
    fn without_keys(&self, state: Start) -> Start {
        match state {
            Start::Failed(why) => Start::Failed(self.sandboxes.without_keys(why)),
            state => state,
        }
    }
}

/// The failure of a start, as the only event of its conversation.
pub(super) fn failure(task: &Value, why: &str) -> ReceivedEvent {
    let event = json!({
        "id": task["id"],
        "kind": "ConversationErrorEvent",
        "source": "environment",
        "timestamp": task["updated_at"],
        "code": "StartFailed",
        "detail": why,
    });
    received(event, None, None)
}
