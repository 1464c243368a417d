//! A step of the agent: one call or message, with its time, cost and tokens.

use super::super::{Kind, Metrics};

/// A step.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Its number in the conversation, from 1.
    pub number: u64,
    /// Its row on the timeline.
    pub row: i64,
    /// Upstream timestamp of its call or message, milliseconds since the Unix epoch; 0 if unknown.
    pub at: i64,
    /// Its kind.
    pub kind: Kind,
    /// What it is applied to, on one line: a command, a file, the beginning of a message. Not sanitised.
    pub subject: String,
    /// Upstream's id of the model's response that it is part of (1.x).
    pub response: Option<String>,
    /// Its time, cost and tokens.
    pub spent: Spent,
    /// Time from its call to its outcome, in milliseconds; `None` if it has none, or was never executed.
    pub ran: Option<u64>,
    /// The part of it in which it waited for a person, alone or together with other calls of its response.
    pub idle: u64,
    /// Whether it failed.
    pub failed: bool,
    /// Whether its call equals that of the step before.
    pub repeated: bool,
}

/// Time, cost and tokens.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spent {
    /// Number of steps.
    pub steps: u64,
    /// Time of the model, in milliseconds.
    pub model: u64,
    /// Time of the tools, in milliseconds.
    pub tool: u64,
    /// Time of waiting for a person's approval, in milliseconds.
    pub person: u64,
    /// Cost in US dollars.
    pub cost: f64,
    /// Tokens sent to the model.
    pub prompt_tokens: u64,
    /// Tokens written by the model.
    pub completion_tokens: u64,
    /// Tokens read from the provider's cache, which are among those sent.
    pub cache_read_tokens: u64,
}

impl Step {
    /// Sets the time of waiting for a person, and the part of it that counts for this step: what waited together
    /// waited once. The tool gets the rest.
    pub(super) fn waited(&mut self, idle: u64, person: u64) {
        self.idle = idle;
        self.spent.person = person;
        self.split();
    }

    /// Sets the time of the tool: what ran did so while nothing waited.
    pub(super) fn split(&mut self) {
        self.spent.tool = self.ran.unwrap_or(0).saturating_sub(self.idle);
    }
}

impl Spent {
    /// The rise of cost and tokens between two running totals.
    pub(super) fn between(before: &Metrics, after: &Metrics) -> Self {
        let rise = |of: fn(&Metrics) -> u64| of(after).saturating_sub(of(before));
        Self {
            cost: (after.cost - before.cost).max(0.0),
            prompt_tokens: rise(|metrics| metrics.prompt_tokens),
            completion_tokens: rise(|metrics| metrics.completion_tokens),
            cache_read_tokens: rise(|metrics| metrics.cache_read_tokens),
            ..Self::default()
        }
    }

    /// Adds another sum.
    pub fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.steps, other.steps),
            (&mut self.model, other.model),
            (&mut self.tool, other.tool),
            (&mut self.person, other.person),
            (&mut self.prompt_tokens, other.prompt_tokens),
            (&mut self.completion_tokens, other.completion_tokens),
            (&mut self.cache_read_tokens, other.cache_read_tokens),
        ];
        for (sum, more) in pairs {
            *sum = sum.saturating_add(more);
        }
        self.cost += other.cost;
    }

    /// Takes as much of cost and tokens off this sum as there is, and off `fallen`, too.
    pub(super) fn give(&mut self, fallen: &mut Self) {
        let pairs = [
            (&mut self.prompt_tokens, &mut fallen.prompt_tokens),
            (&mut self.completion_tokens, &mut fallen.completion_tokens),
            (&mut self.cache_read_tokens, &mut fallen.cache_read_tokens),
        ];
        for (own, left) in pairs {
            let part = (*own).min(*left);
            *own -= part;
            *left -= part;
        }
        let part = self.cost.min(fallen.cost).max(0.0);
        self.cost -= part;
        fallen.cost -= part;
    }

    /// Time of model and tools, in milliseconds.
    pub fn work(&self) -> u64 {
        self.model.saturating_add(self.tool)
    }

    /// All time, in milliseconds.
    pub fn time(&self) -> u64 {
        self.work().saturating_add(self.person)
    }

    /// All tokens.
    pub fn tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }

    /// The share of the sent tokens that came from the cache, in percent; `None` if none were sent.
    pub fn cached(&self) -> Option<u64> {
        let share = self.cache_read_tokens.saturating_mul(100);
        share.checked_div(self.prompt_tokens)
    }
}
