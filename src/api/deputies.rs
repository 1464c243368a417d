//! What happens when nobody answers.

use super::answer::Answer;
use super::{ApiError, EscalationItem};
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::NewEscalation;
#[cfg(feature = "ssr")]
use super::serve::{Allowed, allowed};
#[cfg(feature = "ssr")]
use crate::people::Right;

/// What happens when nobody answers, by repository.
#[server(output = Answer)]
pub async fn read_escalations() -> Result<Vec<EscalationItem>, ApiError> {
    let Allowed { hub, .. } = allowed(Right::Own)?;
    Ok(hub.policies.deputies.read().await?)
}

/// Sets what happens in a repository, or, without one, in all others: `deputies` (names) are told after so many minutes, and
/// with `then` "reject" the action is rejected after so many.
#[server]
pub async fn save_escalation(
    #[server(default)] repository: String,
    #[server(default)] deputies: String,
    #[server(default)] tell_after: String,
    #[server(default)] then: String,
    #[server(default)] reject_after: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    let new = NewEscalation {
        repository,
        deputies,
        tell_after,
        // An unknown word lets it wait.
        reject_after: (then == "reject").then_some(reject_after),
    };
    Ok(hub.policies.deputies.save(&by, new).await?)
}

/// Lets actions in a repository wait as in all others, or, without one, without an end.
#[server]
pub async fn remove_escalation(#[server(default)] repository: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    Ok(hub.policies.deputies.remove(&by, &repository).await?)
}
