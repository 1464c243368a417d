//! The plan of a run, step by step. All of it is determined by the seed; steps can be left out.

use crate::dice::Dice;

/// The action of one step. The step's own dice choose the conversation, user or page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The agent does something.
    Act,
    Ask,
    Burst,
    /// So many single events that a page that does not read falls behind.
    Flood,
    /// More events than the actor stores at once wait for a slow disk, out of order.
    Backlog,
    /// Conversations are deleted while a slow disk delays the reading of lists.
    Purge,
    /// A user without Handrail sends a message, or answers an approval on 1.x.
    Others,
    Open,
    OpenList,
    Leave,
    /// A page stops reading for a while.
    Slow,
    Say,
    SayAgain,
    Answer,
    /// Two concurrent answers.
    Answers,
    Steer,
    Settle,
    Share,
    Delete,
    Start,
    Stop,
    /// A client disconnects during its request.
    HangUp,
    NetDown,
    HalfOpen,
    Cut,
    Latency,
    Trouble,
    DiskFails,
    DiskHeals,
    DiskSlow,
    Kill,
    Restart,
    /// A server restarts.
    ServerRestart,
    /// An owner adds, changes or removes a backend.
    Edit,
    /// A user starts a conversation, which takes its server a while.
    Create,
    Pass,
}

/// A step with its dice.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub action: Action,
    pub dice: u64,
}

/// The plan of a run.
#[derive(Debug, Clone)]
pub struct Plan {
    pub seed: u64,
    pub conversations: usize,
    /// How long a question must be shown before an answer counts, in milliseconds.
    pub min_view_time: u64,
    /// Maximum number of events in a burst.
    pub burst: u64,
    /// Whether owners may change the backends.
    pub are_edited: bool,
    /// Whether a rule answers for a while.
    pub is_ruled: bool,
    /// Whether two people have to approve.
    pub needs_two: bool,
    /// Whether users ask for other commands than the pending ones.
    pub amends: bool,
    /// Whether deputies are told, and actions are rejected, when nobody answers.
    pub escalates: bool,
    /// Whether conversations have a budget, which agents use up.
    pub has_budget: bool,
    pub steps: Vec<Step>,
}

/// Actions of every run, with their weights.
const COMMON: [(Action, u64); 8] = [
    (Action::Act, 22),
    (Action::Ask, 12),
    (Action::Say, 12),
    (Action::Answer, 16),
    (Action::Open, 5),
    (Action::Pass, 8),
    (Action::OpenList, 1),
    (Action::Burst, 2),
];

/// Further actions of long runs, which are to answer much and early.
const LONG: [(Action, u64); 4] = [
    (Action::Ask, 14),
    (Action::Answer, 60),
    (Action::Answers, 20),
    (Action::Burst, 2),
];

/// Actions of some runs: each run has about half of these, so that none hides the effects of another.
const SOMETIMES: [(Action, u64); 23] = [
    (Action::Others, 4),
    (Action::Leave, 3),
    (Action::Slow, 2),
    (Action::SayAgain, 3),
    (Action::Answers, 6),
    (Action::Steer, 4),
    (Action::Settle, 4),
    (Action::Share, 5),
    (Action::Delete, 1),
    (Action::Start, 2),
    (Action::Stop, 1),
    (Action::HangUp, 4),
    (Action::NetDown, 3),
    (Action::HalfOpen, 2),
    (Action::Cut, 4),
    (Action::Latency, 3),
    (Action::Trouble, 3),
    (Action::DiskFails, 3),
    (Action::DiskHeals, 5),
    (Action::DiskSlow, 3),
    (Action::Kill, 3),
    (Action::Restart, 2),
    (Action::ServerRestart, 2),
];

/// What may happen right beside a click, in runs that have it.
const MEANWHILE: [Action; 6] = [
    Action::Kill,
    Action::Cut,
    Action::NetDown,
    Action::DiskFails,
    Action::HangUp,
    Action::ServerRestart,
];

impl Plan {
    /// A short run.
    pub fn of(seed: u64) -> Self {
        Self::sized(seed, 15, 45, 120, &[])
    }

    /// A run with many more steps and events.
    pub fn long(seed: u64) -> Self {
        Self::sized(seed, 400, 400, 3_000, &LONG)
    }

