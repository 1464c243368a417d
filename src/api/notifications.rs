//! Notifications: where a person is notified, of what, and answers from them.
#![allow(clippy::too_many_arguments, reason = "each is a field of a form")]

use super::answer::Answer;
use super::{ApiError, Decision, NotificationsView, Scope};
use leptos::prelude::*;
use leptos::server_fn::codec::Json;

#[cfg(feature = "ssr")]
use super::serve::{
    address_here, allowed_in, allowed_notifications, browser_here, one_time_secret_for, show_once,
};
#[cfg(feature = "ssr")]
use super::{ApiErrorKind, Choices, Occasion, QuietHours};
#[cfg(feature = "ssr")]
use crate::notify::{NewPush, PushKeys};
#[cfg(feature = "ssr")]
use crate::people::Right;

/// Path of the page.
#[cfg(feature = "ssr")]
const PAGE: &str = "notifications";

/// Where the user is notified.
#[server(output = Answer)]
pub async fn read_notifications() -> Result<NotificationsView, ApiError> {
    let (notifier, by) = allowed_notifications()?;
    Ok(NotificationsView {
        one_time_secret: one_time_secret_for(PAGE).unwrap_or_default(),
        ..notifier.view(&by, &browser_here()).await?
    })
}

/// Notifies the user in this browser, by its subscription at its push service. The browser's worker calls it, too, at this
/// address, when the browser has renewed its subscription.
#[server(endpoint = "subscribe_push", input = Json)]
pub async fn subscribe_push(
    endpoint: String,
    p256dh: String,
    auth: String,
) -> Result<(), ApiError> {
    let (notifier, by) = allowed_notifications()?;
    let new = NewPush {
        endpoint,
        keys: PushKeys { p256dh, auth },
        device: browser_here(),
    };
    Ok(notifier.subscribe(&by, new, &address_here("")).await?)
}

/// Notifies the user by a topic of an ntfy server.
#[server]
pub async fn add_ntfy(address: String, #[server(default)] token: String) -> Result<(), ApiError> {
    let (notifier, by) = allowed_notifications()?;
    let origin = address_here("");
    let added = notifier.add_ntfy(&by, (&address, &token), &origin);
    Ok(added.await?)
}

/// Notifies a machine; only this response contains the key of the signatures.
#[server]
pub async fn add_webhook(address: String) -> Result<String, ApiError> {
    let (notifier, by) = allowed_notifications()?;
    let key = notifier
        .add_webhook(&by, &address, &address_here(""))
        .await?;
    show_once(PAGE, &key);
    Ok(key)
}

/// Changes what a place is notified of. Quiet hours are written as `22:00`; two empty ones are none.
#[server]
pub async fn choose_notifications(
    number: i64,
    scope: Scope,
    #[server(default)] needs_approval: bool,
    #[server(default)] your_turn: bool,
    #[server(default)] finished: bool,
    #[server(default)] failed: bool,
    #[server(default)] stuck: bool,
    #[server(default)] quiet_from: String,
    #[server(default)] quiet_until: String,
    #[server(default)] zone: String,
    #[server(default)] shows_text: bool,
    #[server(default)] approves: bool,
) -> Result<(), ApiError> {
    let (notifier, by) = allowed_notifications()?;
    let chosen = [needs_approval, your_turn, finished, failed, stuck];
    let chosen = Occasion::ALL.into_iter().zip(chosen);
    let choices = Choices {
        occasions: chosen.filter(|(_, on)| *on).map(|(one, _)| one).collect(),
        scope,
        quiet: quiet(&quiet_from, &quiet_until, zone)?,
        shows_text,
        approves,
    };
    Ok(notifier.choose(&by, number, choices).await?)
}

/// Removes a place to notify.
#[server]
pub async fn remove_notifications(number: i64) -> Result<(), ApiError> {
    let (notifier, by) = allowed_notifications()?;
    Ok(notifier.remove(&by, number).await?)
}

/// Sends a test, and says what the service answered.
#[server]
pub async fn test_notifications(number: i64) -> Result<String, ApiError> {
    let (notifier, by) = allowed_notifications()?;
    Ok(notifier.test(&by, number).await?)
}

/// Approves or rejects exactly the actions that were notified to this browser with this token; returns a text for the
/// user. The browser's worker calls it at this address.
#[server(endpoint = "answer_from_notification", input = Json)]
pub async fn answer_from_notification(
    conversation: String,
    token: String,
    channel: i64,
    decision: Decision,
) -> Result<String, ApiError> {
    allowed_in(Right::Answer, &conversation)?;
    let (notifier, by) = allowed_notifications()?;
    let answered = notifier.answer(&by, (&conversation, &token), channel, decision);
    Ok(answered.await?)
}

/// Quiet hours as a form sends them.
#[cfg(feature = "ssr")]
fn quiet(from: &str, until: &str, zone: String) -> Result<Option<QuietHours>, ApiError> {
    if from.is_empty() && until.is_empty() {
        return Ok(None);
    }
    let minute = |time: &str| {
        let (hours, minutes) = time.split_once(':')?;
        let (hours, minutes): (u16, u16) = (hours.parse().ok()?, minutes.parse().ok()?);
        (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
    };
    match (minute(from), minute(until)) {
        (Some(from), Some(until)) => Ok(Some(QuietHours { from, until, zone })),
        _ => Err(ApiError::new(
            ApiErrorKind::Invalid,
            "Enter both times of the quiet hours, like 22:00, or none.",
        )),
    }
}
