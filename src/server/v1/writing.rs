//! Routes that change something. Each has a header `Idempotency-Key` (`once`).

use super::problem::{Answer, Reply};
use crate::backend::NewConversation as Start;
use crate::live::{Decision, Steering};
use crate::people::{Caller, Scope};
use crate::server::Site;
use crate::server::conversation_path::ConversationPath;
use crate::v1::{Approve, Created, Done, NewConversation, NewMessage, Problem, Reject};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::{Extension, Json};

const DONE: Json<Done> = Json(Done { done: true });

/// Creates a conversation with a first message.
#[utoipa::path(post, path = "/conversations", operation_id = "create_conversation", tag = "conversations",
    request_body = NewConversation, responses(
    (status = 201, description = "It was created", body = Created),
))]
pub async fn create(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    Json(new): Json<NewConversation>,
) -> Reply {
    let start = Start {
        message: new.message,
        images: Vec::new(),
        repository: Some(new.repository),
        branch: Some(new.branch),
        folder: Some(new.folder),
        instructions: Some(new.instructions),
    };
    let id = site.hub.commands.create(&by, &new.backend, start).await?;
    Ok((StatusCode::CREATED, Json(Created { id })).into_response())
}

/// Sends a message to the agent.
#[utoipa::path(post, path = "/conversations/{id}/messages", operation_id = "send_message", tag = "conversations",
    params(("id" = String, Path, description = "Id of the conversation")),
    request_body = NewMessage, responses(
    (status = 200, description = "It was done", body = Done),
))]
pub async fn send(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    ConversationPath { id, .. }: ConversationPath,
    Json(message): Json<NewMessage>,
) -> Answer<Done> {
    let (commands, text) = (&site.hub.commands, &message.text);
    // A message rejects what waits, which is for the scope `approve`.
    match message.alone || !by.is_for(Scope::Approve) {
        true => {
            commands
                .say_alone(&by, &id, "", text, Vec::new(), Vec::new())
                .await?
        }
        false => {
            commands
                .say(&by, &id, "", text, Vec::new(), Vec::new())
                .await?
        }
    }
    Ok(DONE)
}

/// Approves exactly what has this token.
#[utoipa::path(post, path = "/conversations/{id}/approve", operation_id = "approve", tag = "approvals",
    params(("id" = String, Path, description = "Id of the conversation")),
    request_body = Approve, responses(
    (status = 200, description = "It was done", body = Done),
    (status = 409, description = "What waits has changed (`changed`), was read at `/approval` less than 700 ms ago (`too_soon`), or was answered differently (`answered`)",
        body = Problem, content_type = "application/problem+json"),
))]
pub async fn approve(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    ConversationPath { id, .. }: ConversationPath,
    Json(answer): Json<Approve>,
) -> Answer<Done> {
    let reader = &site.hub.reader;
    reader.check_readable(&id, &answer.token).await?;
    decide(&site, &by, &id, &answer.token, Decision::Approve, "").await
}

/// Rejects exactly what has this token.
#[utoipa::path(post, path = "/conversations/{id}/reject", operation_id = "reject", tag = "approvals",
    params(("id" = String, Path, description = "Id of the conversation")),
    request_body = Reject, responses(
    (status = 200, description = "It was done", body = Done),
    (status = 409, description = "What waits has changed (`changed`), was read at `/approval` less than 700 ms ago (`too_soon`), or was answered differently (`answered`)",
        body = Problem, content_type = "application/problem+json"),
))]
pub async fn reject(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    ConversationPath { id, .. }: ConversationPath,
    Json(answer): Json<Reject>,
) -> Answer<Done> {
    let Reject { token, reason } = &answer;
    decide(&site, &by, &id, token, Decision::Reject, reason).await
}

async fn decide(
    site: &Site,
    by: &Caller,
    id: &str,
    token: &str,
    decision: Decision,
    reason: &str,
) -> Answer<Done> {
    let commands = &site.hub.commands;
    commands.answer(by, id, token, decision, reason).await?;
    Ok(DONE)
}

/// Stops the agent.
#[utoipa::path(post, path = "/conversations/{id}/stop", operation_id = "stop_agent", tag = "conversations",
    params(("id" = String, Path, description = "Id of the conversation")),
    responses(
    (status = 200, description = "It was done", body = Done),
))]
pub async fn stop(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    ConversationPath { id, .. }: ConversationPath,
) -> Answer<Done> {
    site.hub.commands.steer(&by, &id, Steering::Stop).await?;
    Ok(DONE)
}
