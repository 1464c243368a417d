//! Budgets: an agent whose budget is used up is stopped, also after a restart; nobody can have it go on before an owner lifts the
//! budget, and nobody's agent is stopped before.

use crate::clock;
use crate::people::caller;
use crate::run::Run;
use crate::world::{State, World, lock};
use handrail::people::{Amounts, Budgets, ByScope};

/// The budget of each conversation, in cents a day.
pub const BUDGET: u32 = 100;
/// The time in milliseconds within which an agent is stopped that works on after it was stopped.
const STOPPED_WITHIN: u64 = 60_000;

/// What owners set.
pub fn budgets() -> Budgets {
    let conversation = Amounts {
        day: f64::from(BUDGET) / 100.0,
        month: 0.0,
    };
    let amounts = ByScope {
        conversation,
        ..ByScope::default()
    };
    Budgets {
        amounts,
        ..Budgets::default()
    }
}

/// An agent that was stopped before its budget was used up.
fn stopped_before(world: &World) -> Option<String> {
    let stops = "SELECT min(at) FROM audit WHERE action = 'stop by budget' AND conversation = ?1";
    let mut statement = world.journal().prepare_cached(stops).expect("it is SQL");
    let mut all = world.conversations.iter();
    let stopped = all.find(|one| {
        let at = statement.query_row([&one.id], |row| row.get::<_, Option<i64>>(0));
        let used_up_at = one.used_up_at.map(clock::millis_of);
        at.expect("a healthy journal")
            .is_some_and(|at| used_up_at.is_none_or(|used_up_at| at < used_up_at))
    });
    let one = stopped?;
    Some(format!(
        "{} was stopped by a budget of {BUDGET} cents before that was used up ({:?} now)",
        one.id, one.spent
    ))
}

impl Run {
    /// Checks, without any faults, that agents whose budgets are used up are stopped, and go on when these are lifted.
    pub async fn check_budgets(&mut self) {
        if !self.plan.has_budget || self.disk_failed {
            return;
        }
        clock::pass(STOPPED_WITHIN).await;
        self.refresh_pages();
        self.check_journal();
        let used_up: Vec<(usize, String)> = {
            let mut world = lock(&self.world);
            if let Some(wrong) = stopped_before(&world) {
                world.is_wrong(wrong);
                return;
            }
            let all = world.conversations.iter().enumerate();
            let used_up = all.filter(|(at, one)| {
                one.used_up_at.is_some() && one.up && !one.gone && !self.deleted.contains(at)
            });
            used_up.map(|(at, one)| (at, one.id.clone())).collect()
        };
        for (at, id) in used_up {
            if let Some(wrong) = self.is_not_held(at, &id).await {
                lock(&self.world).is_wrong(wrong);
                return;
            }
        }
    }

    /// What is wrong with a conversation whose budget is used up. At the end it is lifted.
    async fn is_not_held(&self, at: usize, id: &str) -> Option<String> {
        {
            let world = lock(&self.world);
            let one = &world.conversations[at];
            if matches!(one.state, State::Running | State::Asking) {
                return Some(format!(
                    "{id} works on ({:?}) though its budget is used up",
                    one.state
                ));
            }
        }
        let (hub, owner) = (self.hub().clone(), caller(0));
        let say = async |client_id: &str, text: &str| {
            let said = hub
                .commands
                .say(&owner, id, client_id, text, Vec::new(), Vec::new());
            said.await.map_err(|error| error.to_string())
        };
        let has = |text: &str| {
            lock(&self.world).conversations[at]
                .received
                .contains_key(text)
        };
        let refused = say("client-over", "Go over the budget").await;
        clock::pass(5_000).await;
        if !matches!(&refused, Err(why) if why.contains("budget")) || has("Go over the budget") {
            return Some(format!(
                "{id} takes a message though its budget is used up: {refused:?}"
            ));
        }
        if let Err(error) = hub.policies.budgets.lift(&owner, id).await {
            return Some(format!("the budget of {id} cannot be lifted: {error}"));
        }
        clock::pass(5_000).await;
        let said = say("client-lifted", "Go on").await;
        clock::pass(60_000).await;
        (said.is_err() || !has("Go on"))
            .then(|| format!("{id} does not go on though its budget was lifted: {said:?}"))
    }
}
