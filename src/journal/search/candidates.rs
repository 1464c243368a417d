//! The events that fit an expression, within the conversations that a person may see.
//!
//! Long because a scan of the index and one of the texts differ in few lines, and each has the same limits.

use super::index::{LONGEST, text_of};
use super::scope::{SearchFilter, in_conversations};
use super::windows::Windows;
use super::words::{Longer, Words};
use super::{Search, TIME};
use crate::journal::Reader;
use crate::journal::conversations::IMPORTING;
use crate::journal::engine::{self, Transaction, params};
use crate::journal::folding::reread;
use crate::journal::readers::SEARCH_TIME;
use crate::render::has_longer;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Ids in the first window of a scan: a few milliseconds with sixteen of the most common words.
const FIRST_WINDOW: i64 = 2_000;
/// Up to this many visible conversations are part of the FTS expression, which then skips the events of all others. More
/// would slow down each of its steps; then the conversation of each event is looked up, and many of them fit.
const MOST_NAMED: usize = 64;
/// Most words that complete a beginning, and the time to look for them.
const MOST_LONGER: usize = 64;
/// Events whose text is read for one answer, and their JSON in bytes, for somebody who does not see all conversations: how
/// much is read in the time of a search says how much there is in those of others.
const MOST_READ: (usize, usize) = (2_000, 8 << 20);
/// How much longer such a search may take before it is given up.
const OVERTIME: Duration = SEARCH_TIME.saturating_sub(TIME);
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
    reader: Reader,
    words: &'t Words,
    /// Expressions that must hold beside the words.
    fixed: Vec<String>,
    /// The numbers of the conversations as a JSON array; `None` if all events may be seen.
    numbers: Option<String>,
    /// Whether the person sees all conversations that there are.
    pub(super) sees_all: bool,
}

/// What a scan looks for.
pub(super) enum Wanted {
    /// What fits an FTS expression; without one, all that fits the filter.
    Fitting(Option<String>),
    /// A longer word than the last one of the query: the text of each event is read. Which words the index has says
    /// something about all conversations, so only those who see all of them are answered from it.
    Longer(String),
}

impl<'t> Candidates<'t> {
    /// `None` if the person sees no conversation that the filter takes.
    pub(super) fn new(
        transaction: &'t Transaction<'t>,
        reader: Reader,
        Search { words, filter, .. }: &'t Search,
        sees: impl Fn(&str) -> bool,
    ) -> engine::Result<Option<Self>> {
        let Visible {
            numbers,
            sees_all,
            is_all,
        } = visible(transaction, filter, sees)?;
        if numbers.is_empty() {
            return Ok(None);
        }
        let mut fixed = filter.expressions();
        if !is_all && numbers.len() <= MOST_NAMED {
            fixed.push(in_conversations(&numbers));
        }
        Ok(Some(Self {
            transaction,
            reader,
            words,
            fixed,
            numbers: (!is_all).then(|| {
                let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
                format!("[{}]", numbers.join(","))
            }),
            sees_all,
        }))
    }

    /// What to look for: the words themselves, or with `longer` what the last one may be the beginning of; `None` if there
    /// is nothing. And whether only some of the longer words are looked for.
    pub(super) fn wanted(
        &self,
        longer: bool,
        until: Instant,
    ) -> engine::Result<(Option<Wanted>, bool)> {
        if !longer {
            return Ok((Some(Wanted::Fitting(self.words.whole())), false));
        }
        let Some(beginning) = self.words.beginning() else {
            return Ok((None, false));
        };
        if !self.sees_all {
            return Ok((Some(Wanted::Longer(beginning.to_owned())), false));
        }
        let (longer, is_whole) = longer_words(self.transaction, beginning, until)?;
        let fitting = self.words.completed(&longer);
        Ok((
            fitting.map(|fitting| Wanted::Fitting(Some(fitting))),
            !is_whole,
        ))
    }

    /// The newest event of all.
    pub(super) fn newest(&self) -> engine::Result<i64> {
        self.transaction
            .one("SELECT ifnull(max(id), 0) FROM event", [])
    }

    /// When the oldest event was received that the person sees and that is not older than the one with this id.
    pub(super) fn received_from(&self, event: i64) -> engine::Result<Option<i64>> {
        self.transaction.value(
            "SELECT received_at FROM event
             WHERE id >= ?1 AND (CAST(?2 AS TEXT) IS NULL OR conversation IN (SELECT CAST(value AS BIGINT) FROM json_each(?2)))
             ORDER BY id LIMIT 1",
            params![event, self.numbers],
        )
    }

    /// Gives the events that are wanted to `take`, from the id `from` down. Returns the id to continue with if the time was
    /// up; for somebody who does not see all conversations, if so many of their own events were read.
    ///
    /// # Errors
    /// Interrupted, for the latter, if the whole scan takes too long.
    pub(super) fn down(
        &self,
        wanted: &Wanted,
        from: i64,
        until: Instant,
        take: &mut dyn FnMut(Candidate) -> ControlFlow<()>,
    ) -> engine::Result<Option<i64>> {
        let windows = Windows::down(from, FIRST_WINDOW, self.patient(until));
        self.scan(wanted, windows, "DESC", take)
    }

    /// The same from the id `from` up.
    pub(super) fn up(
        &self,
        wanted: &Wanted,
        from: i64,
        until: Instant,
        take: &mut dyn FnMut(Candidate) -> ControlFlow<()>,
    ) -> engine::Result<Option<i64>> {
        let windows = Windows::up(from, self.newest()?, FIRST_WINDOW, self.patient(until));
        self.scan(wanted, windows, "ASC", take)
    }

