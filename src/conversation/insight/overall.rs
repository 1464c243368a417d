//! Cost and tokens over all conversations.

use super::Spent;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

/// Names that are summed up one by one; the others are summed up together.
const NAMES: usize = 200;
/// What the names and conversations of a report are sorted by, the highest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Measure {
    /// Cost, and for the same cost tokens.
    #[default]
    Cost,
    /// Tokens that were sent to the model.
    Input,
    /// Tokens that came from the model.
    Output,
    /// The share of the input that came from the cache.
    Cached,
}

impl Measure {
    /// All of them, in the order of the columns.
    pub const ALL: [Self; 4] = [Self::Cost, Self::Input, Self::Output, Self::Cached];

    /// Its name in an address.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Cost => "cost",
            Self::Input => "input",
            Self::Output => "output",
            Self::Cached => "cached",
        }
    }

    /// The one with this name in an address, or else the cost.
    pub fn named(word: &str) -> Self {
        let mut all = Self::ALL.into_iter();
        all.find(|one| one.word() == word).unwrap_or_default()
    }

    /// How much of it was spent.
    pub fn of(self, spent: &Spent) -> f64 {
        match self {
            Self::Cost => spent.cost,
            Self::Input => spent.prompt_tokens as f64,
            Self::Output => spent.completion_tokens as f64,
            Self::Cached => spent.cached().unwrap_or_default() as f64,
        }
    }

    /// The measure that chooses the conversations of a report: a share alone says nothing of those that spent little.
    pub const fn chooses(self) -> Self {
        match self {
            Self::Cached => Self::Input,
            other => other,
        }
    }

    /// The order of two names with what was spent on them: the highest first, then those with more tokens.
    pub fn order(self, (one, a): &(String, Spent), (other, b): &(String, Spent)) -> Ordering {
        let by_measure = self.of(b).total_cmp(&self.of(a));
        let by_tokens = by_measure.then_with(|| b.tokens().cmp(&a.tokens()));
        by_tokens.then_with(|| one.cmp(other))
    }
}

/// The sums so far. Their size is bounded.
#[derive(Debug, Default)]
pub struct Overall {
    total: Spent,
    days: BTreeMap<i64, Spent>,
    models: Names,
    people: Names,
}

/// Sums by name.
#[derive(Debug, Default)]
struct Names {
    sums: HashMap<String, Spent>,
    others: Spent,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OverallReport {
    /// The sum.
    pub total: Spent,
    /// By day since the Unix epoch (UTC), oldest first.
    pub days: Vec<(i64, Spent)>,
    /// By model, the highest first; an empty name means that the model is unknown.
    pub models: Vec<(String, Spent)>,
    /// By creator, the highest first; an empty name means that the creator is unknown.
    pub people: Vec<(String, Spent)>,
    /// The highest conversations, by id.
    pub conversations: Vec<(String, Spent)>,
    /// Number of conversations that cost something or used tokens.
    pub count: u64,
    /// Whether the sums have all days.
    pub is_whole: bool,
    /// Whether none of the conversations that are not listed is higher.
    pub is_highest: bool,
}

impl Overall {
    /// Adds a time of waiting for a person, in milliseconds.
    pub fn wait(&mut self, millis: u64) {
        self.total.person = self.total.person.saturating_add(millis);
    }

    /// Adds what the conversations of a person have spent on one day with one model.
    pub fn add(&mut self, day: i64, model: &str, person: &str, spent: &Spent) {
        self.total.add(spent);
        self.days.entry(day).or_default().add(spent);
        self.models.add(model, spent);
        self.people.add(person, spent);
    }

    /// The report, sorted by `measure`. It has all sums, and no conversations.
    pub fn report(self, measure: Measure) -> OverallReport {
        OverallReport {
            total: self.total,
            days: self.days.into_iter().collect(),
            models: self.models.sorted(measure),
            people: self.people.sorted(measure),
            conversations: Vec::new(),
            count: 0,
            is_whole: true,
            is_highest: true,
        }
    }
}

impl Names {
    fn add(&mut self, name: &str, spent: &Spent) {
        let is_full = self.sums.len() >= NAMES;
        match self.sums.get_mut(name) {
            Some(sum) => sum.add(spent),
            None if is_full => self.others.add(spent),
            None => drop(self.sums.insert(name.to_owned(), spent.clone())),
        }
    }

    fn sorted(self, measure: Measure) -> Vec<(String, Spent)> {
        let mut sums = sorted(self.sums, measure);
        if self.others != Spent::default() {
            sums.push(("…".to_owned(), self.others));
        }
        sums
    }
}

/// The highest first.
fn sorted(sums: HashMap<String, Spent>, measure: Measure) -> Vec<(String, Spent)> {
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by(|one, other| measure.order(one, other));
    sums
}
