//! Budgets: how much may be spent, on what, in which period, and who may lift one that is used up.
//!
//! Pure: the journal has the sums, and this decides which budgets are reached.

use crate::words::words;
use serde::{Deserialize, Serialize};

/// The share of a budget, in percent, from which people are told.
pub const NEAR: u32 = 80;
/// Sums of floating-point numbers differ by less than this.
const EXACT: f64 = 1e-9;

/// Amounts by period, in US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Amounts {
    /// For a day. As a budget, 0 is none.
    pub day: f64,
    /// For a month. As a budget, 0 is none.
    pub month: f64,
}

/// Who may lift a budget that is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifters {
    /// Owners.
    #[default]
    Owners,
    /// Owners, and the creator of the conversation.
    Creator,
}

words! { Lifters, word: Owners "owners", Creator "creator" }

/// What a budget is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetScope {
    /// A conversation.
    Conversation,
    /// All conversations that a person created.
    Person,
    /// All conversations in a repository.
    Repository,
}

words! { BudgetScope, word: Conversation "conversation", Person "person", Repository "repository" }

/// The period of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BudgetPeriod {
    /// A day, from midnight UTC on.
    Day,
    /// A month, from midnight UTC on.
    Month,
}

words! { BudgetPeriod, word: Day "day", Month "month" }

/// Amounts for each conversation, person and repository: the budgets, or what was spent.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ByScope {
    /// For each conversation.
    pub conversation: Amounts,
    /// For all conversations of each person.
    pub person: Amounts,
    /// For all conversations in each repository.
    pub repository: Amounts,
}

/// The budgets.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Budgets {
    /// The amounts.
    pub amounts: ByScope,
    /// Who may lift one that is used up.
    pub lift: Lifters,
}

/// A budget that is reached, or nearly.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// What it is for.
    pub scope: BudgetScope,
    /// Its period.
    pub period: BudgetPeriod,
    /// What was spent in this period, in US dollars.
    pub spent: f64,
    /// The budget, in US dollars.
    pub amount: f64,
}

impl Reached {
    /// Whether it is used up.
    pub fn is_used_up(&self) -> bool {
        self.spent + EXACT >= self.amount
    }
}

impl ByScope {
    /// Each amount with what it is for and its period.
    pub fn each(&self) -> [(BudgetScope, BudgetPeriod, f64); 6] {
        let of = |scope, amounts: Amounts| {
            [
                (scope, BudgetPeriod::Day, amounts.day),
                (scope, BudgetPeriod::Month, amounts.month),
            ]
        };
        let [one, two] = of(BudgetScope::Conversation, self.conversation);
        let [three, four] = of(BudgetScope::Person, self.person);
        let [five, six] = of(BudgetScope::Repository, self.repository);
        [one, two, three, four, five, six]
    }
}

impl Budgets {
    /// Reads what is stored; nothing stored is no budget. What cannot be read is an error of the journal's, which the caller
    /// says.
    pub fn read(stored: &str) -> Option<Self> {
        match stored {
            "" => Some(Self::default()),
            stored => serde_json::from_str(stored).ok(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.amounts
            .each()
            .iter()
            .all(|(.., amount)| *amount <= 0.0)
    }

    /// The budgets that are reached, or nearly: those that are used up first.
    pub fn reached(&self, spent: &ByScope) -> Vec<Reached> {
        let near = f64::from(NEAR) / 100.0;
        let pairs = self.amounts.each().into_iter().zip(spent.each());
        let reached = pairs.map(|((scope, period, amount), (.., spent))| Reached {
            scope,
            period,
            spent,
            amount,
        });
        let is_near = |one: &Reached| one.amount > 0.0 && one.spent + EXACT >= one.amount * near;
        let mut reached: Vec<Reached> = reached.filter(is_near).collect();
        reached.sort_by_key(|one| !one.is_used_up());
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_at_80_percent_and_agents_are_stopped_at_100() {
        let budgets = Budgets {
            amounts: ByScope {
                conversation: Amounts {
                    day: 5.0,
                    month: 0.0,
                },
                person: Amounts {
                    day: 0.0,
                    month: 10.0,
                },
                ..ByScope::default()
            },
            lift: Lifters::Owners,
        };
        let spent = |day, month| ByScope {
            conversation: Amounts {
                day,
                month: 1_000.0,
            },
            person: Amounts {
                day: 1_000.0,
                month,
            },
            repository: Amounts {
                day: 1_000.0,
                month: 1_000.0,
            },
        };
        let told = |day, month| {
            let reached = budgets.reached(&spent(day, month)).into_iter();
            let told = reached.map(|one| (one.scope, one.period, one.is_used_up()));
            told.collect::<Vec<_>>()
        };
        use BudgetPeriod::{Day, Month};
        use BudgetScope::{Conversation, Person};
        assert_eq!(told(3.99, 7.99), []);
        assert_eq!(told(4.0, 7.99), [(Conversation, Day, false)]);
        assert_eq!(
            told(4.99, 8.0),
            [(Conversation, Day, false), (Person, Month, false)]
        );
        assert_eq!(
            told(4.99, 10.0),
            [(Person, Month, true), (Conversation, Day, false)]
        );
        assert_eq!(told(0.1 + 0.2 + 4.7, 0.0), [(Conversation, Day, true)]);
        assert!(
            Budgets::default().is_empty()
                && Budgets::default().reached(&spent(9.0, 9.0)).is_empty()
        );
    }
}
