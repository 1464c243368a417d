//! The words of a search query, and the FTS expressions that they become.

use super::unspaced::{Tokens, is_mark, is_single};
use std::fmt::Write as _;

/// Limits on a search query: words, and bytes ([`MOST_BYTES`]). More than a person types; each word costs a scan of all
/// events that contain it.
pub const MOST_WORDS: usize = 16;
/// See [`MOST_WORDS`].
pub const MOST_BYTES: usize = 200;

/// Shortest word that also matches as a prefix, in characters; a shorter prefix matches too many words.
const SHORTEST_BEGINNING: usize = 3;

/// The columns that words are looked up in.
const COLUMNS: &str = "{body pieces}";

/// A search query within its limits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// Words and quoted texts, each as its pieces of letters and digits.
    phrases: Vec<Vec<String>>,
    /// Whether the last word may match as a prefix.
    open: bool,
    /// The quoted text, if the query is nothing else.
    exact: Option<String>,
}

impl Words {
    /// The words of `text`; text in double quotes is one phrase. `None` if there are more than [`MOST_WORDS`] words or
    /// [`MOST_BYTES`] bytes.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > MOST_BYTES {
            return None;
        }
        let mut words: Vec<&str> = Vec::new();
        for (place, part) in text.split('"').enumerate() {
            match place % 2 {
                0 => words.extend(part.split_whitespace()),
                _ => words.push(part),
            }
        }
        let closed = text.ends_with('"');
        let phrases: Vec<Vec<String>> = words.into_iter().map(pieces_of).collect();
        let phrases: Vec<_> = phrases
            .into_iter()
            .filter(|phrase| !phrase.is_empty())
            .collect();
        if phrases.iter().map(Vec::len).sum::<usize>() > MOST_WORDS {
            return None;
        }
        let last = phrases.last().and_then(|phrase| phrase.last());
        let inner = text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        Some(Self {
            open: !closed
                && last.is_some_and(|last| {
                    // A longer run of such letters has the pairs of this one.
                    last.chars().count() >= SHORTEST_BEGINNING && Tokens::of(last).is_none()
                }),
            exact: inner
                .filter(|inner| !inner.trim().is_empty() && !inner.contains('"'))
                .map(str::to_owned),
            phrases,
        })
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty() && self.exact.is_none()
    }

    /// The quoted text, if the query is nothing else.
    pub(super) fn exact(&self) -> Option<&str> {
        self.exact.as_deref()
    }

    /// The words to mark, each as its pieces.
    pub(super) fn phrases(&self) -> &[Vec<String>] {
        &self.phrases
    }

    /// The beginning that the last word may be of a longer one.
    pub(super) fn beginning(&self) -> Option<&str> {
        let last = self.phrases.last().and_then(|phrase| phrase.last());
        last.filter(|_| self.open).map(String::as_str)
    }

    /// The FTS expression of all words as they are; `None` without words.
    pub(super) fn whole(&self) -> Option<String> {
        let phrases = self.phrases.iter().map(|phrase| quoted(phrase));
        let all: Vec<String> = phrases.collect();
        (!all.is_empty()).then(|| format!("{COLUMNS} : ({})", all.join(" AND ")))
    }

    /// The FTS expression of all words but the last one; `None` without others.
    pub(super) fn others(&self) -> Option<String> {
        let (_, others) = self.phrases.split_last()?;
        let all: Vec<String> = others.iter().map(|phrase| quoted(phrase)).collect();
        (!all.is_empty()).then(|| format!("{COLUMNS} : ({})", all.join(" AND ")))
    }

    /// The FTS expression of events that hold one of `longer` in place of the last word, and not the word itself.
    pub(super) fn completed(&self, longer: &Longer) -> Option<String> {
        let (last, others) = self.phrases.split_last()?;
        let (_, before) = last.split_last()?;
        let ends: Vec<String> = match longer {
            Longer::Words(words) if words.is_empty() => return None,
            Longer::Words(words) => {
                let whole = words.iter().map(|word| {
                    let mut phrase = before.to_vec();
                    phrase.push(word.clone());
                    quoted(&phrase)
                });
                whole.collect()
            }
            Longer::Any => vec![expression(last, true)],
        };
        let mut all = String::new();
        for phrase in others {
            // Writing to a `String` does not fail.
            let _ = write!(all, "{} AND ", quoted(phrase));
        }
        let (ends, last) = (ends.join(" OR "), quoted(last));
        Some(format!("{COLUMNS} : ({all}(({ends}) NOT {last}))"))
    }
}

