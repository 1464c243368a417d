//! Talking to the agent, answering it, holding it.

use super::{ApiError, Decision, Steering};
use crate::backend::Profile;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;

#[cfg(feature = "ssr")]
use super::serve::{Allowed, allowed_in};
#[cfg(feature = "ssr")]
use crate::conversation::{Policy, Risk};
#[cfg(feature = "ssr")]
use crate::people::Right;

/// Says something. `client_id` makes it safe to send twice: the second time nothing happens.
///
/// While an action waits, a message is never sent bare (0.62 would drop the action, 1.x would approve
/// it): it becomes a rejection with this reason, then the message.
#[server]
pub async fn send_message(
    id: String,
    text: String,
    #[server(default)] client_id: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    let said = hub
        .say(&by, &id, &client_id, &text, Vec::new(), Vec::new())
        .await;
    // The page of a plain form is drawn anew: what was not sent stands there again, if it can be kept.
    let kept = hub.draft(&by, &id).await.is_ok_and(|draft| draft == text);
    let _ = match &said {
        Err(_) => hub.keep_draft(&by, &id, &text).await,
        Ok(()) if kept => hub.keep_draft(&by, &id, "").await,
        Ok(()) => Ok(()),
    };
    said.map_err(ApiError::from)
}

/// Says something with pictures (`data:` URLs) and names of uploaded files.
#[server(input = Json)]
pub async fn send_message_with(
    id: String,
    text: String,
    client_id: String,
    images: Vec<String>,
    files: Vec<String>,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    hub.say(&by, &id, &client_id, &text, images, files)
        .await
        .map_err(ApiError::from)
}

/// Tries a failed message once more, or gives it up.
#[server]
pub async fn settle_message(id: String, client_id: String, again: bool) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    hub.resolve_failed(&by, &id, &client_id, again)
        .await
        .map_err(ApiError::from)
}

/// Approves or rejects exactly what `token` names.
#[server]
pub async fn answer_confirmation(
    id: String,
    token: String,
    decision: Decision,
    #[server(default)] reason: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Answer, &id)?;
    hub.answer(&by, &id, &token, decision, &reason)
        .await
        .map_err(ApiError::from)
}

/// Pauses after the step, goes on, or stops the agent.
#[server]
pub async fn steer(id: String, order: Steering) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    hub.steer(&by, &id, order).await.map_err(ApiError::from)
}

/// Says when the agent has to ask: `always`, `never`, or from a risk on (`low`, `medium`, `high`). With `judged` the
/// model itself judges the risk of what it does.
#[server]
pub async fn set_policy(
    id: String,
    policy: String,
    #[server(default)] judged: bool,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    let risky = |threshold| Policy::Risky {
        threshold,
        unknown: true,
    };
    let policy = match policy.as_str() {
        "never" => Policy::Never,
        "low" => risky(Risk::Low),
        "medium" => risky(Risk::Medium),
        "high" => risky(Risk::High),
        // A word that we do not know asks too often rather than too seldom.
        _ => Policy::Always,
    };
    let analyzer = judged.then(|| "LLMSecurityAnalyzer".to_owned());
    hub.set_policy(&by, &id, policy, analyzer)
        .await
        .map_err(ApiError::from)
}

/// Models that a conversation can be given.
#[server]
pub async fn list_profiles(id: String) -> Result<Vec<Profile>, ApiError> {
    let Allowed { hub, .. } = allowed_in(Right::Operate, &id)?;
    hub.profiles(&id).await.map_err(ApiError::from)
}

/// Gives a conversation the model of a profile.
#[server]
pub async fn switch_profile(id: String, profile: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    hub.switch_profile(&by, &id, &profile)
        .await
        .map_err(ApiError::from)
}

/// Gives a conversation these labels instead of those it has: one a line, `urgent` or `team=infra`. With `compare`
/// only while it has those that were `seen`.
#[server]
pub async fn tag_conversation(
    id: String,
    #[server(default)] tags: String,
    #[server(default)] compare: bool,
    #[server(default)] seen: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    hub.set_tags(&by, &id, &tags, compare.then_some(&seen))
        .await
        .map_err(ApiError::from)
}

/// Asks the agent something beside its work.
#[server]
pub async fn ask_agent(id: String, question: String) -> Result<String, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    hub.ask(&by, &id, &question).await.map_err(ApiError::from)
}

/// Tries the line to the backend at once.
#[server]
pub async fn retry_line(id: String) -> Result<(), ApiError> {
    let Allowed { hub, .. } = allowed_in(Right::Read, &id)?;
    hub.retry(&id).await.map_err(ApiError::from)
}

/// Keeps what was typed and not sent; empty text removes it.
#[server]
pub async fn keep_draft(id: String, text: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    hub.keep_draft(&by, &id, &text)
        .await
        .map_err(ApiError::from)
}

/// What was typed and not sent.
#[server]
pub async fn draft(id: String) -> Result<String, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Read, &id)?;
    hub.draft(&by, &id).await.map_err(ApiError::from)
}
