//! Budgets: what may be spent.
#![allow(clippy::too_many_arguments, reason = "each is a field of a form")]

use super::answer::Answer;
use super::{ApiError, BudgetItem, BudgetsHere};
use crate::people::Budgets;
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use super::ApiErrorKind;
#[cfg(feature = "ssr")]
use super::serve::{Allowed, allowed, allowed_in};
#[cfg(feature = "ssr")]
use crate::people::{Amounts, ByScope, Lifters, Right};

/// The budgets.
#[server(output = Answer)]
pub async fn read_budgets() -> Result<Budgets, ApiError> {
    let Allowed { hub, .. } = allowed(Right::Own)?;
    Ok(hub.policies.budgets.read())
}

/// Changes the budgets: amounts in US dollars, empty for none. `lift` is `owners` or `creator`.
#[server]
pub async fn save_budgets(
    #[server(default)] conversation_day: String,
    #[server(default)] conversation_month: String,
    #[server(default)] person_day: String,
    #[server(default)] person_month: String,
    #[server(default)] repository_day: String,
    #[server(default)] repository_month: String,
    #[server(default)] lift: String,
) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed(Right::Own)?;
    let amount = |text: &str| match text.trim() {
        "" => Ok(0.0),
        text => text.parse::<f64>().map_err(|_| {
            let text =
                "Enter each budget as an amount in US dollars, such as 12.50, or leave it blank.";
            ApiError::new(ApiErrorKind::Invalid, text)
        }),
    };
    let amounts = |day: &str, month: &str| {
        Ok::<_, ApiError>(Amounts {
            day: amount(day)?,
            month: amount(month)?,
        })
    };
    let budgets = Budgets {
        amounts: ByScope {
            conversation: amounts(&conversation_day, &conversation_month)?,
            person: amounts(&person_day, &person_month)?,
            repository: amounts(&repository_day, &repository_month)?,
        },
        // An unknown word allows the least.
        lift: Lifters::from_word(&lift).unwrap_or_default(),
    };
    Ok(hub.policies.budgets.save(&by, budgets).await?)
}

/// The budgets that apply to a new conversation, and what the user has spent.
#[server(output = Answer)]
pub async fn read_budgets_here() -> Result<BudgetsHere, ApiError> {
    let Allowed { hub, by } = allowed(Right::Operate)?;
    Ok(hub.policies.budgets.here(&by).await?)
}

/// The budgets that are reached, or nearly, as far as the user is told.
#[server(output = Answer)]
pub async fn read_budget_items() -> Result<Vec<BudgetItem>, ApiError> {
    let Allowed { hub, by } = allowed(Right::Read)?;
    Ok(hub.policies.budgets.items(&by).await?)
}

/// Lets a conversation go on whose budget is used up.
#[server]
pub async fn lift_budget(id: String) -> Result<(), ApiError> {
    let Allowed { hub, by } = allowed_in(Right::Operate, &id)?;
    Ok(hub.policies.budgets.lift(&by, &id).await?)
}
