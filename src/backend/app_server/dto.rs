//! Parses the responses of the app server.

use crate::backend::http::error_text;
use crate::backend::json::{entries, filled, millis, text};
use crate::backend::{ConversationInfo, Runtime};
use crate::conversation::{Body, Status, from_v1, is_id};
use crate::wire::v1;
use serde_json::{Value, json};
use std::fmt;
use uuid::Uuid;

/// What the app server tells of a conversation's sandbox.
#[derive(Clone, Default)]
pub(super) struct Place {
    /// Id of the sandbox; other conversations may be in it, too.
    pub(super) sandbox: String,
    /// Address of the conversation at its agent-server, while that runs.
    pub(super) agent: Option<String>,
    /// Key of the sandbox.
    pub(super) key: Option<String>,
}

/// The key is never printed.
impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Place")
            .field("sandbox", &self.sandbox)
            .finish_non_exhaustive()
    }
}

/// A conversation, and where its agent-server is.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    pub(super) info: ConversationInfo,
    pub(super) place: Place,
}

/// One spelling for an id: the app server writes it without hyphens, the agent-server with them. `None`: not safe in a URL.
pub(super) fn id(value: &Value) -> Option<String> {
    let id = value.as_str()?;
    match Uuid::try_parse(id) {
        Ok(id) => Some(id.hyphenated().to_string()),
        Err(_) => is_id(id).then(|| id.to_owned()),
    }
}

/// Parses a conversation; `None` if it is `null` or its id is not safe in a URL.
pub(super) fn listed(value: &Value) -> Option<Listed> {
    let id = id(&value["id"])?;
    let runtime = match value["sandbox_status"].as_str() {
        Some("RUNNING") => Runtime::Running,
        Some("STARTING") => Runtime::Starting,
        Some("PAUSED") => Runtime::Paused,
        Some("ERROR") => Runtime::Error,
        _ => Runtime::Gone,
    };
    let info = ConversationInfo {
        title: text(&value["title"]),
        runtime,
        runtime_word: text(&value["sandbox_status"]),
        repository: filled(&value["selected_repository"]),
        branch: filled(&value["selected_branch"]),
        created_at: millis(&value["created_at"]),
        updated_at: millis(&value["updated_at"]),
        trigger: text(&value["trigger"]),
        status: status(&value["execution_status"]),
        // The list's cost is that of the last start, pause or interrupt. The events tell the present one.
        cost: None,
        made_from: self::id(&value["parent_conversation_id"]),
        id,
        ..ConversationInfo::default()
    };
    let is_running = runtime == Runtime::Running;
    let place = Place {
        sandbox: text(&value["sandbox_id"]),
        agent: filled(&value["conversation_url"]).filter(|_| is_running),
        key: filled(&value["session_api_key"]),
    };
    Some(Listed { info, place })
}

/// The agent's status; `None` if the sandbox does not run or did not answer in time.
fn status(value: &Value) -> Option<Status> {
    value.as_str()?;
    let info = json!({ "id": "-", "execution_status": value });
    match from_v1::info(&v1::ConversationInfo::read(info)?).body {
        Body::State(state) => state.status,
        _ => None,
    }
}

/// How far the start of a conversation is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Start {
    /// Not over: whether its sandbox is up.
    UnderWay(Runtime),
    Ready,
    Failed(String),
}

/// Whether a start task is about the conversation with this id.
pub(super) fn is_start_of(task: &Value, id: &str) -> bool {
    let ids = [
        &task["app_conversation_id"],
        &task["request"]["conversation_id"],
    ];
    // The server writes ids with and without hyphens.
    let plain = |id: &str| id.replace('-', "");
    let mut known = ids.into_iter().filter_map(Value::as_str);
    known.any(|known| plain(known) == plain(id))
}

/// Reads a start task. A start that fails is no HTTP error: only its task tells.
pub(super) fn start(task: &Value) -> Start {
    match task["status"].as_str() {
        Some("READY") => Start::Ready,
        Some("ERROR") => {
            let why = error_text(task).filter(|_| filled(&task["detail"]).is_some());
            Start::Failed(why.unwrap_or_else(|| unexplained(task).to_owned()))
        }
        Some("WORKING" | "WAITING_FOR_SANDBOX") | None => Start::UnderWay(Runtime::Starting),
        // The repository, its set-up script, hooks, skills, and the agent.
        Some(_) => Start::UnderWay(Runtime::Preparing),
    }
}

/// 1.11 gives no reason if a repository is wanted and no Git provider is set up.
fn unexplained(task: &Value) -> &'static str {
    match filled(&task["request"]["selected_repository"]) {
        Some(_) => {
            "the start failed without a reason. For a repository, its Git provider must be set up in OpenHands; if it is, \
             see the log of OpenHands"
        }
        None => "the start failed without a reason; see the log of OpenHands",
    }
}

/// Names of models, as the settings take them.
pub(super) fn models(page: &Value) -> impl Iterator<Item = String> {
    entries(&page["items"]).filter_map(|model| {
        let name = filled(&model["name"])?;
        Some(match filled(&model["provider"]) {
            Some(provider) => format!("{provider}/{name}"),
            None => name,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_printed() {
        let place = Place {
            key: Some("hunter2".to_owned()),
            ..Place::default()
        };
        assert!(!format!("{place:?}").contains("hunter2"));
    }
}
