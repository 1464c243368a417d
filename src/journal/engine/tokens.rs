//! The index of words in PostgreSQL: the words that FTS5 would make of a text, with their positions, as a `tsvector`, and
//! its expressions as a `tsquery`.
//!
//! A column of FTS5 is a weight: A is the scope, B the body, C its pieces, D the path. PostgreSQL counts positions up to
//! 16,383, and 255 of one word in an event: behind them words are found, but phrases may not be.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Most positions.
const MOST: usize = 16_383;
/// Most positions of one word.
const MOST_OF_WORD: usize = 255;
/// Longest word in bytes.
const LONGEST: usize = 1_024;

/// The words of a text as the tokenizer `unicode61` of FTS5 makes them: in lower case, without accents.
fn words_of(text: &str) -> impl Iterator<Item = String> {
    let is_part = |letter: char| letter.is_alphanumeric() || is_combining_mark(letter);
    text.split(move |letter: char| !is_part(letter))
        .filter(|word| word.contains(char::is_alphanumeric))
        .map(|word| {
            let plain = word.nfd().filter(|letter| !is_combining_mark(*letter));
            let mut word: String = plain.flat_map(char::to_lowercase).nfc().collect();
            word.truncate(word.floor_char_boundary(LONGEST));
            word
        })
        .filter(|word| !word.is_empty())
}

/// The text of a `tsvector` of these columns.
pub(super) fn tsvector(scope: &str, path: &str, body: &str, pieces: &str) -> String {
    let mut all: BTreeMap<(String, char), Vec<usize>> = BTreeMap::new();
    let mut place = 0;
    for (text, weight) in [(scope, 'A'), (path, 'D'), (body, 'B'), (pieces, 'C')] {
        for word in words_of(text) {
            place += 1;
            let places = all.entry((word, weight)).or_default();
            if places.len() < MOST_OF_WORD && (places.is_empty() || place <= MOST) {
                places.push(place.min(MOST));
            }
        }
        // No phrase goes on in another column.
        place += 1;
    }
    let mut made = String::new();
    for ((word, weight), places) in all {
        // Writing to a `String` does not fail. A word has letters and digits only.
        let _ = write!(made, "'{word}':");
        for (at, place) in places.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            let _ = write!(made, "{comma}{place}{weight}");
        }
        made.push(' ');
    }
    made
}

/// The text of the `tsquery` of an expression of FTS5, of those that searches are made of: texts in quotation marks,
/// perhaps with `*` behind them, AND, OR, NOT, parentheses, and columns before a colon.
pub(super) fn tsquery(expression: &str) -> String {
    let (mut made, mut rest) = (String::new(), expression);
    // The weights of the columns that were named, and the depth of their parentheses.
    let (mut weights, mut depth, mut until) = ("BC", 0_usize, None);
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '"' => {
                let end = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
                let is_open = rest[end..].starts_with('*');
                made.push_str(&phrase(
                    rest[1..end].trim_end_matches('"'),
                    weights,
                    is_open,
                ));
                if until == Some(depth) {
                    (weights, until) = ("BC", None);
                }
                end + usize::from(is_open)
            }
            '{' => rest.find('}').map_or(rest.len(), |end| end + 1),
            ':' => {
                until = Some(depth);
                1
            }
            '(' => {
                depth += 1;
                made.push('(');
                1
            }
            ')' => {
                depth = depth.saturating_sub(1);
                if until == Some(depth) {
                    (weights, until) = ("BC", None);
                }
                made.push(')');
                1
            }
            letter if letter.is_ascii_alphabetic() => {
                let end = rest.find(|letter: char| !letter.is_ascii_alphabetic());
                let end = end.unwrap_or(rest.len());
                match &rest[..end] {
                    "AND" => made.push('&'),
                    "OR" => made.push('|'),
                    "NOT" => made.push_str("&!"),
                    "scope" => weights = "A",
                    "path" => weights = "D",
                    _ => {}
                }
                end
            }
            other => other.len_utf8(),
        };
        rest = &rest[taken..];
    }
    made
}

fn phrase(text: &str, weights: &str, is_open: bool) -> String {
    let words: Vec<String> = words_of(text).collect();
    if words.is_empty() {
        // No event has this word.
        return "('zqnever':A)".to_owned();
    }
    let last = words.len().saturating_sub(1);
    let marked = words.iter().enumerate().map(|(at, word)| {
        let open = if is_open && at == last { "*" } else { "" };
        format!("'{word}':{open}{weights}")
    });
    format!("({})", marked.collect::<Vec<_>>().join(" <-> "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_other_engine() {
        let words: Vec<_> = words_of("Größe_x, naïve; src/Main.rs 登录 5µs \u{1F600}").collect();
        let wanted = ["große", "x", "naive", "src", "main", "rs", "登录", "5µs"];
        assert_eq!(words, wanted);
    }

    #[test]
    fn each_column_has_a_weight_and_a_place_of_its_own() {
        assert_eq!(
            tsvector("zqc1", "a.rs", "be a be", "Bee"),
            "'a':7B 'a':3D 'be':6B,8B 'bee':10C 'rs':4D 'zqc1':1A "
        );
    }

    #[test]
    fn an_expression_keeps_its_columns_and_operators() {
        let expression = r#"scope : ("zqc1" OR "zqc2") AND path : "src x" AND {body pieces} : ("of memory" AND (("ab"*) NOT "ab"))"#;
        assert_eq!(
            tsquery(expression),
            "(('zqc1':A)|('zqc2':A))&('src':D <-> 'x':D)&(('of':BC <-> 'memory':BC)&((('ab':*BC))&!('ab':BC)))"
        );
    }
}
