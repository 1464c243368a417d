//! Words of scripts without spaces, in parts that SQLite can look up.
//!
//! SQLite takes a run of Chinese, Japanese, Korean or Thai letters for one word, so that a word in it was not found. The
//! index therefore has each two neighbouring letters of such a run as a word, and a query asks for them as a phrase.

use crate::conversation::is_unspaced;

/// Whether a character is part of the letter before it, and no letter for SQLite.
pub(super) fn is_mark(letter: char) -> bool {
    matches!(letter,
        '\u{300}'..='\u{36F}'
        | '\u{E31}' | '\u{E34}'..='\u{E3A}' | '\u{E47}'..='\u{E4E}'
        | '\u{EB1}' | '\u{EB4}'..='\u{EBC}' | '\u{EC8}'..='\u{ECE}'
        | '\u{102B}'..='\u{103E}' | '\u{1056}'..='\u{1059}' | '\u{17B4}'..='\u{17D3}' | '\u{3099}' | '\u{309A}')
}

/// The tokens of a word with letters of such a script; `None` for any other word.
pub(super) struct Tokens {
    /// In their order: pairs of letters, single letters between others, and words of other letters.
    pub(super) all: Vec<String>,
    /// The last letters of runs, which begin no pair.
    pub(super) ends: Vec<String>,
}

impl Tokens {
    pub(super) fn of(word: &str) -> Option<Self> {
        if !word.contains(is_unspaced) {
            return None;
        }
        let letters: Vec<char> = word.chars().filter(|letter| !is_mark(*letter)).collect();
        let mut tokens = Self {
            all: Vec::new(),
            ends: Vec::new(),
        };
        for run in letters.chunk_by(|one, other| is_unspaced(*one) == is_unspaced(*other)) {
            match run {
                [first, _, ..] if is_unspaced(*first) => {
                    let pairs = run.windows(2).map(String::from_iter);
                    tokens.all.extend(pairs);
                    tokens.ends.extend(run.last().map(char::to_string));
                }
                run => tokens.all.push(run.iter().collect()),
            }
        }
        Some(tokens)
    }

    /// Whether the last token is a single letter, which may begin a pair.
    pub(super) fn is_open(&self) -> bool {
        self.all.last().is_some_and(|last| is_single(last))
    }
}

/// Whether a token is one letter of such a script.
pub(super) fn is_single(token: &str) -> bool {
    let mut letters = token.chars();
    letters.next().is_some_and(is_unspaced) && letters.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(word: &str) -> String {
        Tokens::of(word).map_or_else(String::new, |tokens| tokens.all.join(" "))
    }

    #[test]
    fn a_run_of_letters_becomes_its_pairs() {
        assert_eq!(tokens("服务端"), "服务 务端");
        assert_eq!(tokens("itgc后50条悬空"), "itgc 后 50 条悬 悬空");
        assert_eq!(tokens("ล็อกอิน"), "ลอ อก กอ อน");
        assert_eq!(tokens("エラー"), "エラ ラー");
        assert_eq!(tokens("größer"), "");
        let tokens = Tokens::of("登录").expect("it is Chinese");
        assert_eq!(
            (tokens.ends, Tokens::of("录").expect("so is this").is_open()),
            (vec!["录".to_owned()], true)
        );
    }
}
