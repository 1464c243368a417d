//! Budgets: people are told at 80 percent, the agent is stopped at 100, and goes on when the budget is lifted.

use super::*;
use crate::backend::Command;
use crate::people::{Amounts, BudgetPeriod, BudgetScope, Budgets, ByScope, Lifters};
use serde_json::json;

/// A budget of a dollar a day for each conversation.
fn a_dollar(lift: Lifters) -> Budgets {
    Budgets {
        amounts: ByScope {
            conversation: Amounts {
                day: 1.0,
                month: 0.0,
            },
            ..ByScope::default()
        },
        lift,
    }
}

impl House {
    /// The agent works, and has spent so much in all.
    fn spends(&self, cost: f64) {
        let id = self.fake.next_id();
        let mut event = answers(id + 1, "I go on.");
        event["timestamp"] = json!(
            jiff::Timestamp::now()
                .strftime("%Y-%m-%dT%H:%M:%S")
                .to_string()
        );
        event["llm_metrics"] = json!({"accumulated_cost": cost, "accumulated_token_usage": {
            "prompt_tokens": 10, "completion_tokens": 1, "cache_read_tokens": 0, "cache_write_tokens": 0,
            "context_window": 0, "per_turn_token": 0, "model": "m", "response_id": ""}});
        self.fake.emit([state(id, "running"), event]);
    }

    fn stops(&self) -> usize {
        let orders = self.fake.orders();
        orders
            .iter()
            .filter(|one| matches!(one, Command::Stop))
            .count()
    }
}

#[tokio::test]
async fn a_budget_is_told_at_80_percent_stops_at_100_and_is_lifted() {
    let house = live_house().await;
    house
        .policies
        .budgets
        .save(me(), a_dollar(Lifters::Owners))
        .await
        .expect("healthy");
    let handle = house.handle().await;
    let _watching = handle.watching.clone();
    house.spends(0.5);
    house.until(|session| session.metrics.cost == 0.5).await;
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    assert_eq!(
        house.policies.budgets.items(me()).await.expect("healthy"),
        []
    );
    house.spends(0.85);
    let items = async {
        loop {
            let items = house.policies.budgets.items(me()).await.expect("healthy");
            if !items.is_empty() {
                return items;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let items = tokio::time::timeout(Duration::from_secs(60), items)
        .await
        .expect("it is told");
    let reached = items[0].reached;
    assert_eq!(
        (reached.scope, reached.period),
        (BudgetScope::Conversation, BudgetPeriod::Day)
    );
    assert!(!reached.is_used_up() && !items[0].may_lift && house.stops() == 0);
    house.spends(1.25);
    let session = house.until(|session| session.budget.is_some()).await;
    assert_eq!(
        session.budget.map(|budget| budget.reached.spent),
        Some(1.25)
    );
    soon(|| (house.stops() == 1).then_some(())).await;
    // Nothing lets it go on before somebody lifts it.
    for refused in [
        house.say("m", "Go on").await,
        house.steer(Steering::Resume).await,
    ] {
        assert!(matches!(refused, Err(HubError::Invalid(_))), "{refused:?}");
    }
    let ada = person(&house, "ada", "operator").await;
    assert!(matches!(
        house.policies.budgets.lift(&ada, ID).await,
        Err(HubError::Invalid(_))
    ));
    house
        .policies
        .budgets
        .lift(me(), ID)
        .await
        .expect("an owner may");
    house.until(|session| session.budget.is_none()).await;
    house.say("n", "Go on").await.expect("it may go on");
    house.spends(2.0);
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    assert_eq!(house.stops(), 1, "for the rest of the day");
}

#[tokio::test]
async fn a_budget_that_is_used_up_still_stops_after_a_restart_and_its_creator_may_lift_it_if_owners_say_so()
 {
    let mut house = live_house().await;
    let ada = person(&house, "ada", "operator").await;
    house
        .catalogue
        .store_creator(ID, "ada", None)
        .await
        .expect("healthy");
    house
        .policies
        .budgets
        .save(me(), a_dollar(Lifters::Creator))
        .await
        .expect("healthy");
    house.spends(1.5);
    house.until(|session| session.budget.is_some()).await;
    house.hub.shutdown().await;
    house.hub = reopened(&house.fake, house.folder.path()).await;
    let session = house.until(|session| session.budget.is_some()).await;
    assert!(session.budget.is_some_and(|budget| budget.creator_may));
    let items = house.policies.budgets.items(&ada).await.expect("healthy");
    assert!(items.len() == 1 && items[0].may_lift);
    let bob = person(&house, "bob", "operator").await;
    assert_eq!(
        house.policies.budgets.items(&bob).await.expect("healthy"),
        [],
        "it is not his"
    );
    house
        .policies
        .budgets
        .lift(&ada, ID)
        .await
        .expect("she may");
    house.until(|session| session.budget.is_none()).await;
}

#[tokio::test]
async fn a_budget_for_a_person_counts_all_that_they_created_and_unknown_costs_are_said() {
    let house = live_house().await;
    let ada = person(&house, "ada", "operator").await;
    house
        .catalogue
        .store_creator(ID, "ada", None)
        .await
        .expect("healthy");
    let budgets = Budgets {
        amounts: ByScope {
            person: Amounts {
                day: 0.0,
                month: 1.0,
            },
            ..ByScope::default()
        },
        lift: Lifters::Owners,
    };
    house
        .policies
        .budgets
        .save(me(), budgets)
        .await
        .expect("healthy");
    house.spends(0.0);
    house
        .until(|session| session.metrics.prompt_tokens == 10)
        .await;
    let here = house.policies.budgets.here(&ada).await.expect("healthy");
    assert!(here.unknown && here.spent.person.month == 0.0, "{here:?}");
    house.spends(1.0);
    let session = house.until(|session| session.budget.is_some()).await;
    let reached = session.budget.expect("it is used up").reached;
    assert_eq!(
        (reached.scope, reached.period),
        (BudgetScope::Person, BudgetPeriod::Month)
    );
    let here = house.policies.budgets.here(&ada).await.expect("healthy");
    assert_eq!(here.spent.person.month, 1.0);
    assert!(matches!(
        house
            .policies
            .budgets
            .save(
                me(),
                Budgets {
                    amounts: ByScope {
                        person: Amounts {
                            day: -1.0,
                            month: f64::NAN
                        },
                        ..ByScope::default()
                    },
                    ..budgets
                }
            )
            .await,
        Err(HubError::Invalid(_))
    ));
}
