//! What a page about one conversation shows.

use super::{Change, Command, Insight, ModelCall, Spent, Step};
use std::collections::HashMap;

/// The result: what a page shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// The newest steps, oldest first.
    pub steps: Vec<Step>,
    /// The steps before them.
    pub earlier: Spent,
    /// Cost and tokens outside of steps.
    pub outside: Spent,
    /// The sum of all of these.
    pub total: Spent,
    /// The step that took longest, without the time that it waited for a person.
    pub slowest: Option<Step>,
    /// The step with the highest cost.
    pub dearest: Option<Step>,
    /// The step that waited longest for a person.
    pub longest_wait: Option<Step>,
    /// Whether a step waits for a person now.
    pub is_waiting: bool,
    /// Number of failed steps.
    pub failed: u64,
    /// Number of steps with the same call as the step before.
    pub repeated: u64,
    /// Files by number of edits, the most edited first.
    pub files: Vec<Change>,
    /// Commands that failed, the most failures first.
    pub commands: Vec<Command>,
    /// Whether there were more files or commands than are counted one by one.
    pub more_names: bool,
}

impl Insight {
    /// Keeps a step that leaves, if it is the most remarkable so far.
    pub(super) fn note(&mut self, step: &Step) {
        greatest(&mut self.slowest, step, |step| step.spent.work() as f64);
        greatest(&mut self.dearest, step, |step| step.spent.cost);
        greatest(&mut self.longest_wait, step, |step| {
            step.spent.person as f64
        });
    }

    /// The report. `waits` has the time that rows waited for a person by the journal's own clock, in milliseconds, where
    /// it is known; elsewhere the backend's events tell it. `calls` are the calls of the model, if the backend still
    /// knows them.
    pub fn report(&self, waits: &HashMap<i64, i64>, calls: &[ModelCall]) -> Report {
        let mut all = self.clone();
        all.assign(calls);
        // Calls of one response that waited together are known by the first of them.
        let mut together: Option<(String, u64)> = None;
        for step in &mut all.steps {
            let waited = waits.get(&step.row);
            let waited = waited.map(|waited| u64::try_from(*waited).unwrap_or(0));
            match (waited, &together) {
                (Some(waited), _) => {
                    step.waited(waited, waited);
                    together = step.response.clone().map(|response| (response, waited));
                }
                (None, Some((response, waited))) if step.response.as_ref() == Some(response) => {
                    step.waited(*waited, 0);
                }
                (None, _) => together = None,
            }
        }
        let mut total = all.earlier.clone();
        for step in all.steps.clone() {
            total.add(&step.spent);
            all.note(&step);
        }
        all.outside.add(&all.reported);
        total.add(&all.outside);
        let more_names = all.files.overflows() || all.commands.overflows();
        Report {
            steps: all.steps.into(),
            earlier: all.earlier,
            outside: all.outside,
            total,
            slowest: all.slowest,
            dearest: all.dearest,
            longest_wait: all.longest_wait,
            is_waiting: all.asked_at.is_some(),
            failed: all.failed,
            repeated: all.repeated,
            files: all.files.changes(),
            commands: all.commands.failures(),
            more_names,
        }
    }
}

/// Replaces `best` by `step` if its value is higher. A step with the value 0 is not remarkable.
fn greatest(best: &mut Option<Step>, step: &Step, value: impl Fn(&Step) -> f64) {
    if value(step) > best.as_ref().map_or(0.0, &value) {
        *best = Some(step.clone());
    }
}
