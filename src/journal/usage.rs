//! Cost and tokens by day and model, kept with each batch of events, and what a page about one conversation is made of.
//!
//! Triggers keep the sums over all conversations with them (`spending`).

use super::conversations::number_of;
use super::engine::{self, Transaction, params};
use super::folding::reread;
use super::{Journal, JournalError};
use crate::conversation::{Insight, Metrics, Session};
use std::collections::{BTreeMap, HashMap};

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;
/// JSON that is read in one go, in bytes; the first event is always included.
const MOST_READ: usize = 4 << 20;
/// Tokens and dollars of one conversation that are counted: sums of more would not be exact, or not be numbers.
const MOST_TOKENS: u64 = 1_000_000_000_000_000;
const MOST_DOLLARS: f64 = 1e9;
/// Bytes of the name of a model that are kept. An agent says what it likes, and an index has them.
const LONGEST_MODEL: usize = 400;

impl Journal {
    /// Passes the events after `after` to `insight`, as many as fit into one read. Returns it with the newest `seq` that
    /// it has seen; the same `seq` as before at the end of the log.
    pub async fn accumulate(
        &self,
        conversation: &str,
        mut insight: Insight,
        after: i64,
    ) -> Result<(Insight, i64), JournalError> {
        let (id, reader) = (conversation.to_owned(), self.reader);
        self.database
            .read(move |transaction| {
                let mut statement = transaction.prepare_cached(
                    "SELECT event.seq, event.row, event.pos, event.raw, event.at FROM event
                     JOIN conversation ON conversation.number = event.conversation
                     WHERE conversation.id = ?1 AND event.seq > ?2 ORDER BY event.seq",
                )?;
                let mut rows = statement.stream(params![id, after])?;
                let (mut seq, mut read) = (after, 0);
                while read < MOST_READ
                    && let Some(row) = rows.next()?
                {
                    let raw = row.get_ref(3)?.as_str()?;
                    read += raw.len();
                    seq = row.get(0)?;
                    let place = (row.get(2)?, row.get(4)?);
                    insight.take(&reread(reader, raw, place), row.get(1)?);
                }
                Ok((insight, seq))
            })
            .await
    }

    /// How long the approvals of rows from `first` on were pending, in milliseconds, where it is known. Rows that were
    /// answered together waited once: the first of them is returned.
    pub async fn waits(
        &self,
        conversation: &str,
        first: i64,
    ) -> Result<HashMap<i64, i64>, JournalError> {
        let id = conversation.to_owned();
        self.database
            .read(move |transaction| {
                let Some(number) = number_of(transaction, &id)? else {
                    return Ok(HashMap::new());
                };
                transaction.list(
                    "SELECT min(row), answered_at - asked_at FROM row_author
                         WHERE conversation = ?1 AND row >= ?2 AND answered_at IS NOT NULL
                         GROUP BY asked_at, answered_at",
                    params![number, first],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
            })
            .await
    }
}

/// What a batch of events has spent, by day since the Unix epoch and model.
#[derive(Debug, Default)]
pub(super) struct Spending(BTreeMap<(i64, String), Rise>);

/// A rise of the totals of a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Rise {
    cost: f64,
    prompt: i64,
    completion: i64,
    cache: i64,
}

impl Spending {
    /// Adds what a conversation has spent since `before`, at a time in milliseconds since the Unix epoch.
    pub(super) fn add(&mut self, before: &Metrics, session: &Session, at: i64) {
        for (mut model, rise) in rises(before, session) {
            model.truncate(model.floor_char_boundary(LONGEST_MODEL));
            let sum = self.0.entry((at.div_euclid(DAY), model)).or_default();
            sum.add(rise, 1);
        }
    }

    /// Adds it to what is stored of the conversation.
    pub(super) fn put(&self, transaction: &Transaction<'_>, number: i64) -> engine::Result<()> {
        for ((day, model), rise) in &self.0 {
            transaction
                .prepare_cached(
                    "INSERT INTO usage VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                     ON CONFLICT (conversation, day, model) DO UPDATE SET cost = usage.cost + excluded.cost,
                       prompt_tokens = usage.prompt_tokens + excluded.prompt_tokens,
                       completion_tokens = usage.completion_tokens + excluded.completion_tokens,
                       cache_read_tokens = usage.cache_read_tokens + excluded.cache_read_tokens",
                )?
                .send(params![
                    number,
                    day,
                    model,
                    rise.cost,
                    rise.prompt,
                    rise.completion,
                    rise.cache
                ])?;
        }
        Ok(())
    }
}

/// The rise by model. What no purpose accounts for belongs to the model in use.
fn rises(before: &Metrics, session: &Session) -> BTreeMap<String, Rise> {
    let after = &session.metrics;
    let count = |tokens: u64| i64::try_from(tokens.min(MOST_TOKENS)).unwrap_or(i64::MAX);
    let dollars = |cost: f64| match cost.is_finite() {
        true => cost.clamp(-MOST_DOLLARS, MOST_DOLLARS),
        false => 0.0,
    };
    let mut rest = Rise {
        cost: dollars(after.cost) - dollars(before.cost),
        prompt: count(after.prompt_tokens) - count(before.prompt_tokens),
        completion: count(after.completion_tokens) - count(before.completion_tokens),
        cache: count(after.cache_read_tokens) - count(before.cache_read_tokens),
    };
    let mut rises: BTreeMap<String, Rise> = BTreeMap::new();
    for usage in &after.usages {
        let known = before.usages.iter().find(|known| known.name == usage.name);
        let known = known.cloned().unwrap_or_default();
        let rise = Rise {
            cost: dollars(usage.cost) - dollars(known.cost),
            prompt: count(usage.prompt_tokens) - count(known.prompt_tokens),
            completion: count(usage.completion_tokens) - count(known.completion_tokens),
            cache: count(usage.cache_read_tokens) - count(known.cache_read_tokens),
        };
        rises.entry(usage.model.clone()).or_default().add(rise, 1);
        rest.add(rise, -1);
    }
    // Sums of floating-point numbers differ by less than this.
    if rest.cost.abs() > 1e-9 || (rest.prompt, rest.completion, rest.cache) != (0, 0, 0) {
        rises
            .entry((*session.model).clone())
            .or_default()
            .add(rest, 1);
    }
    rises.retain(|_, rise| *rise != Rise::default());
    rises
}

impl Rise {
    fn add(&mut self, other: Self, sign: i64) {
        self.cost += other.cost * sign as f64;
        self.prompt += other.prompt * sign;
        self.completion += other.completion * sign;
        self.cache += other.cache * sign;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Usage;

    #[test]
    fn what_no_purpose_accounts_for_belongs_to_the_model_in_use() {
        let mut session = Session::default();
        session.metrics.cost = 1.0;
        session.metrics.prompt_tokens = 100;
        session.metrics.usages = vec![Usage {
            name: "condenser".to_owned(),
            model: "small".to_owned(),
            cost: 0.25,
            prompt_tokens: 40,
            ..Usage::default()
        }];
        let rises = rises(&Metrics::default(), &session);
        let rises: Vec<_> = rises
            .iter()
            .map(|(model, rise)| (model.as_str(), rise.cost, rise.prompt))
            .collect();
        assert_eq!(rises, [("", 0.75, 60), ("small", 0.25, 40)]);
    }
}
