//! The events that fit an expression, within the conversations that a person may see.

use super::scope::{SearchFilter, in_conversations};
use super::windows::Windows;
use super::words::Longer;
use rusqlite::types::Value;
use rusqlite::{Transaction, params};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Ids in the first window of a scan: a few milliseconds with sixteen of the most common words.
const FIRST_WINDOW: i64 = 2_000;
/// Up to this many visible conversations are part of the FTS expression, which then skips the events of all others. More
/// would slow down each of its steps; then the conversation of each event is looked up, and many of them fit.
const MOST_NAMED: usize = 64;
/// Most words that complete a beginning, and the time to look for them.
const MOST_LONGER: usize = 64;
/// See [`MOST_LONGER`].
const TIME_FOR_LONGER: Duration = Duration::from_millis(25);

/// An event that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) event: i64,
    pub(super) conversation: i64,
    pub(super) row: i64,
    /// Whether only a longer word was found.
    pub(super) longer: bool,
}

impl Candidate {
    pub(super) fn is_of_row(&self, other: &Self) -> bool {
        (self.conversation, self.row) == (other.conversation, other.row)
    }
}

/// The events among which a query looks.
pub(super) struct Candidates<'t> {
    transaction: &'t Transaction<'t>,
    /// Expressions that must hold beside the words.
    fixed: Vec<String>,
    /// The numbers of the conversations as a JSON array; `None` if all events may be seen.
    numbers: Option<String>,
}

impl<'t> Candidates<'t> {
    /// `None` if the person sees no conversation that the filter takes.
    pub(super) fn new(
        transaction: &'t Transaction<'t>,
        filter: &SearchFilter,
        sees: impl Fn(&str) -> bool,
    ) -> rusqlite::Result<Option<Self>> {
        let (numbers, is_all) = visible(transaction, filter, sees)?;
        if numbers.is_empty() {
            return Ok(None);
        }
        let mut fixed = filter.expressions();
        if !is_all && numbers.len() <= MOST_NAMED {
            fixed.push(in_conversations(&numbers));
        }
        Ok(Some(Self {
            transaction,
            fixed,
            numbers: (!is_all).then(|| {
                let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
                format!("[{}]", numbers.join(","))
            }),
        }))
    }

    /// The newest event of all.
    pub(super) fn newest(&self) -> rusqlite::Result<i64> {
        self.transaction
            .prepare_cached("SELECT ifnull(max(id), 0) FROM event")?
            .query_row([], |row| row.get(0))
    }

    /// Gives the events with these words to `take`, from the id `from` down. Returns the id to continue with if the
    /// time was up.
    pub(super) fn down(
        &self,
        words: Option<String>,
        from: i64,
        until: Instant,
        take: &mut dyn FnMut(Candidate) -> ControlFlow<()>,
    ) -> rusqlite::Result<Option<i64>> {
        self.scan(
            words,
            Windows::down(from, FIRST_WINDOW, until),
            "DESC",
            take,
        )
    }

    /// The same from the id `from` up.
    pub(super) fn up(
        &self,
        words: Option<String>,
        from: i64,
        until: Instant,
        take: &mut dyn FnMut(Candidate) -> ControlFlow<()>,
    ) -> rusqlite::Result<Option<i64>> {
        let windows = Windows::up(from, self.newest()?, FIRST_WINDOW, until);
        self.scan(words, windows, "ASC", take)
    }

    fn scan(
        &self,
        words: Option<String>,
        mut windows: Windows,
        order: &str,
        take: &mut dyn FnMut(Candidate) -> ControlFlow<()>,
    ) -> rusqlite::Result<Option<i64>> {
        let all: Vec<String> = self.fixed.iter().cloned().chain(words).collect();
        if all.is_empty() {
            return Ok(None);
        }
        let expression = all.join(" AND ");
        let seen = match &self.numbers {
            Some(_) => "AND event.conversation IN (SELECT value FROM json_each(?4))",
            None => "AND ?4 IS NULL",
        };
        let numbers = self.numbers.clone().map_or(Value::Null, Value::Text);
        // The index comes first in any case: SQLite does not know how few events fit.
        let mut statement = self.transaction.prepare_cached(&format!(
            "SELECT event.id, event.conversation, event.row FROM word CROSS JOIN event ON event.id = word.rowid
             WHERE word MATCH ?1 AND word.rowid BETWEEN ?2 AND ?3 {seen} ORDER BY word.rowid {order}"
        ))?;
        while let Some((low, high)) = windows.next() {
            let mut hits = statement.query(params![expression, low, high, numbers])?;
            while let Some(hit) = hits.next()? {
                let one = Candidate {
                    event: hit.get(0)?,
                    conversation: hit.get(1)?,
                    row: hit.get(2)?,
                    longer: false,
                };
                if windows.is_late() {
                    return Ok(Some(one.event));
                }
                if take(one).is_break() {
                    return Ok(None);
                }
            }
        }
        Ok(windows.rest())
    }
}

/// The numbers of the conversations that the filter takes and the person sees, and whether that is all there are.
fn visible(
    transaction: &Transaction<'_>,
    filter: &SearchFilter,
    sees: impl Fn(&str) -> bool,
) -> rusqlite::Result<(Vec<i64>, bool)> {
    let mut statement = transaction.prepare_cached(
        "SELECT number, id FROM conversation WHERE id = ?1
         UNION ALL SELECT number, id FROM conversation WHERE ?1 IS NULL AND ?2 IS NULL
         UNION ALL SELECT number, id FROM conversation WHERE ?1 IS NULL AND backend = ?2",
    )?;
    let mut rows = statement.query(params![filter.conversation, filter.backend])?;
    let (mut numbers, mut is_all) = (
        Vec::new(),
        filter.conversation.is_none() && filter.backend.is_none(),
    );
    while let Some(row) = rows.next()? {
        if sees(row.get_ref(1)?.as_str()?) {
            numbers.push(row.get(0)?);
        } else {
            is_all = false;
        }
    }
    Ok((numbers, is_all))
}

/// Words of the index that begin with `beginning`, as many as are found in time, and whether that is all of them.
///
/// SQLite's own prefix query gathers all events with any of them before it returns the first one, without a limit.
pub(super) fn longer_words(
    transaction: &Transaction<'_>,
    beginning: &str,
    until: Instant,
) -> rusqlite::Result<(Longer, bool)> {
    // SQLite removes accents, and beginnings that have some are rare.
    if !beginning.is_ascii() {
        return Ok((Longer::Any, true));
    }
    let until = until.min(Instant::now() + TIME_FOR_LONGER);
    let mut statement =
        transaction.prepare_cached("SELECT term FROM word_term WHERE term > ?1 AND term < ?2")?;
    let mut rows = statement.query([beginning, &format!("{beginning}\u{10FFFF}")])?;
    let mut words = Vec::new();
    while let Some(row) = rows.next()? {
        if words.len() == MOST_LONGER || Instant::now() >= until {
            return Ok((Longer::Words(words), false));
        }
        words.push(row.get(0)?);
    }
    Ok((Longer::Words(words), true))
}
