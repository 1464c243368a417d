//! Cost and tokens over all conversations, from kept sums: what is read does not grow with the number of conversations.
//!
//! Triggers keep the sums in the transaction of each change (`migrations/0020.sql`): `spending` by day, creator and model,
//! `spenders` with the number of conversations by the last day on which they were at work, and `spender` with each
//! conversation. `waited` has the time that approvals waited (`migrations/0023.sql`). An import of what is here already does
//! not count: it has no identity but its events, so it is known by what it has spent, to the token.

use super::{Journal, JournalError};
use crate::conversation::{Measure, Overall, OverallReport, Spent};
use crate::journal::engine::{self, Row, Statement, ToSql, Transaction, named_params};
use std::collections::VecDeque;

/// Sums that a report reads: about 90 people with three models on 365 days.
const MOST_SUMS: i64 = 100_000;
/// Conversations in a report.
const LISTED: usize = 30;
/// Conversations that are compared for it. Those that worked only in its period need no more than are listed.
const COMPARED: usize = 2_000;
/// Conversations of one day that are read at first.
const FIRST: usize = 4;

impl Journal {
    /// Cost and tokens since a day (days since the Unix epoch, UTC): of all conversations, or of those with this creator.
    /// Nobody has an empty name.
    pub async fn spending(
        &self,
        since: i64,
        creator: Option<String>,
        measure: Measure,
    ) -> Result<OverallReport, JournalError> {
        if creator.as_ref().is_some_and(String::is_empty) {
            return Ok(Overall::default().report(measure));
        }
        self.database
            .read(move |transaction| {
                let of = Of {
                    transaction,
                    since,
                    creator: creator.as_deref(),
                };
                of.report(measure, LISTED, COMPARED)
            })
            .await
    }
}

/// Whose spending is read, and since when.
struct Of<'t> {
    transaction: &'t Transaction<'t>,
    since: i64,
    creator: Option<&'t str>,
}

/// The conversations that were at work last on one day, in the order of what they have spent ever.
struct Day {
    day: i64,
    read: usize,
    next: VecDeque<(String, Spent)>,
    has_more: bool,
}

impl Of<'_> {
    /// The condition for the creator.
    const fn whose(&self) -> &'static str {
        match self.creator {
            Some(_) => "creator = :creator",
            None => "CAST(:creator AS TEXT) IS NULL",
        }
    }

    fn report(
        &self,
        measure: Measure,
        listed: usize,
        compared: usize,
    ) -> engine::Result<OverallReport> {
        let (mut sums, is_whole) = self.sums()?;
        sums.wait(self.waited()?);
        let (conversations, is_highest) = self.highest(measure, listed, compared)?;
        Ok(OverallReport {
            conversations,
            count: self.count()?,
            is_whole,
            is_highest,
            ..sums.report(measure)
        })
    }

    /// How long approvals waited that were answered since then, in milliseconds.
    fn waited(&self) -> engine::Result<u64> {
        let mut statement = self.transaction.prepare_cached(&waited_sql(self.whose()))?;
        let values = named_params! { ":since": self.since, ":creator": self.creator };
        let millis: f64 = statement.query_row(values, |row| row.get(0))?;
        Ok(millis as u64)
    }

    /// The sums, and whether they have all days.
    fn sums(&self) -> engine::Result<(Overall, bool)> {
        let mut statement = self.transaction.prepare_cached(&sums_sql(self.whose()))?;
        let mut rows = statement.query(named_params! {
            ":since": self.since, ":creator": self.creator, ":most": MOST_SUMS,
        })?;
        let (mut sums, mut count) = (Overall::default(), 0);
        while let Some(row) = rows.next()? {
            count += 1;
            let (model, creator) = (row.get_ref(5)?.as_str()?, row.get_ref(6)?.as_str()?);
            sums.add(row.get(4)?, model, creator, &read_spent(&row)?);
        }
        Ok((sums, count < MOST_SUMS))
    }

    /// The number of conversations that have spent something.
    fn count(&self) -> engine::Result<u64> {
        let sql = format!(
            "SELECT ifnull(sum(count), 0) FROM spenders WHERE day >= :since AND {}",
            self.whose()
        );
        let mut statement = self.transaction.prepare_cached(&sql)?;
        let values = named_params! { ":since": self.since, ":creator": self.creator };
        let count: i64 = statement.query_row(values, |row| row.get(0))?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// The `listed` conversations that have spent most, and whether that is certain after `compared` of them.
    ///
    /// What a conversation has spent ever is at least what it has spent since a day, and an index has that order for each
    /// day. So the days are merged, until the next one cannot be higher than what was found.
    fn highest(
        &self,
        measure: Measure,
        listed: usize,
        compared: usize,
    ) -> engine::Result<(Vec<(String, Spent)>, bool)> {
        let by = measure.chooses();
        let mut days = self.days()?;
        let mut reading = self
            .transaction
            .prepare_cached(&day_sql(by, self.whose()))?;
        for day in &mut days {
            self.read_more(day, &mut reading)?;
        }
        let mut since = self.transaction.prepare_cached(SINCE)?;
        let mut found: Vec<(String, Spent)> = Vec::with_capacity(listed + 1);
        let mut is_highest = false;
        for _ in 0..=compared {
            let ahead = days.iter_mut().filter(|day| !day.next.is_empty());
            let first = ahead.min_by(|one, other| by.order(&one.next[0], &other.next[0]));
            let Some(day) = first else {
                is_highest = true;
                break;
            };
            let next = day.next.pop_front().expect("it is not empty");
            if found.len() == listed
                && found
                    .last()
                    .is_some_and(|last| by.order(last, &next).is_lt())
            {
                is_highest = true;
                break;
            }
            if day.next.is_empty() && day.has_more {
                self.read_more(day, &mut reading)?;
            }
            let values = named_params! { ":id": next.0, ":since": self.since };
            let spent = since.query_row(values, read_spent)?;
            let one = (next.0, spent);
            let at = found.partition_point(|other| by.order(other, &one).is_lt());
            found.insert(at, one);
            found.truncate(listed);
        }
        found.sort_by(|one, other| measure.order(one, other));
        Ok((found, is_highest))
    }

    /// The days since then on which conversations were at work last.
    fn days(&self) -> engine::Result<Vec<Day>> {
        let mut statement = self.transaction.prepare_cached(&days_sql(self.whose()))?;
        let values = named_params! { ":since": self.since, ":creator": self.creator };
        let day = |row: &Row<'_>| {
            Ok(Day {
                day: row.get(0)?,
                read: 0,
                next: VecDeque::new(),
                has_more: true,
            })
        };
        statement.query_map(values, day)?.collect()
    }

    /// Reads twice as many as before.
    fn read_more(&self, day: &mut Day, reading: &mut Statement<'_>) -> engine::Result<()> {
        let most = day.read.max(FIRST);
        let (count, from) = (most as i64, day.read as i64);
        let values: &[(&str, &dyn ToSql)] = named_params! {
            ":day": day.day, ":creator": self.creator, ":count": count, ":from": from,
        };
        let mut rows = reading.query(values)?;
        while let Some(row) = rows.next()? {
            day.next.push_back((row.get(4)?, read_spent(&row)?));
        }
        day.has_more = day.next.len() == most;
        day.read += day.next.len();
        Ok(())
    }
}

