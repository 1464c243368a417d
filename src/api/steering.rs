//! Messages to the agent, answers to its approvals, and control of its run.

use super::answer::Answer;
use super::{ApiError, Decision, Steering};
use crate::backend::Profile;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;

#[cfg(feature = "ssr")]
use super::serve::{Allowed, allowed_in};
#[cfg(feature = "ssr")]
use super::touches::touched;
#[cfg(feature = "ssr")]
use crate::conversation::{Policy, Risk};
#[cfg(feature = "ssr")]
use crate::people::Right;

/// Sends a message. `client_id` makes it idempotent: a repetition has no effect.
///
/// While an approval is pending, a message is never sent alone (0.62 would drop the action, 1.x would approve
/// it): the action is rejected with the message as the reason, and then the message is sent.
#[server]
pub async fn send_message(
    id: String,
    text: String,
    #[server(default)] client_id: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    let commands = &hub.commands;
    let sent = commands
        .say(&by, &id, &client_id, &text, Vec::new(), Vec::new())
        .await;
    // A plain form gets a new page: an unsent message is shown there again, if it can be stored as a draft.
    let kept = hub
        .commands
        .draft(&by, &id)
        .await
        .is_ok_and(|draft| draft == text);
    let _ = match &sent {
        Err(_) => hub.commands.keep_draft(&by, &id, &text).await,
        Ok(()) if kept => hub.commands.keep_draft(&by, &id, "").await,
        Ok(()) => Ok(()),
    };
    sent.map_err(ApiError::from)
}

/// Sends a message with images (`data:` URLs) and names of uploaded files.
///
/// A message sent `alone` is refused while an approval is pending, instead of rejecting it: it may have waited on a
/// device without a network. It is refused, too, if its `author` is not the caller: another person uses the device now.
#[server(input = Json)]
pub async fn send_message_with(
    id: String,
    text: String,
    client_id: String,
    images: Vec<String>,
    files: Vec<String>,
    #[server(default)] alone: bool,
    #[server(default)] author: Option<String>,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    if author.is_some_and(|author| author != by.signature()) {
        let text = "Nothing was sent: another person wrote this message.";
        return Err(ApiError::new(super::ApiErrorKind::Conflict, text));
    }
    let sent = match alone {
        true => {
            hub.commands
                .say_alone(&by, &id, &client_id, &text, images, files)
                .await
        }
        false => {
            hub.commands
                .say(&by, &id, &client_id, &text, images, files)
                .await
        }
    };
    sent.map_err(ApiError::from)
}

/// Retries or discards a failed message.
#[server]
pub async fn resolve_failed_message(
    id: String,
    client_id: String,
    again: bool,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    let commands = &hub.commands;
    Ok(commands.resolve_failed(&by, &id, &client_id, again).await?)
}

/// Approves or rejects exactly the actions that `token` identifies. `touch` is what a passkey has signed for the approval
/// ([`super::begin_touch`]), as JSON, or empty.
#[server]
pub async fn answer_confirmation(
    id: String,
    token: String,
    decision: Decision,
    #[server(default)] reason: String,
    #[server(default)] touch: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Answer, &id)?;
    let touch = match decision {
        Decision::Approve => touched(&hub, &by, (&id, &token), "", &touch).await?,
        // Who rejects needs none.
        Decision::Reject => None,
    };
    let answered = hub
        .commands
        .answer_touching(&by, &id, &token, (decision, &reason), touch);
    Ok(answered.await?)
}

/// Rejects exactly the action that `token` identifies, and asks for it with another `text` (command or code) instead. `touch` is
/// as above, for that text.
#[server]
pub async fn amend_action(
    id: String,
    token: String,
    text: String,
    #[server(default)] touch: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Answer, &id)?;
    let touch = touched(&hub, &by, (&id, &token), &text, &touch).await?;
    Ok(hub.commands.amend(&by, &id, &token, &text, touch).await?)
}

/// Pauses the agent after its current step, resumes it, or stops it.
#[server]
pub async fn steer(id: String, order: Steering) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    Ok(hub.commands.steer(&by, &id, order).await?)
}

/// Sets the approval policy: `always`, `never`, or a minimum risk (`low`, `medium`, `high`). With `judged` the
/// model itself rates the risk of its actions.
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
        // An unknown policy asks too often rather than too rarely.
        _ => Policy::Always,
    };
    let analyzer = judged.then(|| "LLMSecurityAnalyzer".to_owned());
    Ok(hub.commands.set_policy(&by, &id, policy, analyzer).await?)
}

/// Models that can be selected for a conversation.
#[server(output = Answer)]
pub async fn list_profiles(id: String) -> Result<Vec<Profile>, ApiError> {
    let Allowed { hub, .. } = allowed_in(Right::Operate, &id)?;
    Ok(hub.commands.profiles(&id).await?)
}

/// Switches a conversation to the model of a profile.
#[server]
pub async fn switch_profile(id: String, profile: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    Ok(hub.commands.switch_profile(&by, &id, &profile).await?)
}

/// Replaces the labels of a conversation, one a line: `urgent` or `team=infra`. With `compare` only if its current
/// labels are those in `seen`.
#[server]
pub async fn tag_conversation(
    id: String,
    #[server(default)] tags: String,
    #[server(default)] compare: bool,
    #[server(default)] seen: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    let commands = &hub.commands;
    Ok(commands
        .set_tags(&by, &id, &tags, compare.then_some(&seen))
        .await?)
}

/// Asks the agent a side question without interrupting its work.
#[server]
pub async fn ask_agent(id: String, question: String) -> Result<String, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    Ok(hub.commands.ask(&by, &id, &question).await?)
}

/// Reconnects to the backend at once.
#[server]
pub async fn retry_connection(id: String) -> Result<(), ApiError> {
    let Allowed { hub, .. } = allowed_in(Right::Read, &id)?;
    Ok(hub.commands.retry(&id).await?)
}

/// Stores an unsent message; empty text deletes it.
#[server(output = Answer)]
pub async fn keep_draft(id: String, text: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    Ok(hub.commands.keep_draft(&by, &id, &text).await?)
}

/// The unsent message.
#[server(output = Answer)]
pub async fn draft(id: String) -> Result<String, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Read, &id)?;
    Ok(hub.commands.draft(&by, &id).await?)
}
