//! Conversations: list, create, start, stop, rename, delete.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Body, Shared, broken, no_body};
use crate::conversation::{Conversation, Status};
use crate::http::prelude::*;
use crate::sync::lock;
use crate::world::{World, new_id};

pub fn routes() -> Router<Arc<World>> {
    routes! {
        "/api/conversations" => get(list).post(create);
        "/api/conversations/{id}" => get(one).patch(rename).delete(delete);
        "/api/conversations/{id}/start" => post(start);
        "/api/conversations/{id}/stop" => post(stop);
    }
}

async fn list(State(world): Shared, Query(params): Params) -> Answer {
    const TRIGGERS: &str = "resolver gui suggested_task openhands_api slack microagent_management \
        jira jira_dc linear bitbucket";
    let param = |name: &str| params.get(name).map(String::as_str);
    let trigger = param("conversation_trigger");
    if let Some(unknown) = trigger.filter(|name| !TRIGGERS.split(' ').any(|known| known == *name)) {
        let message = format!("Input should be '{}'", TRIGGERS.replace(' ', "', '"));
        let location = ["query", "conversation_trigger"];
        return Err(unprocessable("enum", &location, &message, &unknown.into()));
    }
    let mut all = world.conversations.all();
    all.reverse();
    if trigger.is_some_and(|trigger| trigger != "gui") || param("selected_repository").is_some() {
        all.clear();
    }
    let limit = param("limit").and_then(|limit| limit.parse().ok());
    let from = param("page_id").and_then(offset).unwrap_or(0);
    let page = all.iter().skip(from).take(limit.unwrap_or(20));
    let results: Vec<_> = page.map(|one| one.summary(false)).collect();
    let after = from + results.len();
    let page_id = || STANDARD.encode(json!({"v0_page_id": after.to_string()}).to_string());
    let next = (after < all.len()).then(page_id);
    Ok(ok(json!({"results": results, "next_page_id": next})))
}

/// Page ids are opaque: base64-encoded JSON.
fn offset(page: &str) -> Option<usize> {
    let page: Value = serde_json::from_slice(&STANDARD.decode(page).ok()?).ok()?;
    page["v0_page_id"].as_str()?.parse().ok()
}

async fn create(State(world): Shared, Body(body): Body) -> Answer {
    const FIELDS: &str = "initial_user_msg image_urls repository git_provider selected_branch \
        suggested_task create_microagent conversation_instructions mcp_config replay_json";
    let is_unknown = |name: &str| !FIELDS.split(' ').any(|known| known == name);
    let mut fields = body.as_object().ok_or_else(no_body)?.iter();
    if let Some((field, input)) = fields.find(|(field, _)| is_unknown(field)) {
        let (location, message) = (["body", field], "Extra inputs are not permitted");
        return Err(unprocessable("extra_forbidden", &location, message, input));
    }
    if let Some(repository) = body["repository"].as_str() {
        let message = format!("Unable to access repo {repository}");
        return Err((StatusCode::UNAUTHORIZED, Json(message)).into_response());
    }
    if lock(&world.settings).stored().is_none() {
        let (message, id) = ("Settings not found", "CONFIGURATION$SETTINGS_NOT_FOUND");
        return Err(error(StatusCode::BAD_REQUEST, message, id));
    }
    let images = match &body["image_urls"] {
        Value::Array(urls) => json!(urls),
        _ => json!([]),
    };
    let initial = body["initial_user_msg"].as_str();
    let initial = initial.map(|text| (text.to_owned(), images));
    let conversation = world.find_or_create(&new_id());
    world.start(&conversation, initial).await;
    Ok(done(&conversation.id, None, conversation.status()))
}

fn done(id: &str, message: Option<&str>, status: Status) -> Response {
    let mut body = json!({"status": "ok", "conversation_id": id, "message": message});
    body["conversation_status"] = json!(status);
    ok(body)
}

fn error(status: StatusCode, message: &str, id: &str) -> Response {
    let body = json!({"status": "error", "message": message, "msg_id": id});
    (status, Json(body)).into_response()
}

async fn one(State(world): Shared, Path(id): Path<String>) -> Json<Option<Value>> {
    let found = world.find(&id);
    Json(found.map(|conversation| conversation.summary(true)))
}

async fn rename(State(world): Shared, Path(id): Path<String>, Body(body): Body) -> Answer {
    let location = ["body", "title"];
    let title = body["title"].as_str();
    let title = title.ok_or_else(|| missing(&location, &body))?;
    let wrong = match title.chars().count() {
        0 => Some(("string_too_short", "at least 1 character")),
        1..=200 => None,
        _ => Some(("string_too_long", "at most 200 characters")),
    };
    if let Some((kind, length)) = wrong {
        let message = format!("String should have {length}");
        return Err(unprocessable(kind, &location, &message, &body["title"]));
    }
    let Some(conversation) = world.find(&id) else {
        let (message, id) = ("Conversation not found", "CONVERSATION$NOT_FOUND");
        return Err(error(StatusCode::NOT_FOUND, message, id));
    };
    conversation.set_title(title);
    Ok(ok(true))
}

/// Deleting a running conversation fails at the first attempt, as with the real local runtime.
async fn delete(State(world): Shared, Path(id): Path<String>) -> Response {
    let Some(conversation) = world.find(&id) else {
        return ok(false);
    };
    if conversation.status() != Status::Stopped {
        world.stop(&conversation).await;
        return broken();
    }
    world.conversations.remove(&id);
    ok(true)
}

async fn start(State(world): Shared, Path(id): Path<String>, _: Body) -> Response {
    let Some(conversation) = world.find(&id) else {
        let body = json!({"status": "error", "conversation_id": id});
        return (StatusCode::NOT_FOUND, Json(body)).into_response();
    };
    world.start(&conversation, None).await;
    done(&id, None, conversation.status())
}

async fn stop(State(world): Shared, Path(id): Path<String>) -> Response {
    let found = world.find(&id);
    let before = found.as_deref().map(Conversation::status);
    let (Some(conversation), Some(before @ (Status::Starting | Status::Running))) = (found, before)
    else {
        return done(&id, Some("Conversation was not running"), Status::Stopped);
    };
    world.stop(&conversation).await;
    done(&id, Some("Conversation stopped successfully"), before)
}
