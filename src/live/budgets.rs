//! Budgets as pages show them.

use crate::people::{Budgets, ByScope, Reached};
use serde::{Deserialize, Serialize};

/// A budget that is used up, which has stopped a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BudgetView {
    /// The budget.
    pub reached: Reached,
    /// Whether some costs are unknown.
    pub unknown: bool,
    /// Whether the creator of the conversation may lift it, not only owners.
    pub creator_may: bool,
}

/// A budget that a conversation has reached, or nearly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BudgetItem {
    /// Id of the conversation.
    pub conversation: String,
    /// Its title.
    pub title: String,
    /// The budget.
    pub reached: Reached,
    /// Whether the reader may lift it.
    pub may_lift: bool,
}

/// The budgets that apply to a new conversation of the reader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BudgetsHere {
    /// The budgets.
    pub budgets: Budgets,
    /// What the reader has spent, as the budget for a person counts it.
    pub spent: ByScope,
    /// Whether some of it is unknown.
    pub unknown: bool,
}
