//! The list of conversations, with addresses and keys of those whose sandbox runs.

use axum::extract::RawQuery;
use axum::routing::patch;

use super::sandboxes::Sandbox;
use super::{Office, Shared, page, plain, starts};
use crate::agent_server::{Conversation, PROFILES, interrupt};
use crate::http::prelude::*;

pub fn routes() -> Router<Arc<Office>> {
    routes! {
        "/api/v1/app-conversations" => get(batch).post(starts::start);
        "/api/v1/app-conversations/search" => get(search);
        "/api/v1/app-conversations/count" => get(count);
        "/api/v1/app-conversations/{id}" => patch(rename).delete(delete);
        "/api/v1/app-conversations/{id}/switch_profile" => post(switch);
    }
}

impl Office {
    /// A conversation as the app server describes it.
    fn told(&self, conversation: &Conversation) -> Value {
        let (standing, sandbox) = (conversation.standing(), self.sandbox(conversation));
        let id = plain(&conversation.id);
        let is_running = sandbox == Sandbox::Running;
        let address = format!(
            "http://localhost:{}/api/conversations/{id}",
            self.agents.port()
        );
        let default_title = format!("Conversation {}", &id[..5]);
        let key = &self.stage.world.options.session_api_key;
        json!({
            "id": id, "created_by_user_id": null, "sandbox_id": id,
            "selected_repository": null, "selected_branch": null, "git_provider": null,
            "title": standing.title.unwrap_or(default_title), "trigger": null, "pr_number": [],
            "llm_model": standing.model, "agent_kind": "openhands",
            "metrics": {"model_name": "default", "accumulated_cost": 0.0, "max_budget_per_task": null,
                "accumulated_token_usage": {"prompt_tokens": 0, "completion_tokens": 0, "cache_read_tokens": 0}},
            "parent_conversation_id": null, "sub_conversation_ids": [], "public": null,
            "tags": {"archiveworkspacepath": standing.folder},
            "created_at": standing.created_at, "updated_at": standing.created_at,
            "sandbox_status": sandbox.word(),
            "execution_status": is_running.then_some(standing.status),
            "conversation_url": is_running.then_some(address),
            "session_api_key": key.as_ref().filter(|_| is_running),
            "acp_server": null, "launched_agent_profile": null,
        })
    }

    /// The listed conversations, the newest first.
    fn listed(&self) -> Vec<Arc<Conversation>> {
        let mut all = self.stage.conversations.all();
        all.retain(|one| !self.is_starting(&one.id));
        all.reverse();
        all
    }

    pub fn find(&self, id: &str) -> Option<Arc<Conversation>> {
        self.stage.find(id).filter(|one| !self.is_starting(&one.id))
    }
}

fn unknown() -> Response {
    detail(StatusCode::NOT_FOUND, "unknown_app_conversation")
}

/// `?ids=a&ids=b`: unknown ids give null.
async fn batch(State(office): Shared, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let ids = query
        .split('&')
        .filter_map(|pair| pair.strip_prefix("ids="));
    let found = ids.map(|id| office.find(id).map(|one| office.told(&one)));
    let found: Vec<_> = found.collect();
    match found.is_empty() {
        true => missing(&["query", "ids"], &Value::Null),
        false => ok(found),
    }
}

async fn search(State(office): Shared, Query(params): Params) -> Response {
    let listed = office.listed();
    page(listed.iter().map(|one| office.told(one)).collect(), &params)
}

async fn count(State(office): Shared) -> Response {
    ok(office.listed().len())
}

async fn rename(State(office): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    let Some(conversation) = office.find(&id) else {
        return unknown();
    };
    let change: Value = serde_json::from_slice(&body).unwrap_or_default();
    conversation.rename(change["title"].as_str(), None);
    ok(office.told(&conversation))
}

async fn delete(State(office): Shared, Path(id): Path<String>) -> Response {
    let Some(conversation) = office.find(&id) else {
        return unknown();
    };
    interrupt(&conversation).await;
    office.stage.delete(&conversation).await;
    ok(json!({"success": true}))
}

async fn switch(State(office): Shared, Path(id): Path<String>, body: Bytes) -> Response {
    let wanted: Value = serde_json::from_slice(&body).unwrap_or_default();
    let mut profiles = PROFILES.iter();
    let known = profiles.find(|(name, _)| wanted["profile_name"] == *name);
    let (Some(conversation), Some((_, model))) = (office.find(&id), known) else {
        return unknown();
    };
    conversation.set_model(model);
    ok(json!({"success": true}))
}