    fn scan(
        &self,
        wanted: &Wanted,
        mut windows: Windows,
        order: &str,
        take: &mut dyn FnMut(Candidate) -> ControlFlow<()>,
    ) -> engine::Result<Option<i64>> {
        let (words, text, like) = match wanted {
            Wanted::Fitting(words) => (words.clone(), "'', 0, 0, ?5 = ''", String::new()),
            Wanted::Longer(beginning) => (
                self.words.others(),
                "event.raw, event.pos, event.at, ?5 = '' OR event.raw LIKE '%' || ?5 || '%'",
                // What JSON may escape is not looked for in it.
                if beginning.is_ascii() {
                    beginning.clone()
                } else {
                    String::new()
                },
            ),
        };
        let reads = matches!(wanted, Wanted::Longer(_));
        let all: Vec<String> = self.fixed.iter().cloned().chain(words).collect();
        if all.is_empty() && !reads {
            return Ok(None);
        }
        let expression = self.transaction.matching(all.join(" AND "));
        let seen = match &self.numbers {
            Some(_) => {
                "AND event.conversation IN (SELECT CAST(value AS BIGINT) FROM json_each(?4))"
            }
            None => "AND CAST(?4 AS TEXT) IS NULL",
        };
        // The index comes first in any case: SQLite does not know how few events fit.
        let (source, id) = match all.is_empty() {
            false => (
                "word CROSS JOIN event ON event.id = word.rowid WHERE word MATCH ?1",
                "word.rowid",
            ),
            true => ("event WHERE ?1 = '' AND event.row IS NOT NULL", "event.id"),
        };
        let mut statement = self.transaction.prepare_cached(&format!(
            "SELECT event.id, event.conversation, event.row, {text} FROM {source} AND {id} BETWEEN ?2 AND ?3 {seen}
             ORDER BY {id} {order}"
        ))?;
        let (mut events, mut bytes) = (0, 0);
        while let Some((low, high)) = windows.next() {
            let mut hits = statement.stream(params![expression, low, high, self.numbers, like])?;
            while let Some(hit) = hits.next()? {
                let one = Candidate {
                    event: hit.get(0)?,
                    conversation: hit.get(1)?,
                    row: hit.get(2)?,
                    longer: reads,
                };
                if windows.is_late() {
                    return self.late(one.event);
                }
                if reads {
                    if events == MOST_READ.0 || bytes >= MOST_READ.1 {
                        return Ok(Some(one.event));
                    }
                    let raw = hit.get_ref(3)?.as_str()?;
                    (events, bytes) = (events + 1, bytes + raw.len());
                    if !hit.get::<_, bool>(6)? || !self.is_longer(raw, (hit.get(4)?, hit.get(5)?)) {
                        continue;
                    }
                }
                if take(one).is_break() {
                    return Ok(None);
                }
            }
        }
        windows.rest().map_or(Ok(None), |rest| self.late(rest))
    }

    /// When a scan is given up that was to stop at `until`.
    fn patient(&self, until: Instant) -> Instant {
        match self.sees_all {
            true => until,
            false => until + OVERTIME,
        }
    }

    /// The time is up: where that is tells those who do not see all conversations how much is in the others.
    fn late(&self, event: i64) -> engine::Result<Option<i64>> {
        if self.sees_all {
            return Ok(Some(event));
        }
        Err(engine::Error::TooSlow)
    }

    /// Whether an event has a longer word than the last one of the query, and not the word itself.
    fn is_longer(&self, raw: &str, place: (i64, i64)) -> bool {
        let text = text_of(&reread(self.reader, raw, place).body);
        let text = &text[..text.floor_char_boundary(LONGEST)];
        let last = self.words.phrases().last();
        last.is_some_and(|last| has_longer(text, last))
    }
}

/// What a person sees of the conversations that a filter takes.
struct Visible {
    /// The numbers of those conversations.
    numbers: Vec<i64>,
    /// Whether the person sees all conversations that there are.
    sees_all: bool,
    /// Whether these are all that there are.
    is_all: bool,
}

fn visible(
    transaction: &Transaction<'_>,
    filter: &SearchFilter,
    sees: impl Fn(&str) -> bool,
) -> engine::Result<Visible> {
    let mut statement = transaction.prepare_cached(
        "SELECT number, id, CASE WHEN CAST(?1 AS TEXT) IS NULL THEN CAST(?2 AS TEXT) IS NULL OR backend = ?2 ELSE id = ?1 END
         FROM conversation WHERE runtime <> ?3",
    )?;
    let mut rows = statement.stream(params![filter.conversation, filter.backend, IMPORTING])?;
    let mut visible = Visible {
        numbers: Vec::new(),
        sees_all: true,
        is_all: filter.conversation.is_none() && filter.backend.is_none(),
    };
    while let Some(row) = rows.next()? {
        if !sees(row.get_ref(1)?.as_str()?) {
            visible.sees_all = false;
        } else if row.get(2)? {
            visible.numbers.push(row.get(0)?);
        }
    }
    visible.is_all &= visible.sees_all;
    Ok(visible)
}

/// Words of the index that begin with `beginning`, as many as are found in time, and whether that is all of them.
///
/// SQLite's own prefix query gathers all events with any of them before it returns the first one, without a limit.
fn longer_words(
    transaction: &Transaction<'_>,
    beginning: &str,
    until: Instant,
) -> engine::Result<(Longer, bool)> {
    // SQLite removes accents, and beginnings that have some are rare. PostgreSQL has no list of the words of its index.
    if transaction.is_postgres() || !beginning.is_ascii() {
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