/// Words that begin with the last word of a query.
pub(super) enum Longer {
    /// These.
    Words(Vec<String>),
    /// All that SQLite finds.
    Any,
}

/// The pieces of letters and digits of a word, as SQLite splits it.
fn pieces_of(word: &str) -> Vec<String> {
    let pieces = word.split(|letter: char| !letter.is_alphanumeric() && !is_mark(letter));
    let pieces = pieces.filter(|piece| !piece.is_empty());
    pieces.map(str::to_lowercase).collect()
}

fn quoted(phrase: &[String]) -> String {
    expression(phrase, false)
}

/// A phrase, quoted so that SQLite reads no operator in it: its pieces are letters and digits only. With `open`, its last word
/// may be the beginning of a longer one.
///
/// A single letter of a script without spaces at its end may begin a pair of the index. One at its beginning may end a pair,
/// and so stand for itself in the index only: then it is looked for by itself.
fn expression(phrase: &[String], open: bool) -> String {
    let (mut tokens, mut is_open) = (Vec::new(), false);
    for piece in phrase {
        match Tokens::of(piece) {
            Some(parts) => {
                is_open = parts.is_open();
                tokens.extend(parts.all);
            }
            None => {
                is_open = false;
                tokens.push(piece.clone());
            }
        }
    }
    let prefix = if is_open || open { "*" } else { "" };
    match tokens.split_first() {
        Some((first, rest)) if !rest.is_empty() && is_single(first) => {
            format!("(\"{first}\"* AND \"{}\"{prefix})", rest.join(" "))
        }
        _ => format!("\"{}\"{prefix}", tokens.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_text_is_one_phrase_and_its_last_word_is_closed() {
        let words = Words::of(r#"fix "out of memory" parser"#).expect("few words");
        assert_eq!(
            words.whole().as_deref(),
            Some(r#"{body pieces} : ("fix" AND "out of memory" AND "parser")"#)
        );
        assert_eq!(words.beginning(), Some("parser"));
        assert_eq!(words.exact(), None);
        let exact = Words::of(r#""a -> b""#).expect("few words");
        assert_eq!((exact.exact(), exact.beginning()), (Some("a -> b"), None));
        assert_eq!(Words::of("\"").expect("none").whole(), None);
        assert_eq!(
            Words::of(r#"NEAR(a b) OR c*""#).expect("few").phrases.len(),
            4
        );
    }

    #[test]
    fn a_word_of_a_script_without_spaces_is_a_phrase_of_its_pairs() {
        let whole = |text: &str| Words::of(text).expect("few words").whole();
        let of = |inner: &str| Some(format!("{{body pieces}} : ({inner})"));
        assert_eq!(whole("服务端"), of(r#""服务 务端""#));
        assert_eq!(whole("录 ล็อก"), of(r#""录"* AND "ลอ อก""#));
        assert_eq!(whole("itgc后50条"), of(r#""itgc 后 50 条"*"#));
        // In the index it may be the end of a pair.
        assert_eq!(whole("第3章"), of(r#"("第"* AND "3 章"*)"#));
        assert_eq!(whole("用Python3"), of(r#"("用"* AND "python3")"#));
        // A long text is one word.
        assert!(Words::of(&"登录".repeat(20)).is_some());
    }

    #[test]
    fn a_word_with_marks_in_it_is_a_phrase_of_its_pieces() {
        let words = Words::of("src/journal/search.rs 1*").expect("few words");
        assert_eq!(
            words.whole().as_deref(),
            Some(r#"{body pieces} : ("src journal search rs" AND "1")"#)
        );
        assert_eq!(words.beginning(), None);
    }
}
