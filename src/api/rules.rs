//! What is approved without asking, and who may approve the rest.
#![allow(clippy::too_many_arguments, reason = "each is a field of a form")]

use super::answer::Answer;
use super::{ApiError, RuleChoices, RulesView};
use crate::people::Authority;
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::serve::{Allowed, allowed, allowed_in, go_to};
#[cfg(feature = "ssr")]
use crate::conversation::Risk;
#[cfg(feature = "ssr")]
use crate::people::{Right, Role};
#[cfg(feature = "ssr")]
use crate::rules::Conditions;

/// Who may approve what.
#[server(output = Answer)]
pub async fn read_authority() -> Result<Authority, ApiError> {
    let Allowed { hub, .. } = allowed(Right::Own)?;
    Ok(hub.policies.authority.read())
}

/// Changes who may approve what is rated high: `least` is the role with the fewest rights; with `two` a second person has
/// to, and with `unrated` also what is not rated.
#[server]
pub async fn save_authority(
    least: String,
    #[server(default)] two: bool,
    #[server(default)] unrated: bool,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    // An unknown role allows the least.
    let least = least.parse().unwrap_or(Role::Owner).max(Role::Approver);
    let authority = Authority {
        least,
        two,
        unrated,
    };
    Ok(hub.policies.authority.save(&by, authority).await?)
}

/// The rules that the user may see.
#[server(output = Answer)]
pub async fn read_rules() -> Result<RulesView, ApiError> {
    let Allowed { hub, by } = allowed(Right::Answer)?;
    Ok(hub.policies.approvals.page(&by).await?)
}

/// The rules that an approval suggests, each tried on the history: in this `conversation`, the user's `own`, those of its
/// `repository`, or `all`.
#[server(output = Answer)]
pub async fn read_rule_choices(
    id: String,
    token: String,
    #[server(default)] scope: String,
) -> Result<RuleChoices, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Answer, &id)?;
    Ok(hub
        .policies
        .approvals
        .choices(&by, &id, &token, &scope)
        .await?)
}

/// Makes a rule for `days`, or without an end (0). A plain form is redirected to the page of rules.
#[server]
pub async fn make_rule(
    id: String,
    #[server(default)] scope: String,
    #[server(default)] subject: String,
    #[server(default)] highest: String,
    #[server(default)] unrated: bool,
    #[server(default)] days: u16,
) -> Result<i64, ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Answer, &id)?;
    let highest = match highest.as_str() {
        "high" => Risk::High,
        "medium" => Risk::Medium,
        // An unknown word allows the least.
        _ => Risk::Low,
    };
    let conditions = Conditions {
        subject: crate::hub::subject_of(&subject)?,
        highest,
        unrated,
    };
    let number = hub
        .policies
        .approvals
        .make(&by, &id, &scope, conditions, days)
        .await?;
    go_to("rules");
    Ok(number)
}

/// Ends a rule.
#[server]
pub async fn end_rule(number: i64) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Answer)?;
    Ok(hub.policies.approvals.end(&by, number).await?)
}

/// Stops all rules at once.
#[server]
pub async fn stop_rules() -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Answer)?;
    Ok(hub.policies.approvals.stop(&by, true).await?)
}

/// Lets the rules answer again what is asked from now on.
#[server]
pub async fn resume_rules() -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    Ok(hub.policies.approvals.stop(&by, false).await?)
}
