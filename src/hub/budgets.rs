//! Budgets: the setting as owners change it, which of them are reached, and who lifts one.
//!
//! Sums are those of the journal, by days of UTC. An actor compares them while its agent works, and stops it (`actor/spending.rs`).

use super::limits::{Limits, today};
use super::message::ActorMessage;
use super::{Actors, AuditTrail, HubError, HubResult, List, invalid};
use crate::clock::now;
use crate::journal::{BUDGETS, Journal};
use crate::live::{BudgetItem, BudgetsHere};
use crate::people::{
    Amounts, AuditAction, BudgetPeriod, BudgetScope, Budgets, ByScope, Caller, Lifters, Reached,
    Right,
};
use std::sync::Arc;

/// Most items on the page.
const MOST: u32 = 100;
/// The highest budget, in US dollars.
const HIGHEST: f64 = 1e9;

/// The budgets as people see and change them.
pub struct BudgetBook {
    pub(super) journal: Journal,
    pub(super) audit: Arc<AuditTrail>,
    pub(super) actors: Arc<Actors>,
    pub(super) list: Arc<List>,
    pub(super) known: Arc<Limits>,
}

impl BudgetBook {
    /// The budgets.
    pub fn read(&self) -> Budgets {
        self.known.now()
    }

    /// Changes them. Conversations that are stopped by one that is higher now may go on.
    ///
    /// Errors: [`HubError::Invalid`] for an amount that is none.
    pub async fn save(&self, by: &Caller, budgets: Budgets) -> HubResult {
        let is_amount = |amount: f64| amount.is_finite() && (0.0..=HIGHEST).contains(&amount);
        if !budgets
            .amounts
            .each()
            .iter()
            .all(|(.., amount)| is_amount(*amount))
        {
            return invalid(
                "Enter each budget as an amount in US dollars, such as 12.50, or leave it blank.",
            );
        }
        let stored = serde_json::to_string(&budgets).expect("plain data");
        let action = AuditAction::new("save budgets").detail(&stored);
        let save = async {
            self.journal.keep_setting(BUDGETS, &stored).await?;
            self.journal.forget_budgets().await?;
            self.known.set(budgets);
            self.actors.tell_all(|| ActorMessage::Refresh).await;
            Ok(())
        };
        self.audit.record(by, action, save).await
    }

    /// What applies to a new conversation of a caller.
    pub async fn here(&self, by: &Caller) -> HubResult<BudgetsHere> {
        let spent = self.journal.spent_by(by.signature(), today()).await?;
        Ok(BudgetsHere {
            budgets: self.known.now(),
            spent: ByScope {
                person: Amounts {
                    day: spent.day,
                    month: spent.month,
                },
                ..ByScope::default()
            },
            unknown: spent.unknown,
        })
    }

    /// The budgets that are reached, or nearly, in conversations that a caller may see and may lift them in or has created.
    pub async fn items(&self, by: &Caller) -> HubResult<Vec<BudgetItem>> {
        let open = self.journal.open_budgets(today(), MOST).await?;
        let item = |one: crate::journal::OpenBudget| {
            let may_lift = self.may_lift(by, &one.conversation);
            let creator = self.list.sharings.of(&one.conversation).creator;
            let is_own = !creator.is_empty() && creator.eq_ignore_ascii_case(by.signature());
            let is_told = self.list.sharings.sees(by, &one.conversation) && (may_lift || is_own);
            let reached = Reached {
                scope: BudgetScope::from_word(&one.scope)?,
                period: BudgetPeriod::from_word(&one.period)?,
                spent: one.spent,
                amount: one.amount,
            };
            is_told.then(|| BudgetItem {
                may_lift: may_lift && reached.is_used_up(),
                conversation: one.conversation,
                title: one.title,
                reached,
            })
        };
        Ok(open.into_iter().filter_map(item).collect())
    }

    /// Whether a caller may lift a budget for a conversation.
    fn may_lift(&self, by: &Caller, id: &str) -> bool {
        let role = self.list.sharings.role_in(by, id);
        let creator = self.list.sharings.of(id).creator;
        let is_creator = !creator.is_empty() && creator.eq_ignore_ascii_case(by.signature());
        let may = match self.known.now().lift {
            Lifters::Owners => by.may(Right::Own),
            Lifters::Creator => by.may(Right::Own) || is_creator,
        };
        may && by.is_in_person() && role.is_some_and(|role| role.may(Right::Operate))
    }

    /// Lets a conversation go on for the rest of the period, whose budget is used up.
    ///
    /// Errors: [`HubError::Invalid`] for who may not, and if no budget is used up.
    pub async fn lift(&self, by: &Caller, id: &str) -> HubResult {
        if !self.may_lift(by, id) {
            return invalid("Nothing was changed: you may not lift this budget. Ask an owner.");
        }
        let action = AuditAction::new("lift budget").within(id);
        let lift = async {
            let lifted = self.journal.lift_budgets(id, by.signature(), now()).await?;
            if lifted == 0 {
                return Err(HubError::Invalid("No budget is used up here.".to_owned()));
            }
            if let Some(handle) = self.actors.open_handle(id) {
                // One that has ended reads it when it starts.
                let _ = handle.tell(ActorMessage::Refresh).await;
            }
            Ok(())
        };
        self.audit.record(by, action, lift).await
    }
}