    fn sized(seed: u64, least: usize, more: usize, burst: u64, further: &[(Action, u64)]) -> Self {
        let mut dice = Dice::of(seed.wrapping_mul(0x9e37_79b9).wrapping_add(17));
        let mut weights = [&COMMON[..], further].concat();
        let share = 25 + dice.below(50);
        for (action, weight) in SOMETIMES {
            if dice.percent(share) {
                weights.push((action, weight));
            }
        }
        let total: u64 = weights.iter().map(|(_, weight)| weight).sum();
        let choose = |dice: &mut Dice| {
            let mut left = dice.below(total);
            for (action, weight) in &weights {
                if left < *weight {
                    return *action;
                }
                left -= weight;
            }
            Action::Pass
        };
        let count = least + dice.place(more);
        let (conversations, min_view_time) =
            (1 + dice.place(3), if dice.percent(30) { 700 } else { 0 });
        let is_long = !further.is_empty();
        let flood = dice.below(80) < if is_long { 12 } else { 1 };
        // Dice of their own, so that all other steps of a seed stay what they are.
        let mut rare = Dice::of(seed ^ 0xcafe);
        let rarity = if is_long { 4 } else { 30 };
        let (backlog, purge) = (rare.below(rarity) == 0, rare.below(rarity) == 0);
        // More than the actor stores at once.
        let burst = if dice.percent(10) { burst * 5 } else { burst };
        let mut steps = vec![Step {
            action: Action::Open,
            dice: dice.next(),
        }];
        for _ in 0..count {
            let action = choose(&mut dice);
            steps.push(Step {
                action,
                dice: dice.next(),
            });
            // What goes wrong while a message, an answer or events are under way.
            let chance = match action {
                Action::Say | Action::Answer | Action::Answers => 20,
                Action::Act | Action::Burst => 6,
                _ => 0,
            };
            let trouble: Vec<Action> = MEANWHILE
                .into_iter()
                .filter(|action| weights.iter().any(|(known, _)| known == action))
                .collect();
            if !trouble.is_empty() && dice.percent(chance) {
                let trouble = Step {
                    action: trouble[dice.place(trouble.len())],
                    dice: dice.next(),
                };
                // A disk that fails does so before the click.
                let at = steps.len() - usize::from(trouble.action == Action::DiskFails);
                steps.insert(at, trouble);
            }
            if action == Action::Ask {
                for _ in 0..dice.below(4) {
                    let action = if dice.percent(50) {
                        Action::Answer
                    } else {
                        choose(&mut dice)
                    };
                    steps.push(Step {
                        action,
                        dice: dice.next(),
                    });
                }
            }
        }
        let mut insert = |action: Action, is_wanted: bool, dice: &mut Dice| {
            if is_wanted {
                let at = dice.place(steps.len()) + 1;
                let dice = dice.next();
                steps.insert(at, Step { action, dice });
            }
        };
        insert(Action::Flood, flood, &mut dice);
        insert(Action::Backlog, backlog, &mut rare);
        if purge {
            let dice = rare.next();
            let action = Action::Purge;
            steps.push(Step { action, dice });
        }
        let are_edited = rare.below(rarity.min(6)) == 0;
        if are_edited {
            steps = edited(steps, &mut rare);
        }
        Self {
            seed,
            conversations,
            min_view_time,
            burst,
            are_edited,
            is_ruled: seed.is_multiple_of(5),
            needs_two: seed % 7 == 2,
            amends: seed % 7 == 5 || seed % 14 == 2,
            escalates: seed % 4 == 1,
            has_budget: seed % 6 == 4,
            steps,
        }
    }

    /// The same plan reduced to these steps.
    pub fn only(mut self, kept: &[usize]) -> Self {
        let all = std::mem::take(&mut self.steps);
        self.steps = kept.iter().filter_map(|at| all.get(*at).copied()).collect();
        self
    }
}

/// The same steps with edits of the backends, mostly right beside a click, and with new conversations.
fn edited(steps: Vec<Step>, dice: &mut Dice) -> Vec<Step> {
    let mut all = Vec::with_capacity(steps.len() * 2);
    for step in steps {
        let is_click = matches!(
            step.action,
            Action::Say | Action::Answer | Action::Answers | Action::Start
        );
        let is_followed = dice.percent(if is_click { 15 } else { 2 });
        let begins = dice.percent(3);
        all.push(step);
        let further = [(Action::Edit, is_followed), (Action::Create, begins)];
        for (action, _) in further.into_iter().filter(|(_, is_wanted)| *is_wanted) {
            let dice = dice.next();
            all.push(Step { action, dice });
        }
    }
    all
}