fn sums_sql(whose: &str) -> String {
    format!(
        "SELECT cost, prompt_tokens, completion_tokens, cache_read_tokens, day, model, creator FROM spending
         WHERE day >= :since AND {whose} ORDER BY day DESC LIMIT :most"
    )
}

fn waited_sql(whose: &str) -> String {
    format!("SELECT total(millis) FROM waited WHERE day >= :since AND {whose}")
}

/// Each day is a step in the index.
fn days_sql(whose: &str) -> String {
    format!(
        "WITH RECURSIVE at (last) AS (
           SELECT min(day) FROM spenders WHERE day >= :since AND {whose} UNION ALL
           SELECT (SELECT min(day) FROM spenders WHERE day > last AND {whose}) FROM at WHERE last IS NOT NULL
         )
         SELECT last FROM at WHERE last IS NOT NULL"
    )
}

fn day_sql(by: Measure, whose: &str) -> String {
    let by = match by {
        Measure::Cost => "cost",
        Measure::Input | Measure::Cached => "prompt_tokens",
        Measure::Output => "completion_tokens",
    };
    format!(
        "SELECT cost, prompt_tokens, completion_tokens, cache_read_tokens, id FROM spender
         WHERE counts = 1 AND last_day = :day AND {whose}
         ORDER BY {by} DESC, tokens DESC, id LIMIT :count OFFSET :from"
    )
}

/// What a conversation has spent since a day.
const SINCE: &str =
    "SELECT total(cost), total(prompt_tokens), total(completion_tokens), total(cache_read_tokens)
  FROM usage WHERE conversation = (SELECT number FROM spender WHERE id = :id) AND day >= :since";

/// From the first columns of a row. A sum below zero counts as zero.
fn read_spent(row: &Row<'_>) -> engine::Result<Spent> {
    Ok(Spent {
        cost: row.get(0)?,
        prompt_tokens: row.get::<_, f64>(1)? as u64,
        completion_tokens: row.get::<_, f64>(2)? as u64,
        cache_read_tokens: row.get::<_, f64>(3)? as u64,
        ..Spent::default()
    })
}

#[cfg(test)]
mod tests;
