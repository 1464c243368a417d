//! A budget in words.

use super::{dollars, text};
use crate::people::{BudgetPeriod, BudgetScope, Reached};

/// Which budget it is, what was spent and how much there is.
pub fn budget_in_words(reached: &Reached) -> String {
    let (spent, amount) = (dollars(reached.spent, 2), dollars(reached.amount, 2));
    let name = match (reached.scope, reached.period) {
        (BudgetScope::Conversation, BudgetPeriod::Day) => text::budget_conversation_day(),
        (BudgetScope::Conversation, BudgetPeriod::Month) => text::budget_conversation_month(),
        (BudgetScope::Person, BudgetPeriod::Day) => text::budget_person_day(),
        (BudgetScope::Person, BudgetPeriod::Month) => text::budget_person_month(),
        (BudgetScope::Repository, BudgetPeriod::Day) => text::budget_repository_day(),
        (BudgetScope::Repository, BudgetPeriod::Month) => text::budget_repository_month(),
    };
    match reached.is_used_up() {
        true => text::budget_used_up(name, spent, amount),
        false => text::budget_nearly(name, spent, amount),
    }
}
