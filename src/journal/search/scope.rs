//! The filters of a search, as words of the index: an event has one word per filter in the column `scope`.

use crate::conversation::{Actor, Family};
use data_encoding::HEXLOWER;

/// A day, in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;
/// Days of the longer periods that events are marked with, so that years are not hundreds of days.
const PERIOD: i64 = 32;
/// The first day that a filter can begin with, 1 January 2020: older than every backend.
const FIRST_DAY: i64 = 18_262;
/// Most days between the first and the last day of a filter; later ones are left out.
const MOST_DAYS: i64 = 366 * 30;

/// Which events are looked for; each part that is set excludes all others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchFilter {
    /// Id of the conversation.
    pub conversation: Option<String>,
    /// Label of the backend.
    pub backend: Option<String>,
    /// Family of the event.
    pub family: Option<Family>,
    /// Source of the event.
    pub source: Option<Actor>,
    /// Name of the person who wrote the message, or answered the approval.
    pub person: Option<String>,
    /// A file, or a part of its path.
    pub path: Option<String>,
    /// First day, in days since the Unix epoch, UTC.
    pub from_day: Option<i64>,
    /// Last day, in days since the Unix epoch, UTC.
    pub to_day: Option<i64>,
}

impl SearchFilter {
    /// The FTS expressions of this filter, all of which must hold, except that of conversation and backend.
    pub(super) fn expressions(&self) -> Vec<String> {
        let family = self.family.map(|family| vec![word_of_family(family)]);
        let source = self.source.map(|source| vec![word_of_source(source)]);
        let person = self.person.as_ref().map(|name| vec![word_of_person(name)]);
        let days = (self.from_day.is_some() || self.to_day.is_some())
            .then(|| words_of_days(self.from_day, self.to_day));
        let words = [family, source, person, days].into_iter().flatten();
        let mut all: Vec<String> = words.map(|words| one_of(&words)).collect();
        if let Some(path) = &self.path {
            let pieces = path.split(|letter: char| !letter.is_alphanumeric());
            let pieces: Vec<&str> = pieces.filter(|piece| !piece.is_empty()).collect();
            if !pieces.is_empty() {
                all.push(format!("path : \"{}\"", pieces.join(" ")));
            }
        }
        all
    }

    /// Whether the day of a time fits.
    pub(super) fn takes_day(&self, at: i64) -> bool {
        let day = at.div_euclid(DAY);
        self.from_day.is_none_or(|from| day >= from) && self.to_day.is_none_or(|to| day <= to)
    }
}

/// The FTS expression of events in these conversations.
pub(super) fn in_conversations(numbers: &[i64]) -> String {
    let words = numbers.iter().map(|number| word_of_number(*number));
    one_of(&words.collect::<Vec<_>>())
}

fn one_of(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    format!("scope : ({})", quoted.join(" OR "))
}

/// All words of an event for filters.
pub(super) fn words_of(
    number: i64,
    family: Family,
    source: Actor,
    at: i64,
    authors: &[String],
) -> String {
    let day = at.div_euclid(DAY);
    let mut words = format!(
        "{} {} {} {} {}",
        word_of_number(number),
        word_of_family(family),
        word_of_source(source),
        word_of_day(day),
        word_of_period(day.div_euclid(PERIOD)),
    );
    for name in authors.iter().filter(|name| !name.is_empty()) {
        words.push(' ');
        words.push_str(&word_of_person(name));
    }
    words
}

// No other column is searched for these words, and they begin as no word of a language does: whoever types the beginning
// of a word does not get them as its completion.

fn word_of_number(number: i64) -> String {
    format!("zqc{number}")
}

fn word_of_family(family: Family) -> String {
    format!("zqk{}", family.as_str())
}

fn word_of_source(source: Actor) -> String {
    format!("zqs{}", source.as_str())
}

/// Names are compared without case, and may contain anything.
fn word_of_person(name: &str) -> String {
    format!("zqp{}", HEXLOWER.encode(name.to_lowercase().as_bytes()))
}

fn word_of_day(day: i64) -> String {
    format!("zqd{day}")
}

fn word_of_period(period: i64) -> String {
    format!("zqm{period}")
}

/// The words that cover these days: whole periods, and single days at both ends.
fn words_of_days(from: Option<i64>, to: Option<i64>) -> Vec<String> {
    let from = from.unwrap_or(FIRST_DAY).max(FIRST_DAY);
    let to = to.unwrap_or(i64::MAX).min(from.saturating_add(MOST_DAYS));
    let mut words = Vec::new();
    let mut day = from;
    while day <= to {
        let is_whole = day.rem_euclid(PERIOD) == 0 && day + PERIOD - 1 <= to;
        if is_whole {
            words.push(word_of_period(day / PERIOD));
            day += PERIOD;
        } else {
            words.push(word_of_day(day));
            day += 1;
        }
    }
    if words.is_empty() {
        // The last day is before the first one: no event has this word.
        words.push("zqnever".to_owned());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_covered_exactly_once() {
        let (from, to) = (20_000, 20_200);
        let words = words_of_days(Some(from), Some(to));
        assert!(words.len() < 70, "{}", words.len());
        for day in from - 40..to + 40 {
            let of_event = [word_of_day(day), word_of_period(day.div_euclid(PERIOD))];
            let covered = words.iter().filter(|word| of_event.contains(word)).count();
            assert_eq!(covered, usize::from((from..=to).contains(&day)), "{day}");
        }
        assert_eq!(words_of_days(Some(7), Some(3)), ["zqnever"]);
    }

    #[test]
    fn an_open_end_is_a_bounded_number_of_words() {
        assert!(words_of_days(None, None).len() < 450);
        assert!(words_of_days(Some(20_001), None).len() < 450);
    }

    #[test]
    fn no_input_leaves_its_quotation_marks() {
        let filter = SearchFilter {
            person: Some("\" OR zqc1".to_owned()),
            path: Some("src/\"x\" OR path".to_owned()),
            ..SearchFilter::default()
        };
        assert_eq!(
            filter.expressions(),
            [
                "scope : (\"zqp22206f72207a716331\")",
                "path : \"src x OR path\""
            ]
        );
    }
}
