//! Budgets while an agent works: one that is used up stops it, and people are asked.

use super::state::ConversationActor;
use crate::backend::Command;
use crate::clock::now;
use crate::hub::limits::{spent, today};
use crate::hub::message::Sent;
use crate::hub::{HubError, HubResult};
use crate::journal::BudgetRecord;
use crate::live::{BudgetView, Steering};
use crate::people::{Audit, AuditAction, BudgetPeriod, Caller, Lifters, NEAR, Reached};
use std::time::Duration;
use tokio::time::Instant;

/// What others in the same budget spend is seen within this time.
const EACH: Duration = Duration::from_secs(5);
/// An agent that works on after it was stopped is stopped again.
const AGAIN: Duration = Duration::from_secs(15);

/// Compares what was spent with the budgets, if the agent works or has spent something, and stops it.
pub(super) async fn watch_budgets(actor: &mut ConversationActor) {
    let budgets = actor.context.limits.now();
    let watch = &mut actor.activity.budget;
    if budgets.is_empty() {
        actor.followers.is_changed |= watch.used_up.take().is_some();
        return;
    }
    let session = actor.log.session();
    let works = session.status.can_pause() || session.pending.is_some();
    let cost = session.metrics.cost;
    let is_due = watch.compared_at.is_none_or(|at| {
        let is_old = at.elapsed() >= EACH;
        watch.cost.to_bits() != cost.to_bits() || (is_old && (works || watch.used_up.is_some()))
    });
    if is_due {
        let around = match actor.journal().spent_around(actor.id(), today()).await {
            Ok(around) => around,
            Err(error) => {
                tracing::warn!(conversation = actor.id(), %error, "what was spent could not be read");
                return;
            }
        };
        let used_up = used_up(actor, &budgets.reached(&spent(&around))).await;
        let Ok(used_up) = used_up else { return };
        let used_up = used_up.map(|reached| BudgetView {
            reached,
            unknown: around.conversation.unknown || around.person.unknown,
            creator_may: budgets.lift == Lifters::Creator,
        });
        let watch = &mut actor.activity.budget;
        (watch.cost, watch.compared_at) = (cost, Some(Instant::now()));
        actor.followers.is_changed |= watch.used_up != used_up;
        watch.used_up = used_up;
    }
    if works && actor.activity.budget.used_up.is_some() {
        stop_for_budget(actor).await;
    }
}

/// Notes the budgets that are reached, and returns the first one that is used up and not lifted.
async fn used_up(actor: &ConversationActor, reached: &[Reached]) -> HubResult<Option<Reached>> {
    if reached.is_empty() {
        return Ok(None);
    }
    let (day, month) = today();
    let record = |one: &Reached| BudgetRecord {
        scope: one.scope.word(),
        period: one.period.word(),
        began: match one.period {
            BudgetPeriod::Day => day,
            BudgetPeriod::Month => month,
        },
        percent: if one.is_used_up() { 100 } else { NEAR },
        spent: one.spent,
        amount: one.amount,
    };
    let records = reached.iter().map(record).collect();
    let lifted = actor
        .journal()
        .note_budgets(actor.id(), records, now())
        .await?;
    let open = reached.iter().zip(lifted);
    let mut open = open.filter(|(one, lifted)| one.is_used_up() && !lifted);
    Ok(open.next().map(|(one, _)| *one))
}

/// Stops the agent as a person does, with an audit entry before.
async fn stop_for_budget(actor: &mut ConversationActor) {
    let stopped_at = actor.activity.budget.stopped_at;
    if !actor.is_live() || stopped_at.is_some_and(|at| at.elapsed() < AGAIN) {
        return;
    }
    actor.activity.budget.stopped_at = Some(Instant::now());
    let by = Caller::handrail();
    let action = AuditAction::new("stop by budget").within(actor.id());
    let audit = Audit::of(actor.journal());
    let entry = match audit.begin(&by, action).await {
        Ok(entry) => entry,
        Err(error) => {
            tracing::error!(conversation = actor.id(), %error, "an agent whose budget is used up could not be stopped");
            return;
        }
    };
    let ordered = match actor.order(Command::Stop) {
        Some(outcome) => {
            actor.controls.ordered(Steering::Stop);
            actor.report(
                outcome,
                Sent::Steering {
                    order: Steering::Stop,
                    reply: None,
                },
            );
            Ok(())
        }
        None => Err(HubError::Disconnected),
    };
    audit.end(entry, &ordered).await;
}
