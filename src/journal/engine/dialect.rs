//! The SQL of statements, translated from SQLite's to PostgreSQL's where they differ in spelling alone. What differs in
//! meaning is written in a form that both understand, or is a function in the schema.

use crate::sync::lock;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

/// Most translations that are kept; more would be made of values in statements.
const MOST: usize = 2_000;

/// A statement as PostgreSQL takes it.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::journal) struct Translated {
    pub(super) sql: String,
    /// The names of its values, in the order of their numbers.
    pub(super) names: Vec<String>,
}

/// How a statement says that a number is one of those in a JSON array.
const AMONG: &str = "IN (SELECT CAST(value AS BIGINT) FROM json_each(";

static KNOWN: LazyLock<Mutex<HashMap<String, Arc<Translated>>>> = LazyLock::new(Mutex::default);

/// A statement, translated once.
pub(super) fn translated(sql: &str) -> Arc<Translated> {
    let mut known = lock(&KNOWN);
    if let Some(found) = known.get(sql) {
        return Arc::clone(found);
    }
    let made = Arc::new(translate(sql));
    if known.len() >= MOST {
        known.clear();
    }
    known.insert(sql.to_owned(), Arc::clone(&made));
    made
}

fn translate(sql: &str) -> Translated {
    let mut made = Translated {
        sql: String::with_capacity(sql.len() + 16),
        names: Vec::new(),
    };
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            // A text, or a quoted name; a doubled mark in it ends one and begins another.
            '\'' | '"' => {
                let end = rest[1..].find(first).map_or(rest.len(), |end| end + 2);
                made.sql.push_str(&rest[..end]);
                end
            }
            ':' if rest.starts_with("::") => {
                made.sql.push_str("::");
                2
            }
            '?' | ':' => made.value(rest),
            // What keeps SQLite from an index.
            '+' if rest[1..].starts_with(|next: char| next.is_ascii_alphabetic()) => 1,
            letter if letter.is_ascii_alphabetic() || letter == '_' => made.word(rest),
            other => {
                made.sql.push(other);
                other.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    made
}

/// The length of the word that a text begins with.
fn word_length(text: &str) -> usize {
    text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .unwrap_or(text.len())
}

impl Translated {
    /// Translates `?1` or `:name`; returns its length.
    fn value(&mut self, rest: &str) -> usize {
        let length = 1 + word_length(&rest[1..]);
        let number = match rest.strip_prefix('?') {
            Some(_) => rest[1..length].to_owned(),
            None => {
                let name = &rest[..length];
                let known = self.names.iter().position(|known| known == name);
                let place = known.unwrap_or_else(|| {
                    self.names.push(name.to_owned());
                    self.names.len() - 1
                });
                (place + 1).to_string()
            }
        };
        self.sql.push('$');
        self.sql.push_str(&number);
        length
    }

    /// Translates what begins with a word; returns the length of what was translated.
    fn word(&mut self, rest: &str) -> usize {
        let length = word_length(rest);
        match &rest[..length] {
            "ifnull" => self.sql.push_str("coalesce"),
            "LIKE" => self.sql.push_str("ILIKE"),
            // An index is used for each of them, however many the server believes there are.
            "IN" if rest.starts_with(AMONG) => {
                self.sql.push_str("= ANY (ARRAY");
                self.sql.push_str(&AMONG["IN ".len()..]);
                let taken = AMONG.len() + self.value(&rest[AMONG.len()..]);
                // One more bracket than SQLite has.
                self.sql.push(')');
                return taken;
            }
            "CROSS" if rest[length..].starts_with(" JOIN") => return length + 1,
            "INDEXED" if rest[length..].starts_with(" BY ") => {
                let name = &rest[length + 4..];
                return length + 4 + word_length(name);
            }
            // Of the index of words, or a part of the words of a line.
            "MATCH" => {
                let value = rest[length..].trim_start();
                let spaces = rest.len() - length - value.len();
                let is_part = self.sql.ends_with(" words ");
                match is_part {
                    true => {
                        self.sql.truncate(self.sql.len() - "words ".len());
                        self.sql.push_str("holds(words, ");
                    }
                    false => self.sql.push_str("@@ CAST("),
                }
                let taken = self.value(value);
                self.sql
                    .push_str(if is_part { ")" } else { " AS tsquery)" });
                return length + spaces + taken;
            }
            word => self.sql.push_str(word),
        }
        length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_translated_outside_of_its_texts() {
        let made = translate(
            "SELECT ifnull(a, '?1 it''s :b') FROM x INDEXED BY i CROSS JOIN y ON +y.n = ?12 WHERE a LIKE :name
             AND word MATCH :match AND b + 1 > :name AND c::text <> ''",
        );
        assert_eq!(
            made.sql,
            "SELECT coalesce(a, '?1 it''s :b') FROM x  JOIN y ON y.n = $12 WHERE a ILIKE $1
             AND word @@ CAST($2 AS tsquery) AND b + 1 > $1 AND c::text <> ''"
        );
        assert_eq!(made.names, [":name", ":match"]);
        assert_eq!(
            translate("a IN (SELECT CAST(value AS BIGINT) FROM json_each(?2)) AND b IN (SELECT 1)")
                .sql,
            "a = ANY (ARRAY(SELECT CAST(value AS BIGINT) FROM json_each($2))) AND b IN (SELECT 1)"
        );
        assert_eq!(
            translate("SELECT rowid FROM line_word WHERE words MATCH :match").sql,
            "SELECT rowid FROM line_word WHERE holds(words, $1)"
        );
    }
}
