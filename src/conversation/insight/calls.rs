//! The calls of the model that a backend remembers one by one (1.x): by them, time, cost and tokens of a step are exact.

use super::super::Kind;
use super::{Insight, Spent, Step};
use std::collections::HashMap;

/// A call of the model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelCall {
    /// The model's id of its response.
    pub response: String,
    /// Its latency, cost and tokens.
    pub spent: Spent,
    /// Whether its cost is known.
    pub has_cost: bool,
}

impl Insight {
    /// Gives each kept step what the call of its response spent; `calls` are those of the agent, in order. A message
    /// does not name its response: it has the last call before the next step that does. Without effect, unless all
    /// calls have a cost and the total stays what it is.
    pub(super) fn assign(&mut self, calls: &[ModelCall]) {
        if calls.is_empty() || calls.iter().any(|call| !call.has_cost) {
            return;
        }
        let places = calls.iter().enumerate();
        let places: HashMap<&str, usize> = places
            .map(|(at, call)| (call.response.as_str(), at))
            .collect();
        let place = |step: &Step| Some(*places.get(step.response.as_deref()?)?);
        let mut rest = self.outside.clone();
        rest.add(&self.reported);
        let mut steps: Vec<Step> = self.steps.iter().cloned().collect();
        // From the end, since a message needs to know what comes after it.
        let mut next = calls.len();
        let mut assigned = vec![None; steps.len()];
        for (step, assigned) in steps.iter_mut().zip(&mut assigned).rev() {
            let at = match place(step) {
                Some(at) => at,
                None if step.kind == Kind::Message && next > 0 => next - 1,
                None => continue,
            };
            next = at.min(next);
            *assigned = Some(at);
            rest.add(&step.spent.amounts());
        }
        let mut before = None;
        for (step, at) in steps.iter_mut().zip(assigned) {
            let Some(at) = at else { continue };
            // Of several steps of one response the first one has it all.
            let new = match before == Some(at) {
                true => Spent::default(),
                false => calls[at].spent.clone(),
            };
            before = Some(at);
            let Some(less) = rest.less(&new) else { return };
            rest = less;
            step.spent = Spent {
                steps: step.spent.steps,
                tool: step.spent.tool,
                person: step.spent.person,
                ..new
            };
        }
        self.steps = steps.into();
        self.outside = rest;
        self.reported = Spent::default();
    }
}

impl Spent {
    /// Cost and tokens alone.
    fn amounts(&self) -> Self {
        Self {
            steps: 0,
            model: 0,
            tool: 0,
            person: 0,
            ..self.clone()
        }
    }

    /// Cost and tokens without others; `None` if there are not as many.
    fn less(&self, other: &Self) -> Option<Self> {
        // Sums of floating-point numbers differ by less than this.
        let cost = Some(self.cost - other.cost).filter(|cost| *cost > -1e-9)?;
        Some(Self {
            cost: cost.max(0.0),
            prompt_tokens: self.prompt_tokens.checked_sub(other.prompt_tokens)?,
            completion_tokens: self
                .completion_tokens
                .checked_sub(other.completion_tokens)?,
            cache_read_tokens: self
                .cache_read_tokens
                .checked_sub(other.cache_read_tokens)?,
            ..Self::default()
        })
    }
}
